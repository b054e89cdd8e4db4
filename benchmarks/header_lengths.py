"""Ways of writing a destination set, and what the two that are built cost: ``python -m benchmarks.header_lengths``.

First the bits that a set takes. Nodes are taken in the order of a tree (``SpamLabels.first``,
``BranchIntervals.place``), in which those behind an output stand side by side. Sets are drawn at random from all nodes,
or from a neighbourhood: as many nodes side by side as four times the set.

Then flits of whole headers of a SPAM network as they are built (``network.header``), and runs of the golden model with
both. There nodes are numbered as they are, and a neighbourhood is one of numbers.
"""

from collections.abc import Iterator

import numpy as np

from sim_model.engines.simulation import Simulation
from sim_model.messages.columns import MessageColumns
from sim_model.messages.header_lengths import header_lengths
from sim_model.spam.model import SpamModel
from topology.common.flits import bits_for
from topology.common.lattice import lattice_network
from topology.common.part_headers import HEADER_KINDS, header_format
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

NODES = 4096
COUNTS = (2, 4, 16, 64, 256, 1024, 4096)
ARITY = 16
DRAWS = 200
SEED = 1
NEIGHBOURHOOD = 4
FLIT_BITS = (32, 64, 128)
RUNS = ((64, 16), (256, 32), (1024, 32))
"""Switches of a lattice with a node each, and bits of a flit."""
RUN_COUNTS = (4, 12)
RUN_MESSAGES, BODY_FLITS = 2000, 32
ALONE_CYCLES = 3000
"""Between messages that are not to meet."""


def bit_string(_places: np.ndarray) -> int:
    """Return a bit for every node."""
    return NODES


def addresses(places: np.ndarray) -> int:
    """Return the number of each destination, and how many there are."""
    return (len(places) + 1) * bits_for(NODES)


def intervals(places: np.ndarray) -> int:
    """Return first and last place of each run of destinations that stand side by side, and how many runs there are."""
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


def draw(generator: np.random.Generator, count: int, *, near: bool, nodes: int = NODES) -> np.ndarray:
    """Return places of a destination set, ascending."""
    span = min(nodes, NEIGHBOURHOOD * count) if near else nodes
    first = int(generator.integers(nodes - span + 1))
    return first + np.sort(generator.choice(span, count, replace=False))


def _sets_of_all_kinds() -> Iterator[tuple[str, list[np.ndarray]]]:
    """Yield what a row of a table is about, and its sets; the same ones for every table."""
    generator = np.random.default_rng(SEED)
    for near in (False, True):
        for count in COUNTS:
            sets = [draw(generator, count, near=near) for _ in range(DRAWS)]
            yield f"{count:,} {'near each other' if near else 'anywhere'}", sets


def _print_bits() -> None:
    print(f"| {NODES:,} nodes: destinations | {' | '.join(ENCODINGS)} |")
    print(f"|{'---|' * (len(ENCODINGS) + 1)}")
    for row, sets in _sets_of_all_kinds():
        means = (np.mean([encode(places) for places in sets]) for encode in ENCODINGS.values())
        print(f"| {row} | {' | '.join(f'{mean:,.0f}' for mean in means)} |", flush=True)


def _print_flits() -> None:
    """Whole headers, with the fixed fields of a SPAM network of as many switches as nodes."""
    fields = (("lca", bits_for(2 * NODES)), ("source", bits_for(NODES)))
    formats = {
        f"{flit_bits} bits, `{kind}`": header_format(kind, fields, NODES, flit_bits)
        for flit_bits in FLIT_BITS
        for kind in HEADER_KINDS
    }
    print(f"\n| {NODES:,} nodes: destinations | {' | '.join(formats)} |")
    print(f"|{'---|' * (len(formats) + 1)}")
    for row, sets in _sets_of_all_kinds():
        means = (np.mean([header.flits_of(places.tolist()) for places in sets]) for header in formats.values())
        print(f"| {row} | {' | '.join(f'{mean:,.1f}'.removesuffix('.0') for mean in means)} |", flush=True)
    longest = (f"{header.multicast_flits}" for header in formats.values())
    print(f"| *the longest that may come* | {' | '.join(longest)} |", flush=True)


def _messages(nodes: int, count: int, gap: int, *, near: bool) -> MessageColumns:
    """Return multicasts of random senders, a gap after one another, whose lengths are still those of their bodies."""
    generator = np.random.default_rng(SEED)
    sets = [draw(generator, count, near=near, nodes=nodes) for _ in range(RUN_MESSAGES)]
    others = [np.setdiff1d(np.arange(nodes), one, assume_unique=True) for one in sets]
    return MessageColumns.of(
        source=np.array([int(generator.choice(other)) for other in others]),
        destinations=np.concatenate(sets),
        counts=np.full(RUN_MESSAGES, count),
        flits=np.full(RUN_MESSAGES, BODY_FLITS),
        start_cycle=np.arange(RUN_MESSAGES) * gap,
    )


def _run(model: SpamModel, columns: MessageColumns) -> tuple[float, float, int]:
    """Return mean header flits, mean cycles until the last destination has everything, and cycles of the whole run."""
    lengths = header_lengths(columns.offsets, columns.destinations, model.header_flits)
    longer = MessageColumns.of(
        source=columns.source,
        destinations=columns.destinations,
        counts=columns.counts,
        flits=columns.flits + lengths,
        start_cycle=columns.start_cycle,
    )
    messages = longer.checked(processors=len(model.network.processors), header_flits=model.header_flits)
    results = Simulation(model, messages).run()
    assert not results.deadlocked
    last = np.maximum.reduceat(results.arrival_cycle, messages.offsets[:-1])
    return float(lengths.mean()), float((last - messages.start_cycle).mean()), results.cycles


def _print_runs() -> None:
    columns = ("network", "destinations", "header", "buffer, flits", "mean header, flits", "one alone", "all at once")
    print(f"\n| {' | '.join(columns)} |")
    print(f"|{'---|' * len(columns)}")
    for nodes, flit_bits in RUNS:
        labels = SpamLabels(lattice_network(nodes, seed=7))
        for count in RUN_COUNTS:
            for near in (False, True):
                for kind in HEADER_KINDS:
                    model = SpamModel(SpamRouting(labels, flit_bits, header_kind=kind))
                    header_flits, latency, _ = _run(model, _messages(nodes, count, ALONE_CYCLES, near=near))
                    *_, cycles = _run(model, _messages(nodes, count, 0, near=near))
                    where = f"{count} {'near each other' if near else 'anywhere'}"
                    row = (f"{nodes:,} nodes, {flit_bits} bits", where, f"`{kind}`", f"{model.buffer_depth_flits}")
                    figures = (f"{header_flits:.1f}", f"{latency:,.0f}", f"{cycles:,}")
                    print(f"| {' | '.join((*row, *figures))} |", flush=True)


def main() -> None:
    """Print mean lengths in bits and in flits, and cycles of messages alone and together."""
    _print_bits()
    _print_flits()
    _print_runs()


if __name__ == "__main__":
    main()
