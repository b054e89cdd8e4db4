"""Documents are wrapped at 120 columns; tables and code blocks have no limit."""

from pathlib import Path

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted((*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")))
MAX_COLUMNS = 120


def long_lines(text: str) -> list[int]:
    """Numbers of the lines of prose that are too long."""
    found, in_code = [], False
    for number, line in enumerate(text.splitlines(), 1):
        in_code ^= line.startswith("```")
        if len(line) > MAX_COLUMNS and not in_code and not line.startswith(("|", "    ")):
            found.append(number)
    return found


def test_lines_are_wrapped():
    assert {str(path): lines for path in DOCUMENTS if (lines := long_lines(path.read_text()))} == {}


def test_only_prose_counts():
    long = "x" * (MAX_COLUMNS + 1)
    assert long_lines(f"short\n{long}\n| {long} |\n    {long}\n```\n{long}\n```\n* {long}\n{long[1:]}\n") == [2, 8]
