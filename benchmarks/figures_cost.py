"""What figures cost here and in another checkout: ``python -m benchmarks.figures_cost CHECKOUT [--only spam|torus]``.

A fixed sample of points of each figure, by the study of the checkout, in turn, from messages to observations. Sums of
CPU seconds, and the ratio.

* SPAM: a few replications of some points. How many replications a full run makes of which point depends on the rules
  of the study, which are not measured here.
* Torus: every seventh pair of workload and software in the order of the figure, so that all software comes in turn
  (9 or 10 kinds have no factor in common with 7), and of each the first random workload of ten. Both checkouts have to
  find the same latencies.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.since import HERE, Checkout
from hydranoc.studies.torus.figures import DESTINATIONS_3, FLITS, HOT_SPOTS, SIZES_2, SIZES_4, SOURCES, STARTUPS_US
from hydranoc.studies.torus.points import DILATED_4, SOFTWARE, U_TORUS

WORKER = Path(__file__).with_name("figures_worker.py")
MESSAGES = 3_000
NODES = 128
REPLICATIONS = 4
EVERY_TORUS_POINT = 7
ROW = "{:>34} {:>8} {:>8} {:>6}"


def spam_sample() -> dict[str, list[dict[str, Any]]]:
    """Return what is asked, by figure."""
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


def torus_sample() -> dict[str, list[dict[str, Any]]]:
    """Return the same of the torus."""
    fig2 = [
        {"sources": size, "destinations": size, "flits": flits, "startup_us": startup}
        for startup in STARTUPS_US
        for size in SIZES_2
        for flits in FLITS
    ]
    fig3 = [{"sources": sources, "destinations": count} for count in DESTINATIONS_3 for sources in SOURCES]
    fig4 = [{"sources": size, "destinations": size, "hot_spot": factor} for size in SIZES_4 for factor in HOT_SPOTS]
    figures = {
        "torus-fig2": (fig2, SOFTWARE),
        "torus-fig3": (fig3, (U_TORUS, *DILATED_4)),
        "torus-fig4": (fig4, SOFTWARE),
    }
    return {
        figure: [{"software": name, "workload": workload} for workload in workloads for name in software][
            ::EVERY_TORUS_POINT
        ]
        for figure, (workloads, software) in figures.items()
    }


def spam_seconds(checkouts: Sequence[Checkout], points: Sequence[dict[str, Any]]) -> list[float]:
    """Return CPU seconds of a sample in each checkout."""
    totals = [0.0 for _ in checkouts]
    for point in points:
        for checkout in checkouts:  # compiles, or loads what was compiled, and makes the tables
            for replication in range(2):
                checkout.run(**point, replication=replication)
        for replication in range(REPLICATIONS):
            for position, checkout in enumerate(checkouts):
                totals[position] += checkout.run(**point, replication=replication)["seconds"]
    return totals


def torus_seconds(checkouts: Sequence[Checkout], points: Sequence[dict[str, Any]]) -> list[float]:
    """Return the same of the torus.

    Raises
    ------
    SystemExit
        If the checkouts disagree.
    """
    totals = [0.0 for _ in checkouts]
    for checkout in checkouts:  # as above; few flits and many are moved by different engines
        for flits in (FLITS[0], FLITS[-1]):
            checkout.run(
                kind="multicasts", software=U_TORUS, workload={"sources": 8, "destinations": 80, "flits": flits}
            )
    for point in points:
        answers = [checkout.run(kind="multicasts", **point) for checkout in checkouts]
        if any(answer["observed"] != answers[0]["observed"] for answer in answers):
            raise SystemExit(f"{point}: the checkouts disagree")
        totals = [total + answer["seconds"] for total, answer in zip(totals, answers, strict=True)]
    return totals


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.figures_cost",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only", choices=("spam", "torus"))
    given = parser.parse_args()
    checkouts = [Checkout(folder, WORKER) for folder in (given.checkout.absolute(), HERE)]
    print(ROW.format("CPU s of the sample", "there", "here", "times"))
    for study, sample, seconds in (("spam", spam_sample, spam_seconds), ("torus", torus_sample, torus_seconds)):
        if given.only in (None, study):
            for figure, points in sample().items():
                there, here = seconds(checkouts, points)
                print(ROW.format(figure, f"{there:.2f}", f"{here:.2f}", f"{there / here:.2f}"), flush=True)


if __name__ == "__main__":
    main()
