"""Prose of code and pages: a list of openings and words that the project does not use, with the reason of each rule.

It is no substitute for reading.
"""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parent.parent
CODE = (
    "topology",
    "sim_model",
    "rtl",
    "tb",
    "fpga",
    "hydranoc",
    "benchmarks",
    "verification",
    "release",
    "tests",
    "examples",
)
SOURCES = sorted(path for room in CODE for path in (ROOT / room).rglob("*.py"))
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])

OPENING = re.compile(r"(What|Whose|Who|Whom|Whether|How|Whoever|Whatever)\b")
"""A subject comes first, and it is a noun of the field."""
PERSON = re.compile(r"\b(nobody|somebody|anybody|whoever)\b", re.IGNORECASE)
"""Hardware has no persons."""
NO_IMPERATIVE = re.compile(
    r"(A|All|An|Any|As|At|Both|By|Each|Every|Everything|For|From|If|In|It|Its|No|Not|Nothing|Of|On|One|Only|So|"
    r"Something|Such|That|The|There|This|Those|Two|When|Where|Which|Why|With|Without)\b|[A-Z][a-z]+[^s]s\b"
)
"""A function's docstring begins with a verb: no article, pronoun or preposition, no plural, no third person."""
IMPERATIVES_IN_S = re.compile(r"(Address|Discuss|Express|Focus|Guess|Pass|Press|Process|Suppress|Toss)\b")
NO_FUNCTIONS = ("tests", "examples")
"""Rooms whose functions are described by statements: a test says what holds."""


def docstrings(path: Path) -> Iterator[tuple[int, str, bool]]:
    """Yield line, text, and whether it describes a function, of each docstring and each text below a constant."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body
            names = [ast.unparse(decorator) for decorator in getattr(node, "decorator_list", ())]
            is_member = any("property" in name or "command" in name or "group" in name for name in names)
            if body and (text := _text(body[0])):
                yield body[0].lineno, text, isinstance(node, ast.FunctionDef) and not is_member
            for before, after in pairwise(body):
                if isinstance(before, ast.Assign | ast.AnnAssign) and (text := _text(after)):
                    yield after.lineno, text, False


def _text(node: ast.stmt) -> str:
    value = node.value if isinstance(node, ast.Expr) else None
    return value.value.strip() if isinstance(value, ast.Constant) and isinstance(value.value, str) else ""


def wrong_docstrings(path: Path) -> list[str]:
    """Return line and first sentence of docstrings that begin as none does."""
    functions = path.relative_to(ROOT).parts[0] not in NO_FUNCTIONS
    return [
        f"{line}: {text.splitlines()[0]}"
        for line, text, is_function in docstrings(path)
        if OPENING.match(text)
        or (functions and is_function and NO_IMPERATIVE.match(text) and not IMPERATIVES_IN_S.match(text))
    ]


def persons(path: Path) -> list[str]:
    """Return the lines that speak of persons."""
    return [f"{number}: {line}" for number, line in enumerate(path.read_text().splitlines(), 1) if PERSON.search(line)]


def wrong_headings(path: Path) -> list[str]:
    """Return headings that are clauses."""
    return [line for line in path.read_text().splitlines() if re.match(rf"#+ {OPENING.pattern}", line)]


def test_docstrings_begin_with_a_noun_or_an_imperative():
    assert {str(path): wrong for path in SOURCES if (wrong := wrong_docstrings(path))} == {}


def test_code_and_pages_speak_of_no_persons():
    files = {*SOURCES, *PAGES} - {Path(__file__)}
    assert {str(path): wrong for path in files if (wrong := persons(path))} == {}


def test_headings_are_nouns_or_tasks():
    assert {str(path): wrong for path in PAGES if (wrong := wrong_headings(path))} == {}


def test_wrong_openings_are_found(tmp_path):
    source = tmp_path / "a.py"
    source.write_text('"""What it is."""\nX = 1\n"""Whether."""\ndef f():\n    """The result."""\n')
    assert [OPENING.match(text) is not None for _, text, _ in docstrings(source)] == [True, True, False]
    assert [bool(NO_IMPERATIVE.match(text)) for _, text, is_function in docstrings(source) if is_function] == [True]
