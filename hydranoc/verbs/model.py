"""``model``: a run of the golden model."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hydranoc.api import load
from hydranoc.reports.output import result_folder
from hydranoc.reports.progress import Progress, progress_bars
from hydranoc.verbs.options import (
    GOAL_RESULT,
    RESULTS,
    TRANSACTION_RESULTS,
    config_argument,
    json_option,
    output_option,
    print_summary,
    suggest_trace_format,
)
from hydranoc.verbs.perfetto import perfetto_options, trace_figures, trace_file, trace_line, write_trace

if TYPE_CHECKING:
    from hydranoc.design import Design, Outcome


@click.command()
@config_argument
@output_option("messages.csv, channels.csv and summary.json")
@click.option("--goal", is_flag=True, help="Also write the messages as a GOAL program, messages.goal.")
@click.option(
    "--engine",
    type=click.Choice(("worm", "planes", "cycle")),
    help="Move whole worms, flits of 64 routers at a time, or single flits, with equal results. Default: the fastest "
    "engine that supports the network.",
)
@perfetto_options
@json_option
def model(
    config: Path,
    folder: Path | None,
    goal: bool,
    engine: str | None,
    perfetto: Path | None,
    window: tuple[int, int] | None,
    as_json: bool,
) -> int:
    """Simulate CONFIG's traffic with the cycle-exact golden model until everything is delivered. Writes one row per
    message and destination to messages.csv, and the load of each channel to channels.csv. Exit code 1 if a message is
    lost, duplicated or deadlocked. With traffic of kind axi4 it writes one row per transaction to transactions.csv.

    \b
    Examples:
      hydranoc model examples/demo.yaml --json
      hydranoc model examples/demo.yaml --perfetto demo.json.gz
    """
    design = load(config)
    suggest_trace_format(design)
    folder = folder or RESULTS / design.config.name
    if design.has_axi4_traffic:
        from hydranoc.verbs.axi4_runs import run_axi4

        options = {"--goal": goal, "--engine": engine, "--perfetto": perfetto, "--window": window}
        return run_axi4(
            lambda _scratch, progress: design.simulate_axi4(progress), folder, options, stale=(), as_json=as_json
        )
    stale = (*TRANSACTION_RESULTS, GOAL_RESULT)
    with trace_file(perfetto, window, folder) as trace, result_folder(folder, stale=stale) as scratch:
        with progress_bars("loading the golden model") as progress:
            outcome = _simulate(design, progress, engine)
            written = write_trace(design, outcome.results, window, trace, progress)
        outcome.write_messages(scratch / "messages.csv")
        outcome.write_channels(scratch / "channels.csv", design.network)
        if goal:
            (scratch / GOAL_RESULT).write_text(design.goal_program())
        (scratch / "summary.json").write_text(json.dumps(outcome.figures, indent=2) + "\n")
    lines = [outcome.summary(), "", str(folder / "messages.csv")]
    if written and perfetto:
        lines.append(trace_line(written, perfetto, window, outcome.results.cycles))
    print_summary({**outcome.figures, **trace_figures(written)}, "\n".join(lines), as_json)
    if outcome.deadlock_report:
        click.echo(outcome.deadlock_report, err=True)
    return 0 if outcome.right else 1


def _simulate(design: "Design", progress: Progress, engine: str | None) -> "Outcome":
    from sim_model.engines.simulation import EngineError

    try:
        return design.simulate(progress, channels=True, engine=engine)
    except EngineError as error:
        raise click.BadParameter(str(error), param_hint="--engine") from None
