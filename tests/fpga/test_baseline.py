"""The routers cost what they cost when the baseline was stored, or less."""

import pytest

from benchmarks import harts_rows, hypercube_rows, min_rows, spam_rows, torus_rows
from benchmarks.harts_rows import HartsRow
from benchmarks.hypercube_rows import HypercubeRow
from benchmarks.min_rows import MinRow
from benchmarks.router_rows import Row, rows
from benchmarks.router_table import DEVICE, SEEDS, measured, multicast_costs
from benchmarks.spam_rows import REFERENCE, SpamRow
from benchmarks.torus_rows import TorusRow
from fpga.common.area import Area
from fpga.common.subject import router_subject
from fpga.common.timing import Path, Timing
from hydranoc.fpga.baseline import find_entry, read_baseline, regressions
from hydranoc.fpga.run import Measurement, tool_versions

ALLOWED = 0.05
OTHERS = [row for row in rows() if row.name != REFERENCE]


def hold(row: Row) -> None:
    entry = next((entry for entry in read_baseline() if entry.name == row.name), None)
    assert entry is not None, f"{row.name} is not in the baseline: python -m benchmarks.router_table --store"
    assert find_entry([entry], row.plan, row.switch, DEVICE) == entry
    found = regressions(measured(row), entry, ALLOWED)
    tools = tool_versions(DEVICE)
    other = "" if tools == entry.tools else f" (measured with {tools}, baseline with {entry.tools})"
    assert not found, f"{row.name}: {'; '.join(found)}{other}"


def test_the_reference_router_has_not_become_worse(require_tool):
    for tool in ("yosys", DEVICE.place_and_route):
        require_tool(tool)
    assert SpamRow().name == REFERENCE
    hold(SpamRow())


@pytest.mark.slow
@pytest.mark.parametrize("row", OTHERS, ids=[row.name for row in OTHERS])
def test_no_other_router_has_become_worse(row, require_tool):
    for tool in ("yosys", DEVICE.place_and_route):
        require_tool(tool)
    hold(row)


def test_the_baseline_has_three_seeds_of_every_row():
    entries = {entry.name: entry for entry in read_baseline()}
    assert entries.keys() == {row.name for row in rows()}
    assert all(len(entry.fmax_mhz_by_seed) == SEEDS for entry in entries.values())


@pytest.mark.parametrize("row", spam_rows.rows(), ids=lambda row: row.name)
def test_a_row_is_the_router_that_its_name_says(row: SpamRow):
    plan, switch = row.plan, row.switch
    assert len(plan.network.input_channel[switch]) == row.ports
    assert len(plan.network.processors) == row.nodes
    assert plan.flit_bits == row.flit_bits
    assert ("reach" in plan.routers[switch].constants) == row.multicast
    assert (switch != plan.parameters["root"]) == row.far


@pytest.mark.parametrize("row", min_rows.rows(), ids=lambda row: row.name)
def test_a_row_is_the_switch_that_its_name_says(row: MinRow):
    plan, switch = row.plan, row.switch
    ports = row.radix * (2 if row.bidirectional else 1)
    assert len(plan.network.input_channel[switch]) == len(plan.network.output_channel[switch]) == ports
    assert len(plan.network.processors) == row.nodes
    assert plan.flit_bits == row.flit_bits
    assert ("reach" in plan.routers[switch].constants) == row.multicast
    assert ("release_flits" in plan.routers[switch].constants) == row.multicast


@pytest.mark.parametrize("row", harts_rows.rows(), ids=lambda row: row.name)
def test_a_row_is_the_node_that_its_name_says(row: HartsRow):
    plan = row.plan
    assert plan.flit_bits == row.flit_bits
    assert {name: plan.parameters[name] for name in ("size", "packet_flits")} == {
        "size": row.size,
        "packet_flits": row.packet_flits,
    }
    assert f"pages{plan.parameters['pages']}" in row.name
    assert ("node" in plan.routers[row.switch].constants) == row.guard


@pytest.mark.parametrize("row", torus_rows.rows(), ids=lambda row: row.name)
def test_a_row_is_the_switch_of_a_torus_that_its_name_says(row: TorusRow):
    plan, router = row.plan, row.plan.shapes[row.plan.routers[row.switch].shape]()
    parameters = plan.parameters
    grid = plan.network.grid
    sizes = f"torus-{grid.rows}x{grid.columns}-l{parameters['lanes']}-b{parameters['buffer_flits']}-f{plan.flit_bits}"
    assert row.name.startswith(f"{sizes}-r{parameters['routing_cycles']}")
    assert router.shape.inputs == router.shape.outputs == 5
    assert (parameters["lane_reuse"] == "empty") == row.name.endswith("-empty")
    assert (parameters["injection_priority"] == "low") == row.name.endswith("-low")
    assert (parameters["lane_rule"] == "dateline") == row.name.endswith("-dateline")


@pytest.mark.parametrize("row", hypercube_rows.rows(), ids=lambda row: row.name)
def test_a_row_is_the_switch_of_a_hypercube_that_its_name_says(row: HypercubeRow):
    plan, parameters = row.plan, row.plan.parameters
    sizes = f"hypercube-n{parameters['dimensions']}-l{parameters['lanes']}-b{parameters['buffer_flits']}"
    channels = parameters["injection_channels"]
    assert row.name == f"{sizes}-f{plan.flit_bits}" + (f"-i{channels}" if channels > 1 else "")
    assert 0 < row.switch < plan.network.switches - 1


@pytest.mark.parametrize("family_rows", [torus_rows, hypercube_rows])
def test_rows_have_names_of_their_own(family_rows):
    assert len({row.name for row in family_rows.rows()}) == len(family_rows.rows())


def test_multicast_costs_are_differences():
    def found(row: SpamRow, lut4: int, mhz: float) -> tuple[Row, Measurement]:
        subject = router_subject(row.plan, row.switch)
        return row, Measurement(subject, Area(lut4, 300, {"TRELLIS_DPR16X4": 40}), (Timing(mhz, Path(())),))

    small = SpamRow(nodes=16)
    figures = {
        small.name: found(small, 1200, 100.0),
        f"{small.name}-unicast": found(SpamRow(nodes=16, multicast=False), 1000, 110.0),
        "p3": found(SpamRow(ports=3), 500, 90.0),
    }
    assert multicast_costs(figures) == ["multicast in p5-f32-n16-b2: +200 LUT4 (+20%), +0 FF, +0 RAM, -10.0 MHz"]
