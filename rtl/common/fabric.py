# amaranth: UnusedElaboratable=no
# (specimens of parts only say what ports there are)
"""The inside of every network top: routers, injectors and ejectors, wired as the topology says."""

from rtl.common.ejector import MessageEjector
from rtl.common.injector import MessageInjector
from rtl.common.monitor import TransferMonitor
from rtl.common.plan import NetworkPlan
from rtl.common.structure import Constant, Kind, Slice, Structure, Use, connect_link
from rtl.common.table_layout import switch_tables
from rtl.common.table_store import TableStore
from topology.common.channels import Channel


class Fabric:
    """Places and wires all routers, injectors and ejectors of a plan.

    Parameters
    ----------
    structure : Structure
        Where to put them.
    plan : NetworkPlan

    Members
    -------
    injectors, ejectors : list of Use
        One ``MessageInjector`` per processor and one ``MessageEjector`` per channel into a processor, in the order of
        ``delivery_channels``; their user sides are open.
    valid, ready, tail : tuple of wires, one bit per channel
        Handshake of each channel, and the tail bit of the flit on it.
    moved : Wire, one bit per channel
        Bit c: a flit moved on channel c of the network in this cycle.
    table_stores : list of Use
        One ``TableStore`` per switch if tables are loadable, else none; their chain is open.
    """

    def __init__(self, structure: Structure, plan: NetworkPlan):
        self._structure = structure
        self._plan = plan
        network = plan.network
        used = {use.shape for use in plan.routers}
        shapes = {name: Kind(make) for name, make in plan.shapes.items() if name in used}
        self._tables = switch_tables(plan) if plan.loadable_tables else []
        self.table_stores: list[Use] = []
        self._routers = [self._router(switch, shapes) for switch in range(network.switches)]
        for wire in plan.side_wires:
            self._routers[wire.sink].connect(wire.input, self._routers[wire.source].output(wire.output))
        processors = range(len(network.processors))
        injector = Kind(lambda: MessageInjector(plan.header))
        ejector = Kind(lambda: MessageEjector(plan.flit_bits))
        self.injectors = [structure.use(f"injector_n{i}", injector) for i in processors]
        self.ejectors = [structure.use(f"ejector_{name}", ejector) for name in network.delivery_names]
        self._ejector_at = dict(zip(network.delivery_channels, self.ejectors, strict=True))
        valid, ready, tail = [], [], []
        for channel in network.channels:
            (source, source_port), (sink, sink_port) = self._source(channel), self._sink(channel)
            connect_link(source, source_port, sink, sink_port)
            valid.append(source.output(f"{source_port}__valid"))
            ready.append(sink.output(f"{sink_port}__ready"))
            payload = source.output(f"{source_port}__payload")
            tail.append(Slice(payload, payload.width - 1, 1))
        self.valid, self.ready, self.tail = tuple(valid), tuple(ready), tuple(tail)
        monitor = structure.use("channels", Kind(lambda: TransferMonitor(len(network.channels))))
        monitor.connect("valid", self.valid)
        monitor.connect("ready", self.ready)
        self.moved = monitor.output("moved")

    def _router(self, switch: int, shapes: dict[str, Kind]) -> Use:
        use = self._plan.routers[switch]
        router = self._structure.use(f"router_s{switch}", shapes[use.shape])
        loaded = self._tables[switch].offsets if self._tables else {}
        for port, value in use.constants.items():
            if port not in loaded:
                router.connect(port, Constant(value, router.kind.inputs[port]))
        if loaded:
            bits = self._tables[switch].bits
            self.table_stores.append(self._structure.use(f"tables_s{switch}", Kind(lambda: TableStore(bits))))
            table = self.table_stores[-1].output("table")
            for port, (low, width) in loaded.items():
                router.connect(port, Slice(table, low, width))
        return router

    def _source(self, channel: Channel) -> tuple[Use, str]:
        """Where a channel starts: instance and port."""
        network = self._plan.network
        if network.is_switch(channel.source):
            return self._routers[channel.source], f"outputs__{channel.source_port}"
        return self.injectors[channel.source - network.switches], "link"

    def _sink(self, channel: Channel) -> tuple[Use, str]:
        """Where a channel ends: instance and port."""
        network = self._plan.network
        if network.is_switch(channel.sink):
            return self._routers[channel.sink], f"inputs__{channel.sink_port}"
        return self._ejector_at[channel.index], "link"

    def router_output(self, switch: int, port: str):
        """An output of a router that is no link."""
        return self._routers[switch].output(port)

    def delivered_flit(self, delivery: int):
        """The payload of one of the ``delivery_channels``."""
        return self.ejectors[delivery].inputs["link__payload"]
