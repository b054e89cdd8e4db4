"""State of the route unit per input: the outputs that its worm requests."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.generator.router_parameters import RouterParameters
from rtl.parts.part import Part
from rtl.parts.selection import first_at_or_after
from rtl.routed.header_decoder import decoded_layout


def scanner_members(parameters: RouterParameters, inputs: dict[str, Any], outputs: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a scanner, see ``HeaderScanner``, with more inputs and outputs."""
    return {
        "buffered": In(decoded_layout(parameters)),
        "buffered_valid": In(1),
        **inputs,
        "taken": In(1),
        "release": In(1),
        "eligible": Out(1),
        "completed": Out(1),
        **outputs,
        "request": Out(parameters.outputs),
        "queued": Out(1),
    }


class HeaderScanner(Part):
    """Reads the decoded header at one input, one flit per turn, until the request is complete.

    All values that do not depend on the turn are computed in parallel with arbitration, so that the arbiter only
    enables registers: with look-ahead all this happens in the cycle of the link transfer.

    Members:
        buffered, arriving (In(decoded_layout)): Decoding of the flit at the buffer's cursor and of the flit on the
            link.
        buffered_valid, arriving_valid (In(1)): Whether the flit is valid, and whether it moves in in this cycle.
            Without look-ahead (``routing_cycles`` over 1) there are no ``arriving`` members.
        busy (In(outputs)): Outputs that some queued input requests.
        taken (In(1)): The route unit processes this input's flit in this cycle. Only if ``eligible``.
        release (In(1)): The tail has been copied.
        eligible (Out(1)): Whether there is a flit to process. Combinational.
        completed (Out(1)): The last flit needed is being processed: the request is complete from the next cycle on.
            Combinational.
        branching (Out(1)): With ``completed``: the request is for two outputs or more. Only with ``tells_branching``.
            Combinational.
        request (Out(outputs)): Requested outputs, complete when ``queued``. A register.
        queued (Out(1)): Whether the request is in the output queues or in service. A register.
    """

    def __init__(self, parameters: RouterParameters):
        p = self.parameters = parameters
        decoded = decoded_layout(p)
        arriving = {"arriving": In(decoded), "arriving_valid": In(1)} if p.looks_ahead else {}
        branching = {"branching": Out(1)} if p.tells_branching else {}
        members = scanner_members(p, {**arriving, "busy": In(p.outputs)}, branching)
        super().__init__(f"header_scanner_{p.size_name}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        flit = self._flit_in_view(m)
        self._decide_eligible(m)
        port = first_at_or_after(m, flit.candidates, ~self.busy, "port")
        m.d.comb += self.completed.eq(self.taken & flit.last)
        requested = port
        if self.parameters.multicast:
            collected = Signal(self.parameters.outputs)
            requested = Signal(self.parameters.outputs)
            m.d.comb += collected.eq(self.request | flit.branches)
            m.d.comb += requested.eq(Mux(flit.candidates.any(), port, collected))
            if self.parameters.tells_branching:
                m.d.comb += self.branching.eq(~flit.candidates.any() & (collected & (collected - 1)).any())
        with m.If(self.release):
            m.d.sync += [self.queued.eq(0), self.request.eq(0)]
        with m.Elif(self.taken):
            m.d.sync += [self.queued.eq(flit.last), self.request.eq(requested)]
        return m

    def _flit_in_view(self, m) -> Any:
        if not self.parameters.looks_ahead:
            return self.buffered
        flit = Signal(decoded_layout(self.parameters))
        m.d.comb += flit.eq(Mux(self.buffered_valid, Value.cast(self.buffered), Value.cast(self.arriving)))
        return flit

    def _decide_eligible(self, m):
        ready = Signal()
        m.d.comb += self.eligible.eq(ready & ~self.queued)
        if self.parameters.looks_ahead:
            m.d.comb += ready.eq(self.buffered_valid | self.arriving_valid)
        elif self.parameters.routing_cycles == 2:
            m.d.comb += ready.eq(self.buffered_valid)
        else:
            self._delay(m, ready)

    def _delay(self, m, ready):
        """Add a longer routing delay: counted once per message, from the arrival of its head at the front."""
        waits = self.parameters.routing_cycles - 2
        delay = Signal(range(waits + 1))
        waited = Signal()
        m.d.comb += [waited.eq(delay == waits), ready.eq(self.buffered_valid & waited)]
        with m.If(self.release):
            m.d.sync += delay.eq(0)
        with m.Elif(self.buffered_valid & ~self.queued & ~waited):
            m.d.sync += delay.eq(delay + 1)
