"""Bits that nothing reads: cut away where they are computed, and otherwise gathered in a net named ``unused``."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from rtl.generator.rtlil.netlist import OUTPUT_PINS, Cell, Chunk, Net, NetModule, Signal, select, signal_width

UNUSED = "\\unused"
"""Lint takes a net of this name as read."""
BITWISE = frozenset({"$and", "$or", "$xor", "$xnor", "$not", "$mux"})
"""Cells of which a bit of the output depends on that bit of each input, and on the selector."""
SUMS = frozenset({"$add", "$sub"})

Ports = Mapping[str, Mapping[str, str]]
"""Directions of ports by module."""


def without_unread_bits(module: NetModule, ports: Ports) -> None:
    """Cut away the bits of a module that nothing reads.

    The remaining ones are read by a net ``unused``, which drives nothing: inputs of the module, bits between others,
    and outputs of instances and registers.

    Parameters:
        module: Changed in place.
        ports (mapping of str to mapping of str to str): ``input`` or ``output`` for each port of the modules that have
            instances.
    """
    while _cut(module, _bits(module, ports, driven=False)):
        pass
    driven, read = (_bits(module, ports, driven=side) for side in (True, False))
    _cut_nets(module, {name: driven[name] | read[name] for name in module.nets})
    _gather(module, _bits(module, ports, driven=False))


def _bits(module: NetModule, ports: Ports, *, driven: bool) -> dict[str, int]:
    """Return masks of the bits of each net that are driven, or that are read."""
    masks: dict[str, int] = defaultdict(int)
    for name, net in module.nets.items():
        if net.port == ("input" if driven else "output"):
            masks[name] = (1 << net.width) - 1
    for signal in _ends(module, ports, driven=driven):
        for chunk in signal:
            if not isinstance(chunk, str):
                masks[chunk[0]] |= ((1 << chunk[2]) - 1) << chunk[1]
    return masks


def _ends(module: NetModule, ports: Ports, *, driven: bool) -> Iterator[Signal]:
    """Yield all signals that something drives, or that something reads."""
    for cell in module.cells:
        for pin, signal in cell.pins.items():
            if _is_output(cell, pin, ports) in (driven, None):
                yield signal
    for target, source in module.connections:
        yield target if driven else source


def _is_output(cell: Cell, pin: str, ports: Ports) -> bool | None:
    """Return whether a pin of a cell is an output; None for modules of which nothing is known."""
    if cell.type.startswith("$"):
        return pin in OUTPUT_PINS
    return ports[cell.type].get(pin) == "output" if cell.type in ports else None


def _cut(module: NetModule, read: Mapping[str, int]) -> bool:
    """Narrow the drivers of bits that nothing reads; return whether there were any."""
    cells: list[Cell] = []
    connections: list[tuple[Signal, Signal]] = []
    changed = False
    for cell in module.cells:
        kept = _kept_ranges(cell, read)
        if kept != _whole(cell.pins.get("\\Y", [])):
            changed = True
            cells += [_narrowed(cell, kept)] if kept else []
        else:
            cells.append(cell)
    for target, source in module.connections:
        kept = _read_ranges(target, read)
        changed |= kept != _whole(target)
        connections += [(_parts(target, kept), _parts(source, kept))] if kept else []
    module.cells, module.connections = cells, connections
    return changed


def _kept_ranges(cell: Cell, read: Mapping[str, int]) -> list[tuple[int, int]]:
    """Return the bits of a cell's output that have to stay: all, if it cannot be cut."""
    output = cell.pins.get("\\Y", [])
    widths = {signal_width(signal) for pin, signal in cell.pins.items() if pin != "\\S"}
    if cell.type in BITWISE and len(widths) == 1:
        return _read_ranges(output, read)
    if cell.type in SUMS:  # lower bits do not depend on higher ones
        return [(0, sum(ranges[-1]))] if (ranges := _read_ranges(output, read)) else []
    return _whole(output)


def _whole(signal: Signal) -> list[tuple[int, int]]:
    return [(0, signal_width(signal))]


