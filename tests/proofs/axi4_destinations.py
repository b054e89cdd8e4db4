"""The address map of the proof of an AXI4 manager's interface, as each of three managers sees it."""

from typing import Any

from amaranth.hdl import Array, Const, Mux, Value

from rtl.parts.selection import concat, either
from tests.proofs.claims import Claims
from topology.axi4.address_map import AddressMap, Region, Window

PROCESSORS = 3
REGIONS = Region(0, 0x0000, 0x1000), Region(1, 0x1000, 0x1000), Region(2, 0x4000, 0x2000)
WINDOWS = Window((0, 1, 2), 0x2000, 0x1000), Window((1, 2), 0x6000, 0x1000)
"""0x3000 and 0x7000 are in no area."""
ADDRESS_BITS = 15


class Destinations:
    """The address map, as the manager with number ``node`` sees it."""

    def __init__(self, claims: Claims, part: Any, areas: AddressMap):
        self.claims, self.areas = claims, areas
        self.node = claims.constant(len(part.node), "node")
        claims.assume(self.node < PROCESSORS)
        self.own = claims.named((1 << self.node)[:PROCESSORS], "own")
        claims.m.d.comb += [
            part.node.eq(self.node),
            part.reachable.eq(concat(self.receivers(t).any() for t in range(len(areas.areas)))),
        ]
        if areas.windows:
            bits = PROCESSORS.bit_length()
            counts = [self.count(len(areas.regions) + w)[:bits] for w in range(len(areas.windows))]
            claims.m.d.comb += part.receivers.eq(concat(counts))

    def receivers(self, target: int) -> Any:
        rows = [sum(1 << i for i in self.areas.receivers(target, node)) for node in range(PROCESSORS)]
        return Value.cast(Array(Const(row, PROCESSORS) for row in rows)[self.node])

    def count(self, target: int) -> Any:
        rows = [len(self.areas.receivers(target, node)) for node in range(PROCESSORS)]
        return Value.cast(Array(Const(row, PROCESSORS.bit_length()) for row in rows)[self.node])

    def look_up(self, address: Any, name: str, *, writes: bool) -> "Destination":
        """Return the destination of an address."""
        return Destination(self, address, name, writes=writes)


class Destination:
    """Destination of an address.

    Members:
        receivers: Set of the processors that receive the request.
        count: Their number; 0 if the address has no destination.
        multicast: It is that of a window.
        number: Of the window, or of the processor.
        address: As it is sent.
    """

    def __init__(self, seen: Destinations, address: Any, name: str, *, writes: bool):
        claims, areas = seen.claims, seen.areas
        sets, counts, offsets, numbers, windows = [], [], [], [], []
        for target, area in enumerate(areas.areas):
            is_window = isinstance(area, Window)
            if is_window and not writes:
                continue
            here = claims.named((address >= area.base) & (address < area.base + area.size), f"{name}_in_{target}")
            sets.append(Mux(here, seen.receivers(target), 0))
            counts.append(Mux(here, seen.count(target), 0))
            numbers.append(Mux(here, Const(target - len(areas.regions) if is_window else area.processor, 2), 0))
            if is_window:
                offsets.append(Mux(here, (address - area.base)[: len(address)], 0))
                windows.append(here)
        self.receivers: Any = claims.named(either(sets), f"{name}_receivers")
        self.count: Any = claims.named(either(counts)[: PROCESSORS.bit_length()], f"{name}_count")
        self.number: Any = claims.named(either(numbers), f"{name}_number")
        self.found: Any = claims.named(self.receivers.any(), f"{name}_found")
        self.multicast: Any = claims.named(concat(windows).any() if windows else Const(0), f"{name}_multicast")
        sent = Mux(self.multicast, either(offsets), address) if windows else address
        self.address: Any = claims.named(sent, f"{name}_sent")
