"""What the route unit keeps per input: how far a header has been read, and the outputs it requests (paper 3.2)."""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.common.part import Part
from rtl.common.selection import concat, first_at_or_after, table_row
from rtl.spam.parameters import SpamRouterParameters


def _is(number: Value, constant: int) -> Value:
    """A comparison; Verilog has a simpler operator for 0, but lint objects to it on numbers of several bits."""
    return ~number.any() if constant == 0 else number == constant


class HeaderScanner(Part):
    """Reads the header at one input, one flit per turn, until the request is complete.

    Everything that does not depend on the turn (table row, port choice, reachability) is worked out before it is known,
    so that the arbiter only enables registers: with look-ahead all this happens in the cycle of the link transfer.

    Parameters
    ----------
    parameters : SpamRouterParameters

    Members
    -------
    buffered, arriving : In(scan_bits)
        Header bits of the flit at the buffer's cursor and of the flit on the link.
    buffered_valid, arriving_valid : In(1)
        Whether the flit is there, and whether it moves in in this cycle. Without look-ahead (``routing_cycles`` over 1)
        there are no ``arriving`` members.
    routes : In(vertices * ports)
        Routing table for this input's class, one mask of candidate outputs per vertex.
    reach : In(header flits * ports * scan_bits)
        Per header flit and output: the bits of the flit that are destinations behind the output.
    busy : In(ports)
        Outputs that some queued input requests.
    taken : In(1)
        The route unit looks at this input's flit in this cycle. Only if ``eligible``.
    release : In(1)
        The tail has been copied.
    eligible : Out(1)
        Whether there is a flit to look at. Combinational.
    completed : Out(1)
        The last flit needed is being looked at: the request stands from the next cycle on. Combinational.
    advance : Out(1)
        Another header flit is needed. Combinational.
    request : Out(ports)
        Requested outputs, complete when ``queued``. A register.
    queued : Out(1)
        Whether the request stands in the output queues or is being served. A register.
    """

    def __init__(self, parameters: SpamRouterParameters):
        p = self.parameters = parameters
        arriving = {"arriving": In(p.scan_bits), "arriving_valid": In(1)} if p.looks_ahead else {}
        super().__init__(
            f"spam_header_scanner_p{p.ports}",
            {
                "buffered": In(p.scan_bits),
                "buffered_valid": In(1),
                **arriving,
                "routes": In(p.vertices * p.ports),
                "reach": In(p.header.multicast_flits * p.ports * p.scan_bits),
                "busy": In(p.ports),
                "taken": In(1),
                "release": In(1),
                "eligible": Out(1),
                "completed": Out(1),
                "advance": Out(1),
                "request": Out(p.ports),
                "queued": Out(1),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        header = self.parameters.header
        scanned = Signal(range(max(2, header.multicast_flits)))
        flit = self._flit_in_view(m)
        self._decide_eligible(m, scanned)
        port, found = self._search(m, flit)
        hits = self._split(m, flit, scanned)

        searching = Signal()
        complete = Signal()
        m.d.comb += [
            searching.eq(found & _is(scanned, header.key_flits - 1)),
            complete.eq(searching | _is(scanned, header.multicast_flits - 1)),
            self.completed.eq(self.taken & complete),
            self.advance.eq(self.taken & ~complete),
        ]
        with m.If(self.release):
            m.d.sync += [self.queued.eq(0), self.request.eq(0)]
        with m.Elif(self.taken):
            m.d.sync += [self.queued.eq(complete), scanned.eq(Mux(complete, 0, scanned + 1))]
            with m.If(searching):
                m.d.sync += self.request.eq(port)
            with m.Elif(scanned >= header.key_flits - 1 if header.key_flits > 1 else Const(1)):
                m.d.sync += self.request.eq(self.request | hits)
        return m

    def _flit_in_view(self, m) -> Signal:
        if not self.parameters.looks_ahead:
            return self.buffered
        flit = Signal(self.parameters.scan_bits)
        m.d.comb += flit.eq(Mux(self.buffered_valid, self.buffered, self.arriving))
        return flit

    def _decide_eligible(self, m, scanned):
        parameters = self.parameters
        ready = Signal()
        m.d.comb += self.eligible.eq(ready & ~self.queued)
        if parameters.looks_ahead:
            m.d.comb += ready.eq(self.buffered_valid | self.arriving_valid)
        elif parameters.routing_cycles == 2:
            m.d.comb += ready.eq(self.buffered_valid)
        else:
            delay = Signal(range(parameters.routing_cycles - 1))
            waited = Signal()
            m.d.comb += waited.eq((scanned != 0) | (delay == parameters.routing_cycles - 2))
            m.d.comb += ready.eq(self.buffered_valid & waited)
            with m.If(self.release):
                m.d.sync += delay.eq(0)
            with m.Elif(self.buffered_valid & ~self.queued & ~waited):
                m.d.sync += delay.eq(delay + 1)

    def _search(self, m, flit) -> tuple[Signal, Signal]:
        """Search phase: the one output to request, and whether there is any."""
        parameters = self.parameters
        key_bits, key_flits = parameters.key_bits, parameters.header.key_flits
        earlier = flit[:0]
        if key_flits > 1:
            earlier = Signal((key_flits - 1) * parameters.flit_bits, name="earlier_key_flits")
            with m.If(self.taken):
                m.d.sync += earlier.eq(concat((earlier, flit)) >> parameters.flit_bits)
        key = Signal(key_bits)
        candidates = Signal(parameters.ports)
        found = Signal()
        m.d.comb += [
            key.eq(concat((earlier, flit))),
            candidates.eq(table_row(m, self.routes, key, parameters.ports, "candidates")),
            found.eq(candidates.any()),
        ]
        return first_at_or_after(m, candidates, ~self.busy, "port"), found

    def _split(self, m, flit, scanned) -> Signal:
        """Split phase: the outputs behind which this flit names a destination."""
        parameters = self.parameters
        row = Signal(parameters.ports * parameters.scan_bits, name="reach_row")
        hits = Signal(parameters.ports)
        m.d.comb += row.eq(table_row(m, self.reach, scanned, len(row), "reach_half"))
        words = [row.word_select(o, parameters.scan_bits) for o in range(parameters.ports)]
        m.d.comb += hits.eq(concat((flit & word).any() for word in words))
        return hits
