"""Output with virtual channels: grants, free channels, and credits."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.parts.flit import flit_layout
from rtl.parts.part import Part
from rtl.parts.selection import concat
from rtl.vc.credit_counter import CreditCounter
from rtl.vc.round_robin_selector import RoundRobinSelector


class VcOutput(Part):
    """The VCs of one output port. Latency 0 cycles from ``requests`` to ``load``; the register is the user's.

    Parameters:
        flit_bits: Data bits of a flit.
        inputs: Inputs that can reach this output.
        vcs, depth (int): Virtual channels, and flits of each one's buffer.
        reuse_empty: A head may take a virtual channel only when all its credits are back.
        yielding: Number of inputs, the last ones, with the lowest priority.

    Members:
        requests (In(inputs)): Inputs that have a request for this output.
        good (In(VCs * inputs)): The requested VC, if it is good, input by input: one bit at most of each that requests.
        flits (In(flit_layout).array(inputs)): Its flit.
        lost (Out(inputs)): Whether the request of each input loses arbitration.
        load (Out(vcs)): The virtual channel whose flit is granted, one-hot. Combinational.
        flit (Out(flit_layout)): The granted flit; unspecified if none is granted. Combinational.
        credited (In(vcs)): A credit returns.
        has_credit, can_start (Out(vcs)): Virtual channels with credits, and those that a head may take.
        may_send, may_start (Out(vcs)): Likewise, with a credit that returns in this cycle.
    """

    def __init__(
        self, flit_bits: int, inputs: int, vcs: int, depth: int, *, reuse_empty: bool = False, yielding: int = 0
    ):
        self.inputs = inputs
        self.vcs = vcs
        self.depth = depth
        self.reuse_empty = reuse_empty
        self.yielding = yielding
        layout = flit_layout(flit_bits)
        super().__init__(
            f"lane_output_{inputs}_to_{vcs}x{depth}"
            + ("_empty" if reuse_empty else "")
            + (f"_yielding_{yielding}" if yielding else ""),
            {
                "requests": In(inputs),
                "good": In(vcs * inputs),
                "flits": In(layout).array(inputs),
                "lost": Out(inputs),
                "load": Out(vcs),
                "flit": Out(layout),
                "credited": In(vcs),
                "has_credit": Out(vcs),
                "can_start": Out(vcs),
                "may_send": Out(vcs),
                "may_start": Out(vcs),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        good = [self.good[i * self.vcs : (i + 1) * self.vcs] for i in range(self.inputs)]
        order = RoundRobinSelector(m, list(self.requests), "input", self.load.any(), yielding=self.yielding)
        m.d.comb += [
            self.lost.eq(self.requests & concat(order.lost_arbitration)),
            self.load.eq(Mux(self.requests.any(), order.select(good), 0)),
            Value.cast(self.flit).eq(order.select([Value.cast(flit) for flit in self.flits])),
        ]
        for w in range(self.vcs):
            self._keep_vc(m, w)
        return m

    def _keep_vc(self, m, w):
        """Keep the owner and the credits of a virtual channel."""
        free = Signal(init=1, name=f"free_{w}")
        load, credited = self.load[w], self.credited[w]
        with m.If(load):
            m.d.sync += free.eq(self.flit.tail)
        counter = CreditCounter(m, w, self.depth, load, credited)
        credits, has_credit = counter.credits, counter.some
        may_send = has_credit | credited
        if self.reuse_empty:
            enough: Any = credits == self.depth
            soon = enough | (credits == self.depth - 1) & credited
        else:
            enough, soon = has_credit, may_send
        m.d.comb += [
            self.has_credit[w].eq(has_credit),
            self.can_start[w].eq(free & enough),
            self.may_send[w].eq(may_send),
            self.may_start[w].eq(free & soon),
        ]
