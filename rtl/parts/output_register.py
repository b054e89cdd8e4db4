"""Output register of a link, shared by every part that drives one."""

from typing import Any

from amaranth.hdl import Signal, Value
from amaranth.lib import data


class OutputRegister:
    """Stores one flit until it has moved, and accepts the next one in the same cycle.

    Latency 1 cycle from ``load`` to the link; throughput 1 flit per cycle. It is logic in the module that uses it, and
    no module of its own.

    Parameters:
        m (Module)
        link (stream of a flit layout): The link that starts here, seen from inside the part. ``valid`` becomes a
            register with reset, ``payload`` one without: the content of an invalid flit is unused.
        name: Prefix of the names of signals.

    Members:
        free (Signal(1)): The register is empty or being emptied in this cycle. Combinational.
        load (Signal(1)): Input: take ``following`` in this cycle. Only with ``free``.
        following (View): Input: the payload to be taken.
    """

    def __init__(self, m: Any, link: Any, name: str = "output"):
        self.free: Any = Signal(name=f"{name}_free")
        self.load: Any = Signal(name=f"{name}_load")
        layout = link.payload.shape()
        self.following: Any = data.View(layout, Signal(layout.size, name=f"{name}_following"))
        held = Signal(layout.size, name=f"{name}_held", reset_less=True)
        m.d.comb += [self.free.eq(~link.valid | link.ready), Value.cast(link.payload).eq(held)]
        # the payload of an invalid flit is free to change, so its register need not wait for a late load
        with m.If(self.free):
            m.d.sync += held.eq(Value.cast(self.following))
        # without an enable, which would be one more gate behind a late load
        m.d.sync += link.valid.eq(self.load | link.valid & ~link.ready)
