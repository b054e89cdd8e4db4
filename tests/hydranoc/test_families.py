"""Every family fills every slot, and what its slots return fits together."""

import dataclasses
from pathlib import Path

import pytest

from hydranoc import Design, load
from hydranoc.config.schema import NetworkSection
from hydranoc.families.registry import FAMILIES, Family
from rtl.common.structure import SharedModule

EXAMPLES = Path(__file__).parents[2] / "examples"


def example_of(name: str) -> Design:
    """The first sound example of a family."""
    designs = (load(path) for path in sorted(EXAMPLES.glob("*.yaml")) if not path.name.startswith("deadlock-"))
    return next(design for design in designs if design.family.name == name)


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
    design = example_of(name)
    assert design.check().right
    assert design.model.network is design.network
    assert design.plan.network is design.network
    assert design.verilog().manifest["family"] == name
    assert design.harness().routers == design.network.switches
    assert design.family.link_classes(design.routing).tree <= set(design.network.edges)


@pytest.mark.parametrize("name", ["spam", "min"])
def test_model_hardware_and_check_take_buffers_and_times_from_the_configuration(name):
    design = example_of(name)
    family, wanted = design.family, {"buffer_flits": 5, "routing_cycles": 3, "link_cycles": 2}
    section = design.config.network_section.model_copy(update=wanted)
    model, plan = family.build_model(section, design.routing), family.build_plan(section, design.routing)
    assert {key: getattr(model, key) for key in wanted} == wanted
    assert {**plan.parameters, "link_cycles": plan.link_cycles} | wanted == {**plan.parameters, "link_cycles": 2}
    sizes = family.check(section, design.routing).sizes
    assert sizes["buffer_flits"] == model.buffer_depth_flits
    assert sizes["link_stages"] == len(plan.links.hops) > 0
    assert sizes["multicast_header_flits"] >= sizes["unicast_header_flits"] == plan.header.unicast_flits


def test_families_may_have_no_operations_and_no_software_of_their_own():
    assert [FAMILIES[name].operations(None) for name in ("spam", "min")] == [{}, {}]
    assert [FAMILIES[name].software_names(None) for name in ("spam", "harts")] == [(), ()]


@pytest.mark.parametrize("example", ["demo", "min"])
def test_check_says_how_large_the_tables_of_the_hardware_are(example):
    design = load(EXAMPLES / f"{example}.yaml")
    ports = {shape: SharedModule(make).inputs for shape, make in design.plan.shapes.items()}
    sizes = design.check().sizes
    for table, key in (("routes", "route_table_bits"), ("reach", "reach_table_bits")):
        assert sizes[key] == sum(ports[router.shape][table] for router in design.plan.routers)
