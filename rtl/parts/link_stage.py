"""Register stages of long wires between routers.

======================  =============================================================================
cycle                   what happens in a ``LinkStage``
======================  =============================================================================
t                       a flit moves in (``link.valid`` and ``link.ready``)
t + 1                   it is on the next link, if no flit is before it
t + n                   it moves out; if two flits were in, ``link.ready`` is high again from t + n + 1 on
======================  =============================================================================
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.parts.arbiter import check_count
from rtl.parts.flit import link_signature
from rtl.parts.part import Part
from rtl.parts.selection import concat


class LinkStage(Part):
    """A buffer of two flits in the middle of a link: every wire to and from it begins at a register.

    If the output register is occupied, a flit is stored in the spare one, and ``ready`` is low in the next cycle.
    Latency 1 cycle; throughput 1 flit per cycle.

    Parameters:
        flit_bits: Data bits of a flit.

    Members:
        link (In(link_signature)): From the output register before. ``ready`` is a register.
        onward (Out(link_signature)): To the next stage, or the router's input buffer. ``valid`` and ``payload`` are
            registers.
    """

    def __init__(self, flit_bits: int):
        self.flit_bits = flit_bits
        link = link_signature(flit_bits)
        super().__init__("link_stage", {"link": In(link), "onward": Out(link)})

    def elaborate(self, _platform):
        m: Any = Module()
        spare = Signal(self.link.payload.shape())
        full = Signal()  # the spare register contains a flit, which implies that the output register does
        fills = Signal()
        arriving = Signal()
        stalled = Signal()
        m.d.comb += [
            arriving.eq(self.link.valid & self.link.ready),
            stalled.eq(self.onward.valid & ~self.onward.ready),
            fills.eq(stalled & (full | arriving)),
        ]
        m.d.sync += [full.eq(fills), self.link.ready.eq(~fills)]  # low in reset: flits that move then would be lost
        with m.If(~full):
            m.d.sync += spare.eq(self.link.payload)
        with m.If(~stalled):
            m.d.sync += [
                self.onward.valid.eq(full | arriving),
                self.onward.payload.eq(Mux(full, Value.cast(spare), Value.cast(self.link.payload))),
            ]
        return m


class WireStages(Part):
    """Registers one behind the other on a side wire.

    Parameters:
        bits: Width of the wire.
        stages: Registers, at least 1.

    Members:
        source (In(bits))
        sink (Out(bits)): ``source`` delayed by ``stages`` cycles; 0 after reset. A register.
        underway (Out(bits * stages)): All registers, the last one highest.
    """

    def __init__(self, bits: int, stages: int):
        check_count("Width of a wire", bits)
        check_count("Number of registers", stages)
        self.bits = bits
        self.stages = stages
        members = {"source": In(bits), "sink": Out(bits), "underway": Out(bits * stages)}
        super().__init__(f"wire_stages_{bits}_{stages}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        m.d.sync += self.underway.eq(concat([self.source, self.underway])[: len(self.underway)])
        m.d.comb += self.sink.eq(self.underway[-self.bits :])
        return m
