# (specimens of parts only provide their ports)
"""State of the route unit per input, with headers in registers: the request, and its conflicts with older ones."""

from typing import Any

from amaranth.hdl import Module, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.generator.router_parameters import RouterParameters
from rtl.parts.part import Part
from rtl.parts.selection import concat, either, lowest_one
from rtl.routed.header_scanner import scanner_members


class ConflictScanner(Part):
    """Reads the decoded header at one input, one flit per turn, and compares the new request with the others.

    Requests are the same as those of ``HeaderScanner``.

    Members:
        buffered (In(decoded_layout)): Decoding of the next header flit. A flit with ``candidates`` has no ``branches``,
            nor have flits before it.
        buffered_valid (In(1)): Whether there is one. Never with ``queued``.
        others (In(outputs).array(inputs - 1)): Requests of the other inputs. Absent with one input, like ``conflicts``.
        taken, release (In), eligible, completed, queued (Out): See ``HeaderScanner``.
        request (Out(outputs)): Requested outputs if ``queued``, or else 0. A register.
        conflicts (Out(inputs - 1)): With ``completed``: the others that request one of the same outputs, or else 0.
            Combinational.
    """

    def __init__(self, parameters: RouterParameters):
        p = self.parameters = parameters
        others = p.inputs - 1
        compared = {"others": In(p.outputs).array(others), "conflicts": Out(others)} if others else {}
        super().__init__(f"conflict_scanner_{p.size_name}", scanner_members(p, compared, {}))

    def elaborate(self, _platform):
        m: Any = Module()
        flit: Any = self.buffered
        outputs = self.parameters.outputs
        others = list(self.others) if self.parameters.inputs > 1 else []
        free, fallback, found = Signal(outputs), Signal(outputs), Signal()
        m.d.comb += [
            self.eligible.eq(self.buffered_valid),
            self.completed.eq(self.taken & flit.last),
            free.eq(flit.candidates & ~either([*others, 0])),
            found.eq(free.any()),
            fallback.eq(lowest_one(flit.candidates) | self._branches(m)),
        ]
        if others:
            shared = concat((fallback & other).any() for other in others)
            waits = self.taken & (flit.last & ~found)
            m.d.comb += self.conflicts.eq(shared & waits.replicate(len(others)))
        m.d.sync += self.queued.eq((self.queued | self.completed) & ~self.release)
        chosen = lowest_one(free) | fallback & (~found).replicate(outputs)
        with m.If(self.completed | self.queued):
            # no reset by the release, which depends on the request: Yosys would cut the logic in the loop
            kept = self.request & (~self.release).replicate(outputs)
            m.d.sync += self.request.eq(kept | chosen & (~self.queued).replicate(outputs))
        return m

    def _branches(self, m) -> Value:
        """Return the outputs behind which the header has named destinations so far."""
        if not self.parameters.multicast:
            return Value.cast(0)
        if self.parameters.header_flits == 1:
            return Value.cast(self.buffered.branches)
        collected = Signal(self.parameters.outputs)
        with m.If(self.queued):
            m.d.sync += collected.eq(0)
        with m.Elif(self.taken):
            m.d.sync += collected.eq(collected | self.buffered.branches)
        return collected | self.buffered.branches
