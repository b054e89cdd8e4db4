"""Comparisons of hardware with the golden model in tests, of changed hardware and of altered wires among them."""

import hashlib
import json
import pickle
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from hydranoc.lockstep.cocotb_run import BENCH
from hydranoc.lockstep.compare import Comparison, compare_network
from hydranoc.lockstep.simulator import build_simulator, run_bench
from hydranoc.lockstep.tools import find_tool
from sim_model.loops.folders import cache_folder
from tb.common.job import JOB_VARIABLE, LockstepJob, LockstepResult
from tests.selection.plugin import sources
from tests.tb.mutations import Mutation, copy_hardware, harness_verilog
from tests.tb.workloads import model_results

# Faults on the wires of a harness: the other instances, and the comparison, get altered outputs of an instance.

# the bench's cycle 0 is the second one after reset
_CYCLE = """
  reg [31:0] fault_cycle = 0;
  always @(posedge clk) fault_cycle <= rst ? 0 : fault_cycle + 1;
"""


@dataclass(frozen=True)
class Alteration:
    """A faulty wire between instances.

    instance, port: Who drives the wire.
    flipped: Verilog expression of the bits to be flipped; ``sound`` is the wire as it is driven, ``cycle`` the bench's.
    """

    instance: str
    port: str
    flipped: str


def flipped_in_cycle(instance: str, port: str, mask: int, cycle: int) -> Alteration:
    """Some bits are wrong in one cycle."""
    return Alteration(instance, port, f"(cycle == {cycle} ? {mask} : 0)")


def flipped_in_body(instance: str, port: str, bit: int, flit_bits: int) -> Alteration:
    """One data bit is wrong in all flits of a link that are neither head nor tail."""
    flit = f"{flit_bits + 2}'d1"
    return Alteration(instance, port, f"(sound[{flit_bits}] | sound[{flit_bits + 1}] ? 0 : {flit} << {bit})")


def altered(verilog: str, alterations: Sequence[Alteration], top: str = "harness") -> str:
    """The Verilog of a harness with faults on wires of its top."""
    before, module = verilog[: verilog.index(f"module {top}(")], verilog[verilog.index(f"module {top}(") :]
    lines = [_CYCLE]
    for number, alteration in enumerate(alterations):
        wire, sound = f"{alteration.instance}__{alteration.port}", f"sound_{number}"
        pin = f".{alteration.port}({wire})"
        if module.count(pin) != 1:
            raise ValueError(f"{wire} must be at one pin {pin!r}, not at {module.count(pin)}")
        declared = re.search(rf"(?m)^  wire (\[\d+:0\] )?{wire};$", module)
        module = module.replace(pin, f".{alteration.port}({sound})")
        flipped = re.sub(r"\bcycle\b", "(fault_cycle - 1)", re.sub(r"\bsound\b", sound, alteration.flipped))
        lines.append(f"  wire {declared[1] or '' if declared else ''}{sound};")
        lines.append(f"  assign {wire} = {sound} ^ {flipped};")
    return before + module.replace("endmodule", "\n".join([*lines, "endmodule"]), 1)


def compare_verilog_text(sound: Comparison, verilog: str, folder: Path) -> LockstepResult:
    """Compare with other Verilog than the comparison's own, under Icarus and without a waveform."""
    result, job, layout = folder / "result.json", folder / "job.pickle", sound.harness.observed
    assert layout is not None
    behaviour = {"hosts": sound.hosts, "resets": sound.resets, "table_words": sound.harness.table_words}
    files = str(result), str(folder / "progress")
    record = LockstepJob(sound.model, sound.messages, 0, sound.cycles, True, *files, layout, **behaviour)
    job.write_bytes(pickle.dumps(record))
    built = build_simulator(replace(sound.harness, verilog=verilog), "icarus", waves=False)
    run_bench(built, BENCH, {JOB_VARIABLE: str(job)}, folder)
    return LockstepResult(**json.loads(result.read_text()))


# Comparison of hardware with the golden model in tests, and the form of a mismatch report.

READ_BY_A_COMPARISON = ("topology", "sim_model", "tb", "hydranoc/lockstep", "requirements.lock")
NOT_READ = ("sim_model/traffic", "sim_model/programs", "sim_model/statistics")
"""They make messages, which are part of the job, or judge results."""


def assert_equal(job, simulator, folder, *, anew=False):
    """Compare in every cycle; an equal comparison is kept by the digest of all that it reads, unless ``anew``."""
    kept = cache_folder() / "comparisons" / _digest(job, simulator)
    if kept.exists() and not anew:
        return
    outcome = compare_network(job, simulator, folder)
    assert outcome.result.report is None, outcome.result.report
    assert outcome.result.compared_cycles == job.cycles
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.touch()


@cache
def _sources() -> list[str]:
    read = {path: digest for path, digest in sources().items() if path.startswith(READ_BY_A_COMPARISON)}
    return sorted(f"{path} {digest}" for path, digest in read.items() if not path.startswith(NOT_READ))


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


# Verilog whose registers and memories begin with random values, as on devices without power-up values.

_REGISTER = re.compile(r"^(  initial \S+ +)= (\d+)'h[0-9a-fxz]+;$", re.MULTILINE)
_WORD = re.compile(r"^(    (\S+)\[\d+\] = )(\d+)'h[0-9a-fxz]+;$", re.MULTILINE)
_MODULE = re.compile(r"(?m)^(?=module )")


def scrambled(verilog: str, seed: int) -> str:
    """The same modules, in which each register has a random value before the first reset, and so has each word of a
    memory that is written; memories without a write port are tables and stay.
    """
    numbers = random.Random(seed)
    changed = "".join(_scrambled_module(module, numbers) for module in _MODULE.split(verilog))
    if changed == verilog:
        raise ValueError("Verilog must have registers with a value to begin with")
    return changed


def _scrambled_module(module: str, numbers: random.Random) -> str:
    def anything(bits: str) -> str:
        return f"{bits}'h{numbers.getrandbits(int(bits)):x};"

    def word(match: re.Match[str]) -> str:
        written = re.search(rf"^\s+(if \(.*\) )?{re.escape(match[2])}\[.*\] <=", module, re.MULTILINE)
        return match[1] + anything(match[3]) if written else match[0]

    return _WORD.sub(word, _REGISTER.sub(lambda match: f"{match[1]}= {anything(match[2])}", module))


def from_anything(job: Comparison, seed: int = 1) -> Comparison:
    """Registers and memories begin with random values: state without a reset must not matter."""
    return replace(job, harness=replace(job.harness, verilog=scrambled(job.harness.verilog, seed)))
