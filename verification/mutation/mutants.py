"""Mutants of the hardware: one change of one line each, from the syntax tree of its Python."""

import ast
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from verification.mutation.operators import EXPRESSIONS, drops, python_conditions
from verification.mutation.rare import RareFaults


@dataclass(frozen=True)
class Mutant:
    """A file with one change.

    Members:
        file: Path below the folder that contains ``rtl``.
        line: First line of the change, counted from 1.
        first_line, last_line (int): Lines of its statement; of a compound statement, the lines before the body.
        operator: Kind of change.
        before, after (str): Original and changed text, each on one line.
        start, end (int): Range of the replaced bytes of the file.
        at_import: It is outside of functions, so that it runs when the file is imported.
        refuses: It is in the condition of a refusal: ``if ...: raise``. It cannot change valid hardware.
    """

    file: str
    line: int
    first_line: int
    last_line: int
    operator: str
    before: str
    after: str
    start: int
    end: int
    at_import: bool
    refuses: bool = False

    @property
    def key(self) -> tuple[str, int, int, str]:
        """Key that distinguishes mutants."""
        return self.file, self.start, self.end, self.after

    def apply(self, source: bytes) -> bytes:
        """Return the file with the change; it has as many lines as before."""
        missing = source[self.start : self.end].count(b"\n")
        text = self.after.encode()
        if self.operator != "statement":
            text = b"(" + text + b"\n" * missing + b")"
        elif missing:
            text += b"\n" * missing
        return source[: self.start] + text + source[self.end :]


def mutants_of(file: str, source: bytes, *, rare: bool = False) -> list[Mutant]:
    """Return all mutants of a file, in the order of its text.

    Parameters:
        file: Its name, for the mutants.
        rare: Those of ``RareFaults``, in the place of the usual ones.
    """
    starts = list(accumulate(map(len, source.splitlines(keepends=True)), initial=0))
    changes = _rare_changes if rare else _changes
    made = [_mutant(file, starts, *change) for change in changes(ast.parse(source))]
    unique = {mutant.key: mutant for mutant in made if mutant.before != mutant.after}
    return sorted(unique.values(), key=lambda mutant: (mutant.start, mutant.end, mutant.after))


def statements_of(source: bytes) -> int:
    """Return the number of statements of a file, without imports, documentation and messages of errors."""
    tree = ast.parse(source)
    passed_over = (ast.Import, ast.ImportFrom, ast.Raise)
    return sum(isinstance(n, ast.stmt) and not isinstance(n, passed_over) and not _is_text(n) for n in ast.walk(tree))


def hardware_files(root: Path) -> dict[str, bytes]:
    """Return all files of the hardware by their names below a folder that contains ``rtl``."""
    paths = sorted((root / "rtl").rglob("*.py"))
    return {str(path.relative_to(root)): path.read_bytes() for path in paths if path.name != "__init__.py"}


