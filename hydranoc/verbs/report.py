"""``report``: a run as one HTML page."""

from pathlib import Path

import click

from hydranoc.api import load
from hydranoc.reports.output import result_folder
from hydranoc.reports.progress import progress_bars
from hydranoc.verbs.options import (
    RESULTS,
    CycleWindow,
    NamedPath,
    config_argument,
    json_option,
    output_option,
    print_summary,
    suggest_trace_format,
)


@click.command()
@config_argument
@output_option("the page")
@click.option(
    "--window",
    type=CycleWindow(),
    metavar="FIRST:LAST",
    help="Replay cycles FIRST to LAST - 1.  [default: from the end of the warm-up, up to a limit]",
)
@click.option("--sweep", "table", type=NamedPath(), metavar="TABLE", help="Show the curves of sweep.csv or .parquet.")
@click.option(
    "--figure",
    type=NamedPath(),
    metavar="NAME.json",
    help="Show the curves and claims of a file of 'reproduce', or of the stored full run NAME.",
)
@json_option
def report(
    config: Path,
    folder: Path | None,
    window: tuple[int, int] | None,
    table: Path | None,
    figure: Path | None,
    as_json: bool,
) -> int:
    """Simulate CONFIG's traffic and write NAME.html, one page of at most 1 MB that needs no network: the network with
    its worms, to be played, paused and stepped; the holder and waiters of each channel; the tree of a message;
    utilisation, latencies, the configuration. Exit code 1 if a message is lost, duplicated or deadlocked.

    \b
    Examples:
      hydranoc report examples/mesh.yaml
      hydranoc report examples/mesh.yaml --window 10000:12000
      hydranoc report examples/mesh.yaml --figure spam-fig2
    """
    from hydranoc.replay.window import WindowWrong
    from hydranoc.report_page.given import read_given_figure, read_sweep
    from hydranoc.report_page.page import PageTooLong, write_page
    from hydranoc.report_page.run import run_of

    design = load(config)
    suggest_trace_format(design)
    reproduced = read_given_figure(figure) if figure else None
    curves = read_sweep(table) if table else None
    folder = folder or RESULTS / design.config.name
    path = folder / f"{design.config.name}.html"
    with result_folder(folder) as scratch:
        with progress_bars("loading the golden model") as progress:
            try:
                run = run_of(design, window, progress)
                progress("drawing", 0, 0)
                content, shown = write_page(run, curves, reproduced)
            except WindowWrong as error:
                raise click.BadParameter(str(error), param_hint="--window") from None
            except PageTooLong as error:
                raise click.ClickException(str(error)) from None
        (scratch / path.name).write_bytes(content)
    summary = {"file": str(path), "bytes": len(content), "window": [shown.first, shown.last], **run.outcome.figures}
    text = f"cycles {shown.first:,} to {shown.last - 1:,} replayed, {len(content):,} bytes\n\n{path}"
    print_summary(summary, f"{run.outcome.summary()}\n\n{text}", as_json)
    return 0 if run.outcome.right else 1
