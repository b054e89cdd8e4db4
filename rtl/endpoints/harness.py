# (specimens of parts only provide their ports)
"""Lock-step harness: a network with payload generators, seen through one wide port.

A bench sets the rates of host back-pressure once. Per cycle it writes ``message_valid``, the offered descriptors and
the mask of blocked readers, and reads ``observed``, which has everything that the golden model computes for the cycle
(``topology.common.observed``): flits moved and their signatures, descriptors accepted, flits delivered, side wires and
status.
"""

from typing import Any

from amaranth.lib.wiring import In, Out

from rtl.generator.fabric import Fabric
from rtl.generator.network import GeneratedDesign, generate_design
from rtl.generator.plan import NetworkPlan
from rtl.generator.structure import (
    Constant,
    ModuleInstance,
    SharedModule,
    Slice,
    StructuralPart,
    Structure,
    Wire,
    connect_link,
)
from rtl.generator.top_ports import connect_optional, optional_members, status_outputs
from rtl.parts.ejector import MessageEjector
from rtl.parts.flit import link_signature, stream_of
from rtl.parts.host_pattern import PATTERN_INPUTS, PausingSource, StallingReceiver
from rtl.parts.injector import MessageInjector, descriptor_layout
from rtl.parts.monitor import DeliveryMonitor, SignatureMonitor, TransferMonitor
from topology.common.flits import HeaderFormat
from topology.common.host_pattern import LEVEL_BITS, RECEIVER, SOURCE, endpoint_salt
from topology.common.host_pattern import SEED_BITS as HOSTS_SEED_BITS
from topology.common.observed import ObservedLayout
from topology.common.pattern import SEED_BITS

SENDING, RECEIVING = HOST_MODULES = ("sending_host", "receiving_host")
"""Names of the two modules."""


class SendingHost(StructuralPart):
    """A message injector, and the generator of its messages' payloads.

    Parameters:
        most_flits: As for ``MessageInjector``.

    Members:
        message, link, error: As of ``MessageInjector``.
        start, payload_seed, seed, salt, level: As of ``PausingSource``.
    """

    def __init__(self, header: HeaderFormat, most_flits: int | None = None):
        self.header = header
        self.most_flits = most_flits
        super().__init__(
            SENDING,
            {
                "message": In(stream_of(descriptor_layout(header))),
                "start": In(1),
                "payload_seed": In(SEED_BITS),
                **PATTERN_INPUTS,
                "link": Out(link_signature(header.flit_bits)),
                "error": Out(1),
            },
        )

    def structure(self):
        structure = Structure(self)
        injector = structure.instance("injector", SharedModule(lambda: MessageInjector(self.header, self.most_flits)))
        pattern = structure.instance("pattern", SharedModule(lambda: PausingSource(self.header.flit_bits)))
        connect_link(pattern, "words", injector, "payload")
        _connect_inputs(structure, pattern, ("start", "payload_seed", *PATTERN_INPUTS))
        _connect_inputs(structure, injector, ("message__valid", "message__payload", "link__ready"))
        for name in ("message__ready", "link__valid", "link__payload", "error"):
            structure.outputs[name] = injector.output(name)
        return structure


class ReceivingHost(StructuralPart):
    """A message ejector, and the reader of what it delivers.

    Parameters:
        flit_bits: Data bits of a flit.

    Members:
        link: As of ``MessageEjector``.
        seed, salt, level, blocked: As of ``StallingReceiver``.
    """

    def __init__(self, flit_bits: int):
        self.flit_bits = flit_bits
        super().__init__(RECEIVING, {"link": In(link_signature(flit_bits)), **PATTERN_INPUTS, "blocked": In(1)})

    def structure(self):
        structure = Structure(self)
        ejector = structure.instance("ejector", SharedModule(lambda: MessageEjector(self.flit_bits)))
        reader = structure.instance("reader", SharedModule(StallingReceiver))
        ejector.connect("user__ready", reader.output("ready"))
        _connect_inputs(structure, reader, (*PATTERN_INPUTS, "blocked"))
        _connect_inputs(structure, ejector, ("link__valid", "link__payload"))
        structure.outputs["link__ready"] = ejector.output("link__ready")
        return structure


