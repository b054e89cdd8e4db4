"""Output whose virtual channels the VC allocator assigns: grants, free channels (docs/look_up/timing_hypercube.md)."""

from typing import Any

from amaranth.hdl import Module, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.parts.flit import flit_layout
from rtl.parts.part import Part
from rtl.parts.selection import concat, either, lowest_one
from rtl.vc.credit_counter import CreditCounter
from rtl.vc.cycle_order import FirstOf, pairs


class AdaptiveOutput(Part):
    """The VCs of one output port. Latency 0 cycles from ``requests`` to ``load``; the register is the user's.

    A requester has the virtual channel and the credit, so the first request is always granted.

    Parameters:
        port: Number of the output.

    Members:
        requests (In(inputs)): Inputs that have a request for this output.
        targets (In(VCs - 1).array(inputs)): Its virtual channel, one-hot; 0 for the last one. Only if there are several
            virtual channels.
        flits (In(flit_layout).array(inputs)): Its flit.
        ends (In(inputs)): Its flit is a tail. Only for the output to the processor.
        before (In(pairs of inputs)): By position in ``pairs``: whether one input has priority over another. Only if two
            can request at the same time, like the next.
        beaten (Out(inputs)): Whether each request loses arbitration.
        load (Out(vcs)): The virtual channel whose flit is granted, one-hot. Combinational.
        flit (Out(flit_layout)): The granted flit; 0 if none is granted. Combinational.
        releases (In(VCs that are given away empty)): The buffer behind a VC has become empty after a tail. Absent for
            the output to the processor.
        credited (In(vcs)): A credit returns. Likewise, and only if outputs count credits, like the next two.
        some_credit, several_credits (Out(vcs)): VCs with one credit or more, and two or more. Registers, or computed
            from registers alone.
        free (Out(1)): An adaptive VC is free. Only if the output has such VCs, like the next but one.
        free_lane (Out(those VCs - 1)): The lowest free one, one-hot; 0 for the last one. Only if there are several.
        taken (In(1)): It is allocated, if there is one.
        free_escape (Out(1)), taken_escape (In(1)): Likewise for the escape channel. Only if there is one.
    """

    def __init__(self, parameters: HypercubeRouterParameters, port: int):
        p = self.parameters = parameters
        self.port, self.vcs, self.delivers = port, p.output_vcs[port], port == p.delivery
        self.has_escape = p.has_escapes and not self.delivers
        self.adaptive = self.vcs - self.has_escape
        self.contested = p.is_contested(port)
        layout, inputs = flit_layout(p.flit_bits), len(p.inputs_of(port))
        super().__init__(
            f"adaptive_output_{p.name}_{'host' if self.delivers else port}",
            {
                "requests": In(inputs),
                **({"targets": In(self.vcs - 1).array(inputs)} if self.vcs > 1 else {}),
                "flits": In(layout).array(inputs),
                **({"before": In(len(pairs(inputs))), "beaten": Out(inputs)} if self.contested else {}),
                "load": Out(self.vcs),
                "flit": Out(layout),
                **({"ends": In(inputs)} if self.delivers else self._wires_back()),
                **({"free": Out(1), "taken": In(1)} if self.adaptive else {}),
                **({"free_lane": Out(self.adaptive - 1)} if self.adaptive > 1 else {}),
                **({"free_escape": Out(1), "taken_escape": In(1)} if self.has_escape else {}),
            },
        )

    def _wires_back(self) -> dict[str, Any]:
        p = self.parameters
        wires: dict[str, Any] = {"releases": In(p.unshared_vcs)} if p.unshared_vcs else {}
        if p.outputs_count_credits:
            counts = {"some_credit": Out(self.vcs), "several_credits": Out(self.vcs)}
            wires.update({"credited": In(self.vcs), **counts})
        return wires

    def elaborate(self, _platform):
        m: Any = Module()
        chosen: Any = self.requests
        if self.contested:
            first = FirstOf(m, list(self.requests), range(len(self.requests)), self.before, "input")
            m.d.comb += self.beaten.eq(concat(first.lost_arbitration))
            chosen = first.chosen
        flits = [Value.cast(flit) for flit in self.flits]
        m.d.comb += [
            self.load.eq(self._loaded(chosen)),
            Value.cast(self.flit).eq(either([flit & chosen[x].replicate(len(flit)) for x, flit in enumerate(flits)])),
        ]
        if self.parameters.outputs_count_credits and not self.delivers:
            self._count_credits(m)
        barred: list[Any] = []
        for vc in range(self.vcs):
            barred.append(self._own(m, vc, barred[: self.adaptive]))
        if self.adaptive:
            free: Any = concat(~vc for vc in barred[: self.adaptive])
            m.d.comb += self.free.eq(free.any())
            if self.adaptive > 1:
                m.d.comb += self.free_lane.eq(lowest_one(free[:-1]))
        if self.has_escape:
            m.d.comb += self.free_escape.eq(~barred[-1])
        return m

    def _loaded(self, chosen) -> Value:
        """Return the one-hot granted virtual channel; defaults to the last one."""
        others = [
            concat(bit & target[vc] for bit, target in zip(chosen, self.targets, strict=True)).any()
            for vc in range(self.vcs - 1)
        ]
        return concat((*others, self.requests.any() & ~concat(others).any()))

    def _count_credits(self, m):
        counters = [
            CreditCounter(m, w, self.parameters.buffer_flits, self.load[w], self.credited[w]) for w in range(self.vcs)
        ]
        m.d.comb += [
            self.some_credit.eq(concat(counter.some for counter in counters)),
            self.several_credits.eq(concat(counter.several for counter in counters)),
        ]

    def _own(self, m, vc, lower) -> Any:
        """Return whether a virtual channel is owned, or flits are in the buffer behind it, so that no head may take it.

        An adaptive VC is allocated only if all lower ones are in use. The allocation is a late signal.
        """
        owned = barred = Signal(name=f"owned_{vc}")
        if self.delivers:
            left = (self.requests & self.ends).any()
        else:
            shared = vc >= self.parameters.unshared_vcs
            left = self.load[vc] & self.flit.tail if shared else self.releases[vc]
            barred = owned | ~self.some_credit[vc] if shared else owned  # after a tail the buffer must have room
        offered, taken = (concat(lower).all(), self.taken) if vc < self.adaptive else (1, self.taken_escape)
        with m.If(~barred & offered | left):
            m.d.sync += owned.eq(taken & ~owned)
        return barred
