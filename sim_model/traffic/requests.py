"""Requests and replies: every request is answered, and a node limits its outstanding requests.

A node has as many slots as it may have requests outstanding, and uses them in turn: request k waits for the reply to
request k - ``outstanding``. So at no time are more of a node's requests without a reply, and one that comes back early
leaves its slot free until its turn comes.
"""

from dataclasses import dataclass, replace

import numpy as np

from sim_model.engines.results import Results
from sim_model.messages.columns import MessageColumns
from sim_model.traffic.counts import Lengths


@dataclass(frozen=True)
class Replies:
    """Replies to requests at their destinations.

    Parameters:
        lengths: Of replies.
        delay_cycles: From the arrival of a request to the start of its reply.
        outstanding: Requests of a node that may be without a reply at a time; None for any number.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    lengths: Lengths
    delay_cycles: int = 0
    outstanding: int | None = None

    def __post_init__(self):
        if self.delay_cycles < 0:
            raise ValueError(f"Delay of replies is {self.delay_cycles!r}; it must be at least 0 cycles")
        if self.outstanding is not None and self.outstanding < 1:
            raise ValueError(f"Outstanding requests are {self.outstanding!r}; they must be at least 1")

    def answered(self, requests: MessageColumns, generator: np.random.Generator) -> MessageColumns:
        """Return the requests, each with its reply behind it: request i becomes message 2 i, its reply message 2 i + 1.

        Parameters:
            requests: Unicasts in order of start, without parents.
            generator: Draws the lengths of replies.
        """
        number, earlier = np.arange(len(requests)), self._earlier(requests.source)
        waits = earlier >= 0
        parent_counts = np.stack((waits, np.ones_like(waits)), axis=1).reshape(-1)
        parents = np.stack((2 * earlier + 1, 2 * number), axis=1).reshape(-1)[parent_counts]
        delays = np.where(parents % 2 == 0, self.delay_cycles, 0)  # a request is an even number
        columns = MessageColumns.of(
            source=_alternating(requests.source, requests.destinations),
            destinations=_alternating(requests.destinations, requests.source),
            flits=_alternating(requests.flits, self.lengths.draw(generator, len(requests))),
            start_cycle=_alternating(requests.start_cycle, np.zeros_like(requests.start_cycle)),
        )
        offsets = np.concatenate(([0], np.cumsum(parent_counts)))
        return replace(columns, parent_offsets=offsets, parents=parents.astype(np.int32), delay_cycles=delays)

    def _earlier(self, source: np.ndarray) -> np.ndarray:
        """Return the request whose reply each request waits for, or -1."""
        earlier = np.full(len(source), -1, dtype=np.int64)
        if self.outstanding is None or len(source) == 0:
            return earlier
        by_source = np.argsort(source, kind="stable")
        first = np.searchsorted(source[by_source], source[by_source])
        waiting = np.flatnonzero(np.arange(len(source)) - first >= self.outstanding)
        earlier[by_source[waiting]] = by_source[waiting - self.outstanding]
        return earlier


def round_trip_cycles(results: Results, warmup_cycles: int = 0) -> np.ndarray:
    """Return the cycles from the start of each request to the arrival of its reply, int64, of completed ones.

    Parameters:
        results: Of messages as ``Replies.answered`` makes them.
        warmup_cycles: Requests that start before this cycle are left out.
    """
    start, arrival = results.start_cycle[::2], results.last_arrival_cycle[1::2]
    return (arrival - start)[(arrival >= 0) & (start >= warmup_cycles)]


def _alternating(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.stack((first, second), axis=1).reshape(-1)
