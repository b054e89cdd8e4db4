"""Modules in RTLIL, the text of a netlist as Yosys writes it after its processes have become cells."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

Chunk: TypeAlias = str | tuple[str, int, int]
"""Constant bits, the highest first, or a wire with a lowest bit and a width."""
Signal: TypeAlias = list[Chunk]
"""A concatenation; its first chunk is the lowest."""

SLICE = re.compile(r"\[(\d+)(?::(\d+))?\]")
INTEGER_BITS = 32
OUTPUT_PINS = frozenset({"\\Y", "\\Q", "\\RD_DATA"})
"""Outputs of cells that are no instances."""


def width_of(chunk: Chunk) -> int:
    """Return the number of bits of a chunk."""
    return len(chunk) if isinstance(chunk, str) else chunk[2]


def signal_width(signal: Signal) -> int:
    """Return the number of bits of a signal."""
    return sum(map(width_of, signal))


def select(signal: Signal, low: int, width: int) -> Signal:
    """Return ``width`` bits of a signal from bit ``low`` on.

    Returns:
        list of chunks
    """
    found: Signal = []
    for chunk in signal:
        bits = width_of(chunk)
        first, last = max(low, 0), min(low + width, bits)
        if first < last:
            if isinstance(chunk, str):
                found.append(chunk[bits - last : bits - first])
            else:
                found.append((chunk[0], chunk[1] + first, last - first))
        low -= bits
    return found


@dataclass
class Net:
    """A wire of a module.

    Members:
        width
        port: ``input``, ``output`` or nothing.
        lines: Its attributes and its declaration.
    """

    width: int
    port: str
    lines: list[str]


@dataclass
class Cell:
    """A cell of a module; a type that begins with a backslash is a module of which it is an instance."""

    type: str
    name: str
    parameters: dict[str, str] = field(default_factory=dict)
    pins: dict[str, Signal] = field(default_factory=dict)
    attributes: list[str] = field(default_factory=list)

    def number(self, parameter: str) -> int:
        """Return a parameter that is a number."""
        text = self.parameters[parameter]
        return int(text.partition("'")[2], 2) if "'" in text else int(text)


@dataclass
class NetModule:
    """A module: nets by name, cells, and connections as pairs of sink and driver."""

    name: str
    head: list[str]
    nets: dict[str, Net] = field(default_factory=dict)
    cells: list[Cell] = field(default_factory=list)
    connections: list[tuple[Signal, Signal]] = field(default_factory=list)
    new_nets: int = 0

    def new_net(self, width: int) -> Signal:
        """Add a net without a name.

        Returns:
            list of chunks: The whole net.
        """
        name = f"$lint${self.new_nets}"
        self.new_nets += 1
        self.nets[name] = Net(width, "", [f"  wire width {width} {name}"])
        return [(name, 0, width)]

    def signal(self, text: str) -> Signal:
        """Return the signal that a text in RTLIL describes.

        Returns:
            list of chunks
        """
        found: Signal = []
        for token in text.split():
            if token[0] in "\\$":
                found.append((token, 0, self.nets[token].width))
            elif token[0] == "[":
                high, low = SLICE.fullmatch(token).groups()  # type: ignore[union-attr]
                first = int(low if low is not None else high)
                found[-1] = (found[-1][0], first, int(high) - first + 1)
            elif token not in "{}":
                found.append(_constant(token))
        return found[::-1]

    def text(self) -> Iterator[str]:
        """Yield the module's lines."""
        yield from self.head
        for net in self.nets.values():
            yield from net.lines
        for cell in self.cells:
            yield from cell.attributes
            yield f"  cell {cell.type} {cell.name}"
            yield from (f"    parameter {name} {value}" for name, value in cell.parameters.items())
            yield from (f"    connect {pin} {self._written(signal)}" for pin, signal in cell.pins.items())
            yield "  end"
        yield from (f"  connect {self._written(to)} {self._written(of)}" for to, of in self.connections)
        yield "end"

    def _written(self, signal: Signal) -> str:
        pieces = [self._chunk(chunk) for chunk in reversed(signal)]
        return pieces[0] if len(pieces) == 1 else f"{{ {' '.join(pieces)} }}"

    def _chunk(self, chunk: Chunk) -> str:
        if isinstance(chunk, str):
            return f"{len(chunk)}'{chunk}"
        name, low, width = chunk
        if width == self.nets[name].width:
            return name
        return f"{name} [{low + width - 1}:{low}]" if width > 1 else f"{name} [{low}]"


def read_modules(text: str) -> list[NetModule]:
    """Return the modules of a text in RTLIL without processes and memories.

    Parameters:
        text: Output of Yosys.

    Raises:
        ValueError: If it has lines of other kinds.
    """
    modules: list[NetModule] = []
    attributes: list[str] = []
    cell: Cell | None = None
    for line in text.splitlines():
        words = line.split(None, 2)
        match words:
            case ["attribute", *_]:
                attributes.append(line)
            case ["module", name]:
                modules.append(NetModule(name, [*attributes, line]))
                attributes = []
            case ["wire", *_]:
                name, net = _net(line, attributes)
                modules[-1].nets[name] = net
                attributes = []
            case ["cell", kind, name]:
                cell = Cell(kind, name, attributes=attributes)
                modules[-1].cells.append(cell)
                attributes = []
            case ["parameter", name, value] if cell:
                cell.parameters[name] = value
            case ["connect", pin, value] if cell:
                cell.pins[pin] = modules[-1].signal(value)
            case ["connect", *_]:
                modules[-1].connections.append(_connection(modules[-1], line))
            case ["end"]:
                cell = None
            case ["autoidx", _] | ["#", *_] | []:
                pass
            case _:
                raise ValueError(f"RTLIL must have modules of wires, cells and connections, not {line!r}")
    return modules


def _constant(token: str) -> str:
    """Return the bits of a constant, which Yosys writes as an integer if it has 32 bits of 0 and 1."""
    width, quote, bits = token.partition("'")
    if not quote:
        return f"{int(token) & (1 << INTEGER_BITS) - 1:0{INTEGER_BITS}b}"
    return bits.rjust(int(width), bits[:1])  # 8'x is written for eight of them


def _net(line: str, attributes: list[str]) -> tuple[str, Net]:
    words = line.split()
    width = int(words[words.index("width") + 1]) if "width" in words[:-1] else 1
    port = next((word for word in words[1:-1] if word in ("input", "output")), "")
    return words[-1], Net(width, port, [*attributes, line])


def _connection(module: NetModule, line: str) -> tuple[Signal, Signal]:
    text = line.strip().removeprefix("connect ")
    if text.startswith("{"):
        left, _, right = text.partition(" } ")
        return module.signal(left), module.signal(right)
    words = text.split()
    cut = 2 if words[1].startswith("[") else 1
    return module.signal(" ".join(words[:cut])), module.signal(" ".join(words[cut:]))
