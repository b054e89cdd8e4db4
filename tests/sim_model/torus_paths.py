"""Channels that the sends of a multicast take, for the tests of its schedules."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from sim_model.torus.chains import Send
from topology.torus.grid import X_NEGATIVE, X_POSITIVE, Grid

Channel = tuple[int, int]
Vc = tuple[int, int, int]


def links(grid: Grid, send: Send) -> Iterator[Channel]:
    """Physical channels of a send."""
    for hop in grid.path(send.sender, send.receiver, send.turns):
        yield hop.node, hop.direction


def vcs(grid: Grid, send: Send) -> Iterator[Vc]:
    """Channels with the class that stands for the VC: 0 while the ring is yet to be closed."""
    for hop in grid.path(send.sender, send.receiver, send.turns):
        yield hop.node, hop.direction, 0 if hop.wrap_ahead else 1


def dateline_vcs(grid: Grid, send: Send) -> Iterator[Vc]:
    """The same with the plain rule: class 1 once the ring has been closed."""
    closes: dict[bool, bool] = {}
    for hop in grid.path(send.sender, send.receiver, send.turns):
        along_column = hop.direction in (X_POSITIVE, X_NEGATIVE)
        closes.setdefault(along_column, hop.wrap_ahead)
        yield hop.node, hop.direction, int(closes[along_column] and not hop.wrap_ahead)


def conflicts(grid: Grid, sends: Iterable[Send], used) -> int:
    """Number of repeated uses of a channel or VC within a step."""
    uses = Counter((send.step, place) for send in sends for place in used(grid, send))
    return sum(uses.values()) - len(uses)


def conflicting_sends(grid: Grid, sends: Sequence[Send], used) -> int:
    """Number of sends that share a channel or VC with another one of their step."""
    uses = Counter((send.step, place) for send in sends for place in used(grid, send))
    return sum(any(uses[send.step, place] > 1 for place in used(grid, send)) for send in sends)


def random_multicasts(
    grid: Grid, count: int, seed: int, most: int | None = None
) -> Iterator[tuple[int, Sequence[int]]]:
    """Sources and destinations; how many there are, 1 to ``most`` (default: all), is random too."""
    generator = np.random.Generator(np.random.PCG64(seed))
    most = grid.nodes - 1 if most is None else most
    for _ in range(count):
        source, *others = generator.permutation(grid.nodes).tolist()
        yield source, others[: int(generator.integers(1, most + 1))]