def shares(weights: dict[str, int], count: int) -> dict[str, int]:
    """Return ``count`` spread in proportion to weights; the rest goes to the largest remainders."""
    total = sum(weights.values())
    given = {name: count * weight // total for name, weight in weights.items()}
    order = sorted(weights, key=lambda name: (-(count * weights[name] % total), name))
    for name in order[: count - sum(given.values())]:
        given[name] += 1
    return given


@dataclass(frozen=True)
class Sample:
    """Files to mutate, in order, and the candidates of each.

    Members:
        slots: A file per requested mutant.
        candidates (dict of str to list of Mutant): In the order of drawing.
    """

    slots: list[str]
    candidates: dict[str, list[Mutant]]


def draw(files: dict[str, bytes], count: int, seed: int, *, rare: bool = False) -> Sample:
    """Spread mutants over files in proportion to their statements.

    Parameters:
        files: See ``hardware_files``.
        seed: Equal seeds give equal samples of equal files.
        rare: As for ``mutants_of``.
    """
    candidates = {file: mutants_of(file, source, rare=rare) for file, source in files.items()}
    for file, mutants in candidates.items():
        random.Random(f"{seed} {file}").shuffle(mutants)
        if rare:
            candidates[file] = _in_turns(mutants)
    given = shares({file: statements_of(files[file]) for file in files if candidates[file] or not rare}, count)
    slots = [file for file in sorted(given) for _ in range(given[file])]
    random.Random(seed).shuffle(slots)
    return Sample(slots, candidates)


def _in_turns(mutants: list[Mutant]) -> list[Mutant]:
    """Return mutants with their operators in turn, since some operators have many more places than others."""
    seen: Counter[str] = Counter()
    ranked: list[tuple[int, Mutant]] = []
    for mutant in mutants:
        ranked.append((seen[mutant.operator], mutant))
        seen[mutant.operator] += 1
    return [mutant for _, mutant in sorted(ranked, key=lambda pair: pair[0])]


@dataclass(frozen=True)
class _Place:
    """Place of a node."""

    first_line: int = 1
    last_line: int = 1
    at_import: bool = True
    refuses: bool = False

    def of(self, node: ast.AST) -> "_Place":
        """Return the place of a node's children."""
        at_import = self.at_import and not isinstance(node, ast.Lambda)
        if not isinstance(node, ast.stmt):
            return replace(self, at_import=at_import)
        body = getattr(node, "body", None)
        last = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or node.lineno
        return _Place(node.lineno, last, at_import)

    def inside(self, node: ast.AST, field: str) -> "_Place":
        """Return the place of a field of a node: the body of a function does not run when the file is imported."""
        is_body = isinstance(node, ast.FunctionDef) and field == "body"
        refuses = self.refuses or (field == "test" and _is_refusal(node))
        return replace(self, at_import=self.at_import and not is_body, refuses=refuses)


def _changes(tree: ast.AST) -> Iterator[tuple[_Place, ast.AST, str, str]]:
    """Place, node, operator, new text."""
    for place, node in _hardware_nodes(tree, _Place()):
        for dropped, new in drops(node):
            yield place, dropped, "statement", new
        if isinstance(node, ast.If | ast.comprehension):
            tests = [node.test] if isinstance(node, ast.If) else node.ifs
            where = place.inside(node, "test")
            for test in tests:
                yield from ((where, test, name, new) for name, new in python_conditions(test))
        if isinstance(node, ast.expr):
            for rule in EXPRESSIONS:
                yield from ((place, node, name, new) for name, new in rule(node))


def _rare_changes(tree: ast.AST) -> Iterator[tuple[_Place, ast.AST, str, str]]:
    """Place, node, operator, new text."""
    faults = RareFaults(tree)
    for place, node in _hardware_nodes(tree, _Place()):
        yield from ((place, node, name, new) for name, new in faults.of(node))


def _hardware_nodes(node: ast.AST, place: _Place) -> Iterator[tuple[_Place, ast.AST]]:
    """Yield all nodes but texts, types and messages of errors, with their places."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "type_params"):
            continue
        within = place.inside(node, field)
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.Raise | ast.JoinedStr):
                stands = within.of(child)
                yield stands, child
                yield from _hardware_nodes(child, stands)


def _is_refusal(node: ast.AST) -> bool:
    """Return whether a condition only raises an error."""
    return isinstance(node, ast.If) and not node.orelse and all(isinstance(child, ast.Raise) for child in node.body)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _mutant(file: str, starts: list[int], place: _Place, node: ast.AST, operator: str, after: str) -> Mutant:
    first, last = node.lineno, node.end_lineno  # pyright: ignore[reportAttributeAccessIssue]: statements, expressions
    columns = node.col_offset, node.end_col_offset  # pyright: ignore[reportAttributeAccessIssue]: the same
    start, end = starts[first - 1] + columns[0], starts[last - 1] + columns[1]
    where = place.first_line, place.last_line
    texts = operator, ast.unparse(node), after
    return Mutant(file, first, *where, *texts, start, end, place.at_import, place.refuses)
