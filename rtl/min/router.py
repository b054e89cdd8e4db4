# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Switch of a multistage network: wormhole switching with asynchronous tree multicast (Sec. 2.2 and 3.2).

A worm that enters is handled in three steps:

1. Each header flit is decoded as it moves in. The route unit computes the set of requested outputs: the unicast's
   output, one of the outputs up, or all branches.
2. A set of one enters the output queues at once; a tree operation needs the token of the switch's group first.
3. Each flit is copied to each of its outputs as soon as the worm owns that output and it has room. It leaves the buffer
   after the last copy; faster branches have bubbles until then.

=========================  =========================================================================
cycle                      a head that meets no contention, ``routing_cycles`` = R, header of one flit
=========================  =========================================================================
t                          moves on the input link
t + R - 1                  processed by the route unit; the token, if it is here, is taken
t + R                      copied from the input buffer
t + R + 1                  valid on its output links
=========================  =========================================================================

Throughput 1 flit per cycle and output, with input buffers of at least 2 flits. All outputs are registers.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.min.branch_queues import BranchQueues
from rtl.min.parameters import MinRouterParameters
from rtl.min.tokens import TokenStation
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat
from rtl.routed.routed_input import instantiate_inputs, routed_members
from rtl.routed.routed_output import connect_outputs, instantiate_crossbar

STATION_CONSTANTS = ("starts_here", "release_flits")


class MinRouter(Part):
    """One switch.

    Members:
        inputs (In(link_signature).array(inputs)): Links that end here. ``ready`` is a register.
        outputs (Out(link_signature).array(outputs)): Links that start here. ``valid`` and ``payload`` are registers.
        routes, port_class, reach (In): Constants of this switch, see ``RouteUnit``; ``port_class`` only if there are
            several classes, ``reach`` only in switches that multicast.
        starts_here, release_flits, token_in, token_out, here: See ``TokenStation``; only if the switch needs a token.
            Constants and registers.
    """

    def __init__(self, parameters: MinRouterParameters):
        p = self.parameters = parameters
        token = {
            "starts_here": In(1),
            "release_flits": In(p.release_bits),
            "token_in": In(1),
            "token_out": Out(1),
            "here": Out(1),
        }
        super().__init__(
            f"min_router_{p.size_name}" + ("" if p.has_token else "_no_token"),
            {**routed_members(p), **(token if p.has_token else {})},
        )

    def elaborate(self, platform):
        m: Any = Module()
        parameters = self.parameters
        route_unit, buffers = instantiate_inputs(m, platform, self, parameters)
        queues = instantiate(m, platform, "queues", BranchQueues(parameters.inputs, parameters.outputs))
        for requested, request in zip(queues.request, route_unit.request, strict=True):
            m.d.comb += requested.eq(request)
        self._copy(m, platform, buffers, route_unit, queues)
        if parameters.has_token:
            self._wait_for_token(m, platform, buffers, route_unit, queues)
        else:
            m.d.comb += queues.enter.eq(route_unit.completed)
        return m

    def _wait_for_token(self, m, platform, buffers, route_unit, queues):
        station = instantiate(m, platform, "station", TokenStation(self.parameters))
        for name in (*STATION_CONSTANTS, "token_in"):
            m.d.comb += getattr(station, name).eq(getattr(self, name))
        trees = Signal(self.parameters.inputs)
        m.d.comb += [
            self.token_out.eq(station.token_out),
            self.here.eq(station.here),
            trees.eq(route_unit.completed & route_unit.branching),
            station.tree.eq(trees),
            station.popped.eq(concat(buffer.pop for buffer in buffers)),
            station.tail.eq(concat(buffer.flit.tail for buffer in buffers)),
            queues.enter.eq(route_unit.completed & ~trees | station.granted),
            queues.enters_first.eq(station.waited),
        ]

    def _copy(self, m, platform, buffers, route_unit, queues):
        """Copy each flit to each of its outputs independently."""
        parameters = self.parameters
        crossbar = instantiate_crossbar(m, platform, parameters, buffers)
        loads = [Signal(parameters.outputs, name=f"loads_{i}") for i in range(parameters.inputs)]
        for i, buffer in enumerate(buffers):
            copied = Signal(parameters.outputs, name=f"copied_{i}")
            waits = Signal(parameters.outputs, name=f"waits_{i}")
            tail: Any = buffer.flit.tail
            m.d.comb += [
                loads[i].eq(Mux(buffer.present, queues.first[i] & crossbar.free & ~copied, 0)),
                waits.eq(queues.owed[i] & ~copied & ~loads[i]),
                buffer.pop.eq(buffer.present & queues.standing[i] & ~waits.any()),  # at once if no output is requested
                queues.finished[i].eq(Mux(tail, loads[i], 0)),
                queues.leave[i].eq(buffer.pop & tail),
                route_unit.release[i].eq(buffer.pop & tail),
            ]
            with m.If(buffer.pop):
                m.d.sync += copied.eq(0)
            with m.Else():
                m.d.sync += copied.eq(copied | loads[i])
        select = [concat(first[o] for first in queues.first) for o in range(parameters.outputs)]
        connect_outputs(m, self, crossbar, select, loads)
