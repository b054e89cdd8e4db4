"""Random transactions of AXI4 managers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sim_model.axi4.transactions import Transactions
from topology.axi4.address_map import MIN_SIZE, AddressMap, Region, Window
from topology.axi4.words import FIXED, INCR, MIN_CUT_BEATS, WRAP, Axi4Format
from topology.common.errors import FieldError


@dataclass(frozen=True)
class RandomTransactions:
    """Distribution of random transactions.

    Parameters:
        transactions: Of each manager.
        read_fraction: Fraction of reads.
        multicast_fraction: Fraction of the writes that go to a window.
        unmapped_fraction: Fraction of addresses in no area.
        beats: Least and most beats.
        other_bursts_fraction: Fraction of bursts of any type, size and alignment; FIXED and WRAP bursts have at most
            16 beats. All others are INCR bursts of whole beats.
        interval_cycles: Mean of the exponential times between the starts of a manager's transactions; 0: all start in
            cycle 0.
        seed: Random seed.
    """

    transactions: int
    read_fraction: float = 0.5
    multicast_fraction: float = 0.0
    unmapped_fraction: float = 0.0
    beats: tuple[int, int] = (1, 16)
    other_bursts_fraction: float = 0.0
    interval_cycles: float = 0.0
    seed: int = 0

    def draw(
        self, areas: AddressMap, managers: Sequence[int], widths: Axi4Format, lite: Collection[int] = ()
    ) -> Transactions:
        """Return the transactions of all managers. Half of them are in the first 4,096 bytes of their areas.

        Parameters:
            areas, managers, widths
            lite: Managers of AXI4-Lite, which send whole beats without IDs.

        Raises:
            FieldError: If there is no area for a fraction.
        """
        drawn = [self._of_manager(areas, manager, widths, is_lite=manager in lite) for manager in sorted(managers)]
        return Transactions(*(np.concatenate([part[place] for part in drawn]) for place in range(len(drawn[0]))))

    def _of_manager(
        self, areas: AddressMap, manager: int, widths: Axi4Format, *, is_lite: bool
    ) -> tuple[np.ndarray, ...]:
        random = np.random.default_rng((self.seed, manager))
        count = self.transactions
        low, high = (1, 1) if is_lite else self.beats
        beats = random.integers(low, high, count, endpoint=True)
        is_write = random.random(count) >= self.read_fraction
        is_multicast = is_write & (random.random(count) < self.multicast_fraction)
        is_unmapped = random.random(count) < self.unmapped_fraction
        # a burst lies within a page
        first = random.random(count) * (MIN_SIZE // widths.strobe_bits - beats + 1)
        offset = first.astype(np.uint64) * np.uint64(widths.strobe_bits)
        choice, far, page = random.random(count), random.random(count) < 0.5, random.random(count)
        address = np.zeros(count, dtype=np.uint64)
        for own, places in self._places(areas, manager, is_multicast, is_unmapped, masks=widths.masks):
            base, pages = (np.array(column, dtype=np.uint64) for column in zip(*places, strict=True))
            which = (choice[own] * len(places)).astype(np.int64)
            number = np.where(far[own], page[own] * pages[which], 0).astype(np.uint64)
            address[own] = base[which] + number * np.uint64(MIN_SIZE) + offset[own]
        gaps = random.exponential(self.interval_cycles, count) if self.interval_cycles else np.zeros(count)
        numbers = random.integers(0, 1 if is_lite else 1 << widths.id_bits, count)
        start = np.floor(np.cumsum(gaps)).astype(np.int64)
        burst, size = np.full(count, INCR), np.full(count, widths.strobe_bits.bit_length() - 1)
        mask = np.zeros(count, dtype=np.uint64)
        if widths.masks:
            own = np.flatnonzero(is_multicast & ~is_unmapped)
            mask[own] = _masks(areas, len(own), random)
        if self.other_bursts_fraction and not is_lite:
            own = np.flatnonzero(random.random(count) < self.other_bursts_fraction)
            offset = _change(own, burst, size, beats, random)
            address[own] = (address[own] & ~np.uint64(MIN_SIZE - 1)) | offset
        return np.full(count, manager), is_write, address, beats, start, numbers, burst, size, mask

    def _places(
        self, areas: AddressMap, manager: int, is_multicast: np.ndarray, is_unmapped: np.ndarray, *, masks: bool
    ) -> list[tuple[np.ndarray, list[tuple[int, int]]]]:
        """Return the transactions of each kind, with bases and pages of the areas that they choose from."""
        reached = [area for number, area in enumerate(areas.areas) if areas.receivers(number, manager)]
        regions = [(area.base, area.size // MIN_SIZE) for area in reached if isinstance(area, Region)]
        windows = [(area.base, area.size // MIN_SIZE) for area in reached if isinstance(area, Window)]
        if masks and len(areas.regions) > 1:
            windows = regions
        gaps = _gaps(areas)
        for name, places, right in (
            ("unmapped_fraction", gaps, "0: all addresses are in areas"),
            ("multicast_fraction", windows, f"0: manager {manager} reaches no window"),
        ):
            if getattr(self, name) and not places:  # whatever is drawn
                raise FieldError(name, f"{name} is {getattr(self, name)}; it must be {right}")
        is_other = ~is_multicast & ~is_unmapped
        if is_other.any() and not regions:
            text = f"managers are {[manager]}; they must be other processors: {manager} reaches no region"
            raise FieldError("managers", text)
        kinds = ((is_unmapped, gaps), (is_multicast & ~is_unmapped, windows), (is_other, regions))
        return [(np.flatnonzero(own), places) for own, places in kinds if own.any()]


def _masks(areas: AddressMap, count: int, random: np.random.Generator) -> np.ndarray:
    """Return masks of address bits in which the bases of regions differ, each with one of them at least."""
    differing = 0
    for region in areas.regions:
        differing |= region.base ^ areas.regions[0].base
    places = [bit for bit in range(areas.address_bits) if differing >> bit & 1]
    chosen = random.random((count, len(places))) < 0.5
    chosen[np.arange(count), random.integers(0, len(places), count)] = True
    return (chosen << np.array(places, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)


def _change(
    own: np.ndarray, burst: np.ndarray, size: np.ndarray, beats: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Change some bursts to ones of any type, size and alignment; return their offsets in their pages.

    Parameters:
        own: Numbers of the bursts.
        burst, size, beats: Of all bursts.
        random
    """
    kind = random.integers(FIXED, WRAP, len(own), endpoint=True)
    few = np.minimum(beats[own], MIN_CUT_BEATS)
    power = np.maximum(1, np.floor(np.log2(few)).astype(np.int64))
    burst[own], size[own] = kind, random.integers(0, size[own], endpoint=True)
    beats[own] = np.choose(kind, (few, beats[own], 1 << power))
    whole = beats[own] << size[own]
    first = (random.random(len(own)) * (MIN_SIZE - whole + 1)).astype(np.int64)
    is_aligned = (kind == WRAP) | (random.random(len(own)) < 0.5)
    return np.where(is_aligned, first >> size[own] << size[own], first).astype(np.uint64)


def _gaps(areas: AddressMap) -> list[tuple[int, int]]:
    """Return bases and pages of addresses in no area."""
    ordered = sorted((area.base, area.base + area.size) for area in areas.areas)
    ends = [(0, 0), *ordered, (1 << areas.address_bits, 0)]
    return [
        (lower, (upper - lower) // MIN_SIZE) for (_, lower), (upper, _) in pairwise(ends) if upper - lower >= MIN_SIZE
    ]
