"""Time until the tests answer: ``python -m benchmarks.answer_time`` (half an hour).

Clones the last commit, sets up its environment, and runs ``make test`` there; then changes one line of a shared part of
the routers, and one of a traffic pattern, and runs ``make check`` after each. The changes are harmless, and the first
changes the Verilog of every router. Caches of loops and simulators begin empty. ``--folder`` keeps the clone, its
caches, and what the commands print.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

from benchmarks.sandbox import children_seconds

ROOT = Path(__file__).parent.parent
CHANGES = {
    "rtl/parts/input_buffer.py": ("self.link.valid & self.link.ready", "self.link.ready & self.link.valid"),
    "sim_model/traffic/permutations.py": (".T.reshape(-1)", ".T.ravel()"),
}


def measure(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Run a command in a checkout, with its output in a file beside it; return minutes, CPU minutes, and last line."""
    number = len(list(folder.parent.glob("*.txt")))
    output = folder.with_name(f"{number}-{Path(command[-1]).name}.txt")
    wall, cpu = time.monotonic(), children_seconds()
    with output.open("w") as file:
        subprocess.run(command, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT, check=False)
    wall, cpu = time.monotonic() - wall, children_seconds() - cpu
    last = (output.read_text().splitlines() or [""])[-1].strip("= ")
    return f"{wall / 60:5.1f} min {cpu / 60:5.1f} CPU min   {last}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.answer_time", description="Time until the tests answer."
    )
    parser.add_argument("--folder", type=Path, help="new folder to work in")
    folder = parser.parse_args().folder
    if folder:
        folder.mkdir()
    with nullcontext(folder.resolve()) if folder else tempfile.TemporaryDirectory() as scratch:
        checkout, environment = Path(scratch, "checkout"), {**os.environ, "HYDRANOC_CACHE": str(Path(scratch, "cache"))}
        subprocess.run(["git", "clone", "-q", str(ROOT), str(checkout)], check=True)
        make = ["make", f"PYTHON={sys.executable}"]
        print("set up    ", measure([*make, ".venv/.ready"], checkout, environment), flush=True)
        print("make test ", measure([*make, "test"], checkout, environment), flush=True)
        for file, (line, changed) in CHANGES.items():
            path = checkout / file
            text = path.read_text()
            if text.count(line) != 1:
                sys.exit(f"error: {file} has {text.count(line)} lines with {line!r}; the benchmark needs one")
            path.write_text(text.replace(line, changed))
            print(f"make check, after a line of {file}:\n          ", measure([*make, "check"], checkout, environment))


if __name__ == "__main__":
    main()
