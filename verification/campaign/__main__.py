"""``python -m verification.campaign``: see docs/understand/campaign.md."""

import argparse
import signal
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from hydranoc.exit_codes import RIGHT
from topology.common.errors import MachineTrouble
from verification.campaign.cases import FAMILIES, Campaign
from verification.campaign.ledger import Entry, Ledger
from verification.campaign.run import MISMATCH, TROUBLE, Found, Runner
from verification.campaign.shares import Shares
from verification.campaign.summary import summary
from verification.campaign.versions import versions
from verification.campaign.workers import Workers
from verification.exit_codes import exit_code_of_command, exit_code_of_verdicts

LEDGER = Path(__file__).parent / "ledger.csv"


@dataclass
class Progress:
    """Progress of this call, and its stop condition."""

    options: argparse.Namespace
    ledger: Ledger
    versions: str
    started: float
    cycles: int = 0
    router_cycles: int = 0
    cases: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)

    def take(self, found: Found) -> bool:
        """Record the result of a case; return whether to go on.

        Raises:
            MachineTrouble: If sources have changed: hardware and model may then be of different versions.
        """
        if versions() != self.versions:
            raise MachineTrouble("Sources have changed since the campaign began; start it again")
        self.ledger.add(Entry.of(found, self.versions))
        self.cases += 1
        self.cycles += found.cycles
        self.router_cycles += found.cycles * found.routers
        self.verdicts[found.verdict] += 1
        print(line_of(found), flush=True)
        write_report(found, self.options.output)
        return not self.enough

    @property
    def enough(self) -> bool:
        """True if the stop condition is met."""
        limits = self.options
        return (
            (limits.cycles is not None and self.cycles >= limits.cycles)
            or (limits.router_cycles is not None and self.router_cycles >= limits.router_cycles)
            or (limits.cases is not None and self.cases >= limits.cases)
            or (limits.minutes is not None and time.monotonic() - self.started >= 60 * limits.minutes)
        )


def line_of(found: Found) -> str:
    """Return one line about a case."""
    speed = found.cycles * found.routers / max(found.cpu_seconds, 1e-9) / 1e6
    return (
        f"case {found.case:5} {found.family:9} {found.routers:3} routers {found.cycles:9,} cycles"
        f" {found.messages:8,} messages {speed:6.2f} M router-cycles/CPU s  {found.verdict}"
    )


def write_report(found: Found, folder: Path) -> None:
    """Write the report on a mismatch or an environment failure."""
    if found.verdict == TROUBLE:
        print(found.report, file=sys.stderr, flush=True)
    if found.verdict != MISMATCH:
        return
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"case-{found.case}.yaml"
    file.write_text(found.reproducer)
    (folder / f"case-{found.case}.txt").write_text(found.report + "\n")
    print(
        f"{found.report}\nMISMATCH in case {found.case}; to see it: hydranoc compare {file}",
        file=sys.stderr,
        flush=True,
    )


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parsed = argparse.ArgumentParser(prog="python -m verification.campaign", description=__doc__)
    limits = parsed.add_argument_group(
        "how long", "until the first of these is reached; without any, until it is ended"
    )
    limits.add_argument("--cycles", type=positive, help="compared cycles of this call")
    limits.add_argument("--router-cycles", type=positive, help="cycles times routers of this call")
    limits.add_argument("--cases", type=positive, help="cases of this call")
    limits.add_argument("--minutes", type=minutes, help="limit; a running case is finished")
    parsed.add_argument("--family", action="append", choices=FAMILIES, help="only this one; may be repeated")
    parsed.add_argument("--workers", type=positive, default=1, help="processes; default 1")
    parsed.add_argument("--case", type=natural, help="run this case alone, without the ledger")
    parsed.add_argument("--from", dest="first_case", type=natural, default=0, help="run no case before this one")
    parsed.add_argument("--ledger", type=Path, default=LEDGER, help="default: that of the project")
    parsed.add_argument("-o", "--output", type=Path, default=Path("results/campaign"), help="folder of reports")
    parsed.add_argument("--scale", type=float, default=1.0, help=argparse.SUPPRESS)
    parsed.add_argument("--summary", action="store_true", help="print the summary of the ledger, and run nothing")
    return parsed


def positive(text: str) -> int:
    """Return a number such as 1000 or 1e9."""
    value = float(text)
    if not value >= 1 or value != int(value):
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, not {text!r}")
    return int(value)


def natural(text: str) -> int:
    """Return a whole number from 0 on."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 0, not {text!r}")
    return int(text)


def minutes(text: str) -> float:
    """Return a time of more than 0."""
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"must be more than 0, not {text!r}")
    return value


def run_case(case: int, scale: float, folder: Path) -> int:
    """Run one case alone; return the exit code."""
    found = Runner(Campaign(scale)).run(case)
    print(line_of(found))
    write_report(found, folder)
    return exit_code_of_verdicts([found.verdict])


def run_campaign(options: argparse.Namespace) -> int:
    """Continue from the ledger; return the exit code."""
    ledger = Ledger(options.ledger, Entry)
    entries = [entry for entry in ledger.entries() if entry.verdict != TROUBLE]
    compared = Counter()
    for entry in entries:
        compared[entry.family] += entry.router_cycles
    shares = Shares(options.family or FAMILIES, compared, {entry.case for entry in entries}, options.first_case)
    progress = Progress(options, ledger, versions(), time.monotonic())
    Workers(options.workers, options.scale, shares).run(progress.take)
    mismatches = progress.verdicts[MISMATCH]
    print(f"{progress.cases:,} cases, {progress.router_cycles:,} router-cycles, {mismatches} mismatches")
    return exit_code_of_verdicts(progress.verdicts)


def run(options: argparse.Namespace) -> int:
    """Do what the options say; return the exit code."""
    if options.summary:
        print(summary(Ledger(options.ledger, Entry).entries()))
        return RIGHT
    if options.case is not None:
        return run_case(options.case, options.scale, options.output)
    return run_campaign(options)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit code."""
    options = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends its processes as well
    return exit_code_of_command(lambda: run(options))


if __name__ == "__main__":
    sys.exit(main())
