"""Every family fills every slot, and what its slots return fits together."""

import dataclasses
from pathlib import Path

import pytest

from hydranoc import Design, load
from hydranoc.config.schema import NetworkSection
from hydranoc.families.registry import FAMILIES, Family

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
