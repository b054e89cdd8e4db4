"""Observable events of a network: flits that moved, their signatures, and deliveries."""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.parts.arbiter import check_count
from rtl.parts.flit import flit_layout
from rtl.parts.part import Part
from rtl.parts.selection import concat
from topology.common.flit_signature import (
    LANE_BITS,
    MULTIPLIER,
    SIGNATURE_BITS,
    SIGNATURE_SHIFT,
    lanes_of,
    rotation,
)


class TransferMonitor(Part):
    """Detects transfers on many streams. Combinational.

    Parameters:
        count: Number of streams, at least 1.

    Members:
        valid, ready (In(count)): Handshakes of the streams.
        moved (Out(count)): Bit i: a transfer on stream i in this cycle.
    """

    def __init__(self, count: int):
        check_count("Number of streams", count)
        super().__init__(f"transfer_monitor_{count}", {"valid": In(count), "ready": In(count), "moved": Out(count)})

    def elaborate(self, _platform):
        m: Any = Module()
        m.d.comb += self.moved.eq(self.valid & self.ready)
        return m


class DeliveryMonitor(Part):
    """Outputs the flit that moves on a link. Combinational.

    Parameters:
        flit_bits: Data bits of a flit.

    Members:
        moved (In(1)): Whether a flit moves on the link in this cycle.
        flit (In(flit_layout)): The payload of the link.
        seen (Out(flit width + 1)): ``moved``, then the flit; all zero if none moves.
    """

    def __init__(self, flit_bits: int):
        layout = flit_layout(flit_bits)
        super().__init__("delivery_monitor", {"moved": In(1), "flit": In(layout), "seen": Out(layout.size + 1)})

    def elaborate(self, _platform):
        m: Any = Module()
        m.d.comb += self.seen.eq(Mux(self.moved, concat((1, Value.cast(self.flit))), 0))
        return m


class SignatureMonitor(Part):
    """Outputs the signature of the flit that moves on a link, see ``topology.common.flit_signature``. Combinational.

    Parameters:
        flit_bits: Data bits of a flit.
        lanes: Virtual channels of the link, at least 1.

    Members:
        moved (In(lanes)): Virtual channels on which a flit moves in this cycle.
        flit (In(flit_layout)): The payload of the link.
        seen (Out(8)): The signature; 0 if none moves.
    """

    def __init__(self, flit_bits: int, lanes: int = 1):
        check_count("Lanes of a link", lanes)
        layout = flit_layout(flit_bits)
        super().__init__(
            f"signature_monitor_{lanes}", {"moved": In(lanes), "flit": In(layout), "seen": Out(SIGNATURE_BITS)}
        )

    def elaborate(self, _platform):
        m: Any = Module()
        flit = Value.cast(self.flit)
        word: Any = Const(0, LANE_BITS)
        for number in range(lanes_of(len(flit))):
            lane: Any = Signal(LANE_BITS, name=f"lane_{number}")
            m.d.comb += lane.eq(flit[number * LANE_BITS : (number + 1) * LANE_BITS])
            word = word ^ lane.rotate_left(rotation(number))
        folded = Signal(LANE_BITS)
        product = Signal(LANE_BITS)
        m.d.comb += [
            folded.eq(word),
            product.eq(folded * Const(MULTIPLIER, LANE_BITS)),
            self.seen.eq(Mux(self.moved.any(), product[SIGNATURE_SHIFT:], 0)),
        ]
        return m
