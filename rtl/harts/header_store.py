# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Headers of the stored packets, apart from their flits: a small memory with combinational reads.

The packet memory's word is valid at the end of the cycle in which it is read. New headers computed from it would be on
the longest path of the node; those computed from a register are not.
"""

from typing import Any

from amaranth.hdl import Module, Value
from amaranth.lib import memory
from amaranth.lib.wiring import In, Out

from rtl.harts.parameters import HartsNodeParameters
from rtl.parts.part import Part


class HeaderStore(Part):
    """One header per page.

    Members:
        write (In(1)), written_page (In(page_bits)), written_header (In(header_layout)): The head of a packet is stored.
        page (In(page_bits)): Page whose header is read.
        header (Out(header_layout)): That header, a cycle later. A register.
    """

    def __init__(self, parameters: HartsNodeParameters):
        p = self.parameters = parameters
        super().__init__(
            f"harts_header_store_{p.name}_{p.pages}",
            {
                "write": In(1),
                "written_page": In(p.page_bits),
                "written_header": In(p.header_layout),
                "page": In(p.page_bits),
                "header": Out(p.header_layout),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        p = self.parameters
        m.submodules.stored = store = memory.Memory(shape=p.header_layout.size, depth=1 << p.page_bits, init=[])
        write: Any = store.write_port()
        read: Any = store.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(self.write),
            write.addr.eq(self.written_page),
            write.data.eq(Value.cast(self.written_header)),
            read.addr.eq(self.page),
        ]
        m.d.sync += Value.cast(self.header).eq(read.data)
        return m
