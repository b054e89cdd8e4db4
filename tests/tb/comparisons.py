"""Comparison of hardware with the golden model in tests, and the form of a mismatch report."""

import hashlib
import pickle
import re
from functools import cache
from pathlib import Path

from hydranoc.lockstep.compare import Comparison, compare_network
from hydranoc.lockstep.tools import find_tool
from sim_model.loops.folders import cache_folder
from tb.common.job import LockstepResult
from tests.selection.plugin import sources
from tests.tb.altered_wires import compare_verilog_text
from tests.tb.mutations import Mutation, copy_hardware, harness_verilog
from tests.tb.spam_workloads import model_results

READ_BY_A_COMPARISON = ("topology", "sim_model", "tb", "hydranoc/lockstep", "requirements.lock")


def assert_equal(job, simulator, folder):
    """Compare in every cycle; an equal comparison is kept by the digest of all that it reads."""
    kept = cache_folder() / "comparisons" / _digest(job, simulator)
    if kept.exists():
        return
    outcome = compare_network(job, simulator, folder)
    assert outcome.result.report is None, outcome.result.report
    assert outcome.result.compared_cycles == job.cycles
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.touch()


@cache
def _sources() -> list[str]:
    return sorted(f"{path} {digest}" for path, digest in sources().items() if path.startswith(READ_BY_A_COMPARISON))


def _digest(job: Comparison, simulator: str) -> str:
    program = Path(find_tool(simulator).command[0]).stat()
    return hashlib.sha256(pickle.dumps([job, simulator, program.st_mtime_ns, _sources()])).hexdigest()


def assert_delivered(job):
    """Every message reaches every destination exactly once; deliveries equal the model's in every flit."""
    results = model_results(job)
    assert (results.lost, results.duplicated, results.disordered) == (0, 0, 0)
    assert not results.deadlocked


REPORT = re.compile(
    r"first difference in cycle \d+\n  (channel \S+->\S+|injector of p\d+|delivered to p\d+|side wire \S+ \S+->\S+"
    r"|status \S+:)"
)


def compare_verilog(
    sound: Comparison, mutation: Mutation | None, folder: Path, plan_settings: dict[str, object], family: str
) -> LockstepResult:
    """Compare with the Verilog of a copy of the hardware; unlike ``compare_network`` without a waveform."""
    copy_hardware(folder, mutation)
    verilog = harness_verilog(folder, sound.model.routing, plan_settings, family=family)
    assert (verilog == sound.harness.verilog) == (mutation is None)
    return compare_verilog_text(sound, verilog, folder)
