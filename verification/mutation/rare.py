"""Mutation operators for rare faults: hardware that differs only if conditions coincide, at the largest value of a
register, beyond a width, one cycle late, or in the precedence of two events.

The rules know the function around a node, since a coincidence needs another condition of the same function.
"""

import ast
from collections.abc import Iterator
from itertools import pairwise

from verification.mutation.operators import Change, called, is_assignment, text

OPERATORS = ("cap", "coincidence", "extreme", "late", "operand", "priority")
"""Names of the operators; none of the usual ones has such a name."""
_CAPS = (8, 32)
"""Widths beyond which registers lose bits."""
_OPERANDS = (ast.BitAnd, ast.BitOr)


class RareFaults:
    """Rare faults of a file.

    Parameters:
        tree: Of the whole file.
    """

    def __init__(self, tree: ast.AST):
        self._muxes = any(isinstance(node, ast.Name) and node.id == "Mux" for node in ast.walk(tree))
        self._others: dict[ast.AST, str] = {}
        self._later: dict[ast.AST, str] = {}
        self._earlier: dict[ast.AST, tuple[str, ...]] = {}
        self._registered: set[ast.AST] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                self._read_function(node)
            if is_assignment(node) and isinstance(node, ast.AugAssign) and _domain(node) != "comb":
                self._registered |= {n for n in ast.walk(node.value) if called(n) == "eq"}

    def of(self, node: ast.AST) -> Iterator[Change]:
        """Yield the operators and the texts that replace a node."""
        if isinstance(node, ast.Call) and (condition := _test(node)):
            yield from self._conditions(node, condition)
        if node in self._registered and isinstance(node, ast.Call) and self._muxes:
            yield from self._updates(node)
        yield from _late(node)
        yield from _priorities(node)
        yield from _operands(node)
        yield from _caps(node)

    def _conditions(self, node: ast.Call, condition: str) -> Iterator[Change]:
        for name, other in (("coincidence", self._others.get(node)), ("priority", self._later.get(node))):
            if other and other != condition:
                yield name, f"{text(node.func)}((({condition}) != 0) & (({other}) == 0))"

    def _updates(self, node: ast.Call) -> Iterator[Change]:
        """Yield a register that misses an update: in a coincidence, and at its largest value."""
        assert isinstance(node.func, ast.Attribute)  # of ``register.eq(value)``
        register, value = text(node.func.value), text(node.args[0])
        if other := self._others.get(node):
            yield "coincidence", f"{register}.eq(Mux({other}, {register}, {value}))"
        yield "extreme", f"{register}.eq(Mux({register}.all(), {register}, {value}))"

    def _read_function(self, function: ast.FunctionDef) -> None:
        """Find for each node the nearest condition before it that is not around it, or else the next one."""
        tests = [(node, _test(item.context_expr)) for node, item in _withs(function) if _test(item.context_expr)]
        for body in (getattr(node, "body", []) for node in ast.walk(function)):
            if isinstance(body, list):
                self._read_body(body)
        for node in ast.walk(function):
            if not isinstance(node, ast.Call) or called(node) not in ("If", "Elif", "eq"):
                continue
            apart = [(n, t) for n, t in tests if not n.lineno <= node.lineno <= (n.end_lineno or n.lineno)]
            before = [t for n, t in apart if n.lineno < node.lineno and t not in self._earlier.get(node, ())]
            after = [t for n, t in apart if n.lineno > node.lineno]
            if before or after:
                self._others[node] = before[-1] if before else after[0]

    def _read_body(self, body: list[ast.stmt]) -> None:
        """Find for each condition the one of the alternative behind it, and those before it, which are false."""
        for one, following in pairwise(body):
            if isinstance(one, ast.With) and isinstance(following, ast.With):
                first, second = one.items[0].context_expr, following.items[0].context_expr
                if called(first) in ("If", "Elif") and called(second) == "Elif":
                    self._later[first] = _test(second)
                    known = (*self._earlier.get(first, ()), _test(first))
                    self._earlier |= {node: (*self._earlier.get(node, ()), *known) for node in ast.walk(following)}


def _withs(function: ast.FunctionDef) -> Iterator[tuple[ast.With, ast.withitem]]:
    for node in ast.walk(function):
        if isinstance(node, ast.With):
            yield from ((node, item) for item in node.items)


def _test(node: ast.AST) -> str:
    """Return the condition of a block of hardware, or an empty text."""
    if isinstance(node, ast.Call) and called(node) in ("If", "Elif") and len(node.args) == 1:
        return text(node.args[0])
    return ""


def _domain(node: ast.AugAssign) -> str:
    return getattr(node.target, "attr", "")


def _late(node: ast.AST) -> Iterator[Change]:
    """Yield the domain of a combinational assignment, exchanged for a register: one cycle late."""
    if isinstance(node, ast.Attribute) and node.attr == "comb" and isinstance(node.ctx, ast.Store):
        yield "late", f"{text(node.value)}.sync"


def _priorities(node: ast.AST) -> Iterator[Change]:
    """Yield two events in the other precedence: nested ``Mux``, and set and clear of a bit."""
    if called(node) == "Mux" and isinstance(node, ast.Call) and len(node.args) == 3:
        first, one, rest = node.args
        if called(rest) == "Mux" and isinstance(rest, ast.Call) and len(rest.args) == 3:
            second, other, last = map(text, rest.args)
            yield "priority", f"Mux({second}, {other}, Mux({text(first)}, {text(one)}, {last}))"
    if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERANDS):
        sign, inner = ("&", "|") if isinstance(node.op, ast.BitAnd) else ("|", "&")
        for pair, other in ((node.left, node.right), (node.right, node.left)):
            if isinstance(pair, ast.BinOp) and isinstance(pair.op, _OPERANDS) and type(pair.op) is not type(node.op):
                a, b, c = text(pair.left), text(pair.right), text(other)
                yield "priority", f"(({a}) {sign} ({c})) {inner} ({b})"


def _operands(node: ast.AST) -> Iterator[Change]:
    """Yield one operand of two conditions alone."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, _OPERANDS):
        yield from (("operand", text(side)) for side in (node.left, node.right))


def _caps(node: ast.AST) -> Iterator[Change]:
    """Yield a signal of a computed width without its bits beyond a limit."""
    if called(node) == "Signal" and isinstance(node, ast.Call) and node.args:
        width = node.args[0]
        if not isinstance(width, ast.Constant) and called(width) != "range":
            rest = "".join(f", {text(keyword)}" for keyword in node.keywords)
            yield from (("cap", f"{text(node.func)}(min({text(width)}, {cap}){rest})") for cap in _CAPS)
