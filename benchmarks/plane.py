"""Speed of the golden model of a collective plane: million word-hops per CPU second of one core.

A word-hop is one word over one link, headers included. *End to end* covers contributions, state, run and results; *the
run alone* covers the cycles. Eager hosts let the model skip most cycles of a long packet. With pauses it runs them all.
"""

import time
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np

from sim_model.collective_plane.contributions import Contributions
from sim_model.collective_plane.exact import wrong_operations
from sim_model.collective_plane.model import CollectivePlane
from topology.collectives.operators import SUM
from topology.collectives.tables import PlaneTables, groups_of
from topology.collectives.tree import plane_tree
from topology.common.host_pattern import EAGER, HostBehaviour
from topology.common.regular import mesh_network

SIDE, WORD_BITS = 8, 32
REPEATS = 9
MIN_MILLION_WORD_HOPS = 50
"""Lowest accepted speed of the run alone for the all-reduce."""


@dataclass(frozen=True)
class PlaneLoad:
    """Operations of all processors of the mesh, which follow each other.

    Members:
        title
        operations: Their number.
        words: Of each.
        hosts: Pauses of sources and stalls of receivers.
    """

    title: str
    operations: int
    words: int
    hosts: HostBehaviour = EAGER


LOADS = (
    PlaneLoad("all-reduce of 4,096 words", 1, 4_096),
    PlaneLoad("the same with pauses and stalls", 1, 4_096, HostBehaviour(13, 13)),
    PlaneLoad("200 all-reduces of 16 words", 200, 16),
    PlaneLoad("1,000 barriers", 1_000, 0),
)


def plane_tables() -> PlaneTables:
    """Return the plane of the mesh, with a group of all processors."""
    return PlaneTables(plane_tree(mesh_network([SIDE, SIDE])), groups_of([range(SIDE * SIDE)]))


def contributions_of(load: PlaneLoad) -> Contributions:
    """Return the contributions of all processors, with random words."""
    processors, operations = SIDE * SIDE, load.operations
    words = np.random.default_rng(1).integers(0, 1 << WORD_BITS, processors * operations * load.words, dtype=np.uint64)
    none = np.zeros(processors * operations, dtype=np.int64)
    processor = np.repeat(np.arange(processors), operations)
    return Contributions.of_columns(processor, none, none, none + SUM, none + load.words, words)


def measured(tables: PlaneTables, load: PlaneLoad) -> tuple[float, float, int]:
    """Return word-hops per CPU second end to end and of the run alone, and the cycles of a run.

    Raises:
        RuntimeError: If a result is wrong.
    """
    speeds: list[tuple[float, float]] = []
    for _ in range(REPEATS):
        clock = [time.process_time()]

        def timed(value: Any, clock: list[float] = clock) -> Any:
            clock.append(time.process_time())
            return value

        contributions = timed(contributions_of(load))
        plane = timed(CollectivePlane(tables, contributions=contributions, hosts=load.hosts))
        timed(plane.run())
        results = timed(plane.results())
        stages = [after - before for before, after in pairwise(clock)]
        speeds.append((plane.word_hops / sum(stages), plane.word_hops / stages[2]))
    operations = np.arange(len(contributions)).reshape(-1, load.operations).T
    if wrong_operations(operations.tolist(), results, WORD_BITS):
        raise RuntimeError(f"{load.title}: a result of the plane is wrong; please report it")
    whole, alone = zip(*speeds, strict=True)
    return median(whole), median(alone), plane.cycle


def main() -> None:
    """Measure and print."""
    tables = plane_tables()
    begin = time.process_time()
    CollectivePlane(tables, contributions=contributions_of(PlaneLoad("", 1, 1))).run()
    print(f"  compilation, or loading of the cache: {time.process_time() - begin:.1f} CPU s")
    print("  {:>32} {:>10} {:>10} {:>9}".format("million word-hops per CPU s", "end to end", "run alone", "cycles"))
    for load in LOADS:
        whole, alone, cycles = measured(tables, load)
        print(f"  {load.title:>32} {whole / 1e6:>10.1f} {alone / 1e6:>10.1f} {cycles:>9,}", flush=True)
        if load is LOADS[0] and alone < MIN_MILLION_WORD_HOPS * 1e6:
            print(f"    less than {MIN_MILLION_WORD_HOPS} million for the run alone")


if __name__ == "__main__":
    main()
