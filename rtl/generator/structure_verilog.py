"""Writes a structure as a Verilog-2005 module."""

from collections.abc import Callable, Collection, Iterator
from itertools import count

from rtl.generator.identifiers import escaped
from rtl.generator.structure import Bits, Constant, ModuleInstance, Slice, Structure, Wire, width_of
from rtl.parts.part import Part

CLOCK_PORTS = ("clk", "rst")
ELEMENTS_PER_LINE = 4
ELEMENTS_PER_ASSIGNMENT = 64

ModuleOf = Callable[[Part], tuple[str, Collection[str]]]
"""Returns the name of a part's module, and those of ``CLOCK_PORTS`` that the module has."""


def structure_verilog(name: str, structure: Structure, module_of: ModuleOf) -> str:
    """Return the text of a module; the same structure gives the same text.

    Parameters:
        name: Name of the module.
        module_of (function): Returns the module of a part.

    Raises:
        ValueError: If an input of an instance or an output of the module is not connected.
    """
    lines = [f"module {name}(", ",\n".join(f"  {escaped(port)}" for port in (*CLOCK_PORTS, *structure.ports)), ");"]
    lines += [f"  input {port};" for port in CLOCK_PORTS]
    for wire in structure.ports.values():
        direction = "input" if wire.name in structure.inputs else "output"
        lines.append(f"  {direction} {_declared(wire)};")
    unread = count()
    wires = [_wires(instance, unread) for instance in structure.instances]
    lines += [f"  wire {_declared(wire)};" for of_instance in wires for wire in of_instance.values()]
    for wire, bits in structure.names.items():
        lines.append(f"  wire {_declared(Wire(wire, width_of(bits)))};\n  assign {escaped(wire)} = {_text(bits)};")
    for instance, of_instance in zip(structure.instances, wires, strict=True):
        lines += _instance(instance, of_instance, *module_of(instance.module.part))
    for port in structure.ports:
        if port not in structure.inputs:
            _check(port in structure.outputs, f"Output {port} of {name}")
            lines += _assignments(structure.ports[port], structure.outputs[port])
    return "\n".join([*lines, "endmodule"]) + "\n"


def _wires(instance: ModuleInstance, unread: Iterator[int]) -> dict[str, Wire]:
    """Return the wire at every output of an instance; lint treats a wire named ``unused`` as read."""
    return {
        port: instance.outputs[port] if port in instance.outputs else Wire(f"unused_{next(unread)}", width)
        for port, width in instance.module.outputs.items()
    }


def _instance(instance: ModuleInstance, wires: dict[str, Wire], module: str, clock_ports: Collection[str]) -> list[str]:
    for port in instance.module.inputs:
        _check(port in instance.inputs, f"Input {port} of {instance.name}")
    pins = {port: port for port in CLOCK_PORTS if port in clock_ports}
    pins.update({port: _text(bits) for port, bits in instance.inputs.items()})
    pins.update({port: escaped(wire.name) for port, wire in wires.items()})
    connections = ",\n".join(f"    .{escaped(port)}({pins[port]})" for port in sorted(pins))
    return [f"  {module} {instance.name} (", connections, "  );"]


def _assignments(port: Wire, bits: Bits) -> list[str]:
    """Return the assignments of an output; long concatenations in pieces: simulators make one function of each."""
    flat = _flat(bits)
    if len(flat) <= ELEMENTS_PER_ASSIGNMENT:
        return [f"  assign {escaped(port.name)} = {_text(bits)};"]
    lines, low = [], 0
    for first in range(0, len(flat), ELEMENTS_PER_ASSIGNMENT):
        piece = tuple(flat[first : first + ELEMENTS_PER_ASSIGNMENT])
        part = Slice(port, low, width_of(piece))
        lines.append(f"  assign {_slice(part)} = {_text(piece)};")
        low += part.width
    return lines


def _flat(bits: Bits) -> list[Bits]:
    """Return the elements of a concatenation, nested ones included, the lowest first."""
    return [element for part in bits for element in _flat(part)] if isinstance(bits, tuple) else [bits]


def _check(connected: bool, what: str) -> None:
    if not connected:
        raise ValueError(f"{what} must be connected")


def _declared(wire: Wire) -> str:
    return f"[{wire.width - 1}:0] {escaped(wire.name)}" if wire.width > 1 else escaped(wire.name)


def _text(bits: Bits) -> str:
    if isinstance(bits, Constant):
        return f"{bits.width}'h{bits.value:0{-(-bits.width // 4)}x}"
    if isinstance(bits, Slice):
        return _slice(bits)
    if isinstance(bits, Wire):
        return escaped(bits.name)
    elements = [_text(element) for element in reversed(bits)]  # Verilog has the highest one first
    lines = (", ".join(elements[i : i + ELEMENTS_PER_LINE]) for i in range(0, len(elements), ELEMENTS_PER_LINE))
    return "{" + ",\n      ".join(lines) + "}"


def _slice(bits: Slice) -> str:
    name, last = escaped(bits.wire.name), bits.low + bits.width - 1
    if bits.width == bits.wire.width:
        return name
    return f"{name}[{last}]" if bits.width == 1 else f"{name}[{last}:{bits.low}]"
