# (a component is made for its attributes' names)
"""Verilog export: every distinct part is converted once, and one Yosys run writes them all.

Parts with logic go through Amaranth and Yosys; structural parts, which can be far too large for that, are written as
they are.
"""

import re
from dataclasses import dataclass
from itertools import count
from typing import Any

from amaranth.back import rtlil
from amaranth.hdl import ClockSignal, Fragment, Instance, IOBufferInstance, IOPort, Module, ResetSignal, Value
from amaranth.lib.wiring import In

from rtl.generator.rtlil.yosys import verilog_of
from rtl.generator.structure import StructuralPart, flat_ports
from rtl.generator.structure_verilog import CLOCK_PORTS, structure_verilog
from rtl.parts.part import MAX_PORT_BITS, Part

LICENSE = "Apache-2.0"
"""Licence of generated Verilog, as an SPDX identifier."""

HEAD = f"""\
// SPDX-License-Identifier: {LICENSE}
/* verilator lint_off DECLFILENAME */
`timescale 1ns / 1ps
"""
"""Beginning of a generated file, which contains all modules of a network."""

PLACEHOLDER = "hydranoc_module_without_name"
_OF_EVERY_PART = frozenset(vars(Part("part", {}))) - {"module_name"}


@dataclass(frozen=True)
class Converted:
    """A module.

    Members:
        name
        clock_ports: Those of ``CLOCK_PORTS`` that it has.
    """

    name: str
    clock_ports: tuple[str, ...]


class ModuleLibrary:
    """Collects the modules of a design while it is elaborated; an ``Exporter``.

    A module is identified by its content, the converted part: parts of equal name and content share one module, and
    parts of different content are different modules, even with equal names.

    Parameters:
        prefix: Prefix of all module names, so that a design can contain two networks.

    Members:
        modules (list of str): Names of the modules, each after those it uses.
    """

    def __init__(self, prefix: str = ""):
        self.prefix = prefix
        self.modules: list[str] = []
        self._rtlil: list[str] = []
        self._structural: list[str] = []
        self._structural_ports: dict[str, dict[str, str]] = {}
        self._variants: dict[str, dict[str, Converted]] = {}  # by wanted name and content
        self._reserved: set[str] = set()
        self._known: dict[str, list[tuple[Part, Converted]]] = {}  # parts that need not be converted again

    def add(self, part: Part, module: str) -> str:
        """Convert a part and all parts in it, unless the library already has an equal one.

        Parameters:
            module: Preferred name of its module.

        Returns:
            Name of the module. If a part of another content has the preferred name, it ends in ``_variant2`` and so on,
                in the order of conversion.

        Raises:
            ValueError: If a port with logic behind it is too wide.
        """
        return self._converted(part, module).name

    def _converted(self, part: Part, module: str) -> Converted:
        for known, converted in self._known.get(module, ()):
            if known is part or _are_made_alike(known, part):
                return converted
        self._reserved.add(module)
        if isinstance(part, StructuralPart):
            content = structure_verilog(PLACEHOLDER, part.structure(), self._module_of)
            clock_ports, texts = CLOCK_PORTS, self._structural
        else:
            content = _rtlil(part, module, self)
            clock_ports, texts = _clock_ports(content), self._rtlil
        variants = self._variants.setdefault(module, {})
        if content not in variants:
            variants[content] = Converted(self._free_name(module, len(variants)), clock_ports)
            text = content.replace(PLACEHOLDER, variants[content].name)
            texts.append(text)
            if texts is self._structural:
                self._structural_ports[f"\\{variants[content].name}"] = _port_directions(part)
            self.modules += reversed(re.findall(r"^module \\?(\w+)", text, re.MULTILINE))
        self._known.setdefault(module, []).append((part, variants[content]))
        return variants[content]

    def _free_name(self, module: str, variants: int) -> str:
        if not variants:
            return module
        names = (f"{module}_variant{number}" for number in count(variants + 1))
        name = next(name for name in names if name not in self._reserved)
        self._reserved.add(name)
        return name

    def _module_of(self, part: Part) -> tuple[str, tuple[str, ...]]:
        """Return the module name and the clock ports of a part."""
        converted = self._converted(part, f"{self.prefix}{part.module_name}")
        return converted.name, converted.clock_ports

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
        """Return the Verilog-2005 text of all modules.

        Raises:
            VerilogError: If Yosys crashes, is killed or cannot write.
        """
        texts = [verilog_of("\n".join(self._rtlil), self._structural_ports), *self._structural]
        return "\n".join([HEAD, *texts])


def _port_directions(part: Part) -> dict[str, str]:
    directions = {f"\\{name}": "input" if is_input else "output" for name, is_input, _ in flat_ports(part)}
    return directions | {f"\\{port}": "input" for port in CLOCK_PORTS}


def _are_made_alike(one: Part, other: Part) -> bool:
    """Return whether two parts have the same class and attributes besides their ports, and so the same content.

    Attributes that cannot be compared, such as arrays and functions, have to be the same objects.
    """
    if type(one) is not type(other) or one.signature != other.signature:
        return False
    mine, others = vars(one), vars(other)
    names = {*mine, *others} - {*one.signature.members, *_OF_EVERY_PART}
    return all(name in mine and name in others and _are_equal(mine[name], others[name]) for name in names)


def _are_equal(one: object, other: object) -> bool:
    if one is other:
        return True
    try:
        return type(one) is type(other) and hash(one) == hash(other) and one == other
    except TypeError:  # contains a list or an array: equality would depend on its elements
        return False


def _clock_ports(text: str) -> tuple[str, ...]:
    """Return those of ``CLOCK_PORTS`` that a module in RTLIL has; one without registers has none."""
    return tuple(port for port in CLOCK_PORTS if re.search(rf"^  wire .*input .* \\{port}$", text, re.MULTILINE))


def _rtlil(part: Part, module: str, platform: object) -> str:
    """Return a part as RTLIL, with ``PLACEHOLDER`` in the place of the name ``module``.

    Amaranth numbers all input bits of a module together, with 16 bits. Pads have separate numbers, so every input
    has one; in RTLIL it is an ordinary port.
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
    text = rtlil.convert(fragment, name=PLACEHOLDER, ports=ports, emit_src=False)
    # modules in a module that are no parts have its name before their own, after a dot
    return re.sub(rf"\\{PLACEHOLDER}[\w.$]+", lambda name: "\\" + re.sub(r"\W", "_", name[0][1:]), text)
