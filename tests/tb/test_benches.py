"""Benches with and without cocotb, with blocks and without: they report the same, by name and in the very cycle."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hydranoc import load
from hydranoc.lockstep import block_build
from hydranoc.lockstep import compare as compare_module
from hydranoc.lockstep.bench_source import NotFromRegisters, SimulatorFailed
from hydranoc.lockstep.blocks import Port, VerilogModules, blocks_of, calls, network_with_calls, on_both_edges, wrapper
from hydranoc.lockstep.compare import Comparison, compare_network
from hydranoc.lockstep.direct.build import build_directly
from hydranoc.lockstep.direct.compare import chunk_cycles, compare_directly, run_directly
from hydranoc.lockstep.direct.process import DirectBench
from hydranoc.lockstep.simulator import BenchSource, build_simulator, run_bench
from sim_model.engines.simulation import Simulation
from sim_model.loops.bits import TAIL, index_of
from sim_model.messages.messages import Message
from tests.sampled import sampled
from tests.tb.comparisons import (
    altered,
    assert_equal,
    compare_verilog_text,
    flipped_in_body,
    flipped_in_cycle,
)
from tests.tb.mutations import copy_hardware, harness_verilog, mutations
from tests.tb.test_headers_lockstep import loadable_spam as spam
from tests.tb.test_headers_lockstep import with_loaded_tables as with_tables
from tests.tb.test_resets import busy, counted
from tests.tb.workloads import FAULTY, Shape, loaded, staged_traffic, torus_job, torus_routing
from tests.tb.workloads import min_job as multistage
from tests.tb.workloads import spam_comparison as comparison
from topology.common.graph import Network

# Negative controls of the comparison inside a network: contents of flits, side wires, status outputs.

CYCLES = 120
WRONG_CYCLE = 57
RING = torus_routing(1, 4, 2, wraps=True, flit_bits=16, rule="dally-seitz")


def line_of_three(flit_bits: int):
    """p0 sends a message over s0, s1 and s2 to p1."""
    shape = Shape(flit_bits=flit_bits)
    routing = shape.routing(Network(3, [(0, 1), (1, 2)], [0, 2]), root=0)
    return comparison(routing, shape, [Message(0, [1], 9, start_cycle=5)])


@pytest.mark.parametrize(("flit_bits", "bit"), [(16, 3), pytest.param(512, 200, marks=pytest.mark.slow)])
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


@pytest.mark.slow
def test_flit_that_is_put_right_arrives_right(tmp_path, require_tool):
    """The negative control of the one before: without the signatures the fault is invisible."""
    require_tool("icarus")
    job = line_of_three(16)
    wrong = flipped_in_body("router_s0", "outputs__0__payload", 3, 16)
    right_again = flipped_in_body("router_s1", "outputs__1__payload", 3, 16)
    verilog = altered(job.harness.verilog, [wrong, right_again])
    unseen = re.sub(r"\.flit\(router_s0__outputs__0__payload\)", ".flit(sound_0)", verilog)
    assert unseen != verilog
    result = compare_verilog_text(job, unseen, tmp_path)
    assert (result.mismatches, result.report) == (0, None)


@pytest.mark.slow
@pytest.mark.parametrize("vc", [0, 1])
def test_flit_altered_on_one_vc_and_put_right_on_the_next(vc, tmp_path, require_tool):
    """VCs share a signature, and the report names the VC."""
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


@pytest.mark.parametrize("port", sampled(["kept_4", "wish_2"], ["kept_4"]))
def test_side_wire_of_a_mesh_that_is_wrong_for_one_cycle(port, mesh, tmp_path, require_tool):
    require_tool("icarus")
    fault = flipped_in_cycle("router_s3", port, 2, WRONG_CYCLE)
    result = compare_verilog_text(mesh, altered(mesh.harness.verilog, [fault]), tmp_path)
    assert re.match(rf"  side wire {port} s3->s\d: hardware \d, model \d$", only_line(result))


@pytest.mark.slow
def test_token_that_is_wrong_for_one_cycle(tmp_path, require_tool):
    require_tool("icarus")
    job = multistage(*FAULTY, cycles=CYCLES)
    wire = job.harness.observed.side_wires[0]
    fault = flipped_in_cycle(f"router_s{wire.source}", "token_out", 1, WRONG_CYCLE)
    line = only_line(compare_verilog_text(job, altered(job.harness.verilog, [fault]), tmp_path))
    names = [job.model.network.vertex_name(switch) for switch in (wire.source, wire.sink)]
    assert re.match(rf"  side wire token_out {names[0]}->{names[1]}: hardware (1, model 0|0, model 1)$", line)


@pytest.mark.parametrize("output", sampled(["lost", "duplicated"], ["lost"]))
def test_status_output_that_is_wrong_for_one_cycle(output, tmp_path, require_tool):
    require_tool("icarus")
    job = multistage(*FAULTY, cycles=CYCLES)
    fault = flipped_in_cycle("token", output, 1, WRONG_CYCLE)
    result = compare_verilog_text(job, altered(job.harness.verilog, [fault]), tmp_path)
    lines = (result.report or "").splitlines()
    assert lines == [f"first difference in cycle {WRONG_CYCLE}", f"  status token_{output}: hardware 1, model 0"]


# The bench without cocotb: it reports the same as cocotb's, in the same cycle and the same words.

SHAPE = Shape(flit_bits=16)
START = 5


def line(start: int):
    """p0 sends a message over s0, s1 and s2 to p1."""
    routing = SHAPE.routing(Network(3, [(0, 1), (1, 2)], [0, 2]), root=0)
    return comparison(routing, SHAPE, [Message(0, [1], 9, start_cycle=start)], cycles=start + 60)


def first_body_flit(compared) -> int:
    """Cycle in which the first flit that is neither head nor tail leaves s0."""
    number = next(channel.index for channel in compared.model.network.channels if channel.name == "s0->s1")
    flits = Simulation(compared.model, compared.messages).record(compared.cycles).flits[:, number].tolist()
    return next(cycle for cycle, flit in enumerate(flits) if flit >= 0 and index_of(flit) and not flit & TAIL)


@pytest.mark.slow
def test_a_flit_that_is_wrong_on_one_channel_alone_is_reported_as_under_cocotb(tmp_path, require_tool):
    """In the middle of a chunk, in its last row, and in the first row of the next one."""
    require_tool("verilator")
    require_tool("icarus")
    sound = line(START)
    wrong = flipped_in_body("router_s0", "outputs__0__payload", 3, 16)
    right_again = flipped_in_body("router_s1", "outputs__1__payload", 3, 16)
    verilog = altered(sound.harness.verilog, [wrong, right_again])
    source = replace(sound.harness, verilog=verilog)
    built, early = build_directly(source), first_body_flit(sound)
    assert early > START
    chunk = chunk_cycles(source.observed.hops)
    for cycle in (early, chunk - 1, chunk):
        compared = replace(line(START + cycle - early), harness=source)
        assert first_body_flit(compared) == cycle
        with DirectBench(source, built) as bench:
            result = compare_directly(compared, bench)
        assert (result.mismatches, result.mismatch_cycle, result.compared_cycles) == (1, cycle, cycle)
        if cycle == early:
            assert result.report == compare_verilog_text(compared, verilog, tmp_path).report


@pytest.mark.slow
def test_a_bench_is_used_again(require_tool):
    """The state that a comparison leaves in the hardware is reset before the next one."""
    require_tool("verilator")
    whole, short = line(START), replace(line(START), cycles=12)  # stops with flits in all buffers
    with DirectBench(whole.harness, build_directly(whole.harness)) as bench:
        for compared in (short, whole, short, whole):
            result = compare_directly(compared, bench)
            assert (result.report, result.compared_cycles) == (None, compared.cycles)


# Compare finds and reports the same with and without cocotb: rows, counters, tables, waveforms.

NS = 1000
"""Time steps of a waveform."""
(MUTATION,) = [m for m in mutations("lock-step", "spam") if m.name == "copies to the first output only"]


@pytest.fixture
def mutated(tmp_path):
    """A network of three switches whose routers forget all copies but one."""
    routing = SHAPE.routing(Network(3, [(0, 1), (1, 2)], [0, 1, 2, 2]), root=0)
    sound = comparison(routing, SHAPE, staged_traffic(routing, 200, 1, loads=(0.5,), flits=8))
    copy_hardware(tmp_path, MUTATION)
    verilog = harness_verilog(tmp_path, routing, SHAPE.settings)
    assert verilog != sound.harness.verilog
    return replace(sound, harness=replace(sound.harness, verilog=verilog))


@pytest.mark.parametrize(
    "more", [pytest.param({}, id="direct"), pytest.param({"cocotb": True}, id="cocotb", marks=pytest.mark.slow)]
)
def test_a_mutation_is_reported_with_routers_and_a_waveform(more, mutated, tmp_path, require_tool):
    require_tool("verilator")
    require_tool("icarus")
    expected = compare_network(mutated, "icarus", tmp_path / "icarus").result
    outcome = compare_network(mutated, "verilator", tmp_path / "verilator", **more)
    found = outcome.result
    assert found.mismatches == 1
    assert (found.mismatch_cycle, found.compared_cycles) == (expected.mismatch_cycle, expected.compared_cycles)
    assert found.report == expected.report
    assert re.match(r"first difference in cycle \d+\n  channel s\d->", found.report or "")
    assert "router s" in (found.report or "")
    assert outcome.waveform is not None
    assert " $scope module router_s1 " in outcome.waveform.read_text()


@pytest.mark.slow
def test_a_waveform_that_is_asked_for_begins_with_the_reset(tmp_path, require_tool):
    require_tool("verilator")
    job = line(5)
    outcome = compare_network(job, "verilator", tmp_path, waves=True)
    assert (outcome.result.mismatches, outcome.result.compared_cycles) == (0, job.cycles)
    times = _times(outcome.waveform)
    assert (times[0], times[-1]) == (5 * NS, (100 + 10 * job.cycles) * NS)


def _times(waveform) -> list[int]:
    return [int(time) for time in re.findall(r"(?m)^#(\d+)$", waveform.read_text())]


@pytest.mark.slow
@pytest.mark.parametrize("family", ["spam", "torus"])
def test_resets_under_load_without_cocotb(family, tmp_path, require_tool):
    require_tool("verilator")
    job = busy(family)
    result = compare_network(job, "verilator", tmp_path).result
    assert (result.report, result.compared_cycles) == (None, job.cycles)


@pytest.mark.slow
def test_tables_are_loaded_without_cocotb(tmp_path, require_tool):
    require_tool("verilator")
    job, words = with_tables(spam)
    built = build_directly(job.harness)
    for given, mismatches in ((words, 0), (words[:-1], 1)):
        loaded = replace(job, harness=replace(job.harness, table_words=tuple(given)))
        assert run_directly(loaded, built, tmp_path, None, None)[0].mismatches == mismatches


@pytest.mark.slow
def test_wrong_counters_are_reported_without_cocotb(tmp_path, require_tool):
    require_tool("verilator")
    sound = counted()
    wrong = replace(sound, harness=replace(sound.harness, verilog=_frozen(sound.harness.verilog)))
    result = compare_network(wrong, "verilator", tmp_path).result
    assert result.mismatches == 1
    assert (result.report or "").startswith("channel counters differ\n")


def _frozen(verilog: str) -> str:
    """Counters that are never switched on."""
    start = verilog.index("module harness(")
    module = verilog[start:]
    assert module.count(".enable(counters_enable)") == 1
    return verilog[:start] + module.replace(".enable(counters_enable)", ".enable(1'h0)")


def test_hardware_that_is_no_block_is_built_once_more(tmp_path, monkeypatch):
    """Outputs of a block that do not come from registers end the run; then every instance is compiled."""
    job, built = line(5), []

    def build(_, **options):
        built.append(options["allow_blocks"])
        return

    def run(*_):
        if built[-1]:
            raise NotFromRegisters("module part: outputs depend on inputs within a cycle")
        raise SimulatorFailed("second run")

    monkeypatch.setattr(compare_module, "build_directly", build)
    monkeypatch.setattr(compare_module, "run_directly", run)
    with pytest.raises(SimulatorFailed, match="second run"):
        compare_network(job, "verilator", tmp_path)
    assert built == [True, False]


# Modules that are compiled once: simulators with and without them show the same.

PART = """module part(clk, added, i, o);
  input clk;
  wire clk;
  input [79:0] added;
  wire [79:0] added;
  input [79:0] i;
  wire [79:0] i;
  output [79:0] o;
  reg [79:0] o;
  always @(posedge clk) o <= i + added;
