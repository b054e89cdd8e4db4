"""Timeout of a subordinate: answers in its place when it has stopped."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import Out

from rtl.axi4.ports import axi4_members, channels
from rtl.axi4.subordinate import ID_BITS
from rtl.parts.part import Part
from topology.axi4.words import LENGTH_BITS, SLVERR, Axi4Format

INSIDE, OUTSIDE = "i_", "o_"


class SubordinateTimeout(Part):
    """Stands between the interface of a subordinate and the subordinate, and gives up a subordinate that has stopped.

    It has stopped if, in one direction, it has something to do and does nothing for some cycles in a row: it takes no
    request and no beat, and it has no answer for a complete write or for the oldest read. From then on, until reset,
    the part takes all requests and data, answers each write and each missing beat of a read with SLVERR, and discards
    all answers of the subordinate. Latency 0 cycles.

    The part then lowers valid signals that the subordinate has not answered, which AXI4 forbids. So the subordinate
    must be reset together with the network.

    Parameters:
        axi
        cycles: Before a subordinate has stopped; at least 1.
        pending: Transactions that the subordinate may have under way, in each direction.

    Members:
        i_awid, ..., i_rready: AXI4 port for the interface.
        o_awid, ..., o_rready: AXI4 port for the subordinate.
        error (Out(1)): The subordinate has stopped. A register, high until reset.
    """

    def __init__(self, axi: Axi4Format, cycles: int, pending: int):
        self.axi = axi
        self.cycles = cycles
        self.pending = pending
        members: dict[str, Any] = {"error": Out(1)}
        for prefix, faces_manager in ((INSIDE, True), (OUTSIDE, False)):
            ports = axi4_members(axi, ID_BITS, faces_manager=faces_manager)
            members |= {f"{prefix}{name}": member for name, member in ports.items()}
        super().__init__("axi4_subordinate_timeout", members)

    def elaborate(self, _platform):
        m: Any = Module()
        complete: Any = Signal(range(self.pending + 1))  # writes without an answer
        beats: Any = Signal(LENGTH_BITS)  # given of the oldest read
        m.submodules.reads = reads = SyncFIFO(width=LENGTH_BITS, depth=self.pending)
        self._connect(m)
        moved = {
            name: self._inside(f"{name}valid") & self._inside(f"{name}ready") for name in ("aw", "w", "b", "ar", "r")
        }
        with m.If(self.error):
            m.d.comb += [
                *(self._inside(f"{name}ready").eq(1) for name in ("aw", "w", "ar")),
                *(self._outside(f"{name}valid").eq(0) for name in ("aw", "w", "ar")),
                *(self._outside(f"{name}ready").eq(1) for name in ("b", "r")),
                self.i_bvalid.eq(complete.any()),
                self.i_bresp.eq(SLVERR),
                self.i_rvalid.eq(reads.r_rdy),
                self.i_rresp.eq(SLVERR),
                self.i_rdata.eq(0),
                self.i_rlast.eq(beats == reads.r_data),
            ]
            if self.axi.user_bits:
                m.d.comb += self.i_ruser.eq(0)
        ends = Signal()
        m.d.comb += [
            reads.w_en.eq(moved["ar"]),
            reads.w_data.eq(self.i_arlen),
            reads.r_en.eq(moved["r"] & self.i_rlast),
            ends.eq(moved["w"] & self.i_wlast),
        ]
        with m.If(moved["r"]):
            m.d.sync += beats.eq(Mux(self.i_rlast, 0, beats + 1))
        with m.If(ends != moved["b"]):
            m.d.sync += complete.eq(Mux(ends, complete + 1, complete - 1))
        writes = self.o_awvalid | self.o_wvalid | complete.any()
        idle = (
            writes & ~(moved["aw"] | moved["w"] | self.o_bvalid),
            (self.o_arvalid | reads.r_rdy) & ~(moved["ar"] | self.o_rvalid),
        )
        stopped = self._timer(m, "writes", idle[0]) | self._timer(m, "reads", idle[1])
        # an answer that waits stays as it is
        waits = self.i_bvalid & ~self.i_bready | self.i_rvalid & ~self.i_rready
        with m.If(stopped & ~waits):
            m.d.sync += self.error.eq(1)
        return m

    def _timer(self, m: Any, name: str, idle: Any) -> Any:
        """Return whether a condition has held for the cycles before this one, and holds."""
        count: Any = Signal(range(self.cycles), name=f"idle_{name}")
        expired: Any = Signal(name=f"expired_{name}")
        m.d.comb += expired.eq(idle & (count == self.cycles - 1))
        with m.If(~idle):
            m.d.sync += count.eq(0)
        with m.Elif(~expired):
            m.d.sync += count.eq(count + 1)
        return expired

    def _inside(self, name: str) -> Any:
        return getattr(self, f"{INSIDE}{name}")

    def _outside(self, name: str) -> Any:
        return getattr(self, f"{OUTSIDE}{name}")

    def _connect(self, m: Any) -> None:
        """Connect both ports."""
        for channel, (forward, signals) in channels(self.axi, ID_BITS).items():
            for name in (*signals, f"{channel}valid"):
                to, of = (self._outside, self._inside) if forward else (self._inside, self._outside)
                m.d.comb += to(name).eq(of(name))
            to, of = (self._inside, self._outside) if forward else (self._outside, self._inside)
            m.d.comb += to(f"{channel}ready").eq(of(f"{channel}ready"))
