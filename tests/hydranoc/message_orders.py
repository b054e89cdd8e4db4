"""Orders in which receivers saw messages in a run, and whether they agree."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from sim_model.engines.results import Results


def received(results: Results) -> list[np.ndarray]:
    """Return the messages of each receiver in the order in which their tails arrived, an int64 array for each."""
    messages = results.messages
    assert results.lost == results.duplicated == 0
    message, receiver = messages.message_of_destination, messages.destinations
    order = np.lexsort((results.arrival_cycle, receiver))
    sequences = np.split(order, np.flatnonzero(np.diff(receiver[order])) + 1)
    for sequence in sequences:  # one delivery channel: two tails never arrive in one cycle
        assert (np.diff(results.arrival_cycle[sequence]) > 0).all()
    return [message[sequence].astype(np.int64) for sequence in sequences]


def sent(results: Results) -> list[np.ndarray]:
    """Return the messages of each source in the order in which its injector accepted them."""
    source = results.messages.source
    order = np.lexsort((results.accepted_cycle, source))
    return np.split(order, np.flatnonzero(np.diff(source[order])) + 1)


def conflicts(sequences: list[np.ndarray], messages: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of sequences that have two common messages in different orders."""
    ranks = np.full((len(sequences), messages), -1)
    for rank, sequence in zip(ranks, sequences, strict=True):
        rank[sequence] = np.arange(len(sequence))
    for first, second in combinations(range(len(sequences)), 2):
        common = sequences[first][ranks[second, sequences[first]] >= 0]
        if (np.diff(ranks[second, common]) < 0).any():
            yield first, second


def common_order(sequences: list[np.ndarray], messages: int) -> list[int]:
    """Return an order of messages that contains all sequences; it ends early where they close a circle."""
    containing: list[list[int]] = [[] for _ in range(messages)]
    for number, sequence in enumerate(sequences):
        for message in sequence.tolist():
            containing[message].append(number)
    rest = [sequence[::-1].tolist() for sequence in sequences]
    awaited = [len(of_message) for of_message in containing]
    fronts = [sequence[-1] for sequence in rest if sequence]
    order: list[int] = []
    while fronts:
        message = fronts.pop()
        awaited[message] -= 1
        if awaited[message]:
            continue
        order.append(message)
        for number in containing[message]:
            rest[number].pop()
            if rest[number]:
                fronts.append(rest[number][-1])
    return order
