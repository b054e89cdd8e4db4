# amaranth: UnusedElaboratable=no
# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Lock-step harness: a network with payload generators, seen through one wide port.

Per cycle a bench writes ``message_valid`` and the descriptors on offer, and reads ``observed``, which holds
everything that the golden model says about the cycle: flits moved, descriptors accepted, flits delivered.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.common.fabric import Fabric
from rtl.common.flit import flit_layout
from rtl.common.injector import descriptor_layout
from rtl.common.network import GeneratedDesign, generate_design
from rtl.common.part import Part, place
from rtl.common.pattern_source import PatternSource
from rtl.common.plan import NetworkPlan
from rtl.common.selection import concat
from topology.common.pattern import SEED_BITS


def message_fields(plan: NetworkPlan) -> dict[str, tuple[int, int]]:
    """Fields of a harness's ``message_n{i}`` port: name to (lowest bit, width)."""
    fields, offset = {}, 0
    members: dict[str, Any] = dict(descriptor_layout(plan.header).members)
    for name, width in (*members.items(), ("payload_seed", SEED_BITS)):
        fields[name] = (offset, width)
        offset += width
    return fields


class HarnessTop(Part):
    """A network whose users are the payload generator of each injector, and an always ready reader of each ejector.

    Parameters
    ----------
    plan : NetworkPlan

    Members
    -------
    message_valid : In(processors)
        Whether a descriptor is on offer to each injector.
    message_n{i} : In
        The descriptor for processor i, packed as ``message_fields`` says.
    moved : Out(channels)
        Bit c: a flit moved on channel c in this cycle.
    accepted : Out(processors)
        The injector takes the descriptor in this cycle. Combinational from ``message_valid``.
    ejected : Out(processors * (flit width + 1))
        Per processor: whether a flit moved on its delivery channel in this cycle (lowest bit), then the flit; all
        zero if none.
    observed : Out
        ``moved``, ``accepted`` and ``ejected`` side by side, ``moved`` lowest.
    """

    def __init__(self, plan: NetworkPlan):
        self.plan = plan
        processors, channels = len(plan.network.processors), len(plan.network.channels)
        message_bits = sum(width for _, width in message_fields(plan).values())
        ejected_bits = processors * (flit_layout(plan.flit_bits).size + 1)
        members: dict[str, Any] = {"message_valid": In(processors)}
        members.update({f"message_n{i}": In(message_bits) for i in range(processors)})
        members["moved"] = Out(channels)
        members["accepted"] = Out(processors)
        members["ejected"] = Out(ejected_bits)
        members["observed"] = Out(channels + processors + ejected_bits)
        super().__init__("harness", members)

    def elaborate(self, platform):
        m: Any = Module()
        fabric = Fabric(m, platform, self.plan)
        ejected = []
        for i, injector in enumerate(fabric.injectors):
            self._connect_injector(m, platform, i, injector)
            m.d.comb += fabric.ejectors[i].user.ready.eq(1)
            link = fabric.delivery_link(i)
            seen = Signal(flit_layout(self.plan.flit_bits).size + 1, name=f"ejected_n{i}")
            moved = fabric.moved[self.plan.network.delivery_channel(i)]
            m.d.comb += seen.eq(Mux(moved, concat((1, link.payload)), 0))
            ejected.append(seen)
        m.d.comb += [
            self.moved.eq(fabric.moved),
            self.ejected.eq(concat(ejected)),
            self.observed.eq(concat((self.moved, self.accepted, self.ejected))),
        ]
        return m

    def _connect_injector(self, m, platform, i, injector):
        message = getattr(self, f"message_n{i}")
        pattern = place(m, platform, f"pattern_n{i}", PatternSource(self.plan.flit_bits))
        descriptor_bits = len(Value.cast(injector.message.payload))
        m.d.comb += [
            injector.message.valid.eq(self.message_valid[i]),
            Value.cast(injector.message.payload).eq(message[:descriptor_bits]),
            self.accepted[i].eq(self.message_valid[i] & injector.message.ready),
            pattern.start.eq(self.accepted[i]),
            pattern.seed.eq(message[descriptor_bits:]),
            injector.payload.valid.eq(pattern.words.valid),
            injector.payload.payload.eq(pattern.words.payload),
            pattern.words.ready.eq(injector.payload.ready),
        ]


def generate_harness(plan: NetworkPlan, top: str = "harness") -> GeneratedDesign:
    """Make the Verilog of a lock-step harness.

    The manifest has one more entry, ``harness``: bit offsets of the descriptor fields in ``message_n{i}``, and of the
    parts of ``observed``.

    Parameters
    ----------
    plan : NetworkPlan
    top : str
        Name of the top module, and prefix of all other module names.

    Raises
    ------
    ValueError
        If the name is no Verilog identifier.
    """
    processors, channels = len(plan.network.processors), len(plan.network.channels)
    stride = flit_layout(plan.flit_bits).size + 1
    observed = {
        "moved": {"offset": 0, "bits": channels},
        "accepted": {"offset": channels, "bits": processors},
        "ejected": {"offset": channels + processors, "bits": processors * stride, "bits_per_processor": stride},
    }
    message = {name: {"offset": offset, "bits": bits} for name, (offset, bits) in message_fields(plan).items()}
    return generate_design(HarnessTop, plan, top, {"harness": {"message": message, "observed": observed}})
