"""Flits that share a signature in the lock-step comparison."""

from itertools import chain

import pytest

from tests.networks import figure_1
from topology.common.link_stages import LinkStages
from topology.common.observed import UNSIGNED, ObservedLayout
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid


@pytest.mark.parametrize("lanes", [1, 2, 3])
def test_lanes_of_a_link_share_a_signature(lanes):
    network = TorusNetwork(Grid(3, 4, True), lanes)
    layout = ObservedLayout.of(LinkStages(network), flit_bits=16)
    assert layout.hops == len(network.channels)
    delivered = set(network.delivery_channels)
    shared = [hops for hops in network.lanes_of if not delivered & set(hops)]
    assert sorted(layout.hops_of_signature) == sorted(shared)
    assert {hop for hop, number in enumerate(layout.signature_of) if number == UNSIGNED} == delivered
    assert layout.parts["signatures"].bits == 8 * (12 * 4 + 12)  # links of nodes, then those from processors


@pytest.mark.parametrize("link_cycles", [1, 3])
def test_without_lanes_every_channel_and_stage_has_its_own(link_cycles):
    network = figure_1()
    links = LinkStages(network, link_cycles)
    layout = ObservedLayout.of(links, flit_bits=16)
    assert layout.hops == links.moved_bits
    assert all(len(hops) == 1 for hops in layout.hops_of_signature)
    signed = sorted(chain(*layout.hops_of_signature))
    assert signed == sorted(set(range(links.moved_bits)) - set(network.delivery_channels))
