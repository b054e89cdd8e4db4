"""Multicasts by partitioning in columns: the phases of ``partitioning.py``, each for all multicasts at once."""

import numpy as np

from sim_model.torus.chain_columns import Columns, chain_order, shortest_operations
from sim_model.torus.chains import NEGATIVE
from sim_model.torus.partitioning import Partitioning
from topology.torus.grid import Grid
from topology.torus.operations import operation


def partitioned_columns(
    partitioning: Partitioning, source: np.ndarray, record: np.ndarray, destinations: np.ndarray
) -> Columns:
    """Return the sends of the next multicasts, equal to those of ``Partitioning.multicast`` one after the other.

    Parameters:
        partitioning: Chooses distribution network and representative of each multicast.
        source (int64[R]): Of each multicast.
        record, destinations (int64[F]): The multicast to each destination.
    """
    grid, parts, order = partitioning.grid, partitioning.parts, chain_order(partitioning.grid)
    choices = [partitioning.choose(one) for one in source.tolist()]
    network, representative = np.array(choices, dtype=np.int64).reshape(-1, 2).T

    # blocks with destinations, by multicast, and the node of the distribution network in each
    blocks = len(parts.blocks)
    keys, visit = np.unique(record * blocks + parts.block_of[destinations], return_inverse=True)
    multicast, block = np.divmod(keys, blocks)
    relay = parts.nodes_of_networks[network[multicast], block]

    visit_of_send, sender, receiver = order.chains(visit, destinations, relay, rotated=False).halved()
    mesh = Grid(grid.rows, grid.columns, wraps=False)  # a block lies in it as it lies in the torus
    third = Columns(multicast[visit_of_send], sender, receiver, shortest_operations(mesh, sender, receiver))

    reached = relay != source[multicast]
    directions = [one.direction for one in parts.networks]
    negative = np.array([direction == NEGATIVE for direction in directions], dtype=np.int64)[network]
    chains = order.chains(multicast[reached], relay[reached], representative, rotated=True, descending=negative)
    multicast_of_send, sender, receiver = chains.halved()
    # links of a distribution network are equally long, so its shorter way is that of the whole torus
    fixed = np.array([operation(direction) for direction in directions])[network[multicast_of_send]]
    ways = np.where(fixed == operation(None), shortest_operations(grid, sender, receiver), fixed)
    second = Columns(multicast_of_send, sender, receiver, ways)

    wanted = np.zeros(len(source), dtype=bool)
    wanted[record[destinations == representative[record]]] = True
    for sends in (second, third):
        wanted[sends.record[sends.sender == representative[sends.record]]] = True
    brought = np.flatnonzero(wanted & (representative != source))
    start, end = source[brought], representative[brought]
    first = Columns(brought, start, end, shortest_operations(grid, start, end))
    return by_records(first, second, third)


def by_records(*phases: Columns) -> Columns:
    """Return the sends of all phases, by multicast and then by phase."""
    sends = Columns(*map(np.concatenate, zip(*phases, strict=True)))
    order = np.argsort(sends.record, kind="stable")
    return Columns(*(column[order] for column in sends))
