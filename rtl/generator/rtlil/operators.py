"""Operators with operands of one width, and selections without case statements."""

from rtl.generator.rtlil.netlist import Cell, NetModule, Signal, select, signal_width

COMPARISONS = frozenset({"$eq", "$ne", "$lt", "$le", "$gt", "$ge"})
SUMS = frozenset({"$add", "$sub"})


def plain_operators(module: NetModule) -> None:
    """Replace the operators whose Verilog lint objects to.

    Operands of a comparison or a sum get the same width, a logical negation of a number becomes a comparison with 0,
    and a selection by one of many bits the or of multiplexers, which costs what Yosys makes of a selection.

    Parameters:
        module: Changed in place.
    """
    cells: list[Cell] = []
    for cell in module.cells:
        if cell.type in COMPARISONS or cell.type in SUMS:
            _align(cell)
        elif cell.type == "$logic_not" and cell.number("\\A_WIDTH") > 1:
            _compare_with_zero(cell)
        if cell.type == "$pmux":
            cells += _multiplexers(module, cell)
        else:
            cells.append(cell)
    module.cells = cells


def _align(cell: Cell) -> None:
    """Extend the narrower operand."""
    widths = [cell.number(f"\\{operand}_WIDTH") for operand in "AB"]
    is_signed = all(cell.number(f"\\{operand}_SIGNED") for operand in "AB")
    for operand, width in zip("AB", widths, strict=True):
        signal = cell.pins[f"\\{operand}"]
        top: Signal = select(signal, width - 1, 1) if is_signed else ["0"]
        cell.pins[f"\\{operand}"] = _joined(signal + top * (max(widths) - width))
        cell.parameters[f"\\{operand}_WIDTH"] = str(max(widths))


def _joined(signal: Signal) -> Signal:
    """Put constants that are neighbours together."""
    found: Signal = []
    for chunk in signal:
        if isinstance(chunk, str) and found and isinstance(found[-1], str):
            found[-1] = chunk + found[-1]
        else:
            found.append(chunk)
    return found


def _compare_with_zero(cell: Cell) -> None:
    width = cell.number("\\A_WIDTH")
    cell.type = "$eq"
    cell.parameters |= {"\\A_SIGNED": "0", "\\B_SIGNED": "0", "\\B_WIDTH": str(width)}
    cell.pins["\\B"] = ["0" * width]


def _multiplexers(module: NetModule, cell: Cell) -> list[Cell]:
    """Return multiplexers between an input and zeros, and their OR: at most one bit of the selector is 1."""
    width, selectors = cell.number("\\WIDTH"), signal_width(cell.pins["\\S"])
    if selectors == 1:
        return [_multiplexer(cell.name, cell.pins["\\S"], cell.pins["\\B"], cell.pins["\\A"], cell.pins["\\Y"])]
    cells: list[Cell] = []
    branches: Signal = []
    for number in range(selectors):
        choice = select(cell.pins["\\S"], number, 1)
        value, output = select(cell.pins["\\B"], number * width, width), module.new_net(width)
        cells.append(_multiplexer(f"{cell.name}_{number}", choice, value, ["0" * width], output))
        branches += output
    otherwise = cell.pins["\\A"]
    any_value = all(isinstance(chunk, str) and not chunk.strip("x") for chunk in otherwise)
    combined = cell.pins["\\Y"] if any_value else module.new_net(width)
    total = select(branches, 0, width)
    for number in range(1, selectors):
        output = combined if number == selectors - 1 else module.new_net(width)
        pins = {"\\A": total, "\\B": select(branches, number * width, width), "\\Y": output}
        signs = {"\\A_SIGNED": "0", "\\B_SIGNED": "0"}
        widths = {f"{pin}_WIDTH": str(width) for pin in pins}
        cells.append(Cell("$or", f"{cell.name}_or_{number}", signs | widths, pins))
        total = output
    if not any_value:
        chosen = module.new_net(1)
        parameters = {"\\A_SIGNED": "0", "\\A_WIDTH": str(selectors), "\\Y_WIDTH": "1"}
        pins = {"\\A": cell.pins["\\S"], "\\Y": chosen}
        cells.append(Cell("$reduce_or", f"{cell.name}_any", parameters, pins))
        cells.append(_multiplexer(f"{cell.name}_chosen", chosen, total, otherwise, cell.pins["\\Y"]))
    return cells


def _multiplexer(name: str, choice: Signal, value: Signal, otherwise: Signal, output: Signal) -> Cell:
    pins = {"\\A": otherwise, "\\B": value, "\\S": choice, "\\Y": output}
    return Cell("$mux", name, {"\\WIDTH": str(signal_width(output))}, pins)
