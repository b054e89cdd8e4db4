# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""AXI4-Stream ejector of a HARTS node that merges the copies of a broadcast into one packet."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out, connect, flipped

from rtl.endpoints.axi_ejector import SOURCE, AxiStreamEjector
from rtl.harts.copy_collector import CopyCollector
from rtl.parts.flit import link_signature
from rtl.parts.part import Part, instantiate


class HartsStreamEjector(Part):
    """Delivers each broadcast to the user once, and ordinary packets as they are.

    Latency of the collector plus 1 cycle.

    Parameters
    ----------
    make_collector : function
        Makes the ``CopyCollector``.

    Members
    -------
    link : In(link_signature)
        The delivery channel. ``ready`` is a register.
    tdata, tvalid, tready, tlast, tid, tuser
        The AXI4-Stream: bodies of packets, see ``AxiStreamEjector``. All outputs depend on registers only.
    refused, undecided : Out(1)
        See ``CopyCollector``. Registers.
    """

    def __init__(self, make_collector: Callable[[], CopyCollector]):
        self._make_collector = make_collector
        collector = make_collector()
        flit_bits = collector.header.flit_bits
        super().__init__(
            collector.module_name.replace("copy_collector", "stream_ejector"),
            {
                "link": In(link_signature(flit_bits)),
                "tdata": Out(flit_bits),
                "tvalid": Out(1),
                "tready": In(1),
                "tlast": Out(1),
                "tid": Out(dict(collector.header.fields)[SOURCE]),
                "tuser": Out(1),
                "refused": Out(1),
                "undecided": Out(1),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        made = self._make_collector()
        collector = instantiate(m, platform, "collector", made)
        ejector = instantiate(m, platform, "ejector", AxiStreamEjector(made.header))
        connect(m, flipped(self.link), collector.i)
        connect(m, collector.o, ejector.link)
        m.d.comb += [
            self.tdata.eq(ejector.tdata),
            self.tvalid.eq(ejector.tvalid),
            self.tlast.eq(ejector.tlast),
            self.tid.eq(ejector.tid),
            self.tuser.eq(ejector.tuser),
            ejector.tready.eq(self.tready),
            self.refused.eq(collector.refused),
            self.undecided.eq(collector.undecided),
        ]
        return m
