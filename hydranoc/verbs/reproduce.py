"""``reproduce``: figures and tables of the papers, and surveys."""

import difflib
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from hydranoc import __version__
from hydranoc.errors import reason, shown
from hydranoc.reports.output import result_folder
from hydranoc.reports.progress import counted_in, progress_bars
from hydranoc.studies.common.check import Check, check_figure, csv_text
from hydranoc.studies.common.figure import Effort, Figure, Reproduction, plain_claims, plain_plot, plain_text
from hydranoc.studies.common.measured import MEASURED, MeasuredFigure, measured_figure, measured_names
from hydranoc.studies.registry import REPRODUCTIONS
from hydranoc.surveys.registry import SURVEYS
from hydranoc.verbs.options import RESULTS, NamedPath, json_option, print_summary
from sim_model.loops.folders import cache_folder
from topology.common.errors import MachineTrouble

if TYPE_CHECKING:
    from hydranoc.measurement.kept_points import KeptPoints

NEAR = 0.75
"""Minimum similarity of names, 0 to 1, for a suggestion."""


def _known() -> dict[str, Reproduction]:
    return {name: item for own in (*REPRODUCTIONS.values(), SURVEYS) for name, item in own.items()}


def _completions(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(name, help=item.title) for name, item in _known().items() if name.startswith(incomplete)]


@click.command(
    epilog="\b\nNames:\n" + "\n".join(f"  {name}: {item.title}" for name, item in _known().items()),
)
@click.argument("name", shell_complete=_completions)
@click.option(
    "-o",
    "--output",
    "folder",
    type=NamedPath(),
    metavar="DIR",
    help=f"Folder for CSV file and plot.  [default: {RESULTS}/NAME]",
)
@click.option("--quick", is_flag=True, help="Fewer points and runs: a coarse answer in seconds.")
@click.option("--anew", is_flag=True, help="Drop the stored points of earlier runs.")
@click.option("--jobs", type=click.IntRange(1), help="Cores that share the work.  [default: all]")
@click.option("--check", is_flag=True, help="Compare with the stored full run; exit code 1 for a difference.")
@click.option("--kept", "is_kept", is_flag=True, help="Show the stored full run of this version, and measure nothing.")
@json_option
def reproduce(
    name: str, folder: Path | None, quick: bool, anew: bool, check: bool, jobs: int | None, is_kept: bool, as_json: bool
) -> int:
    """Measure figure or table NAME of a paper again, or a survey of several families. Writes NAME.csv, a plot with the
    claims marked as NAME.svg and NAME.png, and the claims with the measured results as NAME.json. Points are stored
    until the figure is finished: after an interruption the same command resumes, and prints their file. Shared points
    stay for other figures, until the sources of model or studies change.

    \b
    Examples:
      hydranoc reproduce spam-fig2 --quick
      hydranoc reproduce spam-fig3 --quick --check
      hydranoc reproduce collectives --kept
    """
    known = _known()
    if name not in known:
        raise click.BadParameter(f"there is no figure {shown(name)}; {_hint(name, list(known))}")
    folder = folder or RESULTS / name
    if is_kept:
        for option, given in (("--quick", quick), ("--anew", anew), ("--check", check), ("--jobs", jobs)):
            if given:
                raise click.BadParameter(f"{option} is given; it must be left out with --kept, which measures nothing")
        return _show_kept(name, folder, as_json)
    item, measured = known[name], _measured(name) if check else None
    with result_folder(folder) as scratch:
        try:
            kept = _begin(name, item, quick, anew)
            with progress_bars("measuring the first points") as progress:
                figure = item.run(Effort(quick, counted_in("points", progress), kept, jobs))
        except OSError as error:
            raise MachineTrouble(f"cannot keep measured points: {reason(error)}", file=cache_folder()) from None
        with progress_bars("writing the table and drawing the plot"):
            _write(name, item, figure, quick, scratch)
    if not item.shares:
        kept.drop()
    found = None if measured is None else check_figure(figure, measured.rows)
    print_summary(_summary(name, figure, found), _text(figure, folder / f"{name}.svg", found), as_json)
    return 1 if found and found.differences else 0


