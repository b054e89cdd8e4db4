# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Switch of a hypercube: wormhole switching, adaptive VCs and an escape channel (docs/look_up/timing_hypercube.md).

===============================  ===================================================================
cycle                            a head that meets no contention
===============================  ===================================================================
t                                on the input link; it is elected
t + 1                            it selects an output
t + 2                            it is granted a virtual channel
t + 3                            its input VC is selected
t + 4                            granted; read from the buffer
t + 5                            on the output link; to a processor, one cycle later
===============================  ===================================================================

From a processor it takes a cycle more. Flits behind the head take two cycles. Throughput 1 flit per cycle and output; a
single VC has it with buffers of 4 flits or more. All outputs are registers.
"""

from typing import Any

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib.wiring import In, Out, connect, flipped

from rtl.hypercube.adaptive_input import AdaptiveInput
from rtl.hypercube.adaptive_output import AdaptiveOutput
from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.hypercube.vc_allocator import VcAllocator
from rtl.parts.flit import link_signature
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat
from rtl.vc.cycle_order import CycleOrder, pairs
from rtl.vc.delivery_buffer import DeliveryBuffer
from rtl.vc.link import vc_link_signature
from topology.hypercube.routing import WRONG_ESCAPE


class HypercubeRouter(Part):
    """One switch.

    Members:
        inputs__{i} (In): Links that end here: with VCs, by dimension, then those from the processor, with ``valid`` and
            ``ready``.
        outputs__{o} (Out): Links that start here, likewise. ``valid`` and ``payload`` are registers.
        credits_{i} (Out(VCs)), releases_{i} (Out(VCs that are given away empty)): For the switch before input i: a flit
            left a VC; it was a tail, and the VC is empty. Registers.
        credited_{o}, released_{o} (In): Likewise from the switch behind output o.
        discarding (Out(VCs of all inputs)): Unroutable worms that began to be drained in the last cycle, by input and
            virtual channel. Registers.
        node (In(dimensions)): Its number. Constant.
    """

    def __init__(self, parameters: HypercubeRouterParameters):
        p = self.parameters = parameters
        members: dict[str, Any] = {}
        for i, vcs in enumerate(p.input_vcs):
            host = p.is_host_input(i)
            link = link_signature(p.flit_bits) if host else vc_link_signature(p.flit_bits, vcs)
            members[f"inputs__{i}"] = In(link)
            if not host:
                members[f"credits_{i}"] = Out(vcs)
                if p.unshared_vcs:
                    members[f"releases_{i}"] = Out(p.unshared_vcs)
        for o, vcs in enumerate(p.output_vcs):
            host = o == p.delivery
            link = link_signature(p.flit_bits) if host else vc_link_signature(p.flit_bits, vcs)
            members[f"outputs__{o}"] = Out(link)
            if not host:
                members[f"credited_{o}"] = In(vcs)
                if p.unshared_vcs:
                    members[f"released_{o}"] = In(p.unshared_vcs)
        members.update({"discarding": Out(sum(p.input_vcs)), "node": In(p.dimensions)})
        super().__init__(f"hypercube_router_{p.name}", members)

    def elaborate(self, platform):
        m: Any = Module()
        p = self.parameters
        order = instantiate(m, platform, "order", CycleOrder(p.order_size, len(p.input_vcs)))
        allocator = instantiate(m, platform, "allocator", VcAllocator(p))
        m.d.comb += allocator.before.eq(order.before)
        if p.vcs > 1:
            lane_order = instantiate(m, platform, "lane_order", CycleOrder(p.vc_order_size, p.vcs))
            m.d.comb += allocator.lane_before.eq(lane_order.before)
        if p.rule == WRONG_ESCAPE:
            m.d.comb += allocator.odd.eq(self.node.xor())
        inputs = [self._input(m, platform, i) for i in range(len(p.input_vcs))]
        outputs = [self._output(m, platform, o, order, allocator) for o in range(len(p.output_vcs))]
        room = self._deliver(m, platform, outputs[p.delivery])
        for i, port in enumerate(inputs):
            self._connect_allocator(m, i, port, allocator, outputs)
            if p.outputs_count_credits:
                m.d.comb += [
                    *(port.some_credit[d].eq(outputs[d].some_credit) for d in range(p.dimensions)),
                    *(port.several_credits[d].eq(outputs[d].several_credits) for d in range(p.dimensions)),
                ]
            beaten = [
                outputs[o].beaten[p.inputs_of(o).index(i)] if p.is_contested(o) else Const(0) for o in p.outputs_of(i)
            ]
            m.d.comb += [port.beaten.eq(concat(beaten)), port.room.eq(room)]
        for o, output in enumerate(outputs):
            sources = [inputs[i] for i in p.inputs_of(o)]
            m.d.comb += [
                output.requests.eq(concat(inputs[i].requests[p.outputs_of(i).index(o)] for i in p.inputs_of(o))),
                *(output.targets[x].eq(port.target) for x, port in enumerate(sources if p.output_vcs[o] > 1 else ())),
                *(output.flits[x].eq(port.flit) for x, port in enumerate(sources)),
            ]
        m.d.comb += outputs[p.delivery].ends.eq(concat(inputs[i].ends for i in p.inputs_of(p.delivery)))
        m.d.comb += self.discarding.eq(concat(port.discarding for port in inputs))
        return m

    def _input(self, m, platform, i) -> Any:
        p = self.parameters
        port = instantiate(m, platform, f"input_{i}", AdaptiveInput(p, i))
        connect(m, flipped(getattr(self, f"inputs__{i}")), port.link)
        m.d.comb += [
            port.node.eq(self.node),
            *(port.credited[d].eq(getattr(self, f"credited_{d}")) for d in range(p.dimensions)),
        ]
        if not p.is_host_input(i):
            m.d.comb += getattr(self, f"credits_{i}").eq(port.credits)
            if p.unshared_vcs:
                m.d.comb += getattr(self, f"releases_{i}").eq(port.releases)
        return port

    def _output(self, m, platform, o, order, allocator) -> Any:
        p = self.parameters
        output = instantiate(m, platform, f"output_{o}", AdaptiveOutput(p, o))
        members = p.inputs_of(o)
        if p.is_contested(o):
            position = {pair: k for k, pair in enumerate(pairs(len(p.input_vcs)))}
            m.d.comb += output.before.eq(
                concat(order.before[position[members[i], members[j]]] for i, j in pairs(len(members)))
            )
        if o in p.adaptive_outputs:
            k = p.adaptive_outputs.index(o)
            m.d.comb += [allocator.free[k].eq(output.free), output.taken.eq(allocator.taken[k])]
        if o == p.delivery:
            return output
        if p.has_escapes:
            m.d.comb += [
                allocator.free_escapes[o].eq(output.free_escape),
                output.taken_escape.eq(allocator.taken_escapes[o]),
            ]
        link = getattr(self, f"outputs__{o}")
        held = Signal(len(Value.cast(output.flit)), name=f"held_{o}", reset_less=True)
        m.d.sync += [link.valid.eq(output.load), held.eq(Value.cast(output.flit))]
        m.d.comb += Value.cast(link.payload).eq(held)
        if p.unshared_vcs:
            m.d.comb += output.releases.eq(getattr(self, f"released_{o}"))
        if p.outputs_count_credits:
            m.d.comb += output.credited.eq(getattr(self, f"credited_{o}"))
        return output

    def _deliver(self, m, platform, output) -> Any:
        """Add the buffer before the processor; return whether it has room."""
        p = self.parameters
        buffer = instantiate(m, platform, "delivery", DeliveryBuffer(p.flit_bits, p.delivery_flits, tells_room=True))
        connect(m, buffer.link, flipped(getattr(self, f"outputs__{p.delivery}")))
        m.d.comb += [buffer.write.eq(output.load), buffer.flit.eq(output.flit)]
        return buffer.room

    def _connect_allocator(self, m, i, port, allocator, outputs):
        p = self.parameters
        low, high = p.spans[i]
        m.d.comb += [
            allocator.asking[low:high].eq(port.asking),
            allocator.waiting[low:high].eq(port.waiting),
            *(allocator.wanted[low + v].eq(port.wanted[v]) for v in range(high - low)),
            port.granted.eq(allocator.granted[low:high]),
            port.row.eq(allocator.rows[i]),
            port.lane.eq(self._offered(i, allocator, outputs)),
        ]

    def _offered(self, i, allocator, outputs) -> Value:
        """Return the VC granted to a head on an input: an escape channel, or the lowest free adaptive one."""
        p = self.parameters
        candidates = [o for o in range(p.dimensions) if p.reaches(i, o)]
        lower = [
            concat(outputs[o].free_lane[vc] & allocator.rows[i][o] for o in candidates).any()
            for vc in range(p.adaptive_vcs - 1)
        ]
        others = [*lower, ~concat(lower).any()][: p.adaptive_vcs]
        if not p.has_escapes:
            return concat(others)
        escapes = allocator.escapes[i]
        return concat((*(other & ~escapes for other in others), escapes))
