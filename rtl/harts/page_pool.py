# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""The list of free pages of a packet memory."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from topology.common.flits import bits_for


class PagePool(Part):
    """Free pages, allocated in the order of their release; at first in the order of their numbers.

    The list is a memory without reset: after a reset, pages come from a counter until each has been allocated once.

    Members:
        page (Out(page_bits)): The next page, if there is one. From registers.
        free (Out): Number of free pages. A register.
        take (In(1)): ``page`` is taken in this cycle; only if one is free.
        give (In(1)), given (In(page_bits)): A page is freed.
    """

    def __init__(self, pages: int):
        self.pages = pages
        number = bits_for(pages)
        super().__init__(
            f"harts_page_pool_{pages}",
            {
                "page": Out(number),
                "free": Out(bits_for(pages + 1)),
                "take": In(1),
                "give": In(1),
                "given": In(number),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        places = 1 << bits_for(self.pages)
        m.submodules.returned = store = memory.Memory(shape=bits_for(self.pages), depth=places, init=[])
        write: Any = store.write_port()
        read: Any = store.read_port(domain="comb")
        unused: Any = Signal(range(self.pages + 1))
        all_used = Signal()
        front, back = Signal(range(places)), Signal(range(places))
        free = Signal(len(self.free), init=self.pages)
        m.d.comb += [
            all_used.eq(unused == self.pages),
            read.addr.eq(front),
            write.addr.eq(back),
            write.data.eq(self.given),
            write.en.eq(self.give),
            self.page.eq(Mux(all_used, read.data, unused)),
            self.free.eq(free),
        ]
        with m.If(self.give):
            m.d.sync += back.eq(back + 1)
        with m.If(self.take):
            with m.If(all_used):
                m.d.sync += front.eq(front + 1)
            with m.Else():
                m.d.sync += unused.eq(unused + 1)
        with m.If(self.take != self.give):
            m.d.sync += free.eq(Mux(self.give, free + 1, free - 1))
        return m
