"""Bits that say a destination set, by ways of writing it: ``python -m benchmarks.header_lengths``.

Nodes are taken in the order of a tree (``SpamLabels.first``, ``BranchIntervals.place``), in which those behind an
output stand side by side. Sets are drawn at random from all nodes, or from a neighbourhood: as many nodes side by side
as four times the set.
"""

import numpy as np

from topology.common.flits import bits_for

NODES = 4096
COUNTS = (2, 4, 16, 64, 256, 1024, 4096)
ARITY = 16
DRAWS = 200
SEED = 1
NEIGHBOURHOOD = 4


def bit_string(_places: np.ndarray) -> int:
    """A bit for every node."""
    return NODES


def addresses(places: np.ndarray) -> int:
    """The number of each destination, and how many there are."""
    return (len(places) + 1) * bits_for(NODES)


def intervals(places: np.ndarray) -> int:
    """First and last place of each run of destinations that stand side by side, and how many runs there are."""
    runs = 1 + int((np.diff(places) > 1).sum())
    return (2 * runs + 1) * bits_for(NODES)


def hierarchical(places: np.ndarray) -> int:
    """A bit for each of 16 parts of the nodes, and for each part that has a destination the same of that part."""
    bits, groups, parts = 0, places, 1
    while parts < NODES:
        groups = np.unique(groups // ARITY)
        bits += ARITY * len(groups)
        parts *= ARITY
    return bits


ENCODINGS = {
    "bit string": bit_string,
    "addresses": addresses,
    "intervals": intervals,
    f"hierarchical, {ARITY}": hierarchical,
}


def draw(generator: np.random.Generator, count: int, *, near: bool) -> np.ndarray:
    """Places of a destination set, ascending."""
    span = min(NODES, NEIGHBOURHOOD * count) if near else NODES
    first = int(generator.integers(NODES - span + 1))
    return first + np.sort(generator.choice(span, count, replace=False))


def main() -> None:
    """Print mean lengths in bits."""
    generator = np.random.default_rng(SEED)
    print(f"| {NODES:,} nodes: destinations | {' | '.join(ENCODINGS)} |")
    print(f"|{'---|' * (len(ENCODINGS) + 1)}")
    for near in (False, True):
        for count in COUNTS:
            sets = [draw(generator, count, near=near) for _ in range(DRAWS)]
            means = (np.mean([encode(places) for places in sets]) for encode in ENCODINGS.values())
            where = "near each other" if near else "anywhere"
            print(f"| {count:,} {where} | {' | '.join(f'{mean:,.0f}' for mean in means)} |", flush=True)


if __name__ == "__main__":
    main()
