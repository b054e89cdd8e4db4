"""The network's top module cut up into instances and pins, and the other modules by name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

INSTANCE = re.compile(r"^  (\S+) (\S+) \(\n(.*?)^  \);\n", re.M | re.S)
PIN = re.compile(r"^    \.(\\?\S+?) ?\((.*?)\)(,?)\n", re.M | re.S)
MODULE = re.compile(r"^module (\S+?) ?\(.*?^endmodule\n", re.M | re.S)


@dataclass(frozen=True)
class Pin:
    """A pin of an instance: name, its net, and the positions of the net and of the whole line in the text."""

    name: str
    net: str
    span: tuple[int, int]
    line: tuple[int, int]
    last: bool


@dataclass(frozen=True)
class Placed:
    """An instance: module, name, position in the text, and pins."""

    module: str
    name: str
    span: tuple[int, int]
    pins: tuple[Pin, ...]


@cache
def modules(verilog: str) -> dict[str, str]:
    """Texts of the modules by name."""
    return {found[1]: found[0] for found in MODULE.finditer(verilog)}


@cache
def network_module(verilog: str) -> tuple[int, int]:
    """Position in the text of the module with the routers."""
    (found,) = [one.span() for one in MODULE.finditer(verilog) if " router_s0 (\n" in one[0]]
    return found


@cache
def instances(verilog: str) -> tuple[Placed, ...]:
    """The instances of the module with the routers."""
    return tuple(_instances(verilog, *network_module(verilog)))


def _instances(verilog: str, start: int, end: int) -> Iterator[Placed]:
    for found in INSTANCE.finditer(verilog, start, end):
        pins = tuple(
            Pin(pin[1], pin[2], pin.span(2), pin.span(), not pin[3])
            for pin in PIN.finditer(verilog, found.start(3), found.end(3))
        )
        yield Placed(found[1], found[2], found.span(), pins)


@cache
def widths(verilog: str, module: str) -> dict[str, int]:
    """Width of every port of a module."""
    ports = re.findall(r"^  (?:input|output) (?:wire |reg )?(?:\[(\d+):0\] )?(\S+?) ?;", modules(verilog)[module], re.M)
    return {name: int(high or 0) + 1 for high, name in ports}


def replaced(text: str, span: tuple[int, int], new: str) -> str:
    """A text with another piece in the place of one."""
    return text[: span[0]] + new + text[span[1] :]
