"""Every alteration of every network, judged by the checker: counts by kind, and each that is accepted without reason.

Exit code 1 if there is one, or if the checker crashes.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path

from hydranoc.certificates.writing import CHECKER
from tests.alterations.checking import Checker
from tests.alterations.documents import document_alterations
from tests.alterations.hardware import hardware_alterations
from tests.alterations.networks import NETWORKS, offer
from tests.alterations.sound import reason

SHOWN = 12


def main() -> int:
    """Exit code 1 if an alteration is accepted that does not leave the claim true."""
    parser = argparse.ArgumentParser(prog="python -m tests.alterations", description=__doc__)
    parser.add_argument("networks", nargs="*", default=list(NETWORKS), help=f"of {', '.join(NETWORKS)}; default all")
    parser.add_argument("--checker", type=Path, default=CHECKER, help="folder of the checker (default: this one)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth alteration")
    parser.add_argument("--lines", action="store_true", help="print every line of the checker, most frequent first")
    chosen = parser.parse_args()
    wrong = 0
    for name in chosen.networks:
        with Checker(chosen.checker) as checker:
            wrong += _network(name, checker, chosen.every, chosen.lines)
    return 1 if wrong else 0


def _network(name: str, checker: Checker, every: int, lines: bool) -> int:
    sound = offer(name)
    code, line = checker.judge(sound)
    _say(f"{name}: {line}")
    if code != 0:
        return 1
    made, accepted, wrong = Counter(), Counter(), []
    refused: dict[str, Counter] = {}
    for place, altered in enumerate([*hardware_alterations(name, sound), *document_alterations(sound)]):
        if place % every:
            continue
        code, line = checker.judge(altered.offered)
        made[altered.kind] += 1
        refused.setdefault(altered.kind, Counter())[line] += code != 0
        if code == 0:
            why = reason(name, sound, altered)
            accepted[altered.kind] += bool(why)
            wrong += [] if why else [f"{altered.kind}: {altered.where} is accepted"]
        elif code != 1 or "\n" in line:
            wrong.append(f"{altered.kind}: {altered.where} ends with {code}: {line}")
    for kind, count in made.items():
        bad = sum(one.startswith(f"{kind}: ") for one in wrong)
        _say(f"  {kind:40} {count:6} made {accepted[kind]:5} accepted with reason {bad:5} WRONG")
        if lines:
            for line, times in refused[kind].most_common(SHOWN):
                _say(f"        {times:5} {line[:200]}")
    _say(f"  {'all':40} {made.total():6} made {accepted.total():5} accepted with reason {len(wrong):5} WRONG")
    for one in wrong[:: max(1, len(wrong) // SHOWN)]:
        _say(f"    {one}")
    return len(wrong)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
