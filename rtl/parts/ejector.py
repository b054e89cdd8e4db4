# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Message ejector: the end of a delivery channel, with back-pressure from the user."""

from typing import Any

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out, connect, flipped

from rtl.parts.flit import link_signature
from rtl.parts.input_buffer import InputBuffer
from rtl.parts.part import Part, instantiate

EJECTOR_FLITS = 2


class MessageEjector(Part):
    """A buffer of two flits between a delivery channel and the user.

    The link's ``ready`` is a register, but an always-ready user never stalls it. Latency 1 cycle; throughput 1
    flit per cycle.

    Parameters:
        flit_bits: Data bits of a flit.

    Members:
        link (In(link_signature)): The delivery channel.
        user (Out(link_signature)): The flits, for the user; ``valid`` and ``payload`` are registers.
    """

    def __init__(self, flit_bits: int):
        self.flit_bits = flit_bits
        link = link_signature(flit_bits)
        super().__init__("message_ejector", {"link": In(link), "user": Out(link)})

    def elaborate(self, platform):
        m: Any = Module()
        buffer = instantiate(m, platform, "buffer", InputBuffer(self.flit_bits, EJECTOR_FLITS))
        connect(m, flipped(self.link), buffer.link)
        m.d.comb += [
            self.user.valid.eq(buffer.present),
            self.user.payload.eq(buffer.flit),
            buffer.pop.eq(buffer.present & self.user.ready),
        ]
        return m