endmodule
"""
TOP = """module top(clk, given, seen);
  input clk;
  input [79:0] given;
  output [79:0] seen;
  wire [79:0] between;
  part first (
    .added(80'h00010000000000000000),
    .clk(clk),
    .i(given),
    .o(between)
  );
  part second (
    .added(80'h00000000000000000005),
    .clk(clk),
    .i(between),
    .o(seen)
  );
endmodule
"""
MESH = """network:
  family: torus
  topology: {kind: mesh, rows: 2, columns: 3}
  flit_bits: 32
traffic: {kind: random, seed: 3, cycles: 400, messages_per_node_per_cycle: 0.02, flits: 6}
"""
MESH_CYCLES = 500


def source(verilog: str) -> BenchSource:
    return BenchSource("top", verilog, ("clk", "given"), ("seen",), ("part",), block_build.BLOCKS_FROM_ROUTERS)


def test_ports_that_are_tied_everywhere_are_constants():
    modules = VerilogModules(PART + TOP)
    (block,) = blocks_of(modules, "top", ["part"])
    assert block.constants == [Port("added", 80, True)]
    assert (block.inputs, block.outputs) == ([Port("i", 80, True)], [Port("o", 80, False)])
    called = network_with_calls(modules, "top", [block])
    assert "always @(posedge clk) o <= i + added" not in called
    assert "always @(edge clk) o <= i + added" in wrapper(block)
    assert called.endswith(TOP)
    assert calls(block).count("model->eval()") == 1  # when it is made; then Vblock_part_cycle
    assert calls(block).count("Vblock_part_cycle(model->rootp)") == 1
    loose = VerilogModules(PART + TOP.replace("80'h00000000000000000005", "between"))
    assert not blocks_of(loose, "top", ["part"])[0].constants


@pytest.mark.parametrize("other", ["negedge clk", "posedge load"])
def test_only_rising_edges_of_the_clock_can_count_on_both_edges(other):
    with pytest.raises(ValueError, match=f"not '{other}'"):
        on_both_edges(PART + PART.replace("posedge clk", other))


def run(verilog: str, folder: Path, monkeypatch) -> None:
    monkeypatch.setenv("HYDRANOC_CACHE", str(folder / "cache"))
    built = build_simulator(source(verilog), "verilator", waves=False)
    assert (built.folder / "bench.v").read_text().count("_step(") == 2
    run_bench(built, "tests.tb.block_bench", {}, folder)


@pytest.mark.slow
def test_blocks_give_what_their_modules_give(tmp_path, monkeypatch, require_tool):
    require_tool("verilator")
    run(PART + TOP, tmp_path, monkeypatch)


def test_outputs_that_depend_on_inputs_within_a_cycle_end_the_run(tmp_path, monkeypatch, require_tool):
    require_tool("verilator")
    through = PART.replace("output [79:0] o;\n  reg", "output [79:0] o;\n  wire")
    through = through.replace("always @(posedge clk) o <=", "assign o =")
    with pytest.raises(NotFromRegisters, match="module part: outputs depend on inputs within a cycle"):
        run(through + TOP, tmp_path, monkeypatch)


def compared(verilog, design, harness, folder: Path, cycles: int = MESH_CYCLES):
    job = Comparison(design.model, design.messages, 0, cycles, replace(harness, verilog=verilog))
    return compare_network(job, "verilator", folder).result


@pytest.mark.slow
def test_a_fault_of_one_router_among_blocks_is_reported_by_name(tmp_path, monkeypatch, require_tool):
    """The router uses its neighbour's number, so a worm that is to turn there goes on or leaves."""
    require_tool("verilator")
    monkeypatch.setattr(block_build, "BLOCKS_FROM_ROUTERS", 1)
    (tmp_path / "mesh.yaml").write_text(MESH)
    design = load(tmp_path / "mesh.yaml")
    harness = design.harness()
    sound = compared(harness.verilog, design, harness, tmp_path)
    assert (sound.compared_cycles, sound.mismatches) == (MESH_CYCLES, 0)
    faulty = compared(with_other_column(harness.verilog, "router_s4"), design, harness, tmp_path)
    assert faulty.mismatches == 1
    assert "s4->" in faulty.report


def with_other_column(verilog: str, router: str) -> str:
    """Verilog in which one router has the column number 0."""
    before, found, rest = verilog.partition(f" {router} (\n")
    pins, end, after = rest.partition(");\n")
    altered, columns = re.subn(r"\.column\((\d+)'h\w+\)", r".column(\1'h0)", pins)
    assert found
    assert columns == 1
    return before + found + altered + end + after
