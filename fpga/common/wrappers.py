# (a part that becomes an instance of a Verilog module is not elaborated again)
"""Wrappers that make a part fit for timing out of context.

A router alone has no register-to-register paths at its ports, and its tables are ports as well. ``TiedPart`` makes the
tables constants, as they are in a network; ``RegisteredPart`` puts a flip-flop before each input and after each
output, so that the paths at the ports are measured as between neighbours; ``SerialPart`` replaces the ports by two
pins where a device has too few.

    RegisteredPart:  port ──> flip-flop ──> part ──> flip-flop ──> port      (two cycles in all)

None of their flip-flops has a reset, so that they cost no reset wires.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.generator.structure import flat_ports
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat

CORE = "core"
"""Instance name of the wrapped part; paths in reports begin with it once per wrapper."""
LUT_INPUTS = 4


def _flat(interface: Any, part: Part) -> dict[str, tuple[bool, Value]]:
    """Return the ports of a placed part by flat name: whether it is an input, and the value."""
    return {
        "__".join(map(str, path)): (member.flow == In, Value.cast(value))
        for path, member, value in part.signature.flatten(interface)
    }


class TiedPart(Part):
    """A part with some of its inputs tied to constants; the others are its ports. No logic, no latency.

    Parameters:
        constants (mapping of str to int): Values of those inputs that are tied, by name.

    Raises:
        ValueError: If there is no such input, or a value does not fit it.
    """

    def __init__(self, part: Part, constants: Mapping[str, int]):
        inputs = {name: len(value) for name, is_input, value in flat_ports(part) if is_input}
        for name, value in constants.items():
            if name not in inputs or name not in part.signature.members:
                raise ValueError(f"Tied input is {name!r}; it must be one of {', '.join(inputs)}")
            if not 0 <= value < 1 << inputs[name]:
                raise ValueError(f"Value of {name} must have at most {inputs[name]} bits, not {value.bit_length()}")
        self.part = part
        self.constants = dict(constants)
        members = {name: member for name, member in part.signature.members.items() if name not in constants}
        super().__init__(f"tied_{part.module_name}", members)

    def elaborate(self, platform):
        m: Any = Module()
        inside = _flat(instantiate(m, platform, CORE, self.part), self.part)
        outside = _flat(self, self)
        for name, (is_input, value) in inside.items():
            if name in self.constants:
                m.d.comb += value.eq(Const(self.constants[name], len(value)))
            elif is_input:
                m.d.comb += value.eq(outside[name][1])
            else:
                m.d.comb += outside[name][1].eq(value)
        return m


class RegisteredPart(Part):
    """A part with a flip-flop before each input and after each output. Latency two cycles more than the part's.

    Parameters:
        part: Its ports are the members.
    """

    def __init__(self, part: Part):
        self.part = part
        super().__init__(f"registered_{part.module_name}", dict(part.signature.members.items()))

    def elaborate(self, platform):
        m: Any = Module()
        inside = _flat(instantiate(m, platform, CORE, self.part), self.part)
        for name, (is_input, port) in _flat(self, self).items():
            held = Signal(len(port), reset_less=True, name=f"{'from' if is_input else 'to'}_{name}")
            source, sink = (port, inside[name][1]) if is_input else (inside[name][1], port)
            m.d.sync += held.eq(source)
            m.d.comb += sink.eq(held)
        return m


class SerialPart(Part):
    """A part behind two pins: a tree of flip-flops fills the inputs, the outputs are folded into one bit.

    Flip-flop i takes flip-flop (i - 1) // 2 exclusive-or the pin, and one of two inverted: no two flip-flops, nor one
    of the part's, are equal, so synthesis cannot merge them. (A plain shift register of some thousand bits is too deep
    for synthesis tools.) The fold is a tree of exclusive-ors with a flip-flop after each step, so neither limits the
    clock.

    Members:
        serial_in (In(1)): Reaches all inputs, the last ones after as many cycles as the tree is deep.
        serial_out (Out(1)): Parity of all outputs, some cycles later.
    """

    def __init__(self, part: Part):
        self.part = part
        super().__init__(f"serial_{part.module_name}", {"serial_in": In(1), "serial_out": Out(1)})

    def elaborate(self, platform):
        m: Any = Module()
        ports = _flat(instantiate(m, platform, CORE, self.part), self.part).values()
        self._fill(m, [value for is_input, value in ports if is_input])
        self._fold(m, concat(value for is_input, value in ports if not is_input))
        return m

    def _fill(self, m, inputs: Sequence[Value]) -> None:
        filled = Signal(sum(map(len, inputs)), reset_less=True)
        sources = [self.serial_in, *(filled[(i - 1) // 2] ^ self.serial_in for i in range(1, len(filled)))]
        m.d.sync += filled.eq(concat(~source if i % 2 else source for i, source in enumerate(sources)))
        low = 0
        for port in inputs:
            m.d.comb += port.eq(filled[low : low + len(port)])
            low += len(port)

    def _fold(self, m, bits: Value) -> None:
        step = 0
        while len(bits) > 1 or step == 0:
            folded = Signal(-(-len(bits) // LUT_INPUTS), reset_less=True, name=f"parity_{step}")
            groups = (Value.cast(bits[i : i + LUT_INPUTS]) for i in range(0, len(bits), LUT_INPUTS))
            m.d.sync += folded.eq(concat(group.xor() for group in groups))
            bits, step = folded, step + 1
        m.d.comb += self.serial_out.eq(bits)
