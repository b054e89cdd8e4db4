"""Operators with operands of one width, and selections without case statements."""

from rtl.common.rtlil.netlist import Cell, NetModule, Signal, select, signal_width

COMPARISONS = frozenset({"$eq", "$ne", "$lt", "$le", "$gt", "$ge"})
SUMS = frozenset({"$add", "$sub"})


def plain_operators(module: NetModule) -> None:
    """Replace the operators whose Verilog lint objects to.

    Operands of a comparison or a sum get the same width, a logical negation of a number becomes a comparison with 0,
    and a selection by one of many bits a chain of multiplexers.

    Parameters
    ----------
    module : NetModule
        Is changed.
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
    """Return a chain of multiplexers, in which a lower bit of the selector comes before a higher one."""
    width, selectors = cell.number("\\WIDTH"), signal_width(cell.pins["\\S"])
    otherwise, chain = cell.pins["\\A"], []
    for number in reversed(range(selectors)):
        output = module.new_net(width) if number else cell.pins["\\Y"]
        pins = {
            "\\A": otherwise,
            "\\B": select(cell.pins["\\B"], number * width, width),
            "\\S": select(cell.pins["\\S"], number, 1),
            "\\Y": output,
        }
        chain.append(Cell("$mux", f"{cell.name}_{number}", {"\\WIDTH": str(width)}, pins))
        otherwise = output
    return chain
