"""Negative controls of the comparison inside a network: contents of flits, side wires, status outputs.

Each fault is made good before it reaches a processor, or has no effect on flits at all. It has to be reported in its
very cycle, by name, and nothing else with it.
"""

import re
import shutil
from dataclasses import replace

import pytest

from sim_model.engines.simulation import Simulation
from sim_model.loops.bits import TAIL, index_of
from sim_model.messages.messages import Message
from tests.tb.altered_wires import Alteration, altered, compare_verilog_text, flipped_in_body, flipped_in_cycle
from tests.tb.comparisons import assert_equal
from tests.tb.harts_workloads import loaded
from tests.tb.min_workloads import FAULTY
from tests.tb.min_workloads import job as multistage
from tests.tb.spam_workloads import Shape, comparison
from tests.tb.torus_workloads import job as torus_job
from tests.tb.torus_workloads import torus_routing
from topology.common.graph import Network

CYCLES = 120
WRONG_CYCLE = 57
RING = torus_routing(1, 4, 2, wraps=True, flit_bits=16, rule="dally-seitz")


def line_of_three(flit_bits: int):
    """p0 sends a message over s0, s1 and s2 to p1."""
    shape = Shape(flit_bits=flit_bits)
    routing = shape.routing(Network(3, [(0, 1), (1, 2)], [0, 2]), root=0)
    return comparison(routing, shape, [Message(0, [1], 9, start_cycle=5)])


@pytest.mark.parametrize(("flit_bits", "bit"), [(16, 3), (64, 63), (512, 200)])
def test_flit_altered_on_one_channel_and_put_right_on_the_next(flit_bits, bit, tmp_path, require_tool):
    require_tool("icarus")
    job = line_of_three(flit_bits)
    wrong = flipped_in_body("router_s0", "outputs__0__payload", bit, flit_bits)
    right_again = flipped_in_body("router_s1", "outputs__1__payload", bit, flit_bits)
    result = compare_verilog_text(job, altered(job.harness.verilog, [wrong, right_again]), tmp_path)
    number = next(channel.index for channel in job.model.network.channels if channel.name == "s0->s1")
    flits = Simulation(job.model, job.messages).record(job.cycles).flits[:, number].tolist()
    cycle = next(c for c, flit in enumerate(flits) if flit >= 0 and index_of(flit) and not flit & TAIL)
    assert result.mismatch_cycle == cycle
    first, second, router = (result.report or "").splitlines()[:3]
    assert first == f"first difference in cycle {cycle}"
    signatures = r"hardware signature 0x.., model signature 0x.."
    assert re.match(rf"  channel s0->s1: {signatures}, message 0, flit 1 of 9, body 0x[0-9a-f]+", second), second
    assert not router.startswith("  ")  # the router's state: no other field differs


def test_a_kept_comparison_is_that_of_the_same_hardware_alone(tmp_path, require_tool, monkeypatch):
    require_tool("icarus")
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path))
    job = line_of_three(16)
    assert_equal(job, "icarus", tmp_path)
    assert len(list((tmp_path / "comparisons").iterdir())) == 1
    shutil.rmtree(next(tmp_path.glob("icarus-*")))
    assert_equal(job, "icarus", tmp_path)
    assert not list(tmp_path.glob("icarus-*")), "the kept comparison builds no simulator"
    wrong = altered(job.harness.verilog, [flipped_in_body("router_s0", "outputs__0__payload", 3, 16)])
    with pytest.raises(AssertionError, match="first difference in cycle"):
        assert_equal(replace(job, harness=replace(job.harness, verilog=wrong)), "icarus", tmp_path)


@pytest.mark.parametrize("flit_bits", [16])
def test_flit_that_is_put_right_arrives_right(flit_bits, tmp_path, require_tool):
    """The negative control of the one before: without the signatures the fault is invisible."""
    require_tool("icarus")
    job = line_of_three(flit_bits)
    wrong = flipped_in_body("router_s0", "outputs__0__payload", 3, flit_bits)
    right_again = flipped_in_body("router_s1", "outputs__1__payload", 3, flit_bits)
    verilog = altered(job.harness.verilog, [wrong, right_again])
    unseen = re.sub(r"\.flit\(router_s0__outputs__0__payload\)", ".flit(sound_0)", verilog)
    assert unseen != verilog
    result = compare_verilog_text(job, unseen, tmp_path)
    assert (result.mismatches, result.report) == (0, None)


