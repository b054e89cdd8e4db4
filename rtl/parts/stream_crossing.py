"""A stream from one clock to another: between the network's and a user's."""

from typing import Any

from amaranth.hdl import ClockDomain, ClockSignal, DomainRenamer, Module, ResetSignal
from amaranth.lib.wiring import In, Out

from rtl.parts.crossing_reset import CrossingReset
from rtl.parts.flit import stream_of
from rtl.parts.gray_fifo import GrayFifo
from rtl.parts.part import Part


class StreamCrossing(Part):
    """Words of a stream on their way into the network or out of it.

    The network's reset empties both sides, see ``CrossingReset``; the user's clock may be stopped then, and the
    crossing opens when it is running again. Latency and throughput are those of ``GrayFifo``.

    Parameters:
        bits: Width of a word.
        inward: From the user into the network; else out of it.

    Members:
        user_clk (In(1)): The user's clock.
        i (In(stream)): Words, in the user's clock domain if ``inward``, else in the network's. ``ready`` depends on
            registers only.
        o (Out(stream)): The same words in the other domain. ``valid`` and ``payload`` are registers.
    """

    def __init__(self, bits: int, *, inward: bool):
        self.bits = bits
        self.inward = inward
        super().__init__(
            f"stream_crossing_{'in' if inward else 'out'}_{bits}",
            {"user_clk": In(1), "i": In(stream_of(bits)), "o": Out(stream_of(bits))},
        )

    def elaborate(self, _platform):
        m: Any = Module()
        m.domains.user = ClockDomain(reset_less=True, local=True)
        fifo, reset = GrayFifo(self.bits), CrossingReset()
        write, read = ("user", "sync") if self.inward else ("sync", "user")
        m.submodules.fifo = DomainRenamer({"write": write, "read": read})(fifo)
        m.submodules.reset = DomainRenamer({"network": "sync"})(reset)
        user, network = (reset.user_open, reset.user_clear), (reset.network_open, reset.network_clear)
        (write_open, write_clear), (read_open, read_clear) = (user, network) if self.inward else (network, user)
        m.d.comb += [
            ClockSignal("user").eq(self.user_clk),
            reset.rst.eq(ResetSignal("sync")),
            fifo.write_open.eq(write_open),
            fifo.write_clear.eq(write_clear),
            fifo.read_open.eq(read_open),
            fifo.read_clear.eq(read_clear),
            fifo.write_valid.eq(self.i.valid),
            fifo.write_data.eq(self.i.payload),
            self.i.ready.eq(fifo.write_ready),
            self.o.valid.eq(fifo.read_valid),
            self.o.payload.eq(fifo.read_data),
            fifo.read_ready.eq(self.o.ready),
        ]
        return m
