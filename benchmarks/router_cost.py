"""Cost of one router on ECP5: the reference router and an inner switch far from the root, see ``router_rows``."""

from benchmarks.router_rows import Row
from benchmarks.router_table import HEAD, line, measured


def main(*, quick: bool) -> None:
    """Measure and print."""
    print(f"  {HEAD}")
    for row in [Row()] if quick else [Row(), Row(far=True)]:
        print(f"  {line(row, measured(row, seeds=1 if quick else 3))}")
    print("  cycles per hop, head and body: 2 (routing_cycles 1)")
