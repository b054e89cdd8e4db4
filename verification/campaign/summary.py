"""Summary of a ledger."""

from collections import Counter
from collections.abc import Sequence

from verification.campaign.cases import FAMILIES, RUNS
from verification.campaign.ledger import Entry
from verification.campaign.run import EQUAL, MISMATCH, TROUBLE
from verification.campaign.situations.watch import SITUATIONS


def summary(entries: Sequence[Entry]) -> str:
    """Return router-cycles, cases and verdicts by family, and the versions that they are of."""
    titles = ("family", "networks", "cases", "messages", "cycles", "router-cycles", "M/CPU s", "mismatches", "trouble")
    widths = (-10, 8, 6, 12, 14, 16, 8, 10, 7)
    lines = [" ".join(f"{t:{'<' if w < 0 else '>'}{abs(w)}}" for t, w in zip(titles, widths, strict=True))]
    for family in (*FAMILIES, "all"):
        mine = [entry for entry in entries if family in (entry.family, "all")]
        verdicts = Counter(entry.verdict for entry in mine)
        lines.append(
            f"{family:10} {len({entry.case // RUNS for entry in mine}):8,} {verdicts[EQUAL] + verdicts[MISMATCH]:6,}"
            f" {sum(entry.messages for entry in mine):12,} {sum(entry.cycles for entry in mine):14,}"
            f" {sum(entry.router_cycles for entry in mine):16,} {_speed(mine):8.2f}"
            f" {verdicts[MISMATCH]:10,} {verdicts[TROUBLE]:7,}"
        )
    by_version = Counter()
    for entry in entries:
        by_version[entry.versions] += entry.router_cycles
    lines += ["", "router-cycles by version, sources and Verilator:"]
    lines += [f"  {versions:32} {router_cycles:16,}" for versions, router_cycles in by_version.items()]
    return "\n".join([*lines, "", *_situations(entries)])


def _speed(entries: Sequence[Entry]) -> float:
    """Return millions of router-cycles per CPU second, building included."""
    seconds = sum(entry.cpu_seconds for entry in entries)
    return sum(entry.router_cycles for entry in entries if entry.cpu_seconds) / max(seconds, 1) / 1e6


def _situations(entries: Sequence[Entry]) -> list[str]:
    """Return each family's situations: counts and cases, and those that never occurred."""
    lines = []
    for family, situations in SITUATIONS.items():
        counts, cases = Counter(), Counter()
        for entry in entries:
            if entry.family == family:
                counts.update(entry.seen)
                cases.update(entry.seen.keys())
        lines.append(f"situations of {family}: how often seen, and in how many cases")
        lines += [f"  {name:24} {counts[name]:14,} {cases[name]:6,}" for name in situations if counts[name]]
        never = [name for name in situations if not counts[name]]
        lines.append(f"  never seen: {', '.join(never) or 'none'}")
    return lines
