"""What the figures of SPAM cost here and in another checkout: ``python -m benchmarks.figures_cost CHECKOUT``.

A fixed sample of points of each figure; of each a few replications by the study of the checkout, in turn, from messages
to observations. Sums of CPU seconds, and the ratio. How many replications a full run makes of which point depends on
the rules of the study, which are not measured here.
"""

import argparse
from pathlib import Path
from typing import Any

from benchmarks.since import HERE, Checkout

WORKER = Path(__file__).with_name("figures_worker.py")
MESSAGES = 3_000
NODES = 128
REPLICATIONS = 4
ROW = "{:>34} {:>8} {:>8} {:>6}"


def sample() -> dict[str, list[dict[str, Any]]]:
    """What is asked, by figure."""
    fig2 = [
        {"kind": "single", "switches": switches, "destinations": count, "software": False}
        for switches in (128, 256)
        for count in (1, 16, 127)
    ]
    bound = [
        {"kind": "single", "switches": 256, "destinations": 255, "software": software} for software in (False, True)
    ]
    fig3 = [
        {"kind": "mixed", "destinations": count, "rate": rate, "cycles": round(MESSAGES / (rate * NODES))}
        for count in (8, 64)
        for rate in (0.00002, 0.00006, 0.0001)
    ]
    return {"spam-fig2": fig2, "spam-bound": bound, "spam-fig3": fig3}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.figures_cost", description=__doc__)
    parser.add_argument("checkout", type=Path)
    checkouts = [Checkout(folder, WORKER) for folder in (parser.parse_args().checkout.absolute(), HERE)]
    print(ROW.format("CPU s of the sample", "there", "here", "times"))
    for figure, points in sample().items():
        totals = [0.0, 0.0]
        for point in points:
            for checkout in checkouts:  # compiles, or loads what was compiled, and makes the tables
                for replication in range(2):
                    checkout.run(**point, replication=replication)
            for replication in range(REPLICATIONS):
                for position, checkout in enumerate(checkouts):
                    totals[position] += checkout.run(**point, replication=replication)["seconds"]
        there, here = totals
        print(ROW.format(figure, f"{there:.2f}", f"{here:.2f}", f"{there / here:.2f}"), flush=True)


if __name__ == "__main__":
    main()