def _read_ranges(signal: Signal, read: Mapping[str, int]) -> list[tuple[int, int]]:
    """Return lowest bit and width of each run of bits that something reads."""
    mask = low = 0
    for chunk in signal:
        if isinstance(chunk, str):
            raise ValueError(f"An output must be connected to nets, not to the constant {chunk}")
        name, first, width = chunk
        mask |= (read[name] >> first & (1 << width) - 1) << low
        low += width
    return _runs(mask)


def _runs(mask: int) -> list[tuple[int, int]]:
    """Return lowest bit and width of each run of ones."""
    runs, low = [], 0
    while mask:
        zeros = (mask & -mask).bit_length() - 1
        ones = (~(mask >> zeros) & (mask >> zeros) + 1).bit_length() - 1
        runs.append((low + zeros, ones))
        low, mask = low + zeros + ones, mask >> zeros + ones
    return runs


def _parts(signal: Signal, ranges: Iterable[tuple[int, int]]) -> Signal:
    return [chunk for low, width in ranges for chunk in select(signal, low, width)]


def _narrowed(cell: Cell, kept: list[tuple[int, int]]) -> Cell:
    """Return a cell with only the bits that are kept."""
    width = sum(bits for _, bits in kept)
    pins = {pin: signal if pin == "\\S" else _parts(signal, kept) for pin, signal in cell.pins.items()}
    parameters = dict(cell.parameters)
    if "\\WIDTH" in parameters:
        parameters["\\WIDTH"] = str(width)
    for pin in pins.keys() - {"\\S"}:
        if f"{pin}_WIDTH" in parameters:
            parameters[f"{pin}_WIDTH"] = str(signal_width(pins[pin]))
    return Cell(cell.type, cell.name, parameters, pins, cell.attributes)


def _cut_nets(module: NetModule, live: Mapping[str, int]) -> None:
    """Leave out the bits of nets that nothing drives and nothing reads."""
    moved: dict[str, list[tuple[int, int, Signal]]] = {}
    for name, net in list(module.nets.items()):
        runs = _runs(live[name])
        if net.port or runs == [(0, net.width)] or any("\\init" in line for line in net.lines):
            continue
        del module.nets[name]
        if runs and runs[0][0] == 0 and len(runs) == 1:
            width = runs[0][1]
            module.nets[name] = Net(width, "", [*net.lines[:-1], f"  wire width {width} {name}"])
        else:
            moved[name] = [(low, width, module.new_net(width)) for low, width in runs]

    def replaced(signal: Signal) -> Signal:
        return [piece for chunk in signal for piece in _moved(chunk, moved)]

    for cell in module.cells:
        cell.pins = {pin: replaced(signal) for pin, signal in cell.pins.items()}
    module.connections = [(replaced(target), replaced(source)) for target, source in module.connections]


def _moved(chunk: Chunk, moved: Mapping[str, list[tuple[int, int, Signal]]]) -> Signal:
    if isinstance(chunk, str) or chunk[0] not in moved:
        return [chunk]
    name, first, width = chunk
    return next(select(net, first - low, width) for low, bits, net in moved[name] if low <= first < low + bits)


def _gather(module: NetModule, read: Mapping[str, int]) -> None:
    """Read the bits that nothing reads."""
    bits: Signal = []
    for name, net in module.nets.items():
        bits += [(name, low, width) for low, width in _runs(((1 << net.width) - 1) & ~read[name])]
    if not bits:
        return
    name = UNUSED
    while name in module.nets:
        name += "_bits"
    module.nets[name] = Net(1, "", [f"  wire {name}"])
    width = str(sum(chunk[2] for chunk in bits) + 1)  # type: ignore[misc]
    parameters = {"\\A_SIGNED": "0", "\\A_WIDTH": width, "\\Y_WIDTH": "1"}
    pins: dict[str, Signal] = {"\\A": [*bits, "0"], "\\Y": [(name, 0, 1)]}
    module.cells.append(Cell("$reduce_and", "$lint$unused", parameters, pins))
