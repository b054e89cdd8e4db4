"""The credits of an output lane, counted beside the lane."""

from typing import Any

from amaranth.hdl import Const, Mux, Signal


class CreditCounter:
    """How many flits the buffer behind a lane has room for. It is logic in the module that uses it, and no module.

    Parameters
    ----------
    m : Module
    lane : int
        Number of the lane, for names of signals.
    depth : int
        Flits that the buffer holds.
    sent, returned : Value
        A flit leaves for the buffer in this cycle; a credit comes back.

    Members
    -------
    credits : Signal
        How many there are. A register.
    some : Signal
        There is one. A register.
    several : Value
        There are two or more.
    """

    def __init__(self, m: Any, lane: int, depth: int, sent: Any, returned: Any):
        self.credits: Any = Signal(range(depth + 1), init=depth, name=f"credits_{lane}")
        self.some: Any = Signal(init=1, name=f"has_credit_{lane}")
        self.several: Any = self.credits[1:].any() if depth > 1 else Const(0)
        with m.If(sent != returned):
            m.d.sync += self.credits.eq(Mux(returned, self.credits + 1, self.credits - 1))
        m.d.sync += self.some.eq(returned | Mux(sent, self.several, self.some))
