# amaranth: UnusedElaboratable=no
# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""The inside of every network top: routers, injectors and ejectors, wired as the topology says."""

from typing import Any

from amaranth.hdl import Const, Module, Signal
from amaranth.lib.wiring import connect

from rtl.common.ejector import MessageEjector
from rtl.common.injector import MessageInjector
from rtl.common.part import place
from rtl.common.plan import NetworkPlan


class Fabric:
    """Places and wires all routers, injectors and ejectors of a plan.

    Parameters
    ----------
    m : Module
        Where to put them.
    platform : object
        What ``elaborate`` was given.
    plan : NetworkPlan

    Members
    -------
    injectors, ejectors : list
        One interface per processor, as of ``MessageInjector`` and ``MessageEjector``; their user sides are open.
    moved : Signal, one bit per channel
        Bit c: a flit moved on channel c of the network in this cycle.
    """

    def __init__(self, m: Module, platform: object, plan: NetworkPlan):
        self._m: Any = m
        self._platform = platform
        self._plan = plan
        network = plan.network
        routers = [self._router(switch) for switch in range(network.switches)]
        processors = range(len(network.processors))
        self.injectors = [place(m, platform, f"injector_n{i}", MessageInjector(plan.header)) for i in processors]
        self.ejectors = [place(m, platform, f"ejector_n{i}", MessageEjector(plan.flit_bits)) for i in processors]
        self.moved: Any = Signal(len(network.channels))
        for channel in network.channels:
            source = self._source(routers, channel)
            connect(m, source, self._sink(routers, channel))
            self._m.d.comb += self.moved[channel.index].eq(source.valid & source.ready)

    def _router(self, switch: int):
        use = self._plan.routers[switch]
        router = place(self._m, self._platform, f"router_s{switch}", self._plan.shapes[use.shape]())
        for name, value in use.constants.items():
            port = getattr(router, name)
            self._m.d.comb += port.eq(Const(value, len(port)))
        return router

    def _source(self, routers, channel):
        network = self._plan.network
        if network.is_switch(channel.source):
            return routers[channel.source].outputs[channel.source_port]
        return self.injectors[channel.source - network.switches].link

    def _sink(self, routers, channel):
        network = self._plan.network
        if network.is_switch(channel.sink):
            return routers[channel.sink].inputs[channel.sink_port]
        return self.ejectors[channel.sink - network.switches].link

    def delivery_link(self, processor: int):
        """The link at whose sink a processor's ejector is."""
        return self.ejectors[processor].link