def _connect_inputs(structure: Structure, instance: ModuleInstance, names: tuple[str, ...]) -> None:
    for name in names:
        instance.connect(name, structure.ports[name])


def message_fields(plan: NetworkPlan) -> dict[str, tuple[int, int]]:
    """Return the fields of a harness's ``message_n{i}`` ports: name to (lowest bit, width)."""
    fields, offset = {}, 0
    members: dict[str, Any] = dict(descriptor_layout(plan.header).members)
    for name, width in (*members.items(), ("payload_seed", SEED_BITS)):
        fields[name] = (offset, width)
        offset += width
    return fields


def observed_layout(plan: NetworkPlan) -> ObservedLayout:
    """Return the layout of a harness's ``observed``."""
    return ObservedLayout.of(plan.links, plan.flit_bits, plan.side_wires, status_outputs(plan))


class HarnessTop(StructuralPart):
    """A network whose users are the payload generator of each injector and the reader of each ejector.

    Members:
        message_valid (In(injectors)): Whether a descriptor is offered to each injector, in the order of
            ``injection_channels``.
        message_n{i} (In): The descriptor for processor i, packed by ``message_fields``. If it has several injection
            channels: ``message_n{i}_c{k}``.
        hosts_seed (In(16)): Seed of the hosts' back-pressure. It is sampled up to cycle 0, the second one after a
            reset.
        pause_level, stall_level (In(8)): Of 256 cycles, those without a new word from a payload generator, and without
            a flit to a reader. Constant.
        blocked (In(delivery channels)): The readers of these channels take nothing in this cycle.
        moved (Out(channels and stages)): Bit c: a flit moved on channel c in this cycle, or out of a stage of a link,
            see ``LinkStages``.
        accepted (Out(injectors)): The injector takes the descriptor in this cycle. Combinational from
            ``message_valid``.
        ejected (Out(delivery channels * (flit width + 1))): Per channel into a processor: whether a flit moved on it in
            this cycle (lowest bit), then the flit; all zero if none.
        observed (Out): All of these and more, concatenated, see ``ObservedLayout``.
        counters_enable, counters_clear, counters_address, counters_data: Bus of the channel counters, see
            ``ChannelCounters``; only if the plan has counters.
        tables_load, tables_data, tables_out: Chain of the table stores, see ``TableStore``; only if tables are
            loadable. Load them under reset.
        others: Outputs of the plan's status parts, ``{name}_{output}``.
    """

    def __init__(self, plan: NetworkPlan):
        self.plan = plan
        injectors, moved_bits = len(plan.network.injection_channels), plan.links.moved_bits
        message_bits = sum(width for _, width in message_fields(plan).values())
        self.layout = observed_layout(plan)
        members: dict[str, Any] = {"message_valid": In(injectors)}
        members.update({f"message_{name}": In(message_bits) for name in plan.network.injection_names})
        members["hosts_seed"] = In(HOSTS_SEED_BITS)
        members.update({name: In(LEVEL_BITS) for name in ("pause_level", "stall_level")})
        members["blocked"] = In(len(plan.network.delivery_channels))
        members["moved"] = Out(moved_bits)
        members["accepted"] = Out(injectors)
        members["ejected"] = Out(self.layout.parts["ejected"].bits)
        members["observed"] = Out(self.layout.bits)
        members.update(optional_members(plan))
        super().__init__("harness", members)

    def structure(self):
        structure = Structure(self)
        plan = self.plan
        sender = SharedModule(lambda: SendingHost(plan.header, plan.most_flits))
        receiver = SharedModule(lambda: ReceivingHost(plan.flit_bits))
        fabric = Fabric(structure, plan, sender, receiver)
        accepted = self._connect_injectors(structure, fabric)
        ejected = self._connect_ejectors(structure, fabric)
        connect_optional(structure, fabric, self.plan)
        parts = {
            "signatures": self._sign_flits(structure, fabric),
            "moved": fabric.moved,
            "accepted": accepted,
            "ejected": ejected,
            "side_wires": fabric.side_wires,
            "status": tuple(structure.outputs[output.name] for output in self.layout.status),
        }
        for name in ("moved", "accepted", "ejected"):
            structure.outputs[name] = parts[name]
        structure.outputs["observed"] = tuple(parts[name] for name, part in self.layout.parts.items() if part.bits)
        return structure

    def _sign_flits(self, structure: Structure, fabric: Fabric) -> tuple[Wire, ...]:
        hops_of_signature, signatures = self.layout.hops_of_signature, []
        monitors = {
            vcs: SharedModule(lambda vcs=vcs: SignatureMonitor(self.plan.flit_bits, vcs))
            for vcs in sorted(set(map(len, hops_of_signature)))
        }
        for number, hops in enumerate(hops_of_signature):
            signature = structure.instance(f"signature_{number}", monitors[len(hops)])
            signature.connect("moved", Slice(fabric.moved, hops[0], len(hops)))  # a link's VCs are consecutive
            signature.connect("flit", fabric.payload[hops[0]])
            signatures.append(signature.output("seen"))
        return tuple(signatures)

    def _connect_injectors(self, structure: Structure, fabric: Fabric) -> Wire:
        offered = structure.ports["message_valid"]
        descriptor_bits = message_fields(self.plan)["payload_seed"][0]
        hosts = structure.instance("hosts", SharedModule(lambda: TransferMonitor(offered.width)))
        accepted = hosts.output("moved")
        hosts.connect("valid", offered)
        hosts.connect("ready", tuple(injector.output("message__ready") for injector in fabric.injectors))
        names = self.plan.network.injection_names
        for i, (name, injector) in enumerate(zip(names, fabric.injectors, strict=True)):
            message = structure.ports[f"message_{name}"]
            injector.connect("message__valid", Slice(offered, i, 1))
            injector.connect("message__payload", Slice(message, 0, descriptor_bits))
            injector.connect("start", Slice(accepted, i, 1))
            injector.connect("payload_seed", Slice(message, descriptor_bits, SEED_BITS))
            self._connect_pattern(structure, injector, endpoint_salt(SOURCE, i), "pause_level")
        return accepted

    def _connect_ejectors(self, structure: Structure, fabric: Fabric) -> tuple[Wire, ...]:
        network, monitor = self.plan.network, SharedModule(lambda: DeliveryMonitor(self.plan.flit_bits))
        ejected = []
        for i, ejector in enumerate(fabric.ejectors):
            ejector.connect("blocked", Slice(structure.ports["blocked"], i, 1))
            self._connect_pattern(structure, ejector, endpoint_salt(RECEIVER, i), "stall_level")
            delivery = structure.instance(f"delivery_{network.delivery_names[i]}", monitor)
            delivery.connect("moved", Slice(fabric.moved, network.delivery_channels[i], 1))
            delivery.connect("flit", fabric.delivered_flit(i))
            ejected.append(delivery.output("seen"))
        return tuple(ejected)

    @staticmethod
    def _connect_pattern(structure: Structure, host: ModuleInstance, salt: int, level: str) -> None:
        host.connect("seed", structure.ports["hosts_seed"])
        host.connect("salt", Constant(salt, HOSTS_SEED_BITS))
        host.connect("level", structure.ports[level])


def generate_harness(plan: NetworkPlan, top: str = "harness") -> GeneratedDesign:
    """Generate the Verilog of a lock-step harness.

    The manifest has one more entry, ``harness``: bit offsets of the descriptor fields in the ports ``message_n{i}``,
    and of the parts of ``observed``.

    Parameters:
        top: Name of the top module, and prefix of all other module names.

    Raises:
        ValueError: If the name is no Verilog identifier.
    """
    observed = observed_layout(plan).manifest()
    message = {name: {"offset": offset, "bits": bits} for name, (offset, bits) in message_fields(plan).items()}
    return generate_design(HarnessTop, plan, top, {"harness": {"message": message, "observed": observed}})
