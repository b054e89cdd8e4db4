"""Messages as a GOAL program (``goal.py``): sends and receipts of every node, their order, and their delays.

Message m is the send ``m<m>``, or ``bcast<m>_1``, ``bcast<m>_2`` and so on if it has several destinations, in the block
of its source, and the receipt ``r<m>`` in that of each destination. A wait without a delay is a ``requires``, one with
a delay goes through a ``calc``, and so does a given start: reading the program gives the same messages, which wait for
the same ones.
"""

from collections.abc import Iterator, Sequence

from sim_model.messages.messages import Messages


def goal_text(messages: Messages, processors: int, body_flits: Sequence[int], bytes_per_flit: int) -> str:
    """Return a program that sends these messages.

    Parameters
    ----------
    messages : Messages
    processors : int
        Ranks of the program.
    body_flits : sequence of int
        Length of each message without its header.
    bytes_per_flit : int
        Bytes for which a flit of a message's body stands.
    """
    blocks: list[list[str]] = [[] for _ in range(processors)]
    for message in range(len(messages)):
        source, destinations = int(messages.source[message]), messages.destinations_of(message).tolist()
        size = f"{int(body_flits[message]) * bytes_per_flit}b"
        labels = _labels(message, len(destinations))
        for label, destination in zip(labels, destinations, strict=True):
            blocks[source].append(f"{label}: send {size} to {destination} tag {message}")
            blocks[destination].append(f"r{message}: recv {size} from {source} tag {message}")
        blocks[source] += _waits(messages, message, labels[0])
    lines = [f"num_ranks {processors}"]
    for rank, block in enumerate(blocks):
        lines += ["", f"rank {rank} {{", *(f"  {line}" for line in block), "}"]
    return "\n".join(lines) + "\n"


def _labels(message: int, destinations: int) -> list[str]:
    if destinations == 1:
        return [f"m{message}"]
    return [f"bcast{message}_{number}" for number in range(1, destinations + 1)]


def _waits(messages: Messages, message: int, label: str) -> Iterator[str]:
    """Yield the waits of a message as statements of its source's block."""
    start, source = int(messages.start_cycle[message]), int(messages.source[message])
    if start:
        yield f"s{message}: calc {start}"
        yield f"{label} requires s{message}"
    first, end = messages.parent_offsets[message : message + 2].tolist()
    for wait in range(first, end):
        parent, delay = int(messages.parents[wait]), int(messages.delay_cycles[wait])
        event = f"r{parent}"
        if messages.source[parent] == source:
            event = _labels(parent, int(messages.offsets[parent + 1] - messages.offsets[parent]))[0]
        if delay:
            yield f"d{wait}: calc {delay}"
            yield f"d{wait} requires {event}"
            event = f"d{wait}"
        yield f"{label} requires {event}"