@pytest.mark.parametrize("vc", [0, 1])
def test_flit_altered_on_one_vc_and_put_right_on_the_next(vc, tmp_path, require_tool):
    """VCs share a signature, and the report names the lane."""
    require_tool("icarus")
    job = torus_job(RING, buffer_flits=4, routing_cycles=1, cycles=300)
    network = job.model.network
    link = network.links.channels[network.link_of[next(c.index for c in network.channels if c.name == "s2->s3.1")]]
    number = network.vcs_of[link.index][vc]
    flits = Simulation(job.model, job.messages).record(job.cycles).flits[:, number].tolist()
    cycle = next(c for c, flit in enumerate(flits) if flit >= 0 and index_of(flit) and not flit & TAIL)
    # in this cycle alone, and the sink has them right: only the monitor's are altered
    fault = flipped_in_cycle("router_s2", f"outputs__{link.source_port}__payload", 1, cycle)
    verilog = altered(job.harness.verilog, [fault])
    sink = f".inputs__{link.sink_port}__payload(router_s2__outputs__{link.source_port}__payload)"
    assert verilog.count(sink) == 1
    result = compare_verilog_text(job, verilog.replace(sink, sink.split("(")[0] + "(sound_0)"), tmp_path)
    first, second, router = (result.report or "").splitlines()[:3]
    assert first == f"first difference in cycle {cycle}"
    assert second.startswith(f"  channel s2->s3.{vc}: hardware signature "), second
    assert not router.startswith("  ")


def test_report_shows_the_routers_at_the_start_of_the_cycle(tmp_path, require_tool):
    """Long after a reset, in the middle of one of the pieces in which the model runs ahead."""
    require_tool("icarus")
    job = replace(torus_job(RING, buffer_flits=4, routing_cycles=1, cycles=1_200), cycles=1_100, resets=(300,))
    fault = Alteration("router_s0", "outputs__1__payload", "(cycle >= 700 ? 1 : 0)")
    result = compare_verilog_text(job, altered(job.harness.verilog, [fault]), tmp_path)
    simulation = Simulation(job.model, job.messages)
    assert result.mismatch_cycle is not None
    assert result.mismatch_cycle >= 1_000
    simulation.record(result.mismatch_cycle - 300)
    for switch in (0, 3):
        assert simulation.describe_router(switch) in (result.report or "")


@pytest.fixture(scope="module")
def mesh():
    return loaded(2, CYCLES)


def only_line(result) -> str:
    """The one difference that is reported."""
    lines = (result.report or "").splitlines()
    assert lines[0] == f"first difference in cycle {WRONG_CYCLE}"
    assert result.mismatch_cycle == WRONG_CYCLE
    assert not lines[2].startswith("  ")
    return lines[1]


@pytest.mark.parametrize(
    ("port", "mask", "name"), [("kept_1", 1, "kept_1"), ("kept_4", 2, "kept_4"), ("wish_2", 2, "wish_2")]
)
def test_side_wire_of_a_mesh_that_is_wrong_for_one_cycle(port, mask, name, mesh, tmp_path, require_tool):
    require_tool("icarus")
    fault = flipped_in_cycle("router_s3", port, mask, WRONG_CYCLE)
    result = compare_verilog_text(mesh, altered(mesh.harness.verilog, [fault]), tmp_path)
    assert re.match(rf"  side wire {name} s3->s\d: hardware \d, model \d$", only_line(result))


def test_token_that_is_wrong_for_one_cycle(tmp_path, require_tool):
    require_tool("icarus")
    job = multistage(*FAULTY, cycles=CYCLES)
    wire = job.harness.observed.side_wires[0]
    fault = flipped_in_cycle(f"router_s{wire.source}", "token_out", 1, WRONG_CYCLE)
    line = only_line(compare_verilog_text(job, altered(job.harness.verilog, [fault]), tmp_path))
    names = [job.model.network.vertex_name(switch) for switch in (wire.source, wire.sink)]
    assert re.match(rf"  side wire token_out {names[0]}->{names[1]}: hardware (1, model 0|0, model 1)$", line)


@pytest.mark.parametrize("output", ["lost", "duplicated"])
def test_status_output_that_is_wrong_for_one_cycle(output, tmp_path, require_tool):
    require_tool("icarus")
    job = multistage(*FAULTY, cycles=CYCLES)
    fault = flipped_in_cycle("token", output, 1, WRONG_CYCLE)
    result = compare_verilog_text(job, altered(job.harness.verilog, [fault]), tmp_path)
    lines = (result.report or "").splitlines()
    assert lines == [f"first difference in cycle {WRONG_CYCLE}", f"  status token_{output}: hardware 1, model 0"]
