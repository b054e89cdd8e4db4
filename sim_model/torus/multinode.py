"""Multicasts of tori and meshes as unicasts by software: who sends what to whom (Sec. 3.3, 3.4.4)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from sim_model.common.messages import Message, MessageError, checked_destinations
from sim_model.torus.chains import CHAINS, Send
from sim_model.torus.partitioning import Partitioning, Scheme
from sim_model.torus.subnetworks import KINDS, dilations
from topology.torus.grid import Grid
from topology.torus.operations import operation


def software_names(grid: Grid) -> tuple[str, ...]:
    """Software that can multicast in a grid: ``u-torus``, ``u-mesh``, ``spu``, and schemes such as ``4IIIB``."""
    if not grid.wraps:
        return tuple(name for name in CHAINS if name != "u-torus")
    schemes = (Scheme(h, kind, balanced) for h in dilations(grid) for kind in KINDS for balanced in (False, True))
    return (*CHAINS, *(scheme.name for scheme in schemes))


def software_sends(grid: Grid, records: Iterable[Message], software: str, seed: int = 0) -> list[Message]:
    """Messages with every multicast replaced by unicasts that depend on each other; each record becomes one group.

    The unicasts of a group stand in such an order that each sender's go out by message numbers: those of phase 2 before
    those of phase 3. Their directions are their operations (``topology/torus/operations.py``). A record with one
    destination is sent there straight. Records may not depend on each other.

    Parameters
    ----------
    grid : Grid
    records : iterable of Message
        In the order in which a balanced scheme deals them out.
    software : str
        One of ``software_names``.
    seed : int
        Of the scheme's random choices.

    Raises
    ------
    ValueError
        If the grid does not have this software.
    MessageError
        If a record has a parent, or its nodes are not there.
    """
    names = software_names(grid)
    if software not in names:
        raise ValueError(f"Software must be {', '.join(names)}, not {software!r}")
    tree = _tree(grid, software, seed)
    messages: list[Message] = []
    for group, record in enumerate(records):
        if record.parent is not None:
            raise MessageError(group, f"Parent must be None in a software multicast, not {record.parent!r}")
        try:
            destinations = checked_destinations(record, grid.nodes)
        except ValueError as error:
            raise MessageError(group, str(error)) from None
        if len(destinations) == 1:
            messages.append(replace(record, group=group))
        else:
            messages += _unicasts(replace(record, group=group), tree(record.source, destinations), len(messages))
    return messages


def _tree(grid: Grid, software: str, seed: int) -> Callable[[int, Sequence[int]], Sequence[Send]]:
    """Function from source and destinations to sends, parents first."""
    if software in CHAINS:
        return partial(CHAINS[software], grid)
    partitioning = Partitioning(grid, Scheme.named(software), seed)
    return lambda source, destinations: partitioning.multicast(source, destinations).sends


def _unicasts(record: Message, sends: Sequence[Send], first_number: int) -> list[Message]:
    brought: dict[int, int] = {}
    messages = []
    for number, send in enumerate(sends, start=first_number):
        message = replace(record, source=send.sender, destinations=(send.receiver,), operation=operation(send.turns))
        if send.sender != record.source:
            message = replace(message, start_cycle=0, parent=brought[send.sender])
        brought[send.receiver] = number
        messages.append(message)
    return messages
