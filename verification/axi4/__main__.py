"""``python -m verification.axi4``: see docs/understand/axi4_campaign.md."""

import argparse
import sys
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path

from hydranoc.exit_codes import RIGHT
from verification.axi4.cases import NETWORKS, network_of
from verification.axi4.run import Axi4Entry, Axi4Runner
from verification.campaign.__main__ import minutes, natural, positive
from verification.campaign.ledger import Ledger
from verification.campaign.run import MISMATCH, TROUBLE
from verification.campaign.versions import versions
from verification.exit_codes import exit_code_of_command, exit_code_of_verdicts

LEDGER = Path(__file__).parent / "ledger.csv"


def summary(entries: Sequence[Axi4Entry]) -> str:
    """Return cases, transactions and verdicts by network; Verilog counts the different designs under test."""
    titles = "cases verilog      reads     writes multicasts     errors       cycles  per CPU s mismatches trouble"
    lines = [f"{'network':16} {titles}"]
    for name in (*NETWORKS, "all"):
        mine = [entry for entry in entries if name in (entry.network, "all")]
        seconds = sum(entry.cpu_seconds for entry in mine)
        speed = sum(entry.transactions for entry in mine) / max(seconds, 1)
        sums = [sum(getattr(entry, kind) for entry in mine) for kind in ("reads", "writes", "multicasts", "errors")]
        verdicts, designs = [entry.verdict for entry in mine], {entry.verilog for entry in mine}
        lines.append(
            f"{name:16} {len(mine):5,} {len(designs):7,} {' '.join(f'{each:10,}' for each in sums)}"
            f" {sum(e.cycles for e in mine):12,} {speed:10,.0f} {verdicts.count(MISMATCH):10,}"
            f" {verdicts.count(TROUBLE):7,}"
        )
    return "\n".join(lines)


def line_of(entry: Axi4Entry) -> str:
    """Return one line about a case."""
    speed = entry.transactions / max(entry.cpu_seconds, 1)
    return (
        f"case {entry.case:5} {entry.network:14} {entry.transactions:7,} transactions {entry.multicasts:6,} multicast"
        f" {entry.cycles:10,} cycles {speed:6,.0f} transactions/CPU s  {entry.verdict}"
    )


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parsed = argparse.ArgumentParser(prog="python -m verification.axi4", description=__doc__)
    limits = parsed.add_argument_group(
        "how long", "until the first of these is reached; without any, until it is ended"
    )
    limits.add_argument("--transactions", type=positive, help="transactions of this call")
    limits.add_argument("--cases", type=positive, help="cases of this call")
    limits.add_argument("--minutes", type=minutes, help="limit; a running case is finished")
    parsed.add_argument("--network", action="append", choices=NETWORKS, help="only this one; may be repeated")
    parsed.add_argument("--case", type=natural, help="run this case alone, without the ledger")
    parsed.add_argument("--ledger", type=Path, default=LEDGER, help="default: that of the project")
    parsed.add_argument("--sim", choices=("verilator", "icarus"), default="verilator")
    parsed.add_argument("--scale", type=float, default=1.0, help=argparse.SUPPRESS)
    parsed.add_argument("--summary", action="store_true", help="print the summary of the ledger, and run nothing")
    return parsed


def run_case(runner: Axi4Runner, case: int) -> Axi4Entry:
    """Run a case, and print its result."""
    entry, report = runner.run(case)
    print(line_of(entry), flush=True)
    if report:
        print(f"{report}\n{entry.verdict} in case {case}; again: --case {case}", file=sys.stderr, flush=True)
    return entry


def run_campaign(options: argparse.Namespace, runner: Axi4Runner) -> int:
    """Continue from the ledger; return the exit code."""
    ledger, started = Ledger(options.ledger, Axi4Entry), time.monotonic()
    done = {entry.case for entry in ledger.entries() if entry.verdict != TROUBLE}
    networks = options.network or [*NETWORKS]
    entries: list[Axi4Entry] = []
    for case in count():
        transactions = sum(entry.transactions for entry in entries)
        if (
            (options.transactions is not None and transactions >= options.transactions)
            or (options.cases is not None and len(entries) >= options.cases)
            or (options.minutes is not None and time.monotonic() - started >= 60 * options.minutes)
        ):
            print(f"{len(entries):,} cases, {transactions:,} transactions")
            break
        if case not in done and network_of(case) in networks:
            entries.append(run_case(runner, case))
            ledger.add(entries[-1])
    return exit_code_of_verdicts({entry.verdict for entry in entries})


def run(options: argparse.Namespace) -> int:
    """Do what the options say; return the exit code."""
    if options.summary:
        print(summary(Ledger(options.ledger, Axi4Entry).entries()))
        return RIGHT
    runner = Axi4Runner(options.scale, versions(), options.sim)
    if options.case is not None:
        return exit_code_of_verdicts([run_case(runner, options.case).verdict])
    return run_campaign(options, runner)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit code."""
    options = parser().parse_args(arguments)
    return exit_code_of_command(lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
