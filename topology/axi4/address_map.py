"""Address map of a network with AXI4 ends: regions of subordinates, and windows of multicast writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

MIN_SIZE = 4096
"""Bytes. A burst never crosses a boundary of 4,096 bytes, so it has one destination."""


@dataclass(frozen=True)
class Region:
    """Addresses of one subordinate.

    Parameters:
        processor: Its processor.
        base: First address in bytes, a multiple of ``size``.
        size: Bytes, a power of two.
        single: Its subordinate takes transactions of one beat only.
    """

    processor: int
    base: int
    size: int
    single: bool = False


@dataclass(frozen=True)
class Window:
    """Addresses whose writes go to several subordinates, to the same offset in the first region of each.

    Parameters:
        processors: Those of the subordinates.
        base: First address in bytes, a multiple of ``size``.
        size: Bytes, a power of two.
    """

    processors: tuple[int, ...]
    base: int
    size: int


class AddressMap:
    """Regions and windows, with a number for each: its target. Windows come after the regions.

    Parameters:
        regions: At least one.
        windows: Those of multicast writes.
        address_bits: Width of an address.

    Raises:
        ValueError: If a size is no power of two or too small, a base no multiple of its size, an area beyond the
            addresses, two areas overlap, or a processor of a window has no region as large as the window.
    """

    def __init__(self, regions: Sequence[Region], windows: Sequence[Window] = (), address_bits: int = 32):
        self.regions = tuple(regions)
        self.windows = tuple(windows)
        self.address_bits = address_bits
        self._check_areas()
        self._check_windows()

    @property
    def areas(self) -> tuple[Region | Window, ...]:
        """All regions, and then all windows: the index is the target's number."""
        return (*self.regions, *self.windows)

    @property
    def subordinates(self) -> tuple[int, ...]:
        """Processors with a region, ascending."""
        return tuple(sorted({region.processor for region in self.regions}))

    def target(self, address: int) -> int | None:
        """Return the number of the area with this address; None if there is none."""
        return next((i for i, area in enumerate(self.areas) if address & -area.size == area.base), None)

    def single(self, target: int) -> bool:
        """Return True if one of the subordinates behind a target takes transactions of one beat only."""
        area = self.areas[target]
        if isinstance(area, Region):
            return area.single
        return any(region.single for region in self.regions if region.processor in area.processors)

    def masked_target(self, address: int, mask: int) -> tuple[int, ...]:
        """Return the processors whose region has the address in all bits besides those of a mask.

        The mask may have bits of whole regions only. All regions have one size.
        """
        size = self.regions[0].size
        if mask & (size - 1):
            return ()
        return tuple(region.processor for region in self.regions if not (address ^ region.base) & ~mask & -size)

    def check_masks(self) -> None:
        """Check that the regions are fit for masks.

        Raises:
            ValueError: If a region has another size than the first one, or a processor has several.
        """
        for region in self.regions:
            if region.size != self.regions[0].size:
                text = f"Size is {region.size:#x}; it must be {self.regions[0].size:#x} like that of the first region"
                raise ValueError(f"{text}, for masks")
        if len(self.subordinates) < len(self.regions):
            processors = [region.processor for region in self.regions]
            raise ValueError(f"Processors of regions are {processors}; they must be different, for masks")

    def first_base(self, processor: int) -> int:
        """Return the base of a processor's first region; 0 if it has none."""
        return next((region.base for region in self.regions if region.processor == processor), 0)

    def receivers(self, target: int, manager: int) -> tuple[int, ...]:
        """Return the processors that a write of ``manager`` to a target reaches: never the manager itself."""
        area = self.areas[target]
        processors = area.processors if isinstance(area, Window) else (area.processor,)
        return tuple(processor for processor in processors if processor != manager)

    def _check_areas(self) -> None:
        if not self.regions:
            raise ValueError("Address map has 0 regions; it must have at least 1")
        most = 1 << self.address_bits
        for area in self.areas:
            if area.size < MIN_SIZE or area.size & (area.size - 1):
                raise ValueError(f"Size is {area.size:#x}; it must be a power of two, at least {MIN_SIZE:#x}")
            if area.base % area.size:
                raise ValueError(f"Base is {area.base:#x}; it must be a multiple of the size {area.size:#x}")
            if area.base + area.size > most:
                end = area.base + area.size - 1
                raise ValueError(f"Last address is {end:#x}; it must be at most {most - 1:#x}")
        ordered = sorted(self.areas, key=lambda area: area.base)
        for lower, upper in pairwise(ordered):
            if lower.base + lower.size > upper.base:
                end = lower.base + lower.size
                raise ValueError(f"Base is {upper.base:#x}; it must be at least {end:#x}, the end of the area below")

    def _check_windows(self) -> None:
        for window in self.windows:
            if not window.processors or len(set(window.processors)) != len(window.processors):
                text = f"Processors of a window are {list(window.processors)}; they must be at least one, each once"
                raise ValueError(text)
            for processor in window.processors:
                size = next((region.size for region in self.regions if region.processor == processor), 0)
                if size < window.size:
                    text = f"First region of processor {processor} has {size:#x} bytes"
                    raise ValueError(f"{text}; it must have at least those of the window, {window.size:#x}")
