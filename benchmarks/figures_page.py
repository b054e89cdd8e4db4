"""Tables of measured pages, from the kept figures: ``python -m benchmarks.figures_page [--write]``.

The pages are docs/understand/figures*.md and docs/do/choosing_algorithm.md. After a mark ``<!-- measured: NAME NAME ...
-->`` a page has a table of the claims of those figures, up to the next empty line; after ``<!-- survey: NAME -->`` the
table of this name in ``SURVEY_TABLES``.
"""

import argparse
import io
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from PIL import Image

from hydranoc.pictures.plots import plot_figure
from hydranoc.report_page.figure_file import read_figure
from hydranoc.studies.common.measured import MEASURED, MeasuredFigure, measured_figure
from hydranoc.surveys.collectives.figure import points_of
from hydranoc.surveys.collectives.tables import cycles_table, fastest_table, markdown
from hydranoc.surveys.registry import SURVEYS

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [*sorted((DOCS / "understand").glob("figures*.md")), DOCS / "do" / "choosing_algorithm.md"]
MARK = re.compile(r"(?m)^<!-- measured: (?P<names>[\w\s-]+) -->\n(?:\|.*\n)*")
SURVEY_MARK = re.compile(r"(?m)^<!-- survey: (?P<name>[\w\s-]+) -->\n(?:\|.*\n)*")
SURVEY_TABLES = {"collectives cycles": cycles_table, "collectives fastest": fastest_table}
"""Tables of surveys, from the points of kept rows."""
SHOWN = ("collectives",)
"""Kept figures that pages show."""
COLOURS = 64
"""Colours of their pictures; more make larger files."""


def claims_table(names: list[str]) -> Iterator[str]:
    """Yield the lines of a table: the claims of figures, those that do not hold marked.

    Raises:
        ValueError: If one of them has no stored figure.
    """
    yield "| name | claim | measured |" if names[0] in SURVEYS else "| name | claim of the paper | measured |"
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


def survey_table(name: str) -> list[str]:
    """Return the lines of one of ``SURVEY_TABLES``.

    Raises:
        ValueError: If its survey is not stored.
    """
    figure = measured_figure(name.split()[0])
    if figure is None:
        raise ValueError(f"pages must name surveys that are kept, not {name!r}")
    return markdown(SURVEY_TABLES[name](points_of(figure.rows)))


def page_with_tables(page: str) -> str:
    """Return the page, with its tables regenerated."""

    def replaced(mark: re.Match[str]) -> str:
        first = mark[0].partition(" -->")[0] + " -->"
        return "\n".join([first, *claims_table(mark["names"].split())]) + "\n"

    def surveyed(mark: re.Match[str]) -> str:
        return "\n".join([f"<!-- survey: {mark['name']} -->", *survey_table(mark["name"])]) + "\n"

    return SURVEY_MARK.sub(surveyed, MARK.sub(replaced, page))


def draw(name: str, path: Path) -> None:
    """Draw the plot of a kept figure without its claims, which the page has in a table."""
    plot = plot_figure(replace(read_figure(MEASURED / f"{name}.json"), claims=()))
    Image.open(io.BytesIO(plot["png"])).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(
        path, optimize=True
    )


def main() -> None:
    """Print the pages, or write them."""
    description = "Tables of measured pages."
    parser = argparse.ArgumentParser(prog="python -m benchmarks.figures_page", description=description)
    parser.add_argument("--write", action="store_true", help="write the pages instead of printing them")
    write = parser.parse_args().write
    for path in PAGES:
        page = page_with_tables(path.read_text(encoding="utf-8"))
        if write:
            path.write_text(page, encoding="utf-8")
        else:
            sys.stdout.write(page)
    for name in SHOWN if write else ():
        draw(name, DOCS / "images" / f"{name}.png")


if __name__ == "__main__":
    main()
