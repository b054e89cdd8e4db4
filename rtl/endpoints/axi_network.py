# (a top that is written as text is not elaborated)
"""A network with AXI4-Stream endpoints."""

from typing import Any

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rtl.endpoints.axi_ejector import AxiStreamEjector
from rtl.endpoints.axi_ends import NETWORK, Beat, StreamEnds, StreamOptions
from rtl.endpoints.axi_injector import LEADING_WORD, TUSER, AxiStreamInjector, destination_modes, set_words
from rtl.endpoints.crossing_constraints import with_crossing_constraints
from rtl.endpoints.header_words import HeaderWordEjector, HeaderWordInjector
from rtl.generator.fabric import Fabric
from rtl.generator.network import GeneratedDesign, Generator, generate_design
from rtl.generator.plan import Addressing, NetworkPlan
from rtl.generator.structure import ModuleInstance, SharedModule, StructuralPart, Structure
from rtl.generator.top_ports import connect_exported, exported_members

SOURCE_INPUTS = ("tdata", "tvalid", "tlast", "tdest", "tuser")
SOURCE_BEAT = ("tdata", "tlast", "tdest", "tuser")
SOURCE_OUTPUTS = ("tready", "error")
SINK_OUTPUTS = ("tdata", "tvalid", "tlast", "tid", "tuser")
SINK_BEAT = ("tdata", "tlast", "tid", "tuser")
NO_OPTIONS = StreamOptions()


