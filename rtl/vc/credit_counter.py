"""Credits of an output virtual channel, counted beside it."""

from typing import Any

from amaranth.hdl import Const, Mux, Signal


class CreditCounter:
    """Credits of a virtual channel: free places in the buffer behind it. Logic within the using module, not a module.

    Parameters:
        m (Module)
        vc: Number of the virtual channel, for names of signals.
        depth: Flits of the buffer.
        sent, returned (Value): A flit leaves for the buffer in this cycle; a credit returns.

    Members:
        credits (Signal): Number of credits. A register.
        some (Signal): There is one. A register.
        several (Value): There are two or more.
    """

    def __init__(self, m: Any, vc: int, depth: int, sent: Any, returned: Any):
        self.credits: Any = Signal(range(depth + 1), init=depth, name=f"credits_{vc}")
        self.some: Any = Signal(init=1, name=f"has_credit_{vc}")
        self.several: Any = self.credits[1:].any() if depth > 1 else Const(0)
        with m.If(sent != returned):
            m.d.sync += self.credits.eq(Mux(returned, self.credits + 1, self.credits - 1))
        m.d.sync += self.some.eq(returned | Mux(sent, self.several, self.some))
