# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""SPAM router: wormhole switching with tree multicast in hardware (Sec. 3).

A worm that enters is handled in three steps:

1. Each header flit is decoded as it moves in, and its decoding is stored with it in the input buffer. The route unit
   computes the set of requested outputs: one in the search phase, all branches of the multicast tree in the split
   phase.
2. The set enters the output request queues in one step. The worm waits until it is first in all of them.
3. From then on each flit is copied to all its outputs at once, whenever all their registers are free. After the tail
   the outputs are released.

=========================  =========================================================================
cycle                      a head that meets no contention, ``routing_cycles`` = R, header of one flit
=========================  =========================================================================
t                          moves on the input link
t + R - 1                  processed by the route unit
t + R                      granted, and copied from the input buffer
t + R + 1                  valid on all its output links
=========================  =========================================================================

Throughput 1 flit per cycle and output, with input buffers of at least 2 flits. All outputs are registers.

With the ``fast`` pipeline R is 2: the next decoded header flit of each input is in a register (``HeaderRegister``). The
route unit finds the conflicts of a request with older ones (``ConflictScanner``) for the queues (``ConflictQueues``).
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal

from rtl.parts.part import Part, instantiate
from rtl.parts.selection import either
from rtl.routed.routed_input import instantiate_inputs, routed_members
from rtl.routed.routed_output import connect_outputs, instantiate_crossbar
from rtl.spam.aged_queues import AgedRequestQueues
from rtl.spam.ocrq import ConflictQueues, OutputRequestQueues
from rtl.spam.parameters import SpamRouterParameters
from rtl.spam.split_enqueue import SplitRequestQueues
from topology.common.ages import hold_cycles


class SpamRouter(Part):
    """Router of one switch.

    Members:
        inputs (In(link_signature).array(ports)): Links that end here. ``ready`` is a register.
        outputs (Out(link_signature).array(ports)): Links that start here. ``valid`` and ``payload`` are registers.
        routes, port_class, reach (In): Constants of this switch, see ``RouteUnit``; ``reach`` only if it multicasts.
    """

    def __init__(self, parameters: SpamRouterParameters):
        p = self.parameters = parameters
        super().__init__(f"spam_router_p{p.ports}", routed_members(p))

    def elaborate(self, platform):
        m: Any = Module()
        route_unit, buffers = instantiate_inputs(m, platform, self, self.parameters)
        self._copy(m, platform, buffers, route_unit, self._queues(m, platform, route_unit))
        return m

    def _queues(self, m, platform, route_unit) -> Any:
        ports = self.parameters.ports
        if self.parameters.fast:
            queues = instantiate(m, platform, "queues", ConflictQueues(ports))
            m.d.comb += [
                queues.release.eq(route_unit.release),
            ]
            if ports > 1:
                for new, conflicts in zip(queues.conflicts, route_unit.conflicts, strict=True):
                    m.d.comb += new.eq(conflicts)
        elif self.parameters.atomic_enqueue:
            queues = instantiate(m, platform, "queues", self._request_queues())
            m.d.comb += [queues.completed.eq(route_unit.completed), queues.release.eq(route_unit.release)]
        else:
            queues = instantiate(m, platform, "queues", SplitRequestQueues(ports))
        m.d.comb += queues.queued.eq(route_unit.queued)
        for requested, request in zip(queues.request, route_unit.request, strict=True):
            m.d.comb += requested.eq(request)
        return queues

    def _request_queues(self) -> Part:
        ports = self.parameters.ports
        if not self.parameters.age_bits:
            return OutputRequestQueues(ports)
        return AgedRequestQueues(ports, hold_cycles(self.parameters.routing_cycles), self.parameters.age_step_cycles)

    def _copy(self, m, platform, buffers, route_unit, queues):
        """Copy flits of granted inputs to all their outputs in one step; release the outputs after the tail."""
        ports = self.parameters.ports
        crossbar = instantiate_crossbar(m, platform, self.parameters, buffers)
        if self.parameters.age_bits:
            self._connect_ages(m, crossbar, buffers, queues)
        loads = [Signal(ports, name=f"loads_{i}") for i in range(ports)]
        for i, buffer in enumerate(buffers):
            request, granted = route_unit.request[i], queues.granted[i]
            copied = Signal(name=f"copied_{i}")
            if self.parameters.fast:
                stops, first = _full_outputs(crossbar, request), granted & buffer.present
                copies, releases = ~either([*stops, ~first]), ~either([*stops, ~(first & buffer.flit.tail)])
            else:
                copies = granted & buffer.present & ~(request & ~crossbar.free).any()
                releases = copied & buffer.flit.tail
            m.d.comb += [
                copied.eq(copies),
                buffer.pop.eq(copied),
                route_unit.release[i].eq(releases),
                loads[i].eq(Mux(copied, request, 0)),
            ]
        connect_outputs(m, self, crossbar, queues.first, loads)

    def _connect_ages(self, m, crossbar, buffers, queues):
        """Read the ages of heads that arrive, and write those of the inputs into heads that leave."""
        field = self.parameters.age_bits
        for i, buffer in enumerate(buffers):
            link = buffer.link
            m.d.comb += [
                queues.arrives[i].eq(link.valid & link.ready & link.payload.head),
                queues.arriving_age[i].eq(link.payload.data[field]),
            ]
            with m.If(buffer.flit.head):
                m.d.comb += crossbar.flits[i].data[field].eq(queues.age[i])


def _full_outputs(crossbar, request) -> list[Any]:
    """Return whether two outputs at a time include a requested one that waits: the first gates of a balanced tree."""
    full = [(request[o] & link.valid) & ~link.ready for o, link in enumerate(crossbar.links)]
    return [either(full[o : o + 2]) for o in range(0, len(full), 2)]
