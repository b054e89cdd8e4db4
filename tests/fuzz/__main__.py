"""A campaign of random cases: every fault found, with its shortest case, and the outcomes of the cases."""

import argparse
import hashlib
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.explore import Tally, campaign
from tests.fuzz.formats import FORMATS

KINDS_AT_MOST = 40
MEMORY = Path("/dev/shm")
"""Files there need no disk."""


def main() -> int:
    """Exit code 1 if there are faults."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("formats", nargs="*", default=list(FORMATS), help=f"of {', '.join(FORMATS)}; default all")
    parser.add_argument("--cases", type=int, default=10_000, help="of each format (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="other seeds give other cases (default: %(default)s)")
    parser.add_argument("--keep", type=Path, help="folder for the files of the shortest case of each fault")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.formats if name not in FORMATS]
    if unknown:
        parser.error(f"there is no format {unknown[0]!r}; there are {', '.join(FORMATS)}")
    wrong = 0
    for name in chosen.formats:
        began = time.process_time()
        with tempfile.TemporaryDirectory(prefix="fuzz-", dir=MEMORY if MEMORY.is_dir() else None) as folder:
            tally = campaign(FORMATS[name], chosen.cases, chosen.seed, Path(folder) / "case")
        _tell(name, tally, time.process_time() - began)
        if chosen.keep:
            _keep(tally, chosen.keep / name)
        wrong += len(tally.found)
    return 1 if wrong else 0


def _tell(name: str, tally: Tally, cpu_seconds: float) -> None:
    ends = ", ".join(f"{code}: {count:,}" for code, count in sorted(tally.codes.items()))
    _say(f"{name}: {tally.codes.total():,} cases ({ends}), {len(tally.found)} faults, {cpu_seconds:.0f} CPU s")
    for fault, _, _ in [*tally.found.values()][:KINDS_AT_MOST]:
        _say(f"  {fault}")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _keep(tally: Tally, folder: Path) -> None:
    for kind, (fault, case, stack) in tally.found.items():
        place = folder / hashlib.sha256(kind.encode()).hexdigest()[:8]
        place.mkdir(parents=True, exist_ok=True)
        (place / "fault.txt").write_text(f"{fault}\n{case.arguments!r}\n{stack}", encoding="utf-8")
        for name, content in case.files.items():
            (place / name).write_bytes(content)


if __name__ == "__main__":
    sys.exit(main())
