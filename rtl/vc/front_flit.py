"""State of the flit at the front of a virtual channel whose buffer can store flits of several worms.

The decoding of the flits behind the front is stored in a small memory, so that it is available as soon as they are at
the front. It is logic in the module that uses it, not a module.
"""

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory

from rtl.vc.vc_buffer import VcBuffer, vc_slots


class FrontFlit:
    """Tail bit of the flit at the front, and the stored decoding of the head that reaches the front.

    Parameters:
        number: Of the virtual channel, for names of signals.
        buffer: Its pointers, which count in binary.
        arriving, popped (Value): A flit goes in, or out, at the end of the cycle.
        active (Value): A worm continues: a flit that arrives in an empty buffer is no head.
        arrival (Value): Decoding of the flit on the link.
        arrives_tail (Value): Whether that is a tail.

    Members:
        is_tail (Signal): The flit at the front is a tail. A register.
        starts (Signal): A head arrives at the front.
        comes_first (Value): A head reaches the front: on arrival, or because a tail leaves and it is next.
        following (Value): Decoding of that head.
    """

    def __init__(
        self,
        m: Module,
        number: int,
        buffer: VcBuffer,
        arriving: Any,
        popped: Any,
        active: Any,
        arrival: Any,
        arrives_tail: Any,
    ):
        driver: Any = m
        self.is_tail: Any = Signal(name=f"is_tail_{number}")
        self.starts: Any = Signal(name=f"starts_{number}")
        follows = Signal(name=f"follows_{number}")
        driver.d.comb += [
            self.starts.eq(arriving & ~buffer.present & ~active),
            follows.eq(popped & self.is_tail),
        ]
        self.following: Any = arrival
        next_tail: Any = arrives_tail
        if buffer.depth > 1:
            stored = _store_beside(m, number, buffer, arriving, Cat(arrival, arrives_tail))
            self.following = Mux(buffer.several, stored[:-1], self.following)
            next_tail = Mux(buffer.several, stored[-1], next_tail)
        with driver.If(popped | ~buffer.present):
            driver.d.sync += self.is_tail.eq(next_tail)
        self.comes_first: Any = self.starts | follows


def _store_beside(m: Any, number: int, buffer: VcBuffer, arriving: Any, arrival: Any) -> Any:
    """Return the decoding of the flit behind the front, stored when it arrived."""
    store = memory.Memory(shape=len(arrival), depth=vc_slots(buffer.depth), init=[])
    m.submodules[f"beside_{number}"] = store
    write: Any = store.write_port()
    read: Any = store.read_port(domain="comb")
    m.d.comb += [
        write.en.eq(arriving),
        write.addr.eq(buffer.back),
        write.data.eq(arrival),
        read.addr.eq(buffer.front + 1),
    ]
    return read.data