class AxiStreamTop(StructuralPart):
    """A whole network with an AXI4-Stream input per injection channel and an output per delivery channel.

    Parameters:
        plan: With ``addressing`` or ``endpoints``.
        mode: Destination mode of packets, see ``AxiStreamInjector``.
        options
        header_word_bits: Bits of the first word of each packet, which travels in the header: packets have one receiver
            each, see ``HeaderWordInjector``. 0 if the word has a flit of its own.

    Members:
        axis_clk, axis_n{i}_clk (In(1)): Clock of all AXI4-Stream ports, or of those of node i, if it is not the
            network's.
        s_axis_n{i}_tkeep, m_axis_n{i}_tkeep: Bytes of a word, if words may be partial.
        s_axis_n{i}_tdata, _tvalid, _tready, _tlast, _tdest, _tuser: Packets of node i into the network. If it has
            several injection channels: ``s_axis_n{i}_c{k}_tdata`` and so on; each makes messages of its packets,
            independently of the others. No ``tuser`` if messages have one destination each.
            With a sideband, its bits are above those of ``tuser``, in each beat.
        s_axis_n{i}_error (Out(1)): High for one cycle when an unroutable packet of node i is drained.
        m_axis_n{i}_tdata, _tvalid, _tready, _tlast, _tid, _tuser: Packets that arrive at node i. If it has several
            delivery channels: ``m_axis_n{i}_c{k}_tdata`` and so on. No ``tuser`` if messages have one destination each.
        m_axis_n{i}_{output}: Other outputs of the ejector, if the plan has ``endpoints`` of its own.
        moved (Out(channels and stages)): Bit c: a flit moved on channel c in this cycle, or out of a register stage of
            a link. Channels are numbered as in ``Network.channels`` and in the manifest, which lists the stages as
            well. Absent if the plan omits it.
        counters_enable, counters_clear, counters_address, counters_data: Bus of the channel counters, see
            ``ChannelCounters``; only if the plan has counters.
        tables_load, tables_data, tables_out: Chain of the table stores, see ``TableStore``; only if tables are
            loadable. Load them under reset.
        others: Outputs of the plan's status parts, ``{name}_{output}``.

    Raises:
        ValueError: If the plan has no addressing, the mode is not supported, or flits have no bit for byte counts.
    """

    def __init__(self, plan: NetworkPlan, mode: str, options: StreamOptions = NO_OPTIONS, *, header_word_bits: int = 0):
        self.plan = plan
        self.mode = mode
        self.options = options
        self._injector, self._ejector = _endpoint_modules(plan, mode, options, header_word_bits)
        self._source_inputs, self._source_beat = (
            tuple(name for name in names if name in self._injector.inputs) for names in (SOURCE_INPUTS, SOURCE_BEAT)
        )
        outputs = self._ejector.outputs
        self._sink_beat = tuple(name for name in SINK_BEAT if name in outputs)
        self._status_outputs = tuple(name for name in outputs if name not in (*SINK_OUTPUTS, "link__ready"))
        members: dict[str, Any] = options.clock_members(len(plan.network.processors))
        for i in range(len(plan.network.processors)):
            members.update(self._processor_members(i))
        members.update(exported_members(plan))
        super().__init__("axi_stream_network", members)

    def _processor_members(self, i: int) -> dict[str, wiring.Member]:
        source, sink = self._injector.part.signature.members, self._ejector.part.signature.members
        widths = self.options.data_widths(self.plan.flit_bits)
        own = {name: source[name] for name in (*self._source_inputs, *SOURCE_OUTPUTS)} | _each(In, widths)
        own |= self._tuser(In, source)
        members: dict[str, wiring.Member] = {}
        for source_port in self.plan.network.injection_names_of(i):
            members.update({f"s_axis_{source_port}_{name}": member for name, member in own.items()})
        names = (*self._sink_beat, "tvalid", "tready", *self._status_outputs)
        own = {name: sink[name] for name in names} | _each(Out, widths) | self._tuser(Out, sink)
        for output in self.plan.network.delivery_names_of(i):
            members.update({f"m_axis_{output}_{name}": member for name, member in own.items()})
        return members

    def _tuser(self, flow: Any, end: Any) -> dict[str, wiring.Member]:
        """Return the member ``tuser`` with the sideband above what an end has of it; none without a sideband."""
        own = end["tuser"].shape if "tuser" in end else 0
        return {"tuser": flow(own + self.options.user_bits)} if self.options.user_bits else {}

    def structure(self):
        structure = Structure(self)
        fabric = Fabric(structure, self.plan)
        connect_exported(structure, fabric, self.plan)
        ends = StreamEnds(structure, self.options)
        network = self.plan.network
        injections = zip(network.injection_names, network.injection_processors, fabric.injectors, strict=True)
        for name, processor, injector in injections:
            self._connect_source(structure, ends, name, processor, _replaced(structure, injector, self._injector))
        deliveries = zip(network.delivery_names, network.delivery_processors, fabric.ejectors, strict=True)
        for name, processor, ejector in deliveries:
            self._connect_sink(structure, ends, name, processor, _replaced(structure, ejector, self._ejector))
        return structure

    def _connect_source(
        self, structure: Structure, ends: StreamEnds, source: str, processor: int, injector: ModuleInstance
    ):
        constants = {"node": processor}
        if self.plan.addressing:
            constants["node_fields"] = self.plan.addressing.node_fields[processor]
        for port, value in constants.items():
            if port in injector.module.inputs:
                injector.tie(port, value)
        port = f"s_axis_{source}"
        widths = self.options.data_widths(self.plan.flit_bits)
        sideband = ("tuser",) if self.options.user_bits else ()
        names = dict.fromkeys((*self._source_beat, *widths, *sideband))
        beat: Beat = {name: structure.ports[f"{port}_{name}"] for name in names}
        beat = ends.packed(source, beat)
        valid, ready = structure.ports[f"{port}_tvalid"], injector.output("tready")
        if self.options.clocks != NETWORK:
            crossing_name = f"crossing_from_{source}"
            beat, valid, crossing = ends.crossed(crossing_name, processor, inward=True, beat=beat, valid=valid)
            crossing.connect("o__ready", ready)
            ready = crossing.output("i__ready")
        injector.connect("tvalid", valid)
        for name, bits in beat.items():
            injector.connect(name, bits)
        structure.outputs[f"{port}_tready"] = ready
        structure.outputs[f"{port}_error"] = ends.pulse(f"crossing_error_{source}", processor, injector.output("error"))

    def _connect_sink(
        self, structure: Structure, ends: StreamEnds, output: str, processor: int, ejector: ModuleInstance
    ):
        if self.plan.addressing and "unicast_key" in ejector.module.inputs:
            ejector.tie("unicast_key", self.plan.addressing.unicast_keys[processor])
        port = f"m_axis_{output}"
        beat: Beat = {name: ejector.output(name) for name in self._sink_beat}
        valid, ready, front = ejector.output("tvalid"), structure.ports[f"{port}_tready"], None
        if self.options.delivery_buffer_flits:
            beat, valid, front = ends.buffered(f"delivery_buffer_{output}", beat, valid)
            ejector.connect("tready", front.output("i__ready"))
        if self.options.clocks != NETWORK:
            name = f"crossing_to_{output}"
            beat, valid, crossing = ends.crossed(name, processor, inward=False, beat=beat, valid=valid)
            crossing.connect("o__ready", ready)
            ready = crossing.output("i__ready")
        if front:
            front.connect("o__ready", ready)
        else:
            ejector.connect("tready", ready)
        beat = ends.unpacked(output, beat)
        structure.outputs |= {f"{port}_{name}": bits for name, bits in {**beat, "tvalid": valid}.items()}
        for name in self._status_outputs:
            wire = ejector.output(name)
            structure.outputs[f"{port}_{name}"] = ends.pulse(f"crossing_{name}_{output}", processor, wire)


