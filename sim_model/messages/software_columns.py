"""Multicasts in columns as unicasts in columns: the results of ``schedule.py`` without an object for each record."""

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from sim_model.loops.compiled import compiled_loop
from sim_model.messages.columns import ANY, MessageColumns
from sim_model.messages.header_lengths import distinct
from sim_model.messages.recursive_doubling import Tree, halvings

SOURCE = -1
"""Placeholder for the unicast that brought a message to its sender, where that is its source."""


class TreeShape(NamedTuple):
    """Sends of a multicast by the positions of its nodes in a chain that begins with the source.

    Members:
        sender, receiver (int64[D]): Positions, parents first.
        brought_by (int64[D]): Index of the send that brought the message to the sender, or ``SOURCE``.
    """

    sender: np.ndarray
    receiver: np.ndarray
    brought_by: np.ndarray


@cache
def binomial_shape(destinations: int) -> TreeShape:
    """Return the halved chain of ``destinations`` destinations."""
    sender, receiver = np.array(halvings(destinations + 1)).T
    brought_by = np.full(destinations + 1, SOURCE)
    brought_by[receiver] = np.arange(destinations)
    return TreeShape(sender, receiver, brought_by[sender])


def separate_shape(destinations: int) -> TreeShape:
    """Return the shape in which the source sends all unicasts itself."""
    receiver = np.arange(1, destinations + 1)
    return TreeShape(np.zeros_like(receiver), receiver, np.full_like(receiver, SOURCE))


def chain_unicasts(columns: MessageColumns, *, binomial: bool) -> MessageColumns:
    """Return each message as the unicasts of its chain, see ``software_multicasts``.

    Parameters:
        columns: In order (``MessageColumns.in_order``), without parents and groups.
        binomial: Halve the chain; otherwise the source sends to each destination.
    """
    begins = columns.offsets[:-1]  # as many unicasts as destinations
    sender, receiver, brought_by = np.empty((3, len(columns.destinations)), dtype=np.int64)
    for count in distinct(columns.counts).tolist():
        shape = binomial_shape(count) if binomial else separate_shape(count)
        own = np.flatnonzero(columns.counts == count)
        places = begins[own, np.newaxis] + np.arange(count)
        chain = _chains(columns.source[own], columns.destinations[places])
        sender[places], receiver[places] = chain[:, shape.sender], chain[:, shape.receiver]
        brought_by[places] = np.where(shape.brought_by == SOURCE, SOURCE, begins[own, np.newaxis] + shape.brought_by)
    record = np.repeat(np.arange(len(columns)), columns.counts)
    none = np.zeros(len(record), dtype=np.int32)
    return _unicasts(columns, record, sender, receiver, brought_by, none, none + ANY)


def _chains(source: np.ndarray, destinations: np.ndarray) -> np.ndarray:
    """Return the chains of multicasts from sources and sorted destinations, int[K, D + 1], source first."""
    count = destinations.shape[1]
    before = (destinations < source[:, np.newaxis]).sum(axis=1)
    rotated = (before[:, np.newaxis] + np.arange(count)) % count
    return np.hstack((source[:, np.newaxis], np.take_along_axis(destinations, rotated, axis=1)))


def tree_unicasts(columns: MessageColumns, tree: Tree) -> MessageColumns:
    """Return each multicast as the unicasts of a tree, others as they are, see ``software_schedule``.

    Parameters:
        columns: In order (``MessageColumns.in_order``), without parents and groups.
        tree (callable): Tree of unicasts; called in order of the messages.
    """
    rows: list[tuple[int, int, int, int, int, int]] = []
    destinations, offsets = columns.destinations.tolist(), columns.offsets.tolist()
    singles = zip(columns.source.tolist(), columns.operation.tolist(), columns.injection.tolist(), strict=True)
    for record, (source, operation, injection) in enumerate(singles):
        goes = destinations[offsets[record] : offsets[record + 1]]
        if len(goes) == 1:
            rows.append((record, source, goes[0], SOURCE, operation, injection))
        else:
            _add_tree(rows, record, source, goes, tree)
    return _unicasts(columns, *np.array(rows, dtype=np.int64).reshape(-1, 6).T)


def _add_tree(
    rows: list[tuple[int, int, int, int, int, int]], record: int, source: int, goes: Sequence[int], tree: Tree
) -> None:
    brought = {source: SOURCE}
    for sender, receiver, operation, injection in tree(source, tuple(goes)):
        channel = ANY if injection is None else injection
        rows.append((record, sender, receiver, SOURCE if sender == source else brought[sender], operation, channel))
        brought[receiver] = len(rows) - 1


def unicasts_of_columns(
    columns: MessageColumns, record: np.ndarray, sender: np.ndarray, receiver: np.ndarray, operation: np.ndarray
) -> MessageColumns:
    """Return each multicast as given unicasts, others as they are, see ``software_schedule``.

    Parameters:
        columns: In order (``MessageColumns.in_order``), without parents and groups.
        record (int64[U]): The multicast that each unicast belongs to; ascending.
        sender, receiver (int64[U]): Parents first, and those of a sender in the order in which it sends.
        operation (int64[U]): See ``Message``.
    """
    alone = np.flatnonzero(columns.counts == 1)
    all_records = np.concatenate((record, alone))
    order = np.argsort(all_records, kind="stable")
    record = all_records[order]
    sender = np.concatenate((sender, columns.source[alone]))[order]
    receiver = np.concatenate((receiver, columns.destinations[columns.offsets[alone]]))[order]
    operation = np.concatenate((operation, columns.operation[alone]))[order]
    injection = np.concatenate((np.full(len(order) - len(alone), ANY), columns.injection[alone]))[order]
    brought_by = np.empty(len(order), dtype=np.int64)
    brought_to = np.empty(max(sender.max(initial=0), receiver.max(initial=0)) + 1, dtype=np.int64)
    find_bringers(columns.source[record].astype(np.int64), sender, receiver, brought_to, brought_by)
    return _unicasts(columns, record, sender, receiver, brought_by, operation, injection)


@compiled_loop
def find_bringers(source, sender, receiver, brought_to, brought_by):
    """Find the unicast that brought each message to its sender: the last one before it to that node.

    ``brought_to`` has a place for every node; values of other multicasts are never read, because within one parents
    come first.
    """
    for unicast in range(len(sender)):
        start = sender[unicast]
        brought_by[unicast] = SOURCE if start == source[unicast] else brought_to[start]
        brought_to[receiver[unicast]] = unicast


def _unicasts(
    columns: MessageColumns,
    record: np.ndarray,
    sender: np.ndarray,
    receiver: np.ndarray,
    brought_by: np.ndarray,
    operation: np.ndarray,
    injection: np.ndarray,
) -> MessageColumns:
    """Return unicasts of records as messages: those of a source start when it does, others after their receipt."""
    relayed = brought_by != SOURCE
    parents = brought_by[relayed]
    return MessageColumns(
        source=sender.astype(np.int32),
        offsets=np.arange(len(record) + 1, dtype=np.int64),
        destinations=receiver.astype(np.int32),
        flits=columns.flits[record],
        start_cycle=np.where(relayed, 0, columns.start_cycle[record]),
        operation=operation.astype(np.int32),
        injection=injection.astype(np.int32),
        parent_offsets=np.concatenate(([0], np.cumsum(relayed))).astype(np.int64),
        parents=parents.astype(np.int32),
        delay_cycles=np.zeros(len(parents), dtype=np.int64),
        group=record.astype(np.int32),
    )
