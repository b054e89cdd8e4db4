"""Multicasts of tori and meshes as software unicasts: senders and receivers (Sec. 3.3, 3.4.4)."""

from collections.abc import Iterable, Sequence

import numpy as np

from sim_model.messages.columns import MessageColumns
from sim_model.messages.messages import Message
from sim_model.messages.recursive_doubling import RotatingBase, Tree, Unicast
from sim_model.messages.schedule import software_schedule
from sim_model.messages.software_columns import unicasts_of_columns
from sim_model.torus.chain_columns import chain_columns
from sim_model.torus.chains import CHAINS, Send
from sim_model.torus.partition_columns import partitioned_columns
from sim_model.torus.partitioning import Partitioning, Scheme
from sim_model.torus.recursive_doubling import BASES, recursive_doubling
from sim_model.torus.subnetworks import KINDS, dilations
from topology.torus.grid import Grid
from topology.torus.operations import operation

DOUBLING = "recursive-doubling"


def software_names(grid: Grid) -> tuple[str, ...]:
    """Return the names of the multicast software for a grid.

    ``u-torus``, ``u-mesh``, ``spu``, ``recursive-doubling``, and in tori schemes of partitioning such as ``4IIIB``.
    """
    if not grid.wraps:
        return (*(name for name in CHAINS if name != "u-torus"), DOUBLING)
    schemes = (Scheme(h, kind, balanced) for h in dilations(grid) for kind in KINDS for balanced in (False, True))
    return (*CHAINS, DOUBLING, *(scheme.name for scheme in schemes))


def software_sends(grid: Grid, records: Iterable[Message], software: str, seed: int = 0) -> Sequence[Message]:
    """Return messages with every multicast replaced by dependent unicasts; each record becomes one group.

    The unicasts of a group are in such an order that each sender's go out by message numbers: those of phase 2 before
    those of phase 3. Their directions are their operations (``topology/torus/operations.py``). A record with one
    destination is sent there straight. Records may wait for each other.

    Parameters:
        records: In the order in which a balanced scheme deals them out, and in which the bases of a source go round.
        software: One of ``software_names``.
        seed: Of the scheme's random choices.

    Raises:
        ValueError: If the grid does not have this software.
        MessageError: If nodes or parents of a record are not there.
    """
    names = software_names(grid)
    if software not in names:
        raise ValueError(f"Software is {software!r}; it must be {', '.join(names)}")
    if software != DOUBLING and isinstance(records, MessageColumns) and records.in_order(grid.nodes):
        return _sends_of_columns(grid, records, software, seed)
    return software_schedule(records, grid.nodes, _tree(grid, software, seed))


def _sends_of_columns(grid: Grid, records: MessageColumns, software: str, seed: int) -> MessageColumns:
    """Return the sends of all records at once."""
    several = np.flatnonzero(records.counts > 1)
    goes = np.repeat(records.counts > 1, records.counts)
    multicast = np.repeat(np.arange(len(several)), records.counts[several])
    source, destinations = (column.astype(np.int64) for column in (records.source[several], records.destinations[goes]))
    if software in CHAINS:
        sends = chain_columns(grid, software, source, multicast, destinations)
    else:
        sends = partitioned_columns(Partitioning(grid, Scheme.named(software), seed), source, multicast, destinations)
    return unicasts_of_columns(records, several[sends.record], *sends[1:])


def _tree(grid: Grid, software: str, seed: int) -> Tree:
    if software == DOUBLING:
        return RotatingBase(BASES, lambda *multicast: _unicasts(recursive_doubling(grid, *multicast)))
    if software in CHAINS:
        return lambda *multicast: _unicasts(CHAINS[software](grid, *multicast))
    partitioning = Partitioning(grid, Scheme.named(software), seed)
    return lambda *multicast: _unicasts(partitioning.multicast(*multicast).sends)


def _unicasts(sends: Iterable[Send]) -> list[Unicast]:
    return [Unicast(send.sender, send.receiver, operation(send.turns)) for send in sends]
