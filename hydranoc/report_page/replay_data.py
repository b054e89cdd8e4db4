"""Data of a page: JSON, deflated, in base 64; of a replay columns of short numbers, with its messages."""

import base64
import json
import zlib
from typing import Any

import numpy as np

from hydranoc.replay.window import Replay
from sim_model.engines.cycle.state import NONE
from sim_model.engines.model import Wait
from sim_model.engines.results import Results


def deltas(column: np.ndarray) -> list[int]:
    """Return the first value and differences: short numbers where a column rises slowly."""
    return np.diff(column, prepend=0).tolist()


def packed(content: Any) -> str:
    """Return plain values as packed text."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(zlib.compress(text.encode(errors="replace"), 9)).decode("ascii")


def unpacked(text: str) -> Any:
    """Return the values of a packed text."""
    return json.loads(zlib.decompress(base64.b64decode(text)))


def replay_columns(replay: Replay, results: Results) -> dict[str, Any]:
    """Return the columns of a replay for JSON.

    Messages are renumbered in the order of their first visit; ``messages`` has the original numbers. Heads are
    differences from the previous head, tails from their head, beginnings of waits from the previous visit. Previous
    visits are given by the distance in visits.

    Returns:
        ``first``, ``last``, ``channel``, ``message``, ``head``, ``headless`` (number of final visits without a head),
            ``tail``, ``wait`` (from its beginning to the head), ``before``, ``behind`` and ``messages``.
    """
    seen, first_seen, number = np.unique(replay.message, return_index=True, return_inverse=True)
    order = np.argsort(first_seen, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    headless = replay.head_cycle == NONE
    position = np.arange(len(replay.channel))
    return {
        "first": replay.window.first,
        "last": replay.window.last,
        "channel": replay.channel.tolist(),
        "message": deltas(place[number]),
        "head": deltas(np.where(headless, replay.window.last, replay.head_cycle)),
        "headless": int(headless.sum()),
        "tail": np.where(replay.tail_cycle == NONE, NONE, replay.tail_cycle - replay.head_cycle).tolist(),
        "wait": (np.where(headless, replay.window.last, replay.head_cycle) - replay.since_cycle).tolist(),
        "before": np.where(replay.before == NONE, 0, position - replay.before).tolist(),
        "behind": [[int(channel), int(replay.behind[channel])] for channel in np.flatnonzero(replay.behind)],
        "messages": _messages(seen[order], results),
    }


def _messages(numbers: np.ndarray, results: Results) -> dict[str, list[Any]]:
    """Return columns of some messages, with destinations of each; groups only if one has several messages."""
    messages, start = results.messages, results.start_cycle[numbers]
    last = results.last_arrival_cycle[numbers]
    return {
        "number": deltas(numbers),
        "source": messages.source[numbers].tolist(),
        "flits": messages.flits[numbers].tolist(),
        "start": deltas(start),
        "group": messages.group[numbers].tolist() if (np.bincount(messages.group) > 1).any() else [],
        "latency": np.where(last == NONE, NONE, last - start).tolist(),
        "destinations": [messages.destinations_of(int(number)).tolist() for number in numbers],
    }


def stuck_columns(waits: list[Wait]) -> list[list[Any]]:
    """Return the wait-for relation of a deadlock: channel, message, channels waited for, and the reason in words."""
    return [[wait.channel, wait.message, list(wait.blockers), wait.reason] for wait in waits]
