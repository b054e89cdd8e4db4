"""Every family is complete, and the results of its methods are consistent."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from hydranoc import Design, load
from hydranoc.config.schema import NetworkSection
from hydranoc.families.registry import FAMILIES
from hydranoc.studies.registry import REPRODUCTIONS
from rtl.generator.structure import SharedModule
from sim_model.messages.columns import MessageColumns
from sim_model.messages.messages import Messages
from tests.each import each
from topology.harts.faults import Faults

EXAMPLES = Path(__file__).parents[2] / "examples"


@cache
def example_of(name: str) -> Design:
    """The first sound example of a family."""
    designs = (load(path) for path in sorted(EXAMPLES.glob("*.yaml")) if not path.name.startswith("deadlock-"))
    return next(design for design in designs if design.family.name == name)


@each("name", FAMILIES)
def test_family_and_figures_have_its_name(name):
    family = FAMILIES[name]
    assert family.name == name
    assert family.title
    assert family.first.topology
    assert issubclass(family.network_section, NetworkSection)
    assert all(figure.startswith(f"{name}-") for figure in REPRODUCTIONS[name])


@each("name", FAMILIES)
def test_parts_fit_together(name):
    design = example_of(name)
    assert design.check().right
    assert design.model.network is design.network
    assert design.plan.network is design.network
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


@pytest.mark.parametrize("example", ["demo", "min"])
def test_check_says_how_large_the_tables_of_the_hardware_are(example):
    design = load(EXAMPLES / f"{example}.yaml")
    ports = {shape: SharedModule(make).inputs for shape, make in design.plan.shapes.items()}
    sizes = design.check().sizes
    for table, key in (("routes", "route_table_bits"), ("reach", "reach_table_bits")):
        assert sizes[key] == sum(ports[router.shape][table] for router in design.plan.routers)


@each("name", FAMILIES)
def test_header_lengths_depend_on_how_many_destinations_there_are_and_not_on_which(name):
    design, random = example_of(name), np.random.default_rng(1)
    processors = len(design.network.processors)
    for count in range(1, processors):
        wanted = design.model.header_flits(range(count))
        for _ in range(3):
            destinations = np.sort(random.permutation(processors)[:count]).tolist()
            assert design.model.header_flits(destinations) == design.routing.header_flits(destinations) == wanted


def columns_of(sources, destinations, counts, flits):
    arrays = (np.array(each) for each in (sources, destinations, counts))
    columns = dict(zip(("source", "destinations", "counts"), arrays, strict=True))
    return MessageColumns.of(**columns, flits=np.full(len(sources), flits), start_cycle=np.zeros(len(sources)))


@each("name", FAMILIES)
def test_columns_are_taken_whole_if_every_record_is_left_as_it_is(name):
    design = example_of(name)
    section, routing, family = design.config.network_section, design.routing, design.family
    if "watchdog_flits" in type(section).model_fields:
        section = section.model_copy(update={"watchdog_flits": 40})
    unicasts = columns_of([0, 1, 2], [1, 2, 3], [1, 1, 1], 9)
    for columns in (
        unicasts,
        columns_of([0, 1], [1, 2, 3], [1, 2], 9),
        columns_of([0, 1], [1, 2], [1, 1], 41),
        columns_of([0, 1], [1, 2], [1, 1], 1_000),
        replace(unicasts, operation=np.array([0, 1, 0])),
    ):
        completed = family.validate_messages(section, routing, columns)
        assert (None if completed is None else messages(completed)) == one_by_one(family, section, routing, columns)
    assert family.validate_messages(section, routing, unicasts) is unicasts


def one_by_one(family, section, routing, columns):
    """All completed records; None if one of them is refused."""
    try:
        return messages(family.validate_message(section, routing, record) for record in columns)
    except ValueError:
        return None


def messages(records):
    """Without the difference between no copies and one copy each."""
    return [replace(record, copies=record.copies or dict.fromkeys(record.destinations, 1)) for record in records]


FAULTS = (
    Faults(),
    Faults(silent_nodes=(2,)),
    Faults(corrupting_nodes=(4,), dead_links=((0, 1),)),
    Faults(forging_nodes=((5, 6),)),
)


@each("guard", [False, True])
@each("faults", FAULTS)
def test_broadcasts_in_columns_go_where_their_records_go(faults, guard):
    design, random = example_of("harts"), np.random.default_rng(3)
    routing = replace(design.routing, faults=faults, guard=guard)
    family, section = design.family, design.config.network_section
    nodes = [node for node in range(routing.mesh.nodes) if not faults.is_silent(node)]
    source = random.choice(nodes, 300)
    columns = columns_of(source, [random.choice([n for n in nodes if n != one]) for one in source], [1] * 300, 9)
    operations = list(family.operations(section).values())
    drawn = np.where(random.random(300) < 0.5, random.choice(operations, 300), 0).astype(np.int32)
    columns = replace(columns, operation=drawn)
    completed = family.validate_messages(section, routing, columns)
    assert completed is not None
    assert messages(completed) == one_by_one(family, section, routing, columns)
    assert len({len(record.destinations) for record in completed}) == 2
    build = {"processors": routing.mesh.nodes, "header_flits": routing.header_flits}
    in_columns, in_records = completed.checked(**build), Messages.build(completed, **build)
    for name, column in vars(in_columns).items():
        assert np.array_equal(column, getattr(in_records, name)), name
        assert column.dtype == getattr(in_records, name).dtype, name
