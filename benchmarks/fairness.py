"""Fairness among sources in overload: ``python -m benchmarks.fairness`` (docs/do/choosing.md).

Jain's index of the sources' throughputs is 1 if all are equal. 64 nodes (61 in a hexagonal mesh) offer uniform unicasts
of 128 bytes; in the parking lots all nodes send messages of 8 to 128 flits to node 0.
"""

from typing import Any

from benchmarks.choosing import CHOICES, OFFERED_FLITS, flits_of
from hydranoc import load
from topology.common.ages import STEP_CYCLES

CYCLES = 40_000
LOT_FLITS, CUBE_FLITS = (16, 8, 32, 64, 128), (16, 17, 19, 24, 32)
AGE = {"arbitration": "age"}
LOTS = {
    "row of 6": {"kind": "mesh", "shape": [6, 1]},
    "ring of 9": {"kind": "ring", "switches": 9},
    "4-cube": {"kind": "hypercube", "dimensions": 4},
}
HEAD = "| network | Jain's index | least share |\n|---|---|---|"


def line(title: str, network: dict[str, Any], flits: int, **pattern: Any) -> str:
    """Return a row of the table: a network in overload, by default with uniform unicasts."""
    traffic = {
        "kind": "random",
        "cycles": CYCLES,
        "messages_per_node_per_cycle": OFFERED_FLITS / flits,
        "flits": flits,
        **pattern,
    }
    fairness = load({"network": network, "traffic": traffic}).simulate().figures["load"]["fairness"]
    return f"| {title} | {fairness['jain']:.3f} | {fairness['least']:.2f} |"


def main() -> None:
    """Measure and print."""
    print(HEAD, flush=True)
    for choice in CHOICES:
        flits = flits_of(choice.design, 1)
        print(line(choice.title, choice.network, flits), flush=True)
        if choice.network["family"] == "spam":
            print(line(f"{choice.title}, `arbitration: age`", choice.network | AGE, flits), flush=True)
    hot_spot = {"kind": "hot-spot", "nodes": [0], "share": 1.0}
    for name, topology in LOTS.items():
        network = {"family": "spam", "topology": topology}
        for flits in LOT_FLITS:
            print(line(f"SPAM, {name}, all to one, {flits} flits", network, flits, pattern=hot_spot), flush=True)
            for step in sorted({STEP_CYCLES, flits // 2}):
                title = f"SPAM, {name}, all to one, {flits} flits, `arbitration: age`, steps of {step} cycles"
                aged = network | AGE | {"age_step_cycles": step}
                print(line(title, aged, flits, pattern=hot_spot), flush=True)
    cube = {"family": "hypercube", "topology": LOTS["4-cube"], "virtual_channels": 2}
    for flits in CUBE_FLITS:
        print(line(f"Hypercube, 4-cube, all to one, {flits} flits", cube, flits, pattern=hot_spot), flush=True)


if __name__ == "__main__":
    main()
