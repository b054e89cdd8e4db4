"""The replayed part of a run: its cycles, and the visible holds in them."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hydranoc.replay.holds import Holds
from sim_model.engines.cycle.state import NONE
from sim_model.engines.results import Results

MAX_QUEUED = 20
"""Maximum listed messages of a processor's queue that do not leave it; an overloaded network has thousands."""


class WindowWrong(ValueError):
    """A window that is not within its run."""


@dataclass(frozen=True)
class Window:
    """Cycles ``first`` to ``last - 1`` of a run."""

    first: int
    last: int

    def __post_init__(self):
        if not 0 <= self.first < self.last:
            raise ValueError(f"A window is {self.first}:{self.last}; it must be FIRST:LAST with 0 <= FIRST < LAST")


def span_of(cycles: int, warmup_cycles: int, window: tuple[int, int] | None) -> tuple[int, int | None]:
    """Return the first cycle of a window, and the one after the last; None for a window limited by its heads.

    Parameters:
        cycles: Length of the run.
        warmup_cycles: Default beginning of the window.
        window: The requested window.

    Raises:
        WindowWrong: If the window does not begin within the run.
    """
    first, last = window or (min(warmup_cycles, cycles - 1), None)
    if not 0 <= first < cycles or (last is not None and last <= first):
        text = f"{first}:{last}" if window else str(first)
        raise WindowWrong(
            f"a window is {text}; it must be FIRST:LAST with FIRST < LAST and FIRST from 0 to {cycles - 1}"
        )
    return first, last


class Replay(NamedTuple):
    """The visible visits of a window: columns of V visits, int64[V] each, in the order of their heads.

    A *visit* is a message on a channel: it waits for the channel from ``since_cycle`` on, and holds it from
    ``head_cycle`` to ``tail_cycle``.

    Members:
        window
        channel, message (int64[V])
        since_cycle (int64[V]): Cycle in which the head reached the channel's source; at processors the start of the
            message.
        head_cycle, tail_cycle (int64[V]): Cycles of the hold; -1 if the channel was never held, or its release was not
            recorded.
        before (int64[V]): Position of the visit by whose channel the message arrived; -1 if it is not visible.
        behind (int64[channels up to the last one from a processor]): Number of unlisted messages that wait for each
            channel from a processor when the window ends.
    """

    window: Window
    channel: np.ndarray
    message: np.ndarray
    since_cycle: np.ndarray
    head_cycle: np.ndarray
    tail_cycle: np.ndarray
    before: np.ndarray
    behind: np.ndarray


def replay_of(holds: Holds, results: Results, injection_channel: np.ndarray, window: Window) -> Replay:
    """Return the visible part of some holds in a window.

    Parameters:
        holds: Complete up to the last arrival of every message that injectors accepted in the window or before it.
        results: Of the whole run.
        injection_channel (int64[messages]): Injection channel of each message.
    """
    first, last = window.first, window.last
    since = np.where(holds.since_cycle == NONE, results.start_cycle[holds.message], holds.since_cycle)
    seen = (since < last) & ((holds.tail_cycle >= first) | (holds.tail_cycle == NONE))
    number = np.cumsum(seen) - 1
    before = np.where(holds.before == NONE, NONE, np.where(seen[holds.before], number[holds.before], NONE))
    queued, behind = _queued(holds, results, injection_channel, last)
    columns = (
        np.concatenate([holds.channel[seen], injection_channel[queued]]),
        np.concatenate([holds.message[seen], queued]),
        np.concatenate([since[seen], results.start_cycle[queued]]),
        np.concatenate([holds.head_cycle[seen], np.full(len(queued), NONE)]),
        np.concatenate([holds.tail_cycle[seen], np.full(len(queued), NONE)]),
        np.concatenate([before[seen], np.full(len(queued), NONE)]),
    )
    return Replay(window, *columns, behind)


def _queued(holds: Holds, results: Results, injection_channel: np.ndarray, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Return messages that wait at their processors without a recorded departure, in the order of their starts.

    Returns:
        int64[n]: The first ``MAX_QUEUED`` of each channel.
        int64[channels]: Number of further ones.
    """
    waiting = (results.start_cycle != NONE) & (results.start_cycle < last)
    waiting[holds.message] = False
    found = np.flatnonzero(waiting)
    found = found[np.lexsort((results.start_cycle[found], injection_channel[found]))]
    place = np.arange(len(found)) - np.searchsorted(injection_channel[found], injection_channel[found])
    listed, channels = found[place < MAX_QUEUED], int(injection_channel.max(initial=-1)) + 1
    behind = np.bincount(injection_channel[found[place >= MAX_QUEUED]], minlength=channels)
    return listed[np.argsort(results.start_cycle[listed], kind="stable")], behind
