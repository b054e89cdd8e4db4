"""Wiring of channels in the fabric: VCs by their valid bits and credits, everything else by valid and ready."""

import pytest

from rtl.endpoints.harness import generate_harness
from rtl.generator.fabric import Fabric
from rtl.generator.network import NetworkTop, generate_network
from rtl.generator.plan import NetworkPlan
from rtl.generator.structure import Constant, Structure
from rtl.harts.network import harts_plan
from rtl.hypercube.network import hypercube_plan
from rtl.min.network import min_plan
from rtl.spam.network import spam_plan
from rtl.torus.network import torus_plan
from topology.common.lattice import lattice_network
from topology.common.virtual_channels import VcNetwork
from topology.harts.graph import HexMesh
from topology.harts.routing import HartsRouting
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

WITHOUT_VCS = {
    "spam": lambda: spam_plan(SpamRouting(SpamLabels(lattice_network(4, seed=7)), 16)),
    "spam-staged": lambda: spam_plan(SpamRouting(SpamLabels(lattice_network(4, seed=7)), 16), link_cycles=2),
    "min": lambda: min_plan(MinRouting(MinNetwork("omega", 2, 3), 16)),
    "harts": lambda: harts_plan(HartsRouting(HexMesh(2), 40), packet_flits=9),
}
WITH_VCS = {
    "torus": lambda: torus_plan(TorusRouting(TorusNetwork(Grid(2, 3), 2), 16)),
    "one-lane": lambda: torus_plan(TorusRouting(TorusNetwork(Grid(2, 3, wraps=False), 1), 16)),
    "hypercube": lambda: hypercube_plan(HypercubeRouting(HypercubeNetwork(2, 2, 2), 16)),
}
FLOWING = Constant(1, 1)


@pytest.fixture
def vcs_connected(monkeypatch):
    """Channels that the fabric wires as lanes."""
    seen, connect = [], Fabric._connect_vc

    def noted(self, channel):
        seen.append(channel)
        return connect(self, channel)

    monkeypatch.setattr(Fabric, "_connect_vc", noted)
    return seen


def fabric_of(plan: NetworkPlan) -> Fabric:
    return Fabric(Structure(NetworkTop(plan)), plan)


@pytest.mark.parametrize("name", WITHOUT_VCS)
def test_no_other_network_has_vcs(name, vcs_connected):
    plan = WITHOUT_VCS[name]()
    assert not isinstance(plan.network, VcNetwork)
    fabric = fabric_of(plan)
    assert vcs_connected == []
    assert FLOWING not in fabric.ready


@pytest.mark.parametrize("name", WITH_VCS)
def test_vcs_are_the_channels_between_switches(name, vcs_connected):
    plan = WITH_VCS[name]()
    fabric, network = fabric_of(plan), plan.network
    between = [c for c in network.channels if network.is_switch(c.source) and network.is_switch(c.sink)]
    assert vcs_connected == between
    assert [c for c, ready in zip(network.channels, fabric.ready, strict=True) if ready == FLOWING] == between


@pytest.mark.parametrize("generate", [generate_network, generate_harness])
@pytest.mark.parametrize("name", [name for name in WITHOUT_VCS if name != "spam-staged"])
def test_the_way_of_vcs_is_not_needed(name, generate, monkeypatch):
    """A fabric without VCs generates the same files."""
    due = generate(WITHOUT_VCS[name]()).files
    monkeypatch.setattr(Fabric, "_is_vc", lambda _self, _channel: False)
    monkeypatch.setattr(Fabric, "_link", lambda _self, channel: channel)
    assert generate(WITHOUT_VCS[name]()).files == due


def test_a_network_without_vcs_is_not_taken_for_one_with_vcs(monkeypatch):
    monkeypatch.setattr(Fabric, "_is_vc", lambda _self, _channel: True)
    with pytest.raises(AssertionError):
        fabric_of(WITHOUT_VCS["spam"]())
