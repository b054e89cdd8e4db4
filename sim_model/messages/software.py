"""Software multicast in any network, the baselines: a binomial chain of unicasts, or a unicast to each destination.

The chain is source and destinations in order of address, rotated so that the source is first, and halved
(``recursive_doubling.py``): ceil(log2(d + 1)) steps for d destinations. Every send costs its host a start-up, and a
node's sends leave one after the other, the largest section first.

Without the chain the source sends to all destinations itself, in the same order: d steps without dependencies.
"""

from collections.abc import Iterable, Sequence

from sim_model.messages.columns import MessageColumns
from sim_model.messages.messages import Message
from sim_model.messages.recursive_doubling import Unicast, halvings
from sim_model.messages.schedule import Sends, dependent_unicasts
from sim_model.messages.software_columns import chain_unicasts

BINOMIAL, SEPARATE = COMMON_SOFTWARE = ("binomial", "separate")
"""Names of the software of every family."""


def software_steps(destinations: int) -> int:
    """Return the minimum of unicast steps to reach ``destinations`` nodes: ceil(log2(d + 1))."""
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
    """Return one multicast as dependent unicasts.

    Parameters:
        destinations: Processors; the source and repeats are dropped.
        flits: Length of each unicast.
        start_cycle: Start of the source's sends.
        first_number: Number that the first of these messages will have in its set; the others follow.
        group: Group of all of them; default ``first_number``.

    Returns:
        In order of steps, so that parents come first and a node's sends have ascending numbers.
    """
    group = first_number if group is None else group
    record = Message(source, destinations, flits, start_cycle=start_cycle, group=group)
    return dependent_unicasts(record, _binomial(source, destinations), first_number)


def software_multicasts(records: Iterable[Message], software: str = BINOMIAL) -> Sequence[Message]:
    """Return a list of messages with every multicast replaced by unicasts; each record becomes one group.

    Records may wait for each other, see ``software_schedule``. One without destinations is returned unchanged.

    Parameters:
        records: Columns in order become columns.
        software: One of ``COMMON_SOFTWARE``.

    Raises:
        MessageError: If a record waits for what is no earlier record that its source gets or sends.
    """
    if isinstance(records, MessageColumns) and records.in_order():
        return chain_unicasts(records, binomial=software == BINOMIAL)
    tree = {BINOMIAL: _binomial, SEPARATE: _separate}[software]
    sends = Sends()
    for record in records:
        sends.add(record, tree(record.source, record.destinations))
    return sends.messages


def _binomial(source: int, destinations: Sequence[int]) -> list[Unicast]:
    chain = _chain(source, destinations)
    return [Unicast(chain[sender], chain[receiver]) for sender, receiver in halvings(len(chain))]


def _separate(source: int, destinations: Sequence[int]) -> list[Unicast]:
    return [Unicast(source, destination) for destination in _chain(source, destinations)[1:]]


def _chain(source: int, destinations: Sequence[int]) -> list[int]:
    members = sorted({source, *destinations})
    first = members.index(source)
    return members[first:] + members[:first]
