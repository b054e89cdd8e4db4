"""Every family fills every slot, and what its slots return fits together."""

import dataclasses

import pytest

from hydranoc.config.schema import NetworkSection
from hydranoc.families.registry import FAMILIES, Family
from topology.common.lattice import lattice_network
from topology.harts.mesh import HexMesh
from topology.min.graph import MinNetwork

NETWORKS = {"spam": lattice_network(6, seed=1), "min": MinNetwork("baseline", 2, 3), "harts": HexMesh(3)}


@pytest.mark.parametrize("name", FAMILIES)
def test_every_slot_is_filled(name):
    family = FAMILIES[name]
    assert family.name == name
    for slot in dataclasses.fields(Family):
        assert getattr(family, slot.name), f"{name} leaves {slot.name} empty"
    assert issubclass(family.network_section, NetworkSection)
    assert all(figure.startswith(f"{name}-") for figure in family.reproductions)


@pytest.mark.parametrize("name", FAMILIES)
def test_slots_fit_together(name):
    family = FAMILIES[name]
    network = NETWORKS[name]
    section = family.network_section(family=name, topology={})
    routing = family.build_routing(section, network)
    assert family.check(section, routing).right
    assert family.build_model(section, routing).network is network
    assert family.build_plan(section, routing).network is network
    links = family.link_classes(routing)
    assert links.tree <= set(network.edges)
