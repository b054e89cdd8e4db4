"""Documents: wrapped, short, with links that lead somewhere, and with tables and pictures that are true."""

import re
from pathlib import Path
from urllib.parse import unquote

from docs.diagrams import IMAGES, pictures
from tests.proofs.catalog import PROOFS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
DOCUMENTS = sorted((*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "examples").rglob("*.md")))
MAX_COLUMNS = 120
MAX_WORDS = 1500
NO_LIMIT = re.compile(r"look_up/(configuration|timing\w*)|understand/proofs_table")
"""Pages that are looked up and not read: they may be longer."""
MAX_LINES = {"README.md": 120, "ARCHITECTURE.md": 120}
FILE = re.compile(
    r"`((?:tests|rtl|sim_model|topology|hydranoc|benchmarks|verification|fpga|tb|examples|docs)/[\w/.-]+)`"
)
BY_NAME = re.compile(r"NAME|FAMILY|^sim_model/shipped$")
"""Patterns of names, and a folder that a release makes."""
STATUS = re.compile(r"(proved|checked|compared|tested|no)\b|$")
"""Answers of the table of proofs; an empty one is of a property that a family does not have."""


def long_lines(text: str) -> list[int]:
    """Numbers of the lines of prose that are too long."""
    found, in_code = [], False
    for number, line in enumerate(text.splitlines(), 1):
        in_code ^= line.startswith("```")
        if len(line) > MAX_COLUMNS and not in_code and not line.startswith(("|", "    ")):
            found.append(number)
    return found


def anchors(path: Path) -> set[str]:
    """Anchors of the headings of a page, as GitHub and the site make them; the empty one is its top."""
    text = re.sub(r"(?ms)^```.*?^```", "", path.read_text())
    headings = re.findall(r"(?m)^#+ (.*)$", text)
    return {"", *(re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings)}


def broken_links(path: Path) -> list[str]:
    """Relative links of a page to files or headings that there are not."""
    text = re.sub(r"(?ms)^```.*?^```|^    .*?$", "", path.read_text())
    broken = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = unquote(link).partition("#")
        target = (path.parent / file).resolve() if file else path
        if not target.exists() or (target.suffix == ".md" and anchor not in anchors(target)):
            broken.append(link)
    return broken


def missing_files(path: Path) -> list[str]:
    """Files that a page names and that there are not, but those of an earlier commit."""
    text = path.read_text()
    named = [(match[1], text[match.end() : match.end() + 12]) for match in FILE.finditer(text)]
    return [
        name
        for name, after in named
        if not BY_NAME.search(name) and not (ROOT / name).exists() and not re.match(r"\s+of\s+commit", after)
    ]


def cells(text: str) -> list[list[str]]:
    """Rows of the tables of a text, without their first lines."""
    rows = [re.split(r" *(?<!\\)\| *", line)[1:-1] for line in text.splitlines() if line.startswith("| ")]
    return [row for row in rows if row[0] not in ("property", "part")]


def test_lines_are_wrapped():
    assert {str(path): lines for path in DOCUMENTS if (lines := long_lines(path.read_text()))} == {}


def test_only_prose_counts():
    long = "x" * (MAX_COLUMNS + 1)
    assert long_lines(f"short\n{long}\n| {long} |\n    {long}\n```\n{long}\n```\n* {long}\n{long[1:]}\n") == [2, 8]


def test_pages_are_short():
    words = {str(path.relative_to(DOCS)): len(path.read_text().split()) for path in DOCS.rglob("*.md")}
    assert {page: count for page, count in words.items() if count > MAX_WORDS and not NO_LIMIT.match(page)} == {}
    lines = {name: len((ROOT / name).read_text().splitlines()) for name in MAX_LINES}
    assert {name: count for name, count in lines.items() if count > MAX_LINES[name]} == {}


def test_links_lead_somewhere():
    assert {str(path): broken for path in DOCUMENTS if (broken := broken_links(path))} == {}


def test_files_on_pages_exist():
    pages = [path for path in DOCUMENTS if path.name != "CHANGELOG.md"]
    assert {str(path): missing for path in pages if (missing := missing_files(path))} == {}


def test_a_broken_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A title: b\n[a](page.md#a-title-b) [b](page.md#c) [c](none.md) [d](https://x.example)\n")
    assert broken_links(page) == ["page.md#c", "none.md"]


def test_pictures_are_those_of_the_routers():
    changed = [name for name, content in pictures() if (IMAGES / name).read_text() != content]
    assert changed == [], "python -m docs.diagrams"


def test_the_table_of_proofs_names_all_proofs_and_tests_that_there_are():
    page = (DOCS / "understand" / "proofs_table.md").read_text()
    routers, parts = re.split(r"(?m)^## ", page)[1:3]
    answers = [cell for row in cells(routers) for cell in row[1:]]
    assert [answer for answer in answers if not STATUS.match(answer)] == []
    known = {proof.part for proof in PROOFS.values()}
    named = {name for answer in answers for name in re.findall(r"`([\w/.-]+)`", answer) if answer.startswith("proved")}
    assert named <= known
    assert sorted(name for row in cells(parts) for name in re.findall(r"`([\w-]+)`", row[1])) == sorted(known)
