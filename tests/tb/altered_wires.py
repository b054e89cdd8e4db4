"""Faults on the wires of a harness: the other instances, and the comparison, get altered outputs of an instance."""

import json
import pickle
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hydranoc.lockstep.cocotb_run import BENCH
from hydranoc.lockstep.compare import Comparison
from hydranoc.lockstep.simulator import build_simulator, run_bench
from tb.common.job import JOB_VARIABLE, LockstepJob, LockstepResult

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
    behaviour = {"hosts": sound.hosts, "resets": sound.resets}
    files = str(result), str(folder / "progress")
    record = LockstepJob(sound.model, sound.messages, 0, sound.cycles, True, *files, layout, **behaviour)
    job.write_bytes(pickle.dumps(record))
    built = build_simulator(replace(sound.harness, verilog=verilog), "icarus", waves=False)
    run_bench(built, BENCH, {JOB_VARIABLE: str(job)}, folder)
    return LockstepResult(**json.loads(result.read_text()))
