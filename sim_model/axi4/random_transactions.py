"""Random transactions of AXI4 managers."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sim_model.axi4.transactions import Transactions
from topology.axi4.address_map import MIN_SIZE, AddressMap, Region, Window
from topology.axi4.words import Axi4Format


@dataclass(frozen=True)
class RandomTransactions:
    """Distribution of random transactions.

    Parameters:
        transactions: Of each manager.
        read_fraction: Fraction of reads.
        multicast_fraction: Fraction of the writes that go to a window.
        unmapped_fraction: Fraction of addresses in no area.
        beats: Least and most beats.
        interval_cycles: Mean of the exponential times between the starts of a manager's transactions; 0: all start in
            cycle 0.
        seed: Random seed.
    """

    transactions: int
    read_fraction: float = 0.5
    multicast_fraction: float = 0.0
    unmapped_fraction: float = 0.0
    beats: tuple[int, int] = (1, 16)
    interval_cycles: float = 0.0
    seed: int = 0

    def draw(self, areas: AddressMap, managers: Sequence[int], widths: Axi4Format) -> Transactions:
        """Return the transactions of all managers. Half of them are in the first 4,096 bytes of their areas.

        Raises:
            ValueError: "X is Z; it must be Y", if there is no area for a fraction.
        """
        drawn = [self._of_manager(areas, manager, widths) for manager in sorted(managers)]
        return Transactions(*(np.concatenate([part[place] for part in drawn]) for place in range(len(drawn[0]))))

    def _of_manager(self, areas: AddressMap, manager: int, widths: Axi4Format) -> tuple[np.ndarray, ...]:
        random = np.random.default_rng((self.seed, manager))
        count = self.transactions
        low, high = self.beats
        beats = random.integers(low, high, count, endpoint=True)
        is_write = random.random(count) >= self.read_fraction
        is_multicast = is_write & (random.random(count) < self.multicast_fraction)
        is_unmapped = random.random(count) < self.unmapped_fraction
        # a burst lies within a page
        first = random.random(count) * (MIN_SIZE // widths.strobe_bits - beats + 1)
        offset = first.astype(np.uint64) * np.uint64(widths.strobe_bits)
        choice, far, page = random.random(count), random.random(count) < 0.5, random.random(count)
        address = np.zeros(count, dtype=np.uint64)
        for own, places in self._places(areas, manager, is_multicast, is_unmapped):
            base, pages = (np.array(column, dtype=np.uint64) for column in zip(*places, strict=True))
            which = (choice[own] * len(places)).astype(np.int64)
            number = np.where(far[own], page[own] * pages[which], 0).astype(np.uint64)
            address[own] = base[which] + number * np.uint64(MIN_SIZE) + offset[own]
        gaps = random.exponential(self.interval_cycles, count) if self.interval_cycles else np.zeros(count)
        numbers = random.integers(0, 1 << widths.id_bits, count)
        start = np.floor(np.cumsum(gaps)).astype(np.int64)
        return np.full(count, manager), is_write, address, beats, start, numbers

    def _places(
        self, areas: AddressMap, manager: int, is_multicast: np.ndarray, is_unmapped: np.ndarray
    ) -> list[tuple[np.ndarray, list[tuple[int, int]]]]:
        """Return the transactions of each kind, with bases and pages of the areas that they choose from."""
        reached = [area for number, area in enumerate(areas.areas) if areas.receivers(number, manager)]
        regions = [(area.base, area.size // MIN_SIZE) for area in reached if isinstance(area, Region)]
        windows = [(area.base, area.size // MIN_SIZE) for area in reached if isinstance(area, Window)]
        kinds = [
            (is_unmapped, _gaps(areas), "unmapped_fraction", "0: all addresses are in areas"),
            (is_multicast & ~is_unmapped, windows, "multicast_fraction", f"0: manager {manager} reaches no window"),
            (~is_multicast & ~is_unmapped, regions, "managers", f"other processors: {manager} reaches no region"),
        ]
        for own, places, name, right in kinds:
            if own.any() and not places:
                given = getattr(self, name, [manager])
                raise ValueError(f"{name} is {given}; it must be {right}")
        return [(np.flatnonzero(own), places) for own, places, *_ in kinds if own.any()]


def _gaps(areas: AddressMap) -> list[tuple[int, int]]:
    """Return bases and pages of addresses in no area."""
    ordered = sorted((area.base, area.base + area.size) for area in areas.areas)
    ends = [(0, 0), *ordered, (1 << areas.address_bits, 0)]
    return [
        (lower, (upper - lower) // MIN_SIZE) for (_, lower), (upper, _) in pairwise(ends) if upper - lower >= MIN_SIZE
    ]
