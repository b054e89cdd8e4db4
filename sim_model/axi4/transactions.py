"""Transactions of AXI4 managers in columns: the traffic of networks with AXI4 ends."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from topology.axi4.words import INCR, MAX_BEATS


@dataclass(frozen=True)
class Transaction:
    """One transaction as a record.

    Parameters:
        manager: Processor of the manager.
        is_write
        address: First address in bytes.
        beats: 1 to 256, within 4,096 bytes.
        start_cycle: The manager does not offer it before.
        id: AXI4 ID.
        burst: Type, in the coding of AXI4.
        size: Bytes of a beat as a power of two.
        mask: Address bits of a multicast write that subordinates may differ in; 0 for none.
    """

    manager: int
    is_write: bool
    address: int
    beats: int = 1
    start_cycle: int = 0
    id: int = 0
    burst: int = INCR
    size: int = 2
    mask: int = 0


@dataclass(frozen=True, eq=False)
class Transactions:
    """N transactions, those of a manager one behind the other in the order in which it offers them.

    Members:
        manager (int64[N]): Processor, ascending.
        is_write (bool[N])
        address (uint64[N])
        beats (int64[N])
        start_cycle (int64[N])
        id (int64[N])
        burst (int64[N]): Type, in the coding of AXI4.
        size (int64[N]): Bytes of a beat as a power of two.
        mask (uint64[N])
    """

    manager: np.ndarray
    is_write: np.ndarray
    address: np.ndarray
    beats: np.ndarray
    start_cycle: np.ndarray
    id: np.ndarray
    burst: np.ndarray
    size: np.ndarray
    mask: np.ndarray

    def __len__(self) -> int:
        return len(self.manager)

    def __repr__(self) -> str:
        """Return counts in place of the arrays."""
        writes = int(self.is_write.sum())
        return f"<Transactions: {len(self) - writes:,} reads, {writes:,} writes, {int(self.beats.sum()):,} beats>"

    @classmethod
    def of(cls, records: Sequence[Transaction]) -> "Transactions":
        """Return records in columns; a manager offers those of equal start in their order.

        Raises:
            ValueError: "X is Z; it must be Y" for the first record without beats, or with too many.
        """
        for record in records:
            if not 1 <= record.beats <= MAX_BEATS:
                raise ValueError(f"beats is {record.beats!r}; it must be from 1 to {MAX_BEATS}")
        ordered = sorted(records, key=lambda record: (record.manager, record.start_cycle))

        def column(name: str, kind: type) -> np.ndarray:
            return np.array([getattr(record, name) for record in ordered], dtype=kind)

        return cls(
            manager=column("manager", np.int64),
            is_write=column("is_write", np.bool_),
            address=column("address", np.uint64),
            beats=column("beats", np.int64),
            start_cycle=column("start_cycle", np.int64),
            id=column("id", np.int64),
            burst=column("burst", np.int64),
            size=column("size", np.int64),
            mask=column("mask", np.uint64),
        )
