"""``compare`` finds and reports the same with and without cocotb: rows, counters, tables, waveforms."""

import re
from dataclasses import replace

import pytest

from hydranoc.lockstep import compare as compare_module
from hydranoc.lockstep.bench_source import NotFromRegisters, SimulatorFailed
from hydranoc.lockstep.compare import compare_network
from hydranoc.lockstep.direct.build import build_directly
from hydranoc.lockstep.direct.compare import run_directly
from tests.tb.mutations import MUTATIONS, copy_hardware, harness_verilog
from tests.tb.spam_workloads import Shape, comparison, staged_traffic
from tests.tb.test_counters import job as counted
from tests.tb.test_direct_bench import job as line
from tests.tb.test_loadable_tables import comparison as with_tables
from tests.tb.test_loadable_tables import spam
from tests.tb.test_resets import busy
from topology.common.graph import Network

NS = 1000
"""Time steps of a waveform."""
MUTATION = next(mutation for mutation in MUTATIONS if mutation.name == "copies to the first output only")
SHAPE = Shape(flit_bits=16)


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


def test_the_waveform_of_a_direct_run_ends_behind_the_difference(mutated, tmp_path, require_tool):
    """Cycle n lasts from 100 + 10 n ns on."""
    require_tool("verilator")
    outcome = compare_network(mutated, "verilator", tmp_path)
    cycle, times = outcome.result.mismatch_cycle, _times(outcome.waveform)
    assert cycle is not None
    assert times[0] <= (100 + 10 * cycle) * NS < times[-1]
    assert times[-1] == (100 + 10 * (cycle + compare_module.CYCLES_AFTER_MISMATCH)) * NS


def test_a_waveform_that_is_asked_for_begins_with_the_reset(tmp_path, require_tool):
    require_tool("verilator")
    job = line(5)
    outcome = compare_network(job, "verilator", tmp_path, waves=True)
    assert (outcome.result.mismatches, outcome.result.compared_cycles) == (0, job.cycles)
    times = _times(outcome.waveform)
    assert (times[0], times[-1]) == (5 * NS, (100 + 10 * job.cycles) * NS)


def _times(waveform) -> list[int]:
    return [int(time) for time in re.findall(r"(?m)^#(\d+)$", waveform.read_text())]


def test_cocotb_compares_under_verilator_as_well(tmp_path, require_tool):
    require_tool("verilator")
    job = line(5)
    result = compare_network(job, "verilator", tmp_path, cocotb=True).result
    assert (result.mismatches, result.compared_cycles) == (0, job.cycles)


@pytest.mark.parametrize("family", ["spam", pytest.param("torus", marks=pytest.mark.slow)])
def test_resets_under_load_without_cocotb(family, tmp_path, require_tool):
    require_tool("verilator")
    job = busy(family)
    result = compare_network(job, "verilator", tmp_path).result
    assert (result.report, result.compared_cycles) == (None, job.cycles)


def test_tables_are_loaded_without_cocotb(tmp_path, require_tool):
    require_tool("verilator")
    job, words = with_tables(spam)
    built = build_directly(job.harness)
    for given, mismatches in ((words, 0), (words[:-1], 1)):
        loaded = replace(job, harness=replace(job.harness, table_words=tuple(given)))
        assert run_directly(loaded, built, tmp_path, None, None)[0].mismatches == mismatches


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
