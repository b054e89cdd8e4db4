"""Begin and end of the worm at the front of a virtual channel: three kinds of buffers.

===============  ==================================  =================================================================
kind             flits in the buffer                 decoding of the head at the front
===============  ==================================  =================================================================
``ExclusiveVcHead``    of one worm, from a link            on arrival, in an empty buffer
``SharedVcHead``   of several worms, from a link       likewise; behind other flits, its key is stored beside the buffer
``InjectionHead``    of several worms, from a processor  when it has reached the front, which takes a cycle
===============  ==================================  =================================================================

They are logic within the input, not modules. All have these members:

===========  ========================================================================================================
``is_tail``  the flit at the front is a tail
``asks``     a head is at the front, or arrives there
``ready``    the request of a head at the front is in its register
``starts``   that register is to be loaded,
``key``      from this: the routing key of the head
``ends``     the virtual channel has no worm after this cycle
``behind``   if this virtual channel requests for a flit: whether a flit of the same worm follows
===========  ========================================================================================================
"""

from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Signal

from rtl.vc.front_flit import FrontFlit
from rtl.vc.vc_buffer import VcBuffer


@dataclass(frozen=True)
class VcSignals:
    """Inputs common to all three kinds.

    Members:
        m (Module)
        number: Of the virtual channel, for names of signals.
        buffer
        arriving, popped (Value): A flit goes in, or out, at the end of the cycle.
        active (Value): The worm at the front has an output VC, or is drained.
        key_bits: Of the lowest bits of a head.
    """

    m: Any
    number: int
    buffer: VcBuffer
    arriving: Any
    popped: Any
    active: Any
    key_bits: int

    def signal(self, name: str) -> Any:
        """Return a bit of this virtual channel."""
        return Signal(name=f"{name}_{self.number}")

    def goes_on(self, is_tail: Any) -> Any:
        """Return whether a flit of the same worm follows the front, in a buffer that may store several worms."""
        return ~is_tail & (self.buffer.several | self.arriving)


class ExclusiveVcHead:
    """Front of a VC of a link with atomic reallocation.

    Parameters:
        flit (flit_layout): On the link.
        released (Value): A tail left the virtual channel in the last cycle. A register.
    """

    def __init__(self, vc: VcSignals, flit: Any, released: Any):
        m, buffer = vc.m, vc.buffer
        ended = vc.signal("ended")
        self.is_tail: Any = vc.signal("is_tail")
        with m.If(vc.arriving):
            m.d.sync += ended.eq(flit.tail)
        m.d.comb += self.is_tail.eq(ended & ~buffer.several)
        self.asks: Any = (buffer.present | vc.arriving) & ~vc.active
        self.ready: Any = buffer.present
        self.starts: Any = vc.arriving & ~buffer.present & ~vc.active
        self.key: Any = flit.data[: vc.key_bits]
        self.ends: Any = released  # the next worm comes long after this one, and the register is early enough
        self.behind: Any = buffer.more | vc.arriving  # arriving flits are of the same worm


class SharedVcHead:
    """Front of a VC of a link with non-atomic reallocation.

    Parameters:
        flit (flit_layout): On the link.
    """

    def __init__(self, vc: VcSignals, flit: Any):
        buffer, key = vc.buffer, flit.data[: vc.key_bits]
        front = FrontFlit(vc.m, vc.number, buffer, vc.arriving, vc.popped, vc.active, key, flit.tail)
        self.is_tail: Any = front.is_tail
        self.asks: Any = (buffer.present | vc.arriving) & ~vc.active
        self.ready: Any = buffer.present
        self.starts: Any = front.comes_first
        self.key: Any = front.following
        self.ends: Any = vc.popped & self.is_tail
        self.behind: Any = vc.goes_on(self.is_tail)


class InjectionHead:
    """Front of a VC from a processor.

    Parameters:
        flit (flit_layout): At the front of the buffer.
        granted (Value): The head is granted an output VC.
    """

    def __init__(self, vc: VcSignals, flit: Any, granted: Any):
        buffer = vc.buffer
        self.is_tail: Any = vc.signal("is_tail")
        self.asks: Any = buffer.present & ~vc.active
        self.ready: Any = vc.signal("read")
        vc.m.d.sync += self.ready.eq(self.asks & ~granted)
        vc.m.d.comb += self.is_tail.eq(flit.tail)
        self.starts: Any = self.asks
        self.key: Any = flit.data[: vc.key_bits]
        self.ends: Any = vc.popped & self.is_tail
        self.behind: Any = vc.goes_on(self.is_tail)
