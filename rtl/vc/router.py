# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Router with virtual channels: wormhole switching and credits (docs/look_up/timing_torus.md).

===============================  ===================================================================
cycle                            a head that meets no contention, ``routing_cycles`` = R
===============================  ===================================================================
t                                on the input link; routing computes its candidates
t + R - 1                        its input VC is selected
t + R                            granted; read from the buffer
t + R + 1                        on the output link; to a processor, one cycle later
===============================  ===================================================================

Flits behind the head take two cycles, as with R = 1. Throughput 1 flit per cycle and output; a single VC has it with
buffers of 4 flits or more. All outputs are registers.
"""

from collections.abc import Mapping
from typing import Any

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from rtl.parts.flit import link_signature
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat
from rtl.vc.delivery_buffer import DeliveryBuffer
from rtl.vc.link import vc_link_signature
from rtl.vc.parameters import VcRouterShape
from rtl.vc.vc_input import VcInput
from rtl.vc.vc_output import VcOutput
from topology.common.virtual_channels import ATOMIC


class VcRouter(Part):
    """A router with routing supplied by a family.

    Parameters:
        name: Module name.
        constants (mapping of str to Member): Constants of this switch that routing needs.

    Members:
        inputs__{i} (In): Links that end here: with virtual channels, then those from processors, with ``valid`` and
            ``ready``.
        outputs__{o} (Out): Links that start here, likewise. ``valid`` and ``payload`` are registers.
        credits_{i} (Out(VCs)): Credits for the VCs of input i, for the switch before it. Registers. Absent for inputs
            from processors.
        credited_{o} (In(VCs)): Credits for the VCs of output o, from the switch behind it. Absent for outputs to
            processors.
        discarding (Out(VCs of all inputs)): Unroutable heads that left their buffer in the last cycle, by input and
            virtual channel. Registers.
    """

    def __init__(self, name: str, shape: VcRouterShape, constants: Mapping[str, wiring.Member]):
        self.shape = shape
        members: dict[str, Any] = {}
        for i, vcs in enumerate(shape.input_vcs):
            host = shape.is_host_input(i)
            members[f"inputs__{i}"] = In(
                link_signature(shape.flit_bits) if host else vc_link_signature(shape.flit_bits, vcs)
            )
            if not host:
                members[f"credits_{i}"] = Out(vcs)
        for o, vcs in enumerate(shape.output_vcs):
            host = shape.is_host_output(o)
            members[f"outputs__{o}"] = Out(
                link_signature(shape.flit_bits) if host else vc_link_signature(shape.flit_bits, vcs)
            )
            if not host:
                members[f"credited_{o}"] = In(vcs)
        members["discarding"] = Out(sum(shape.input_vcs))
        super().__init__(name, {**members, **constants})

    def find_candidates(self, m: Any, port: int, link: Any) -> Any:
        """Return the route candidates of the flit on the link into a port, as in ``VcInput.ways``. Combinational."""
        raise NotImplementedError

    def elaborate(self, platform):
        m: Any = Module()
        shape = self.shape
        inputs = [self._input(m, platform, i) for i in range(shape.inputs)]
        outputs = [self._output(m, platform, o) for o in range(shape.outputs)]
        for i, port in enumerate(inputs):
            reached = [(outputs[o], shape.inputs_of(o).index((i, k))) for k, o in enumerate(shape.reaches[i])]
            m.d.comb += [
                port.has_credit.eq(concat(output.has_credit for output, _ in reached)),
                port.can_start.eq(concat(output.can_start for output, _ in reached)),
                port.may_send.eq(concat(output.may_send for output, _ in reached)),
                port.may_start.eq(concat(output.may_start for output, _ in reached)),
                port.lost.eq(concat(output.lost[position] for output, position in reached)),
            ]
        for o, output in enumerate(outputs):
            sources = [(inputs[i], k, shape.input_shape(i).spans[k]) for i, k in shape.inputs_of(o)]
            m.d.comb += [
                output.requests.eq(concat(port.requests[k] for port, k, _ in sources)),
                output.good.eq(concat(port.good[low:high] for port, _, (low, high) in sources)),
                *(output.flits[n].eq(port.flit) for n, (port, *_) in enumerate(sources)),
            ]
            self._leave(m, platform, o, output)
        m.d.comb += self.discarding.eq(concat(port.discarding for port in inputs))
        return m

    def _input(self, m, platform, i) -> Any:
        link = getattr(self, f"inputs__{i}")
        port = instantiate(m, platform, f"input_{i}", VcInput(self.shape.input_shape(i)))
        connect(m, flipped(link), port.link)
        m.d.comb += port.ways.eq(self.find_candidates(m, i, link))
        if not self.shape.is_host_input(i):
            m.d.comb += getattr(self, f"credits_{i}").eq(port.credits)
        return port

    def _output(self, m, platform, o) -> Any:
        shape = self.shape
        part = VcOutput(
            shape.flit_bits,
            len(shape.inputs_of(o)),
            shape.output_vcs[o],
            shape.depth,
            reuse_empty=shape.vc_reallocation == ATOMIC,
            yielding=shape.yielding_inputs(o),
        )
        return instantiate(m, platform, f"output_{o}", part)

    def _leave(self, m, platform, o, output):
        """Load the granted flit into the output register, or into the buffer before a processor."""
        link = getattr(self, f"outputs__{o}")
        if self.shape.is_host_output(o):
            buffer = instantiate(m, platform, f"delivery_{o}", DeliveryBuffer(self.shape.flit_bits, self.shape.depth))
            connect(m, buffer.link, flipped(link))
            m.d.comb += [
                buffer.write.eq(output.load),
                buffer.flit.eq(output.flit),
                output.credited.eq(buffer.credit),
            ]
            return
        held = Signal(len(Value.cast(output.flit)), name=f"held_{o}", reset_less=True)
        m.d.sync += [link.valid.eq(output.load), held.eq(Value.cast(output.flit))]
        m.d.comb += [Value.cast(link.payload).eq(held), output.credited.eq(getattr(self, f"credited_{o}"))]
