"""The bench without cocotb: it reports the same as cocotb's, in the same cycle and the same words."""

from dataclasses import replace

from hydranoc.lockstep.direct.build import build_directly
from hydranoc.lockstep.direct.compare import CHUNK_CYCLES, compare_directly
from hydranoc.lockstep.direct.process import DirectBench
from sim_model.engines.simulation import Simulation
from sim_model.loops.bits import TAIL, index_of
from sim_model.messages.messages import Message
from tests.tb.altered_wires import altered, compare_verilog_text, flipped_in_body
from tests.tb.spam_workloads import Shape, comparison
from topology.common.graph import Network

SHAPE = Shape(flit_bits=16)
START = 5


def job(start: int):
    """p0 sends a message over s0, s1 and s2 to p1."""
    routing = SHAPE.routing(Network(3, [(0, 1), (1, 2)], [0, 2]), root=0)
    return comparison(routing, SHAPE, [Message(0, [1], 9, start_cycle=start)], cycles=start + 60)


def first_body_flit(compared) -> int:
    """Cycle in which the first flit that is neither head nor tail leaves s0."""
    number = next(channel.index for channel in compared.model.network.channels if channel.name == "s0->s1")
    flits = Simulation(compared.model, compared.messages).record(compared.cycles).flits[:, number].tolist()
    return next(cycle for cycle, flit in enumerate(flits) if flit >= 0 and index_of(flit) and not flit & TAIL)


def test_a_flit_that_is_wrong_on_one_channel_alone_is_reported_as_under_cocotb(tmp_path, require_tool):
    """In the middle of a chunk, in its last row, and in the first row of the next one."""
    require_tool("verilator")
    require_tool("icarus")
    sound = job(START)
    wrong = flipped_in_body("router_s0", "outputs__0__payload", 3, 16)
    right_again = flipped_in_body("router_s1", "outputs__1__payload", 3, 16)
    verilog = altered(sound.harness.verilog, [wrong, right_again])
    source = replace(sound.harness, verilog=verilog)
    built, early = build_directly(source), first_body_flit(sound)
    assert early > START
    for cycle in (early, CHUNK_CYCLES - 1, CHUNK_CYCLES):
        compared = replace(job(START + cycle - early), harness=source)
        assert first_body_flit(compared) == cycle
        with DirectBench(source, built) as bench:
            result = compare_directly(compared, bench)
        assert (result.mismatches, result.mismatch_cycle, result.compared_cycles) == (1, cycle, cycle)
        if cycle == early:
            assert result.report == compare_verilog_text(compared, verilog, tmp_path).report


def test_a_bench_is_used_again(require_tool):
    """The state that a comparison leaves in the hardware is reset before the next one."""
    require_tool("verilator")
    whole, short = job(START), replace(job(START), cycles=12)  # stops with flits in all buffers
    with DirectBench(whole.harness, build_directly(whole.harness)) as bench:
        for compared in (short, whole, short, whole):
            result = compare_directly(compared, bench)
            assert (result.report, result.compared_cycles) == (None, compared.cycles)
