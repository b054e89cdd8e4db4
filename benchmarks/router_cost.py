"""Cost of one router on ECP5: the reference router and an inner switch far from the root, see ``spam_rows``."""

from benchmarks.router_table import HEAD, line, measured
from benchmarks.spam_rows import SpamRow


def main(*, quick: bool) -> None:
    """Measure and print."""
    print(f"  {HEAD}")
    for row in [SpamRow()] if quick else [SpamRow(), SpamRow(far=True)]:
        print(f"  {line(row, measured(row, seeds=1 if quick else 3))}")
    print("  cycles per hop, head and body: 2 (routing_cycles 1)")
