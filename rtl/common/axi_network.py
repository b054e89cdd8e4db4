# amaranth: UnusedElaboratable=no
# (a top that is written as text is not elaborated)
"""A network with AXI4-Stream endpoints."""

from typing import Any

from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from rtl.common.axi_ejector import AxiStreamEjector
from rtl.common.axi_injector import TUSER, AxiStreamInjector, set_words, tuser_bits
from rtl.common.fabric import Fabric
from rtl.common.network import GeneratedDesign, generate_design
from rtl.common.optional_ports import connect_optional, optional_members
from rtl.common.plan import NetworkPlan
from rtl.common.structure import Constant, Kind, StructuralPart, Structure, Use
from topology.common.flits import bits_for

SOURCE_INPUTS = ("tdata", "tvalid", "tlast", "tdest", "tuser")
SOURCE_OUTPUTS = ("tready", "error")
SINK_OUTPUTS = ("tdata", "tvalid", "tlast")


class AxiStreamTop(StructuralPart):
    """A whole network with one AXI4-Stream input and one output per processor.

    Parameters
    ----------
    plan : NetworkPlan
        With ``addressing``.
    mode : str
        How packets name their destinations, see ``AxiStreamInjector``.

    Members
    -------
    s_axis_n{i}_tdata, _tvalid, _tready, _tlast, _tdest, _tuser
        Packets of node i into the network.
    s_axis_n{i}_error : Out(1)
        High for one cycle when a packet of node i can go nowhere and is swallowed.
    m_axis_n{i}_tdata, _tvalid, _tready, _tlast
        Packets that arrive at node i. If it has several delivery channels: ``m_axis_n{i}_c{k}_tdata`` and so on.
    moved : Out(channels)
        Bit c: a flit moved on channel c in this cycle. Channels are numbered as in ``Network.channels`` and in the
        manifest.
    counters_enable, counters_clear, counters_address, counters_data
        Bus of the channel counters, see ``ChannelCounters``; only if the plan wants them.
    tables_load, tables_data, tables_out
        Chain of the table stores, see ``TableStore``; only if tables are loadable. Load them under reset.
    others
        Outputs of the plan's status parts, ``{name}_{output}``.

    Raises
    ------
    ValueError
        If the plan says nothing about addressing, or there is no such mode.
    """

    def __init__(self, plan: NetworkPlan, mode: str):
        if plan.addressing is None:
            raise ValueError(
                f"A network with AXI4-Stream endpoints must have addressing; family {plan.family} has none"
            )
        addressing = self.addressing = plan.addressing
        self.plan = plan
        self.mode = mode
        self._injector = Kind(lambda: AxiStreamInjector(plan.header, addressing, mode))
        self._ejector = Kind(lambda: AxiStreamEjector(plan.header))
        members: dict[str, Any] = {}
        for i in range(len(plan.network.processors)):
            members.update(self._processor_members(i))
        members["moved"] = Out(len(plan.network.channels))
        members.update(optional_members(plan))
        super().__init__("axi_stream_network", members)

    def _processor_members(self, i: int) -> dict[str, wiring.Member]:
        source, sink = self._injector.part.signature.members, self._ejector.part.signature.members
        members = {f"s_axis_n{i}_{name}": source[name] for name in (*SOURCE_INPUTS, *SOURCE_OUTPUTS)}
        for output in self.plan.network.delivery_names_of(i):
            members.update({f"m_axis_{output}_{name}": sink[name] for name in (*SINK_OUTPUTS, "tready")})
        return members

    def structure(self):
        structure = Structure(self)
        fabric = Fabric(structure, self.plan)
        structure.outputs["moved"] = fabric.moved
        connect_optional(structure, fabric, self.plan)
        for i, injector in enumerate(fabric.injectors):
            self._connect_source(structure, i, _replaced(structure, injector, self._injector))
        network = self.plan.network
        deliveries = zip(network.delivery_names, network.delivery_processors, fabric.ejectors, strict=True)
        for name, processor, ejector in deliveries:
            self._connect_sink(structure, name, processor, _replaced(structure, ejector, self._ejector))
        return structure

    def _connect_source(self, structure: Structure, i: int, injector: Use):
        for port, value in (("node", i), ("node_fields", self.addressing.node_fields[i])):
            if port in injector.kind.inputs:
                injector.connect(port, Constant(value, injector.kind.inputs[port]))
        for name in SOURCE_INPUTS:
            injector.connect(name, structure.ports[f"s_axis_n{i}_{name}"])
        for name in SOURCE_OUTPUTS:
            structure.outputs[f"s_axis_n{i}_{name}"] = injector.output(name)

    def _connect_sink(self, structure: Structure, output: str, processor: int, ejector: Use):
        if "unicast_key" in ejector.kind.inputs:
            key = Constant(self.addressing.unicast_keys[processor], ejector.kind.inputs["unicast_key"])
            ejector.connect("unicast_key", key)
        ejector.connect("tready", structure.ports[f"m_axis_{output}_tready"])
        for name in SINK_OUTPUTS:
            structure.outputs[f"m_axis_{output}_{name}"] = ejector.output(name)


def _replaced(structure: Structure, use: Use, kind: Kind) -> Use:
    """Another part in the place of an instance, at the same link."""
    new = Use(use.name, kind, use.inputs, use.outputs)
    structure.uses[structure.uses.index(use)] = new
    return new


def generate_axi_network(plan: NetworkPlan, mode: str, top: str = "noc") -> GeneratedDesign:
    """Make the Verilog of a network with AXI4-Stream endpoints. The same plan gives the same bytes.

    The manifest has one more entry, ``axi_stream``: mode, widths, and the names of the ports by node.

    Parameters
    ----------
    plan : NetworkPlan
        With ``addressing``.
    mode : str
        ``tuser`` or ``leading-word``, see ``AxiStreamInjector``.
    top : str
        Name of the top module, and prefix of all other module names.

    Raises
    ------
    ValueError
        If the plan says nothing about addressing, there is no such mode, or the name is no Verilog identifier.
    """
    extra = {"axi_stream": _manifest_entry(plan, mode)}
    return generate_design(lambda plan: AxiStreamTop(plan, mode), plan, top, extra)


def _manifest_entry(plan: NetworkPlan, mode: str) -> dict[str, Any]:
    header, processors = plan.header, range(len(plan.network.processors))
    return {
        "destination_mode": mode,
        "tdata_bits": header.flit_bits,
        "tdest_bits": bits_for(header.destinations),
        "tuser_bits": tuser_bits(header, mode),
        "leading_words": 0 if mode == TUSER else set_words(header),
        "key_cycles": plan.addressing.key_cycles if plan.addressing else 0,
        "inputs": [f"s_axis_n{i}" for i in processors],
        "outputs": [f"m_axis_{name}" for name in plan.network.delivery_names],
    }
