"""Multicasts of tori and meshes as unicasts by software: who sends what to whom (Sec. 3.3, 3.4.4)."""

from collections.abc import Iterable, Sequence
from functools import partial

from sim_model.common.messages import Message
from sim_model.common.schedule import Tree, Unicast, software_schedule
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
    return software_schedule(records, grid.nodes, _tree(grid, software, seed))


def _tree(grid: Grid, software: str, seed: int) -> Tree:
    if software in CHAINS:
        sends = partial(CHAINS[software], grid)
    else:
        sends = partial(_partitioned, Partitioning(grid, Scheme.named(software), seed))
    return lambda source, destinations: [
        Unicast(send.sender, send.receiver, operation(send.turns)) for send in sends(source, destinations)
    ]


def _partitioned(partitioning: Partitioning, source: int, destinations: Sequence[int]) -> list[Send]:
    return partitioning.multicast(source, destinations).sends
