"""A network with AXI4 ends as a component for designs in Amaranth."""

import re
from typing import TYPE_CHECKING, Any

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rtl.axi4.network import MANAGER, SUBORDINATE, Axi4Plan, Axi4Top
from rtl.axi4.signature import Axi4Signature
from rtl.axi4.subordinate import ID_BITS


class Axi4Network(wiring.Component):
    """Both networks and all AXI4 interfaces, in clock domain ``sync``.

    Latency and throughput are those of the networks, docs/do/axi4.md.

    Parameters:
        plan: The hardware.

    Members:
        manager_n{i} (In(Axi4Signature)): Port for the manager of processor i.
        subordinate_n{i} (Out(Axi4Signature)): Port for the subordinate of processor i.
        managers, subordinates (dict of int to interface): The ports by processor.
        others: All other ports of the network, under their names: ``m_axi_n2_error``.
    """

    if TYPE_CHECKING:
        # the members of the signature are attributes, which a type checker does not see
        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, plan: Axi4Plan):
        self._top = Axi4Top(plan)
        ports = self._top.signature.members
        kinds = (("manager", In, plan.managers, plan.axi.id_bits), ("subordinate", Out, plan.subordinates, ID_BITS))
        members: dict[str, Any] = {
            f"{kind}_n{i}": flow(
                Axi4Signature(plan.axi, id_bits, lite=i in plan.lite, masks=plan.axi.masks and flow == In)
            )
            for kind, flow, processors, id_bits in kinds
            for i in processors
        }
        of_channels = re.compile(rf"({MANAGER}|{SUBORDINATE})_n\d+_(aw|w|b|ar|r)[a-z]+")
        self._others = [name for name in ports if not of_channels.fullmatch(name)]
        super().__init__(members | {name: ports[name] for name in self._others})
        self.managers = {i: getattr(self, f"manager_n{i}") for i in plan.managers}
        self.subordinates = {i: getattr(self, f"subordinate_n{i}") for i in plan.subordinates}

    def elaborate(self, _platform):
        m: Any = Module()
        m.submodules.network = self._top
        for prefix, ends in ((MANAGER, self.managers), (SUBORDINATE, self.subordinates)):
            for i, port in ends.items():
                self._connect(m, f"{prefix}_n{i}_", port)
        for name in self._others:
            self._join(m, name, getattr(self, name))
        return m

    def _connect(self, m: Any, prefix: str, port: Any) -> None:
        for channel in port.signature.members:
            stream = getattr(port, channel)
            wires = {"valid": stream.valid, "ready": stream.ready}
            wires |= {name: stream.payload[name] for name in stream.payload.shape().members}
            for name, wire in wires.items():
                self._join(m, f"{prefix}{channel}{name}", wire)

    def _join(self, m: Any, name: str, wire: Any) -> None:
        """Connect a port of the network."""
        inside: Any = getattr(self._top, name)
        is_input = self._top.signature.members[name].flow == In
        m.d.comb += inside.eq(wire) if is_input else wire.eq(inside)
