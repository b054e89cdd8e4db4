"""Packet that a copy collector delivers: addresses of its words, and the time of the next one."""

from typing import Any

from amaranth.hdl import Const, Signal

from rtl.parts.output_register import OutputRegister
from topology.common.flits import bits_for


class CopyEmission:
    """Registers of a packet on its way out, inside a collector.

    Parameters:
        entries, lanes (int): Of the collector.
        position_bits: Width of the place of a word in a body.

    Members:
        emitting (Signal): A packet is being delivered.
        entry, lane (Signal): Address of its body. With one lane ``lane`` is a constant.
        head (Signal): Its next word is the header.
        position (Signal): Place of its next word in the body; 0 also of the header.
    """

    def __init__(self, entries: int, lanes: int, position_bits: int):
        self.emitting: Any = Signal(name="emitting")
        self.entry: Any = Signal(bits_for(entries), name="emitted_entry")
        self.lane: Any = Const(0) if lanes == 1 else Signal(range(lanes + 1), name="emitted_lane")
        self.head: Any = Signal(name="emitted_head")
        self.position: Any = Signal(position_bits, name="emitted_position")

    def send(self, m: Any, link: Any, time: Any, stored: Any) -> None:
        """Move the word that was read into the output register at its time, if that is free."""
        register = OutputRegister(m, link)
        m.d.comb += [
            register.load.eq(time & self.emitting & register.free),
            register.following.data.eq(stored.data),
            register.following.head.eq(self.head),
            register.following.tail.eq(stored.tail),
        ]
        with m.If(register.load):
            m.d.sync += [
                self.emitting.eq(~stored.tail),
                self.head.eq(0),
                self.position.eq(self.position + ~self.head),
            ]

    def begin(self, m: Any, decided: Any, entry: Any, lane: Any) -> None:
        """Begin another packet in the next cycle."""
        with m.If(decided):
            m.d.sync += [self.emitting.eq(1), self.entry.eq(entry), self.head.eq(1), self.position.eq(0)]
            if isinstance(self.lane, Signal):
                m.d.sync += self.lane.eq(lane)
