"""Mutation operators for hardware described in Python: a few rules from a node of the syntax tree to others.

A rule takes a node and yields pairs of an operator's name and the text that replaces the node. The caller puts the
text of an expression in parentheses.
"""

import ast
from collections.abc import Iterator

Change = tuple[str, str]
"""Name of the operator, and the new text."""

_COMPARISONS = {
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_BINARY = {
    ast.Add: ("arithmetic", "-"),
    ast.Sub: ("arithmetic", "+"),
    ast.Mult: ("arithmetic", "+"),
    ast.FloorDiv: ("arithmetic", "*"),
    ast.Mod: ("arithmetic", "//"),
    ast.LShift: ("arithmetic", ">>"),
    ast.RShift: ("arithmetic", "<<"),
    ast.BitAnd: ("bitwise", "|"),
    ast.BitOr: ("bitwise", "&"),
    ast.BitXor: ("bitwise", "|"),
}
_HARDWARE_CONDITIONS = ("If", "Elif")
_REDUCTIONS = {"any": "all", "all": "any"}


def text(node: ast.AST) -> str:
    """Return a node as Python, on one line."""
    return ast.unparse(node)


def called(node: ast.AST) -> str | None:
    """Return the last part of the name of a called function."""
    if not isinstance(node, ast.Call):
        return None
    return getattr(node.func, "attr", getattr(node.func, "id", None))


def comparisons(node: ast.AST) -> Iterator[Change]:
    """Yield the neighbour of a comparison: equal and unequal, with and without the limit."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sign = _COMPARISONS[type(node.ops[0])]
        yield "comparison", f"({text(node.left)}) {sign} ({text(node.comparators[0])})"


def binary(node: ast.AST) -> Iterator[Change]:
    """Yield another operator between two operands."""
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        name, sign = _BINARY[type(node.op)]
        yield name, f"({text(node.left)}) {sign} ({text(node.right)})"


def logic(node: ast.AST) -> Iterator[Change]:
    """Yield an inversion left out; ``and`` and ``or``, ``any`` and ``all`` exchanged."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert | ast.Not):
        yield "inversion", text(node.operand)
    if isinstance(node, ast.BoolOp):
        sign = " or " if isinstance(node.op, ast.And) else " and "
        yield "logic", sign.join(f"({text(value)})" for value in node.values)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _REDUCTIONS:
        yield "logic", f"({text(node.func.value)}).{_REDUCTIONS[node.func.attr]}()"


def constants(node: ast.AST) -> Iterator[Change]:
    """Yield a number one more and one less; a truth value inverted."""
    if not isinstance(node, ast.Constant):
        return
    if isinstance(node.value, bool):
        yield "constant", str(not node.value)
    elif isinstance(node.value, int):
        yield "constant", str(node.value + 1)
        if node.value > 0:
            yield "constant", str(node.value - 1)


def slices(node: ast.AST) -> Iterator[Change]:
    """Yield a computed bound of a slice one further; numbers are changed as constants."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Slice):
        return
    lower, upper, step = node.slice.lower, node.slice.upper, node.slice.step
    for which, bound in (("lower", lower), ("upper", upper)):
        if bound is None or isinstance(bound, ast.Constant):
            continue
        moved = {"lower": lower, "upper": upper} | {which: ast.BinOp(bound, ast.Add(), ast.Constant(1))}
        yield "slice", text(ast.Subscript(node.value, ast.Slice(moved["lower"], moved["upper"], step), node.ctx))


def ranges(node: ast.AST) -> Iterator[Change]:
    """Yield a computed end of a range one further and one less far."""
    if called(node) != "range" or not isinstance(node, ast.Call) or not node.args:
        return
    last = min(1, len(node.args) - 1)
    if isinstance(node.args[last], ast.Constant):
        return
    for sign in "+-":
        arguments = [text(argument) for argument in node.args]
        arguments[last] = f"({arguments[last]}) {sign} 1"
        yield "range", f"range({', '.join(arguments)})"


def conditions(node: ast.AST) -> Iterator[Change]:
    """Yield a condition of hardware or of Python inverted, and forced either way."""
    if isinstance(node, ast.IfExp):
        yield "condition", f"{text(node.orelse)} if {text(node.test)} else {text(node.body)}"
    if called(node) in _HARDWARE_CONDITIONS and isinstance(node, ast.Call) and len(node.args) == 1:
        function, condition = text(node.func), text(node.args[0])
        for changed in (f"({condition}) == 0", "1", "0"):
            yield "condition", f"{function}({changed})"
    if called(node) == "Mux" and isinstance(node, ast.Call) and len(node.args) == 3:
        condition, one, other = map(text, node.args)
        yield "branches", f"{text(node.func)}({condition}, {other}, {one})"


def resets(node: ast.AST) -> Iterator[Change]:
    """Yield a register with another initial value, or removed from the reset, or added to it."""
    if called(node) not in ("Signal", "like") or not isinstance(node, ast.Call):
        return
    given = {keyword.arg: keyword for keyword in node.keywords}
    for name, new in (("init", "1"), ("reset_less", "True")):
        if name not in given:
            yield "reset", f"{text(node)[:-1]}{', ' if node.args or node.keywords else ''}{name}={new})"
    if "reset_less" in given:
        kept = [keyword for keyword in node.keywords if keyword.arg != "reset_less"]
        yield "reset", text(ast.Call(node.func, node.args, kept))


def python_conditions(node: ast.AST) -> Iterator[Change]:
    """Yield a condition of Python about the hardware, inverted."""
    if isinstance(node, ast.expr):
        yield "condition", f"not ({text(node)})"


EXPRESSIONS = (comparisons, binary, logic, constants, slices, ranges, conditions, resets)
"""Rules for any expression."""


def is_assignment(node: ast.AST) -> bool:
    """Return whether a statement adds assignments to a domain: ``m.d.sync += ...``."""
    target = getattr(node, "target", None)
    return isinstance(node, ast.AugAssign) and isinstance(target, ast.Attribute) and ".d" in text(target.value)


def drops(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield an assignment to a domain left out: one of a list, or the statement; a node and its new text."""
    if not is_assignment(node) or not isinstance(node, ast.AugAssign):
        return
    if isinstance(node.value, ast.List) and len(node.value.elts) > 1:
        yield from ((element, "*()") for element in node.value.elts)
    else:
        yield node, "pass"
