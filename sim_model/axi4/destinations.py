"""Destinations of transactions: subordinates that each of them reaches, by its address, mask, burst and manager."""

from dataclasses import dataclass

import numpy as np

from sim_model.axi4.system import Axi4System
from sim_model.axi4.transactions import Transactions
from sim_model.engines.cycle.records import NONE
from topology.axi4.address_map import AddressMap, Window

MAX_PROCESSORS = 1 << 32
"""More than any network has."""


@dataclass(frozen=True, eq=False)
class Destinations:
    """Destinations of N transactions.

    Members:
        receivers (list of tuple of int): Processors of the subordinates, ascending.
        is_multicast (bool[N]): The write goes to a window, or has a mask, and reaches a subordinate.
        kept (uint64[N]): Bits of the address of such a write that its subordinates get besides their bases.
        way (int64[N]): Number of all that the hardware compares where an ID may have several transactions.
    """

    receivers: list[tuple[int, ...]]
    is_multicast: np.ndarray
    kept: np.ndarray
    way: np.ndarray


@dataclass(frozen=True)
class _Choice:
    """Areas that an address hits.

    Members:
        processors: Those of the areas.
        register: Destination register behind the decoder of addresses.
        is_multicast: The address is that of a window, or has a mask.
        kept: See ``Destinations``.
        is_usable: Something may be sent there.
    """

    processors: tuple[int, ...] = ()
    register: int = 0
    is_multicast: bool = False
    kept: int = 0
    is_usable: bool = False


def destinations(system: Axi4System, given: Transactions) -> Destinations:
    """Return the destinations of transactions."""
    number, choices = (_by_mask if system.format.masks else _by_area)(system.areas, given)
    reached: dict[tuple[int, int], tuple[int, ...]] = {}
    ways: dict[tuple[int, int], int] = {}
    seen: dict[tuple[object, ...], int] = {}
    pairs = list(zip(number.tolist(), given.manager.tolist(), strict=True))
    for pair in set(pairs):
        choice, manager = choices[pair[0]], pair[1]
        others = tuple(sorted(set(choice.processors) - {manager}))
        reached[pair] = others if choice.is_usable else ()
        own = (choice.register, choice.is_multicast, bool(reached[pair]), others)
        ways[pair] = seen.setdefault(own, len(seen))
    receivers = [reached[pair] for pair in pairs]
    return Destinations(
        receivers=receivers,
        is_multicast=np.array([choice.is_multicast for choice in choices])[number]
        & np.array(list(map(bool, receivers))),
        kept=np.array([choice.kept for choice in choices], dtype=np.uint64)[number],
        way=np.array([ways[pair] for pair in pairs], dtype=np.int64),
    )


def _by_area(areas: AddressMap, given: Transactions) -> tuple[np.ndarray, list[_Choice]]:
    """Return the choice of each transaction, and all choices: none, and two of each area, the second one of bursts."""
    target = np.full(len(given), NONE, dtype=np.int64)
    choices = [_Choice(), _Choice()]
    for number, area in enumerate(areas.areas):
        is_here = (given.address >= np.uint64(area.base)) & (given.address <= np.uint64(area.base + area.size - 1))
        if isinstance(area, Window):
            is_here &= given.is_write  # no read has a window
            own = (area.processors, MAX_PROCESSORS + number, True, area.size - 1)
        else:
            own = ((area.processor,), area.processor, False, 0)
        target[is_here] = number
        choices += [_Choice(*own, is_usable=True), _Choice(*own, is_usable=not areas.single(number))]
    return 2 * (target + 1) + (given.beats > 1), choices


def _by_mask(areas: AddressMap, given: Transactions) -> tuple[np.ndarray, list[_Choice]]:
    """Return the choice of each transaction, and all choices: sets of regions, with and without a mask."""
    bases = np.array([region.base for region in areas.regions], dtype=np.uint64)
    low = areas.regions[0].size - 1
    ignored = given.mask | np.uint64(low)
    rows = np.zeros((len(given), 2 + len(bases)), dtype=bool)
    rows[:, 0], rows[:, 1] = given.mask != 0, given.mask & np.uint64(low) != 0
    rows[:, 2:] = (given.address[:, None] ^ bases) & ~ignored[:, None] == 0
    every, number = np.unique(rows, axis=0, return_inverse=True)
    choices = []
    for is_multicast, is_wrong, *hits in every.tolist():
        processors = tuple(region.processor for region, hit in zip(areas.regions, hits, strict=True) if hit)
        register = int(np.bitwise_or.reduce(processors)) if processors else 0
        choices.append(_Choice(processors, register, is_multicast, low, not is_wrong))
    return number.ravel(), choices
