"""Small parts around a register block: interrupt, reset of the network, and settling of counter sums."""

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Const, Module, Mux, ResetSignal, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat


class InterruptController(Part):
    """Reports the masks that are not empty, and interrupts for those that are enabled.

    ``pending`` is a cycle later than the masks, ``irq`` two.

    Parameters:
        masks (mapping of str to (int, int)): Bit in ``pending`` and width of each mask, by the name of its member.

    Members:
        {mask} (In)
        enable (In): As wide as ``pending``.
        pending (Out): Up to the highest bit that belongs to a mask; others are 0.
        irq (Out(1)): High while a bit of ``pending`` is enabled. A register.
    """

    def __init__(self, masks: Mapping[str, tuple[int, int]]):
        self.masks = dict(masks)
        bits = 1 + max(bit for bit, _ in self.masks.values())
        members: dict[str, Any] = {name: In(width) for name, (_, width) in self.masks.items()}
        members |= {"enable": In(bits), "pending": Out(bits), "irq": Out(1)}
        super().__init__("interrupt_controller", members)

    def elaborate(self, _platform):
        m: Any = Module()
        pending: list[Any] = [Const(0) for _ in range(len(self.pending))]
        for name, (bit, _) in self.masks.items():
            pending[bit] = getattr(self, name).any()
        m.d.sync += self.pending.eq(concat(pending))
        m.d.sync += self.irq.eq((self.pending & self.enable).any())
        return m


class NetworkReset(Part):
    """Resets a network with everything around it, or alone.

    Members:
        hold (In(1))
        network_reset (Out(1)): ``hold``, or the reset of everything. Combinational.
    """

    def __init__(self):
        super().__init__("network_reset", {"hold": In(1), "network_reset": Out(1)})

    def elaborate(self, _platform):
        m: Any = Module()
        m.d.comb += self.network_reset.eq(self.hold | ResetSignal())
        return m


class SettlingTimer(Part):
    """Asserts its output after some cycles without an event.

    Parameters:
        cycles: At least 1.
        reasons: Width of ``busy``.

    Members:
        busy (In(reasons))
        settled (Out(1)): ``busy`` is 0, and has been for ``cycles`` cycles; low after reset until that first holds.
    """

    def __init__(self, cycles: int, reasons: int):
        self.cycles = cycles
        super().__init__(f"settling_timer_{cycles}", {"busy": In(reasons), "settled": Out(1)})

    def elaborate(self, _platform):
        m: Any = Module()
        left = Signal(range(self.cycles + 1), init=self.cycles)
        m.d.sync += left.eq(Mux(self.busy.any(), self.cycles, left - left.any()))
        m.d.comb += self.settled.eq(~left.any() & ~self.busy.any())
        return m
