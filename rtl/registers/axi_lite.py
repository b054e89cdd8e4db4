"""AXI4-Lite on the outside, a plain register bus on the inside.

A write, and a read with ``read_cycles`` of 2; the master takes each answer at once:

======  =======================================  ====================================================
cycle   write                                    read
======  =======================================  ====================================================
t       ``awvalid`` and ``wvalid`` are high      ``arvalid`` is high; the address is on the bus
t + 1   ``awready`` and ``wready``; the
        register is written at the end
t + 2   ``bvalid``                               ``arready``; ``read_data`` is taken at the end
t + 3   the next write may begin                 ``rvalid``
t + 4                                            the next read may begin
======  =======================================  ====================================================

Without ``read_cycles`` a read takes a cycle less. Address and data of a write are taken from the ports themselves,
because a master keeps them stable until they are accepted; so they need no registers here.
"""

from typing import Any

from amaranth.hdl import Const, Module, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat
from rtl.registers.register_map import WORD_BITS, WORD_BYTES

RESPONSE_BITS = 2
OKAY, SLVERR = 0, 2
LOW_BITS = (WORD_BYTES - 1).bit_length()


def axi_lite_members(address_bits: int) -> dict[str, Any]:
    """Return the members of an AXI4-Lite subordinate with words of 32 bits, without ``awprot`` and ``arprot``.

    Parameters:
        address_bits: Of addresses in bytes.
    """
    return {
        "awaddr": In(address_bits),
        "awvalid": In(1),
        "awready": Out(1),
        "wdata": In(WORD_BITS),
        "wstrb": In(WORD_BYTES),
        "wvalid": In(1),
        "wready": Out(1),
        "bresp": Out(RESPONSE_BITS),
        "bvalid": Out(1),
        "bready": In(1),
        "araddr": In(address_bits),
        "arvalid": In(1),
        "arready": Out(1),
        "rdata": Out(WORD_BITS),
        "rresp": Out(RESPONSE_BITS),
        "rvalid": Out(1),
        "rready": In(1),
    }


class AxiLitePort(Part):
    """Accepts one write and one read at a time, and forwards them to a register bus.

    All AXI outputs are registers. The two lowest bits of an address are ignored. A write of less than a whole word
    writes nothing; the response is SLVERR, as for a read or a write at an address without a register that can be
    read or written.

    Parameters:
        address_bits: Of addresses in bytes, at least 3.
        read_cycles: Cycles from a change of ``read_address`` to valid ``read_data``.

    Members:
        awaddr, ..., rready: See ``axi_lite_members``.
        write (Out(1)): Write a register in this cycle. Combinational from ``wstrb``.
        write_address (Out(address_bits - 2)): Of a word. Combinational from ``awaddr``, as ``write_data`` is from
            ``wdata``.
        write_data (Out(32))
        write_found (In(1)): Whether there is a register at ``write_address`` that can be written.
        read_address (Out(address_bits - 2)): Of a word. Combinational from ``araddr``.
        read_data (In(32))
        read_found (In(1)): Whether there is a register at ``read_address`` that can be read.
    """

    def __init__(self, address_bits: int, read_cycles: int = 0):
        self.read_cycles = read_cycles
        word_address_bits = address_bits - LOW_BITS
        super().__init__(
            "axi_lite_port",
            {
                **axi_lite_members(address_bits),
                "write": Out(1),
                "write_address": Out(word_address_bits),
                "write_data": Out(WORD_BITS),
                "write_found": In(1),
                "read_address": Out(word_address_bits),
                "read_data": In(WORD_BITS),
                "read_found": In(1),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        self._write(m)
        self._read(m)
        return m

    def _write(self, m):
        accepted, whole, refused = Signal(), Signal(), Signal()
        m.d.sync += accepted.eq(self.awvalid & self.wvalid & ~accepted & ~self.bvalid)
        m.d.comb += [
            self.awready.eq(accepted),
            self.wready.eq(accepted),
            whole.eq(self.wstrb.all()),
            self.write.eq(accepted & whole),
            self.write_address.eq(self.awaddr[LOW_BITS:]),
            self.write_data.eq(self.wdata),
            self.bresp.eq(_response(refused)),
        ]
        with m.If(accepted):
            m.d.sync += [self.bvalid.eq(1), refused.eq(~(whole & self.write_found))]
        with m.Elif(self.bready):
            m.d.sync += self.bvalid.eq(0)

    def _read(self, m):
        waiting = Signal(max(1, self.read_cycles))  # its highest bit is the cycle in which the address is accepted
        accepted, refused = Signal(), Signal(reset_less=True)
        begins = self.arvalid & ~waiting.any() & ~self.rvalid
        m.d.sync += waiting.eq(waiting << 1 | begins)
        m.d.comb += [
            accepted.eq(waiting[-1]),
            self.arready.eq(accepted),
            self.read_address.eq(self.araddr[LOW_BITS:]),
            self.rresp.eq(_response(refused)),
        ]
        with m.If(accepted):
            m.d.sync += [self.rvalid.eq(1), self.rdata.eq(self.read_data), refused.eq(~self.read_found)]
        with m.Elif(self.rready):
            m.d.sync += self.rvalid.eq(0)


def _response(refused: Any) -> Any:
    """Return OKAY, or SLVERR if refused."""
    return concat((Const(0), refused))
