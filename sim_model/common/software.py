"""Software multicast, the baseline: a binomial chain of unicasts, ceil(log2(d + 1)) steps for d destinations.

The chain is source and destinations in order of address, rotated so that the source is first. The owner of the
section lo..hi, which is at lo, sends to c = lo + ceil((hi - lo) / 2), which then owns c..hi; and so on until each
owns itself. Every send costs its host a start-up, and a node's sends leave one after the other, the largest section
first.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sim_model.common.messages import Message


def software_steps(destinations: int) -> int:
    """Least number of unicast steps that reach so many destinations: ceil(log2(d + 1))."""
    return destinations.bit_length()


def binomial_chain(
    source: int,
    destinations: Sequence[int],
    *,
    flits: int,
    start_cycle: int = 0,
    first_number: int = 0,
    group: int | None = None,
) -> list[Message]:
    """One multicast as unicasts that depend on each other.

    Parameters
    ----------
    source : int
    destinations : sequence of int
        Processors; the source and repeats are dropped.
    flits : int
        Length of each unicast.
    start_cycle : int
        Start of the source's sends.
    first_number : int
        Number that the first of these messages will have in its set; the others follow.
    group : int or None
        Group of all of them; default ``first_number``.

    Returns
    -------
    list of Message
        In order of steps, so that parents come first and a node's sends have ascending numbers.
    """
    chain = _chain(source, destinations)
    group = first_number if group is None else group
    messages: list[Message] = []
    sections: list[tuple[int, int, int | None]] = [(0, len(chain) - 1, None)]  # lo, hi, message that reached lo
    while any(lo < hi for lo, hi, _ in sections):
        following = []
        for lo, hi, parent in sections:
            if lo == hi:
                continue
            middle = lo + -(-(hi - lo) // 2)
            number = first_number + len(messages)
            message = Message(chain[lo], (chain[middle],), flits, group=group)
            root_or_relay = {"start_cycle": start_cycle} if parent is None else {"parent": parent}
            messages.append(replace(message, **root_or_relay))
            following += [(lo, middle - 1, parent), (middle, hi, number)]
        sections = following
    return messages


def software_multicasts(records: Iterable[Message]) -> list[Message]:
    """A list of messages with every multicast replaced by its chain; each record becomes one group.

    Records may not depend on each other.

    Raises
    ------
    ValueError
        If a record has a parent.
    """
    messages: list[Message] = []
    for group, record in enumerate(records):
        if record.parent is not None:
            raise ValueError(f"Message {group}: Parent must be None in a software multicast, not {record.parent!r}")
        chain = binomial_chain(
            record.source,
            record.destinations,
            flits=record.flits,
            start_cycle=record.start_cycle,
            first_number=len(messages),
            group=group,
        )
        messages += chain or [replace(record, group=group)]
    return messages


def _chain(source: int, destinations: Sequence[int]) -> list[int]:
    members = sorted({source, *destinations})
    first = members.index(source)
    return members[first:] + members[:first]
