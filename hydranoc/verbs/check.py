"""``check``: what can be proved of a network without running it."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from hydranoc.api import load
from hydranoc.families.reports import CheckReport
from hydranoc.reports.progress import progress_bars
from hydranoc.reports.summary_text import table
from hydranoc.verbs.options import config_argument, json_option, say

SHOWN_PAIRS = 5


@click.command(short_help="Prove that everyone is reached and that nothing can deadlock.")
@config_argument
@json_option
def check(config: Path, as_json: bool) -> int:
    """Build the tables of CONFIG's network; prove that every message reaches its destinations whatever outputs
    it is given, and that no set of messages can deadlock. Exit code 1 if a proof fails.

    \b
    Example:
      hydranoc check examples/demo.yaml
    """
    design = load(config)
    with progress_bars("checking"):
        report = design.check()
    say(_figures(design.family.name, report), _text(config, design.family.title, report), as_json)
    return 0 if report.right else 1


def _figures(family: str, report: CheckReport) -> dict[str, Any]:
    return {
        "family": family,
        "right": report.right,
        "sizes": report.sizes,
        "pairs": report.pairs,
        "unreached_pairs": [list(pair) for pair in report.unreached],
        "deadlock": {**asdict(report.deadlock), "cycle": list(report.deadlock.cycle)},
    }


def _text(config: Path, title: str, report: CheckReport) -> str:
    rows: list[tuple[str, object]] = [("network", config), ("family", title)]
    rows += [(name.replace("_", " "), value) for name, value in report.sizes.items()]
    rows += [("reachability", _reachability(report)), ("deadlock", _deadlock(report))]
    lines = [table(rows)]
    if report.deadlock.cycle:
        ring = [*report.deadlock.cycle, report.deadlock.cycle[0]]
        lines += ["", "channels that wait for each other:", "  " + "\n  waits for ".join(ring)]
    return "\n".join(lines)


def _reachability(report: CheckReport) -> str:
    if not report.unreached:
        return f"proved for all {report.pairs:,} pairs of source and destination"
    pairs = ", ".join(f"p{source} to p{destination}" for source, destination in report.unreached[:SHOWN_PAIRS])
    more = ", ..." if len(report.unreached) > SHOWN_PAIRS else ""
    return f"FAILS for {len(report.unreached):,} of {report.pairs:,} pairs: {pairs}{more}"


def _deadlock(report: CheckReport) -> str:
    verdict = report.deadlock
    sizes = f"{verdict.channels} channels, {verdict.dependencies} dependencies, {verdict.splits} splits"
    return f"{'impossible' if verdict.free else 'POSSIBLE'}: {verdict.reason} ({sizes})"