def _show_kept(name: str, folder: Path, as_json: bool) -> int:
    """Write and print the stored full run of a figure."""
    from hydranoc.report_page.figure_file import read_figure  # loads pydantic

    kept = _measured(name)
    figure = replace(
        read_figure(MEASURED / f"{name}.json"),
        columns=tuple(kept.rows[0]),
        rows=tuple(tuple(row.values()) for row in kept.rows),
        table=tuple(kept.table),
    )
    with result_folder(folder) as scratch, progress_bars("drawing the plot"):
        for suffix in ("csv", "json"):
            shutil.copyfile(MEASURED / f"{name}.{suffix}", scratch / f"{name}.{suffix}")
        _write_plot(name, figure, scratch)
    print_summary(_summary(name, figure, None), _text(figure, folder / f"{name}.svg", None), as_json)
    return 0


def _measured(name: str) -> MeasuredFigure:
    found = measured_figure(name)
    if found is None:
        raise click.BadParameter(f"no full run of {name} is kept; there are {', '.join(measured_names()) or 'none'}")
    return found


def _hint(name: str, known: list[str]) -> str:
    """Return all names with this beginning, or else all similar names."""
    begin_so = [other for other in known if name and other.startswith(name)]
    near = begin_so or difflib.get_close_matches(name, known, n=len(known), cutoff=NEAR)
    if not near:
        return f"known names are {', '.join(known)}"
    words = [repr(other) for other in near]
    return f"did you mean {' or '.join(filter(None, [', '.join(words[:-1]), words[-1]]))}?"


def _begin(name: str, item: Reproduction, quick: bool, anew: bool) -> "KeptPoints":
    """Return the stored points of earlier runs, and report them; drop them if ``anew``."""
    from hydranoc.measurement.kept import MEASURING, kept_points, kept_text

    kept = kept_points(item.shares or name, quick, _other_families(name), (*MEASURING, *item.sources))
    if anew:
        kept.drop()
    elif len(kept):
        click.echo(f"goes on with {kept_text(kept)}; --anew begins from nothing", err=True)
    return kept


def _other_families(name: str) -> set[str]:
    """Return all families but the one of a figure; none for a survey."""
    return set() if name in SURVEYS else {family for family, own in REPRODUCTIONS.items() if name not in own}


def _write(name: str, item: Reproduction, figure: Figure, quick: bool, folder: Path) -> None:
    from hydranoc.measurement.kept import MEASURING, sources_digest

    (folder / f"{name}.csv").write_text(csv_text(figure.columns, figure.rows), encoding="utf-8")
    sources = sources_digest(_other_families(name), (*MEASURING, *item.sources))
    run = {"quick": quick, "version": __version__, "sources": sources}
    written = {"title": figure.title, **run, "claims": plain_claims(figure), "plot": plain_plot(figure)}
    written |= {"table": list(figure.table)} if figure.table else {}
    (folder / f"{name}.json").write_text(plain_text(written), encoding="utf-8")
    _write_plot(name, figure, folder)


def _write_plot(name: str, figure: Figure, folder: Path) -> None:
    from hydranoc.pictures.plots import plot_figure  # loads matplotlib

    for suffix, content in plot_figure(figure).items():
        (folder / f"{name}.{suffix}").write_bytes(content)


def _summary(name: str, figure: Figure, check: Check | None) -> dict[str, Any]:
    return {
        "name": name,
        "title": figure.title,
        "columns": list(figure.columns),
        "rows": [list(row) for row in figure.rows],
        "claims": plain_claims(figure),
        "check": None if check is None else {"compared": check.compared, "differences": list(check.differences)},
    }


def _text(figure: Figure, path: Path, check: Check | None) -> str:
    lines = [figure.title, ""]
    lines += [*figure.table, ""] if figure.table else []
    for claim in figure.claims:
        lines += [f"{'holds' if claim.holds else 'DOES NOT HOLD'}: {claim.text}", f"  measured: {claim.measured}"]
        lines += [f"  {claim.note}"] if claim.note else []
    if check is not None:
        same = check.compared - len(check.differences)
        lines += ["", f"{same} of {check.compared} values as in the full run that is kept", *check.differences]
    return "\n".join([*lines, "", str(path)])
