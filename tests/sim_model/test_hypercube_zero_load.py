"""Lone broadcasts in the golden model of hypercubes: n (M + 1) cycles, as with ideal routers, and 11 n of pipelines."""

import pytest

from sim_model.engines.simulation import Simulation
from sim_model.hypercube.model import HypercubeModel
from sim_model.hypercube.multicasts import doubling_sends
from sim_model.messages.messages import Message, Messages
from sim_model.messages.schedule import dependent_unicasts
from topology.hypercube.diagonals import code_bits, input_codes
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting

PIPELINE_CYCLES = 11
"""Of a step: 5 for the dimension and 8 at the ends, less the flit that is counted with the message and the one link
that a step takes with ideal routers."""
STARTS = (0, 1, 2, 3, 5, 8, 13)


def lone_latency(dimensions: int, vcs: int, flits: int, *, base=0, start=0, depth=4, channels=None) -> int:
    network = HypercubeNetwork(dimensions, vcs, channels or dimensions)
    nodes = range(network.switches)
    record = Message(0, nodes[1:], flits, start_cycle=start, group=0)
    messages = Messages.build(
        dependent_unicasts(record, doubling_sends(network, 0, nodes, base), 0),
        processors=network.switches,
        header_flits=lambda _: 1,
        injection_channels=network.injection_channels_per_processor,
    )
    results = Simulation(HypercubeModel(HypercubeRouting(network, 32), depth), messages).run()
    (latency,) = results.group_latency_cycles.tolist()
    return latency


@pytest.mark.parametrize("dimensions", range(1, 11))
def test_every_step_takes_its_message_and_the_pipeline(dimensions):
    for flits in (1, 2, 5, 32):
        found = lone_latency(dimensions, 2, flits, base=dimensions - 1)
        assert found == dimensions * (flits + 1) + PIPELINE_CYCLES * dimensions


@pytest.mark.parametrize("vcs", [2, 3, 4])
@pytest.mark.parametrize("dimensions", [3, 5, 6])
def test_whatever_the_base_the_start_and_the_vcs(dimensions, vcs):
    expected = dimensions * (7 + 1 + PIPELINE_CYCLES)
    for base in range(dimensions):
        for start in STARTS:
            assert lone_latency(dimensions, vcs, 7, base=base, start=start) == expected


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_with_few_flits_in_a_buffer_a_vc_does_not_keep_the_rate(depth):
    for flits in (1, 2, 4, 9):
        slower = max(0, 4 - depth) * ((flits - 1) // depth)
        assert lone_latency(3, 2, flits, depth=depth) == 3 * (flits + 1 + PIPELINE_CYCLES + slower)


def test_one_injection_channel_keeps_the_latency():
    # Copies that leave later have fewer steps to go.
    assert lone_latency(4, 2, 16, channels=1) == 4 * (16 + 1 + PIPELINE_CYCLES)


def test_without_a_vc_for_any_head_copies_go_one_after_the_other():
    assert lone_latency(6, 1, 16) > 6 * (16 + 1 + PIPELINE_CYCLES)


@pytest.mark.parametrize("dimensions", range(1, 13))
def test_copies_leave_a_node_on_one_diagonal(dimensions):
    for channels in range(1, dimensions + 1):
        codes = input_codes(dimensions, channels)
        assert len(set(codes)) == dimensions + channels
        assert max(codes).bit_length() <= code_bits(dimensions, channels)
        hosts = codes[dimensions:]
        if channels > 1:
            assert {code ^ number for number, code in enumerate(hosts)} == {hosts[0]}
        # no two inputs request one output
        for diagonal in range(1 << code_bits(dimensions, channels)):
            looks = [code ^ diagonal for code in codes]
            assert len(set(looks)) == len(looks)


def test_codes_worked_by_hand():
    assert input_codes(6, 1) == (0, 1, 2, 3, 4, 5, 6)
    assert input_codes(6, 6) == (0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13)
    assert input_codes(3, 2) == (0, 1, 2, 4, 5)
    assert input_codes(8, 8) == tuple(range(16))
    assert [code_bits(*shape) for shape in ((1, 1), (2, 1), (4, 1), (6, 1), (6, 6), (8, 8))] == [1, 2, 3, 3, 4, 4]
