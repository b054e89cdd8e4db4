"""What a ledger says in sum."""

from collections import Counter
from collections.abc import Sequence

from benchmarks.campaign.cases import FAMILIES
from benchmarks.campaign.ledger import Entry
from benchmarks.campaign.run import EQUAL, MISMATCH, TROUBLE


def summary(entries: Sequence[Entry]) -> str:
    """Router-cycles, cases and verdicts by family, and the versions that they are of."""
    titles = ("family", "networks", "cases", "messages", "cycles", "router-cycles", "mismatches", "trouble")
    widths = (-10, 8, 6, 12, 14, 16, 10, 7)
    lines = [" ".join(f"{t:{'<' if w < 0 else '>'}{abs(w)}}" for t, w in zip(titles, widths, strict=True))]
    for family in (*FAMILIES, "all"):
        mine = [entry for entry in entries if family in (entry.family, "all")]
        verdicts = Counter(entry.verdict for entry in mine)
        lines.append(
            f"{family:10} {len({entry.case // 8 for entry in mine}):8,} {verdicts[EQUAL] + verdicts[MISMATCH]:6,}"
            f" {sum(entry.messages for entry in mine):12,} {sum(entry.cycles for entry in mine):14,}"
            f" {sum(entry.router_cycles for entry in mine):16,} {verdicts[MISMATCH]:10,} {verdicts[TROUBLE]:7,}"
        )
    by_version = Counter()
    for entry in entries:
        by_version[entry.versions] += entry.router_cycles
    lines += ["", "router-cycles by version, sources and Verilator:"]
    lines += [f"  {versions:32} {router_cycles:16,}" for versions, router_cycles in by_version.items()]
    return "\n".join(lines)
