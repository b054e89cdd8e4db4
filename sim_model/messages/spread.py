"""Injection channels of messages from hosts with several, where none is chosen (hypercube, Sec. 2)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from sim_model.messages.columns import MessageColumns
from sim_model.messages.messages import Message

STREAM = 1
"""Number of this random stream among others with the same seed."""


def spread_unicasts(records: Iterable[Message], channels: int, seed: int) -> Sequence[Message]:
    """Return messages with injection channels, chosen at random where there is none.

    Messages of one node and group take one channel after the other, from a random one on, which balances the load of
    the channels. With one channel all messages are returned unchanged.

    Parameters:
        channels: Injection channels of each processor.
        seed: Same seed, same channels, on any machine.
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
