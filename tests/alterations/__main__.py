"""Every alteration of every network, judged by the checker: counts by kind, and each that is accepted without reason.

Exit code 1 if there is one, or if the checker crashes.
"""

import argparse
import sys
from collections import Counter
from itertools import chain, islice
from pathlib import Path

from hydranoc.certificates.writing import CHECKER
from tests.alterations.hardware import Alteration, document_alterations, hardware_alterations
from tests.alterations.networks import ALL, Checker, Offer, offer
from tests.alterations.sound import reason

SHOWN = 12


def main() -> int:
    """Exit code 1 if an alteration that breaks the claim is accepted."""
    parser = argparse.ArgumentParser(prog="python -m tests.alterations", description=__doc__)
    parser.add_argument("networks", nargs="*", default=list(ALL), help=f"of {', '.join(ALL)}; default all")
    parser.add_argument("--checker", type=Path, default=CHECKER, help="folder of the checker (default: this one)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth alteration")
    parser.add_argument("--lines", action="store_true", help="print every line of the checker, most frequent first")
    chosen = parser.parse_args()
    wrong = 0
    for name in chosen.networks:
        with Checker(chosen.checker) as checker:
            wrong += _network(name, checker, chosen.every, chosen.lines)
    return 1 if wrong else 0


class Tally:
    """Counts of one network: alterations made by kind, accepted ones by kind and by reason, and errors."""

    def __init__(self, sound: Offer):
        self.sound, self.made, self.accepted, self.reasons = sound, Counter(), Counter(), Counter()
        self.refused: dict[str, Counter] = {}
        self.wrong: list[tuple[str, str]] = []

    def add(self, altered: Alteration, code: int, line: str) -> None:
        """Count one alteration and the checker's answer."""
        self.made[altered.kind] += 1
        if code == 1 and "\n" not in line:
            self.refused.setdefault(altered.kind, Counter())[line] += 1
            return
        why = reason(self.sound, altered) if code == 0 else ""
        if why:
            self.accepted[altered.kind] += 1
            self.reasons[why] += 1
        else:
            ends = "is accepted" if code == 0 else f"ends with {code}: {line}"
            self.wrong.append((altered.kind, f"{altered.kind}: {altered.where} {ends}"))

    def show(self, lines: bool) -> None:
        """Print the counts."""
        bad = Counter(kind for kind, _ in self.wrong)
        for kind in [*self.made, "all"]:
            made, accepted, wrong = (
                counts.total() if kind == "all" else counts[kind] for counts in (self.made, self.accepted, bad)
            )
            refused = made - accepted - wrong
            _say(f"  {kind:40} {made:6} made {refused:6} refused {accepted:4} accepted with reason {wrong:4} WRONG")
            for line, times in self.refused.get(kind, Counter()).most_common(SHOWN if lines else 0):
                _say(f"        {times:5} {line[:200]}")
        for why, times in self.reasons.items():
            _say(f"    {times:4} accepted: {why}")
        for _, one in self.wrong[:: max(1, len(self.wrong) // SHOWN)]:
            _say(f"    WRONG {one}")


def _network(name: str, checker: Checker, every: int, lines: bool) -> int:
    sound = offer(name)
    code, line = checker.judge(sound)
    _say(f"{name}: {line}")
    if code != 0:
        return 1
    tally = Tally(sound)
    all_of_them = chain(hardware_alterations(name, sound), document_alterations(sound))
    for altered in islice(all_of_them, 0, None, every):
        tally.add(altered, *checker.judge(altered.make()))
    tally.show(lines)
    return len(tally.wrong)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
