"""``compare``: hardware against golden model, every cycle."""

import json
from pathlib import Path

import click

from hydranoc.api import load
from hydranoc.reports.output import result_folder
from hydranoc.reports.progress import progress_bars
from hydranoc.verbs.options import (
    GOAL_RESULT,
    RESULTS,
    RUN_RESULTS,
    TRANSACTION_RESULTS,
    config_argument,
    json_option,
    output_option,
    print_summary,
    suggest_trace_format,
)
from hydranoc.verbs.perfetto import perfetto_options, trace_figures, trace_file, trace_line, write_trace

WHERE_THERE_ARE_ANY = tuple(name for name in RUN_RESULTS if name.endswith((".txt", ".vcd", ".fst")))


@click.command()
@config_argument
@output_option("messages.csv, summary.json, and mismatch report and waveform where there are any")
@click.option(
    "--sim",
    "simulator",
    type=click.Choice(["verilator", "icarus"]),
    default="verilator",
    show_default=True,
    help="Verilog simulator.",
)
@click.option("--waves", is_flag=True, help="Write a waveform even if there is no mismatch.")
@perfetto_options
@json_option
def compare(
    config: Path,
    folder: Path | None,
    simulator: str,
    waves: bool,
    perfetto: Path | None,
    window: tuple[int, int] | None,
    as_json: bool,
) -> int:
    """Run the Verilog of CONFIG's network in a simulator next to the golden model and compare every cycle: each flit
    moved on each channel, and every field of every delivered flit. The first difference ends the run, with a
    report and a waveform. A collective plane is compared likewise, with every register of its links, endpoints and
    errors. With traffic of kind axi4, every output of every AXI4 port is compared, and both networks' channels. Exit
    code 1 for a mismatch, or if the network loses a message or deadlocks.

    \b
    Example:
      hydranoc compare examples/demo.yaml --waves
    """
    design = load(config)
    suggest_trace_format(design)
    folder = folder or RESULTS / design.config.name
    if design.has_axi4_traffic:
        from hydranoc.verbs.axi4_runs import run_axi4

        return run_axi4(
            lambda scratch, progress: design.compare_axi4(simulator, scratch, waves=waves, progress=progress),
            folder,
            {"--perfetto": perfetto, "--window": window},
            stale=WHERE_THERE_ARE_ANY,
            as_json=as_json,
        )
    with (
        trace_file(perfetto, window, folder) as trace,
        result_folder(folder, stale=(*WHERE_THERE_ARE_ANY, *TRANSACTION_RESULTS, GOAL_RESULT)) as scratch,
    ):
        with progress_bars("loading the golden model") as progress:
            compared = design.compare(simulator, scratch, waves=waves, progress=progress)
            outcome = compared.outcome
            written = write_trace(design, outcome.results, window, trace, progress)
        outcome.write_messages(scratch / "messages.csv")
        outcome.write_channels(scratch / "channels.csv", design.network)
        (scratch / "summary.json").write_text(json.dumps(outcome.figures, indent=2) + "\n")
        if compared.mismatch_report:
            (scratch / "mismatch.txt").write_text(compared.mismatch_report + "\n")
    lines = [outcome.summary(), "", *_verdicts(outcome.figures), f"messages: {folder / 'messages.csv'}"]
    for waveform in (compared.waveform, compared.plane_waveform):
        if waveform:
            lines.append(f"waveform: {folder / waveform.name}")
    if written and perfetto:
        lines.append(trace_line(written, perfetto, window, outcome.results.cycles))
    print_summary({**outcome.figures, **trace_figures(written)}, "\n".join(lines), as_json)
    for report in (compared.mismatch_report, outcome.deadlock_report):
        if report:
            click.echo(report, err=True)
    return 0 if outcome.right else 1


def _verdicts(figures: dict) -> list[str]:
    found = [verdict(figures)]
    if "plane_comparison" in figures:
        plane = figures["plane_comparison"]
        found.append(f"plane: {verdict(plane)}, operations {plane['operations']}")
    return found


def verdict(figures: dict) -> str:
    """Return the result of a comparison in a line."""
    if figures["mismatches"]:
        return f"MISMATCH after {figures['compared_cycles']:,} equal cycles"
    return f"hardware and golden model are equal in all {figures['compared_cycles']:,} cycles"
