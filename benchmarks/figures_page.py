"""Tables of docs/understand/figures*.md, from the kept figures: ``python -m benchmarks.figures_page [--write]``.

After a mark ``<!-- measured: NAME NAME ... -->`` a page has a table of the claims of those figures, up to the next
empty line.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from hydranoc.studies.common.measured import MeasuredFigure, measured_figure

PAGES = sorted((Path(__file__).parents[1] / "docs" / "understand").glob("figures*.md"))
MARK = re.compile(r"(?m)^<!-- measured: (?P<names>[\w\s-]+) -->\n(?:\|.*\n)*")


def claims_table(names: list[str]) -> Iterator[str]:
    """Yield the lines of a table: the claims of figures, those that do not hold marked.

    Raises:
        ValueError: If one of them has no stored figure.
    """
    yield "| name | claim of the paper | measured |"
    yield "|---|---|---|"
    for name in names:
        figure = measured_figure(name)
        if figure is None:
            raise ValueError(f"pages must name figures that are kept, not {name!r}")
        yield from _rows(figure)


def _rows(figure: MeasuredFigure) -> Iterator[str]:
    for number, claim in enumerate(figure.claims):
        verdict = "" if claim["holds"] else "**does not hold**: "
        note = f". {claim['note'][0].upper()}{claim['note'][1:]}" if claim["note"] else ""
        name = "" if number else f"`{figure.name}`"
        yield f"| {name} | {claim['claim']} | {verdict}{claim['measured']}{note.rstrip('.')} |".replace("|  |", "| |")


def page_with_tables(page: str) -> str:
    """Return the page, with its tables regenerated."""

    def replaced(mark: re.Match[str]) -> str:
        first = mark[0].partition(" -->")[0] + " -->"
        return "\n".join([first, *claims_table(mark["names"].split())]) + "\n"

    return MARK.sub(replaced, page)


def main() -> None:
    """Print the pages, or write them."""
    description = "Tables of docs/understand/figures*.md."
    parser = argparse.ArgumentParser(prog="python -m benchmarks.figures_page", description=description)
    parser.add_argument("--write", action="store_true", help="write the pages instead of printing them")
    write = parser.parse_args().write
    for path in PAGES:
        page = page_with_tables(path.read_text(encoding="utf-8"))
        if write:
            path.write_text(page, encoding="utf-8")
        else:
            sys.stdout.write(page)


if __name__ == "__main__":
    main()
