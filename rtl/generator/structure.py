# (specimens of parts only provide their ports)
"""Hardware that is nothing but instances and wires, described once for simulation and for export.

A network's top has no logic of its own, but hundreds of thousands of wires. Amaranth's netlist keeps every bit as an
object and numbers a module's input bits with 16 bits, which is too slow and too small for large networks. A top is
therefore a ``Structure``: ``rtl.generator.structure_verilog`` writes it as text, and for Amaranth (simulation, FPGA
builds) it becomes an ordinary module.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from amaranth.hdl import Cat, Const, Module, ResetInserter, Signal, Value
from amaranth.lib.wiring import In

from rtl.parts.part import Part, instantiate

RESET = "rst"


@dataclass(frozen=True)
class Wire:
    """A named net of ``width`` bits."""

    name: str
    width: int


@dataclass(frozen=True)
class Slice:
    """``width`` bits of a wire from bit ``low`` on."""

    wire: Wire
    low: int
    width: int


@dataclass(frozen=True)
class Constant:
    """A number of ``width`` bits.

    Raises:
        ValueError: If it is out of range.
    """

    value: int
    width: int

    def __post_init__(self):
        if not 0 <= self.value < 1 << self.width:
            most = (1 << self.width) - 1
            raise ValueError(f"Constant of {self.width} bits is {self.value!r}; it must be from 0 to {most}")


Bits: TypeAlias = Wire | Slice | Constant | tuple["Bits", ...]
"""Source of an input; a tuple is a concatenation, its first element lowest."""


def width_of(bits: Bits) -> int:
    """Return the number of bits."""
    return sum(map(width_of, bits)) if isinstance(bits, tuple) else bits.width


def flat_ports(part: Part) -> Iterator[tuple[str, bool, Value]]:
    """Yield a part's ports without clock and reset: Verilog name, whether it is an input, and the value in the part."""
    for path, member, value in part.signature.flatten(part):
        yield "__".join(map(str, path)), member.flow == In, Value.cast(value)


class SharedModule:
    """A part that a structure uses many times.

    Parameters:
        make: Makes the part.

    Members:
        part (Part): A specimen.
        inputs, outputs (dict of str to int): Widths of the ports.
    """

    def __init__(self, make: Callable[[], Part]):
        self.make = make
        self.part = make()
        ports = [(name, is_input, len(value)) for name, is_input, value in flat_ports(self.part)]
        self.inputs = {name: width for name, is_input, width in ports if is_input}
        self.outputs = {name: width for name, is_input, width in ports if not is_input}


@dataclass(frozen=True)
class ModuleInstance:
    """One instance of a module.

    Members:
        name: Instance name.
        module
        inputs: Connections of the input ports.
        outputs: Wires of the output ports in use.

    An input ``rst`` may be connected to one bit, which is then the reset in place of that of the whole. In Amaranth's
    own simulator it is a reset besides that of the whole, and does not reach parts that have clocks of their own.
    """

    name: str
    module: SharedModule
    inputs: dict[str, Bits] = field(default_factory=dict)
    outputs: dict[str, Wire] = field(default_factory=dict)

    def connect(self, port: str, bits: Bits) -> None:
        """Connect an input port.

        Raises:
            ValueError: If the widths differ.
        """
        width = 1 if port == RESET else self.module.inputs[port]
        if width_of(bits) != width:
            raise ValueError(f"Port {port} of {self.name} must get {width} bits, not {width_of(bits)!r}")
        self.inputs[port] = bits

    def tie(self, port: str, value: int) -> None:
        """Connect an input port to a constant.

        Raises:
            ValueError: If the constant does not fit the port.
        """
        width = self.module.inputs[port]
        if not 0 <= value < 1 << width:
            raise ValueError(f"Port {port} of {self.name} must get a constant of {width} bits, not {value!r}")
        self.inputs[port] = Constant(value, width)

    def output(self, port: str) -> Wire:
        """Return the wire at an output port."""
        if port not in self.outputs:
            self.outputs[port] = Wire(f"{self.name}__{port}", self.module.outputs[port])
        return self.outputs[port]


def connect_link(source: ModuleInstance, source_port: str, sink: ModuleInstance, sink_port: str) -> None:
    """Connect two streams: the source's valid and payload to the sink, the sink's ready to the source."""
    sink.connect(f"{sink_port}__valid", source.output(f"{source_port}__valid"))
    sink.connect(f"{sink_port}__payload", source.output(f"{source_port}__payload"))
    source.connect(f"{source_port}__ready", sink.output(f"{sink_port}__ready"))


class Structure:
    """Instances, and the outputs of the whole.

    Parameters:
        part: The part with this structure.

    Members:
        ports (dict of str to Wire): Ports of the whole without clock and reset.
        inputs (set of str): Names of the inputs among them.
        instances (list of ModuleInstance)
        outputs (dict of str to Bits): Connections of the output ports of the whole.
        names (dict of str to Bits): Connections of wires besides those at instances.
    """

    def __init__(self, part: Part):
        ports = list(flat_ports(part))
        self.ports = {name: Wire(name, len(value)) for name, _, value in ports}
        self.inputs = {name for name, is_input, _ in ports if is_input}
        self.instances: list[ModuleInstance] = []
        self.outputs: dict[str, Bits] = {}
        self.names: dict[str, Bits] = {}

    def name(self, name: str, bits: Bits) -> Wire:
        """Give a name to bits that are used more than once."""
        self.names[name] = bits
        return Wire(name, width_of(bits))

    def instance(self, name: str, module: SharedModule) -> ModuleInstance:
        """Add an instance."""
        self.instances.append(ModuleInstance(name, module))
        return self.instances[-1]


class StructuralPart(Part):
    """A part without logic of its own; a subclass defines its structure.

    Export writes it as text, see ``rtl.generator.verilog``. Everywhere else it is an ordinary Amaranth component.
    """

    def structure(self) -> Structure:
        """Return the structure; built anew in each call."""
        raise NotImplementedError

    def elaborate(self, platform):
        m: Any = Module()
        structure = self.structure()
        signals = {name: value for name, _, value in flat_ports(self)}
        for instance in structure.instances:
            signals.update({wire.name: Signal(wire.width, name=wire.name) for wire in instance.outputs.values()})
        for name, bits in structure.names.items():
            signals[name] = Signal(width_of(bits), name=name)
            m.d.comb += signals[name].eq(_value(bits, signals))
        for instance in structure.instances:
            part = instance.module.make()
            if RESET in instance.inputs:
                m.submodules[instance.name] = ResetInserter(_value(instance.inputs[RESET], signals))(part)
            else:
                part = instantiate(m, platform, instance.name, part)
            for name, is_input, value in flat_ports(part):
                if is_input:
                    m.d.comb += value.eq(_value(instance.inputs[name], signals))
                elif name in instance.outputs:
                    m.d.comb += signals[instance.outputs[name].name].eq(value)
        for name, bits in structure.outputs.items():
            m.d.comb += signals[name].eq(_value(bits, signals))
        return m


def _value(bits: Bits, signals: dict[str, Value]) -> Value:
    if isinstance(bits, tuple):
        return Value.cast(Cat(*(_value(part, signals) for part in bits)))
    if isinstance(bits, Constant):
        return Const(bits.value, bits.width)
    if isinstance(bits, Slice):
        return Value.cast(signals[bits.wire.name][bits.low : bits.low + bits.width])
    return signals[bits.name]
