"""CPU seconds of whole commands, from empty caches and again, and their bars.

``python -m benchmarks.start_up`` starts every command twice in a row, with empty caches and with those of the first
run, and counts all processes of each. Python's own modules are compiled beforehand, as by pip.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.sandbox import BenchmarkError, Sandbox
from sim_model.loops.folders import SHIPPED_FOLDER

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
FIRST_MODEL, FIRST_MODEL_SHIPPED = 8.0, 4.0
MAX_COMPILATIONS, MAKE_DEMO_SECONDS = 2, 90.0
SWEEP = ("sweep", str(EXAMPLES / "torus-lanes.yaml"), "--over", "network.buffer_flits=1:8:8", "--doublings", "0")
ROW = "  {:<34} {:>9} {:>9}  {}"


@dataclass(frozen=True)
class Command:
    """A command of the package, and its bars in CPU seconds.

    Parameters:
        cold, warm (float or None): Limits with empty caches, and with those of such a run; None without a bar.
    """

    arguments: tuple[str, ...]
    cold: float | None = None
    warm: float | None = None

    @property
    def name(self) -> str:
        """The command as it is typed in the folder of the examples."""
        return " ".join(Path(argument).name for argument in self.arguments)


@dataclass(frozen=True)
class Measured:
    """CPU seconds of a command: the minimum over all repeats.

    Members:
        command
        cold, warm (float)
    """

    command: Command
    cold: float
    warm: float

    @property
    def missed(self) -> list[str]:
        """One line for each bar that is missed."""
        pairs = (("with empty caches", self.cold, self.command.cold), ("warm", self.warm, self.command.warm))
        return [
            f"{self.command.name}, {how}: {seconds:.2f} CPU s; at most {bar:g}"
            for how, seconds, bar in pairs
            if bar is not None and seconds > bar
        ]


def commands() -> list[Command]:
    """Return all measured commands."""
    first_model = FIRST_MODEL_SHIPPED if any(SHIPPED_FOLDER.glob("*.o")) else FIRST_MODEL
    demo, *families = (str(EXAMPLES / f"{name}.yaml") for name in ("demo", "min", "harts", "torus-lanes", "hypercube"))
    return [
        Command(("--version",), warm=0.4),
        Command(("--help",), warm=0.4),
        Command(("check", demo), warm=1.0),
        Command(("model", demo), cold=first_model, warm=1.2),
        *(Command(("model", example), cold=first_model) for example in families),
        Command(("compare", demo), cold=60.0),
    ]


def measured(sandbox: Sandbox, chosen: Sequence[Command], repeats: int) -> Iterator[Measured]:
    """Yield the figures of each command; every repeat is a run with empty caches, and one after it."""
    for command in chosen:
        pairs = []
        for _ in range(repeats):
            sandbox.empty_caches()
            pairs.append((sandbox.seconds(command.arguments), sandbox.seconds(command.arguments)))
        yield Measured(command, *(min(seconds) for seconds in zip(*pairs, strict=True)))


def make_demo_seconds(folder: Path, sandbox: Sandbox) -> float:
    """Return the seconds by the clock of ``make demo`` in a fresh clone.

    Raises:
        BenchmarkError: If it fails.
    """
    sandbox.empty_caches()
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    begin = time.monotonic()
    made = subprocess.run(
        ["make", "demo", f"PYTHON={sys.executable}"], cwd=folder, env=sandbox.environment, check=False
    )
    if made.returncode != 0:
        raise BenchmarkError(f"make demo ended with {made.returncode}")
    return time.monotonic() - begin


def _print_row(row: Measured) -> None:
    bars = [
        f"{how} at most {bar:g}"
        for how, bar in (("first", row.command.cold), ("again", row.command.warm))
        if bar is not None
    ]
    print(ROW.format(row.command.name, f"{row.cold:.2f}", f"{row.warm:.2f}", ", ".join(bars)), flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.start_up", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=2, help="pairs of runs of each command (default 2)")
    parser.add_argument("--only", metavar="TEXT", help="commands with this text alone, such as 'model' or 'sweep'")
    parser.add_argument("--make-demo", action="store_true", help="also `make demo` in a fresh clone, by the clock")
    return parser


def _missed(chosen: argparse.Namespace, sandbox: Sandbox) -> list[str]:
    """Measure and print; return a line for each bar that is missed."""
    missed = []
    wanted = [command for command in commands() if chosen.only is None or chosen.only in command.name]
    if any(command.cold for command in wanted):
        sandbox.import_modules()
    print(ROW.format("CPU seconds", "first", "again", "bars"))
    for row in measured(sandbox, wanted, chosen.repeats):
        _print_row(row)
        missed += row.missed
    if chosen.only is None or chosen.only == SWEEP[0]:
        sandbox.empty_caches()
        sandbox.seconds(SWEEP)
        compilations = sandbox.compilations()
        print(ROW.format("sweep over buffer_flits=1:8", f"{compilations} loops", "", f"at most {MAX_COMPILATIONS}"))
        if compilations > MAX_COMPILATIONS:
            missed.append(f"sweep over buffer_flits=1:8: {compilations} compilations; at most {MAX_COMPILATIONS}")
    if chosen.make_demo:
        seconds = make_demo_seconds(sandbox.folder / "clone", sandbox)
        print(ROW.format("make demo, by the clock", f"{seconds:.0f} s", "", f"at most {MAKE_DEMO_SECONDS:g}"))
        if seconds > MAKE_DEMO_SECONDS:
            missed.append(f"make demo: {seconds:.0f} s by the clock; at most {MAKE_DEMO_SECONDS:g}")
    return missed


def main(arguments: list[str] | None = None) -> None:
    """Measure and print; exit code 1 if a bar is missed."""
    chosen = _parser().parse_args(arguments)
    if chosen.repeats < 1:
        sys.exit("error: --repeats must be at least 1")
    try:
        with tempfile.TemporaryDirectory(prefix="hydranoc-start-") as folder:
            missed = _missed(chosen, Sandbox(Path(folder)))
    except BenchmarkError as error:
        sys.exit(f"error: {error}")
    print("\n" + ("\n".join(f"missed: {line}" for line in missed) if missed else "all bars are reached"))
    sys.exit(int(bool(missed)))


if __name__ == "__main__":
    main()
