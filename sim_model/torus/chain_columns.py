"""Chains of many multicasts at once, in columns: the sorting and halving of ``chains.py`` for all of them.

The halving of a chain depends on its length and on the place of the message in it, not on its nodes. So each such shape
is halved once, and the sends of all chains are looked up in the shapes.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from sim_model.torus.chains import POSITIVE, halved_chain
from topology.torus.grid import Grid


class Columns(NamedTuple):
    """Sends of many multicasts, in the order in which a host sends its own.

    Members:
        record (int64[U]): The multicast of each.
        sender, receiver (int64[U])
        operation (int64[U]): Their directions, see ``topology/torus/operations.py``.
    """

    record: np.ndarray
    sender: np.ndarray
    receiver: np.ndarray
    operation: np.ndarray


class Chains(NamedTuple):
    """C chains, one after the other.

    Members:
        members (int64): Nodes.
        begins, sizes (int64[C]): Begin and size of each chain.
        owners (int64[C]): Position in the chain of the member that has the message.
    """

    members: np.ndarray
    begins: np.ndarray
    sizes: np.ndarray
    owners: np.ndarray

    def halved(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return chain, sender and receiver of all sends, for each chain in the order of ``halved_chain``."""
        longest = int(self.sizes.max(initial=0))
        codes, shape_of_chain = np.unique(self.sizes * (longest + 1) + self.owners, return_inverse=True)
        shapes = [halved_positions(*divmod(code, longest + 1)) for code in codes.tolist()]
        sends = self.sizes - 1
        chain = np.repeat(np.arange(len(sends)), sends)
        sends_before = np.cumsum(sends) - sends
        first_of_shape = np.cumsum([0, *(shape.shape[1] for shape in shapes)])[:-1]
        place = np.arange(len(chain)) + (first_of_shape[shape_of_chain] - sends_before)[chain]
        positions = np.concatenate(shapes, axis=1)[:, place] if shapes else np.zeros((2, 0), dtype=np.int64)
        sender, receiver = self.members[self.begins[chain] + positions]
        return chain, sender, receiver


@cache
def halved_positions(size: int, owner: int) -> np.ndarray:
    """Return the sends within a chain of ``size`` members, by positions; int64[2, size - 1]: senders, receivers."""
    sends = halved_chain(range(size), owner, lambda *_: POSITIVE)
    return np.array([(send.sender, send.receiver) for send in sends], dtype=np.int64).reshape(-1, 2).T


class ChainOrder:
    """The order of a grid's nodes in chains: by column and then by row, as the way along the row comes first."""

    def __init__(self, grid: Grid):
        self.nodes = grid.nodes
        row, column = np.divmod(np.arange(grid.nodes), grid.columns)
        ascending = column * grid.rows + row
        self._rank = np.stack((ascending, grid.nodes - 1 - ascending))
        self._node = np.argsort(self._rank, axis=1)

    def chains(
        self, chain: np.ndarray, node: np.ndarray, owner: np.ndarray, *, rotated: bool, descending: np.ndarray | int = 0
    ) -> Chains:
        """Return the chains of owners and their destinations.

        Parameters:
            chain, node (int64[E]): A node that is to be in a chain. Repeats are dropped.
            owner (int64[C]): The member of each chain that has the message.
            rotated: Begin chains with their owner, and continue round their end.
            descending (int64[C] or int): 1 for chains against the order.
        """
        numbers = np.arange(len(owner))
        descending = np.broadcast_to(descending, len(owner))
        rank_of_owner = self._rank[descending, owner]
        start = rank_of_owner if rotated else np.zeros_like(rank_of_owner)
        rank = np.concatenate((self._rank[descending[chain], node], rank_of_owner))
        chain = np.concatenate((chain, numbers))
        key = _distinct(chain * self.nodes + (rank - start[chain]) % self.nodes)
        chain, place = np.divmod(key, self.nodes)
        sizes = np.bincount(chain, minlength=len(owner))
        begins = np.cumsum(sizes) - sizes
        owner_key = numbers * self.nodes + (rank_of_owner - start) % self.nodes
        return Chains(
            members=self._node[descending[chain], (place + start[chain]) % self.nodes],
            begins=begins,
            sizes=sizes,
            owners=np.searchsorted(key, owner_key) - begins,
        )


@cache
def chain_order(grid: Grid) -> ChainOrder:
    """Return the order of a grid, cached."""
    return ChainOrder(grid)


def _distinct(keys: np.ndarray) -> np.ndarray:
    """Return the distinct keys, sorted."""
    keys = np.sort(keys)
    return keys[np.diff(keys, prepend=-1) != 0]


def shortest_operations(grid: Grid, sender: np.ndarray, receiver: np.ndarray) -> np.ndarray:
    """Return operations that fix the shorter way of each message in both dimensions, int64[U]."""
    y_negative, x_negative = grid.shortest_directions(sender, receiver)
    return 1 + y_negative + 2 * x_negative.astype(np.int64)


def chain_columns(
    grid: Grid, software: str, source: np.ndarray, record: np.ndarray, destinations: np.ndarray
) -> Columns:
    """Return the sends of many multicasts by U-torus, U-mesh or SPU, multicast by multicast.

    Parameters:
        software: A name in ``CHAINS``.
        source (int64[R]): Of each multicast.
        record, destinations (int64[F]): The multicast to each destination.
    """
    chains = chain_order(grid).chains(record, destinations, source, rotated=software != "u-mesh")
    multicast, sender, receiver = chains.halved()
    lines = Grid(grid.rows, grid.columns, wraps=grid.wraps and software != "u-mesh")
    return Columns(multicast, sender, receiver, shortest_operations(lines, sender, receiver))
