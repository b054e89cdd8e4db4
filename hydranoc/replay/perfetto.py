"""A recorded run for ui.perfetto.dev: a track for each channel, a slice for each message on it (docs/do/perfetto.md).

The file is in the trace event format (JSON), compressed if its name ends with ``.gz``. A microsecond there is a cycle
here.
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hydranoc.replay.record import Recording
from hydranoc.replay.window import Replay, Window
from sim_model.engines.cycle.state import NONE
from sim_model.messages.messages import Messages
from topology.common.channels import ChannelNetwork

MAX_SLICES = 200_000
"""Maximum slices in a file; later ones are cut."""
MAX_NAMED = 4
"""Maximum destinations in a slice's name."""
FROM_PROCESSORS, BETWEEN_SWITCHES, TO_PROCESSORS = 1, 2, 3
GROUPS = {
    FROM_PROCESSORS: "channels from processors",
    BETWEEN_SWITCHES: "channels between switches",
    TO_PROCESSORS: "channels to processors",
}
"""Groups of tracks, called processes in the format."""
WAY = "way"
"""Category and name of the arrows from a head's previous channel."""


@dataclass(frozen=True)
class Written:
    """Content of a written file.

    Members:
        window: A message is shown on each channel that it holds in one of these cycles, from its head to its tail.
        slices
    """

    window: Window
    slices: int


def write_perfetto(recording: Recording, network: ChannelNetwork, path: Path) -> Written:
    """Write a recording's window, or as much of its beginning as ``MAX_SLICES`` allow."""
    replay = recording.replay()
    held = _held(replay)
    if len(held) > MAX_SLICES:
        # later slices are left out, with all that begin in the same cycle
        cut = max(int(replay.head_cycle[held[MAX_SLICES]]), replay.window.first + 1)
        replay = recording.replay(Window(replay.window.first, cut))
        held = _held(replay)
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt", encoding="ascii") as file:
        file.write('{"displayTimeUnit":"ns","otherData":{"time":"1 us is 1 cycle"},"traceEvents":[\n')
        events = (*_tracks(network), *_slices(replay, held, recording.results.messages, network))
        file.write(",\n".join(json.dumps(event, separators=(",", ":")) for event in events))
        file.write("\n]}\n")
    return Written(replay.window, len(held))


def _held(replay: Replay) -> np.ndarray:
    """Return the positions of visits with a held channel within the window, in the order of their heads."""
    head = replay.head_cycle
    found = np.flatnonzero((head != NONE) & (head < replay.window.last))
    return found[np.argsort(head[found], kind="stable")]


def _tracks(network: ChannelNetwork) -> Iterator[dict[str, Any]]:
    for group, name in GROUPS.items():
        yield {"ph": "M", "name": "process_name", "pid": group, "args": {"name": name}}
        yield {"ph": "M", "name": "process_sort_index", "pid": group, "args": {"sort_index": group}}
    for channel in network.channels:
        place = _place(network, channel.index)
        yield {"ph": "M", "name": "thread_name", **place, "args": {"name": channel.name}}
        yield {"ph": "M", "name": "thread_sort_index", **place, "args": {"sort_index": channel.index}}


def _place(network: ChannelNetwork, channel: int) -> dict[str, int]:
    """Return group and track of a channel; the format has no track 0."""
    ends = network.channels[channel]
    inward, outward = network.is_switch(ends.sink), network.is_switch(ends.source)
    group = FROM_PROCESSORS if not outward else BETWEEN_SWITCHES if inward else TO_PROCESSORS
    return {"pid": group, "tid": channel + 1}


def _slices(replay: Replay, held: np.ndarray, messages: Messages, network: ChannelNetwork) -> Iterator[dict[str, Any]]:
    """Yield the slices, each followed by the arrow from the previous one on the message's path."""
    columns = (replay.channel, replay.message, replay.since_cycle, replay.head_cycle, replay.tail_cycle, replay.before)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    for visit in held.tolist():
        channel, message, since, head, tail, before = rows[visit]
        place = _place(network, channel)
        known = {"waited_cycles": head - since, **_described(messages, message)}
        if before != NONE:
            known["came_over"] = network.channels[rows[before][0]].name
        end = replay.window.last if tail == NONE else tail + 1
        if tail == NONE:
            known["tail"] = "not seen"
        name = _name(messages, message)
        yield {"ph": "X", "name": name, "cat": "message", "ts": head, "dur": max(1, end - head), **place, "args": known}
        if before != NONE:
            arrow = {"name": WAY, "cat": WAY, "id": visit}
            yield {"ph": "s", "ts": rows[before][3], **arrow, **_place(network, rows[before][0])}
            yield {"ph": "f", "bp": "e", "ts": head, **arrow, **place}


def _name(messages: Messages, message: int) -> str:
    """Return number, source and destinations, such as ``17: p5 to p8, p9``."""
    destinations = messages.destinations_of(message).tolist()
    named = ", ".join(f"p{destination}" for destination in destinations[:MAX_NAMED])
    more = len(destinations) - MAX_NAMED
    return f"{message}: p{int(messages.source[message])} to {named}" + (f" and {more} more" if more > 0 else "")


def _described(messages: Messages, message: int) -> dict[str, int]:
    return {
        "message": message,
        "multicast": int(messages.group[message]),
        "source": int(messages.source[message]),
        "destinations": len(messages.destinations_of(message)),
        "flits": int(messages.flits[message]),
    }
