"""Which injection channel a message takes if its host has several, and nobody has chosen (hypercube, Sec. 2)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from sim_model.messages.columns import MessageColumns
from sim_model.messages.messages import Message

STREAM = 1
"""Tells these random numbers from others that come from the same seed."""


def spread_unicasts(records: Iterable[Message], channels: int, seed: int) -> Sequence[Message]:
    """Return messages with injection channels, chosen at random where there is none.

    What one node sends of a group goes over one channel after the other, from a random one on, so that the host is as
    busy on all of them. With one channel there is nothing to choose, and all stay as they are.

    Parameters
    ----------
    records : iterable of Message
    channels : int
        Injection channels of each processor.
    seed : int
        Same seed, same channels, on any machine.
    """
    generator = np.random.Generator(np.random.PCG64([seed, STREAM]))
    if isinstance(records, MessageColumns):
        return records if channels == 1 else records.spread(channels, generator)
    records = list(records)
    if channels == 1:
        return records
    drawn: list[int] = generator.integers(channels, size=len(records)).tolist()
    following: dict[tuple[int, int], int] = {}
    spread = []
    for number, record in enumerate(records):
        if record.injection is None:
            sender = (number if record.group is None else record.group, record.source)
            channel = following.get(sender, drawn[number])
            following[sender] = (channel + 1) % channels
            record = replace(record, injection=channel)
        spread.append(record)
    return spread
