"""Buffer of flits for a processor: behind an output with credits, before a link with ``ready``.

======================  =============================================================================
cycle                   what happens
======================  =============================================================================
t                       a flit is written
t + 1                   it is loaded into the output register, if it is the first and the register is free
t + 2                   it is on the link; ``credit`` is high
======================  =============================================================================
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import memory
from amaranth.lib.wiring import In, Out

from rtl.parts.flit import flit_layout, link_signature
from rtl.parts.output_register import OutputRegister
from rtl.parts.part import Part
from rtl.parts.ring_pointer import ring_pointer
from topology.common.virtual_channels import ROOM_FLITS


class DeliveryBuffer(Part):
    """First-in first-out buffer with an output register. Throughput 1 flit per cycle.

    Parameters:
        flit_bits: Data bits of a flit.
        depth: Capacity in flits, besides that in the register.
        tells_room: The writer uses ``room`` and not credits.

    Members:
        write (In(1)), flit (In(flit_layout)): Store a flit. Only with a credit.
        credit (Out(1)): A flit left the buffer in the last cycle. A register. Only without ``room``.
        room (Out(1)): There was room for three flits or more in the last cycle. A register. Only with ``tells_room``.
        link (Out(link_signature)): The delivery channel.
    """

    def __init__(self, flit_bits: int, depth: int, *, tells_room: bool = False):
        self.depth = depth
        self.tells_room = tells_room
        super().__init__(
            f"delivery_buffer_{depth}" + ("_room" if tells_room else ""),
            {
                "write": In(1),
                "flit": In(flit_layout(flit_bits)),
                ("room" if tells_room else "credit"): Out(1),
                "link": Out(link_signature(flit_bits)),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        slots = 1 << (self.depth - 1).bit_length()
        m.submodules.flits = store = memory.Memory(shape=self.flit.shape(), depth=slots, init=[])
        write: Any = store.write_port()
        read: Any = store.read_port(domain="comb")
        register = OutputRegister(m, self.link)
        present: Any = Signal()
        count: Any = Signal(range(self.depth + 1))
        m.d.comb += [
            register.load.eq(present & register.free),
            Value.cast(register.following).eq(Value.cast(read.data)),
            write.en.eq(self.write),
            write.data.eq(self.flit),
            write.addr.eq(ring_pointer(m, "back", slots, self.write)),
            read.addr.eq(ring_pointer(m, "front", slots, register.load)),
        ]
        with m.If(self.write != register.load):
            m.d.sync += count.eq(Mux(self.write, count + 1, count - 1))
        several = count[1:].any() if self.depth > 1 else 0
        m.d.sync += [
            present.eq(self.write | Mux(register.load, several, present)),
            self.room.eq(count <= self.depth - ROOM_FLITS) if self.tells_room else self.credit.eq(register.load),
        ]
        return m