def _each(flow: Any, widths: dict[str, int]) -> dict[str, wiring.Member]:
    return {name: flow(width) for name, width in widths.items()}


def _endpoint_modules(
    plan: NetworkPlan, mode: str, options: StreamOptions, header_word_bits: int = 0
) -> tuple[SharedModule, SharedModule]:
    """Return the injector and the ejector."""
    endpoints, addressing = plan.endpoints, plan.addressing
    if endpoints is not None:
        if mode != TUSER:
            raise ValueError(f"Destination mode is {mode!r}; it must be {TUSER} in family {plan.family}")
        return SharedModule(endpoints.injector), SharedModule(endpoints.ejector)
    if addressing is None:
        raise ValueError(f"A network with AXI4-Stream endpoints must have addressing; family {plan.family} has none")
    if header_word_bits:
        injector = SharedModule(lambda: HeaderWordInjector(plan.header, addressing, header_word_bits))
        return injector, SharedModule(lambda: HeaderWordEjector(plan.header, header_word_bits))
    word_bits = options.word_bits(plan.flit_bits)
    injector = SharedModule(lambda: AxiStreamInjector(plan.header, addressing, mode, word_bits))
    return injector, SharedModule(lambda: AxiStreamEjector(plan.header))


def _replaced(structure: Structure, instance: ModuleInstance, module: SharedModule) -> ModuleInstance:
    """Replace an instance by another part on the same link, and return the new instance."""
    new = ModuleInstance(instance.name, module, instance.inputs, instance.outputs)
    structure.instances[structure.instances.index(instance)] = new
    return new


def plan_modes(plan: NetworkPlan) -> tuple[str, ...]:
    """Return the destination modes that a plan supports; empty if it has no AXI4-Stream endpoints."""
    if plan.endpoints is not None:
        return (TUSER,)
    return () if plan.addressing is None else destination_modes(plan.addressing)


def generate_axi_network(
    plan: NetworkPlan,
    mode: str,
    top: str = "noc",
    options: StreamOptions = NO_OPTIONS,
    generate: Generator = generate_design,
) -> GeneratedDesign:
    """Generate the Verilog of a network with AXI4-Stream endpoints. The same plan gives the same bytes.

    The manifest has one more entry, ``axi_stream``: mode, widths, and the names of the ports by node and channel.

    Parameters:
        plan: With ``addressing`` or ``endpoints``.
        mode: One of ``plan_modes``, see ``AxiStreamInjector``.
        top: Name of the top module, and prefix of all other module names.
        options: Clocks of the ports, and partial words.
        generate (function): ``generate_design``, or ``rtl.registers.top.generate_with_registers``.

    Raises:
        ValueError: If the plan has no addressing, the mode is not supported, flits have no bit for byte counts, or the
            name is no Verilog identifier.
    """
    extra = {"axi_stream": _manifest_entry(plan, mode, options)}
    generated = generate(lambda plan: AxiStreamTop(plan, mode, options), plan, top, extra)
    return generated if options.clocks == NETWORK else with_crossing_constraints(generated)


def _manifest_entry(plan: NetworkPlan, mode: str, options: StreamOptions) -> dict[str, Any]:
    processors = range(len(plan.network.processors))
    injector, ejector = _endpoint_modules(plan, mode, options)
    word_bits = options.word_bits(plan.flit_bits)
    return {
        "destination_mode": mode,
        "tdata_bits": word_bits,
        "tkeep_bits": word_bits // 8 if options.tkeep else 0,
        "tdest_bits": injector.inputs["tdest"],
        "tuser_bits": injector.inputs.get("tuser", 0),
        "tid_bits": ejector.outputs.get("tid", 0),
        "leading_words": set_words(plan.header, word_bits) if mode == LEADING_WORD else 0,
        "key_cycles": plan.addressing.key_cycles if plan.addressing else 0,
        "clocks": [options.clock_of(i) for i in processors],
        "inputs": [f"s_axis_{name}" for name in plan.network.injection_names],
        "outputs": [f"m_axis_{name}" for name in plan.network.delivery_names],
        **(plan.addressing.parameters if isinstance(plan.addressing, Addressing) else {}),
        **(plan.endpoints.parameters if plan.endpoints else {}),
        **({"user_bits": options.user_bits} if options.user_bits else {}),
        **({"delivery_buffer_flits": options.delivery_buffer_flits} if options.delivery_buffer_flits else {}),
    }
