"""Runs of AXI4 transactions for the verbs ``model`` and ``compare``."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hydranoc.reports.output import result_folder
from hydranoc.reports.progress import Progress, progress_bars
from hydranoc.verbs.options import MESSAGE_RESULTS, TRANSACTION_RESULTS, print_summary

if TYPE_CHECKING:
    from hydranoc.design.axi4_runs import Axi4Outcome

(TRANSACTIONS,) = TRANSACTION_RESULTS
Run = Callable[[Path, Progress], "Axi4Outcome"]
"""Folder for a waveform and progress -> outcome."""


def run_axi4(run: Run, folder: Path, options: Mapping[str, object], *, stale: tuple[str, ...], as_json: bool) -> int:
    """Run transactions, write ``transactions.csv`` and ``summary.json``, print the summary; return the exit code.

    Parameters:
        run
        folder: Of the results.
        options: Values of options that need traffic of messages, by name.
        stale: Files of former runs that are removed.
        as_json: Print JSON.

    Raises:
        UsageError: If one of the options is given.
    """
    for name, value in options.items():
        if value:
            raise click.UsageError(f"{name} and traffic of kind axi4 cannot be given together")
    with result_folder(folder, stale=(*stale, *MESSAGE_RESULTS)) as scratch:
        with progress_bars("loading the golden model") as progress:
            outcome = run(scratch, progress)
        outcome.write_transactions(scratch / TRANSACTIONS)
        (scratch / "summary.json").write_text(json.dumps(outcome.figures, indent=2) + "\n")
        if outcome.mismatch_report:
            (scratch / "mismatch.txt").write_text(outcome.mismatch_report + "\n")
    lines = [outcome.summary(), ""]
    if "mismatches" in outcome.figures:
        from hydranoc.verbs.compare import verdict

        lines.append(verdict(outcome.figures))
    lines.append(str(folder / TRANSACTIONS))
    if outcome.waveform:
        lines.append(f"waveform: {folder / outcome.waveform.name}")
    print_summary(outcome.figures, "\n".join(lines), as_json)
    if outcome.mismatch_report:
        click.echo(outcome.mismatch_report, err=True)
    return 0 if outcome.right else 1
