"""Takes requests of a manager from channel AW or AR, and finds their destinations in the address map."""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.axi4.ports import axi4_members, request_channel
from rtl.parts.part import Part
from rtl.parts.selection import either
from topology.axi4.address_map import AddressMap, Window
from topology.axi4.words import Axi4Format


class AddressPort(Part):
    """One request of a channel, and its destination.

    A request is taken in cycle t, ``held`` is high from t + 1 and ``found`` and its like are valid from t + 2, when
    ``decoded`` is high.

    Parameters:
        axi
        areas: The address map.
        channel: ``aw``, or ``ar``, which does not reach windows.

    Members:
        awid, ..., awready: The channel. ``awready`` is a register.
        reachable (In(areas)): Targets that this manager reaches, a constant.
        id, len, ... (Out): Fields of the request. Registers.
        decoded (Out(1)): The next outputs are valid. All are registers.
        found (Out(1)): Some target has the address, and the manager reaches it.
        multicast (Out(1)): It is a window. Absent without windows.
        destination (Out): Processor, or number of the window.
        pop (In(1)): Drop the request. Only with ``decoded``.
    """

    def __init__(self, axi: Axi4Format, areas: AddressMap, channel: str):
        self.axi = axi
        self.areas = areas
        self.channel = channel
        self.windows = len(areas.windows) if channel == "aw" else 0
        self.targets = len(areas.regions) + self.windows
        fields = {name.removeprefix(channel): bits for name, bits in request_channel(channel, axi, axi.id_bits).items()}
        fields.pop("lock")
        self.fields = fields
        bits = max([axi.node_bits, *([(self.windows - 1).bit_length()] if self.windows else [])])
        members: dict[str, Any] = axi4_members(axi, axi.id_bits, faces_manager=True, only=channel)
        members |= {"reachable": In(self.targets), **{name: Out(width) for name, width in fields.items()}}
        members |= {"decoded": Out(1), "found": Out(1), "destination": Out(bits), "pop": In(1)}
        if self.windows:
            members["multicast"] = Out(1)
        super().__init__(f"axi4_{channel}_port", members)

    def elaborate(self, _platform):
        m: Any = Module()
        valid, ready = (getattr(self, f"{self.channel}{name}") for name in ("valid", "ready"))
        held = Signal()
        take = Signal()
        m.d.comb += take.eq(valid & ready)
        m.d.sync += [
            ready.eq(~(held | take) | self.pop),
            held.eq((held | take) & ~self.pop),
            self.decoded.eq(held & ~self.pop),
        ]
        with m.If(take):
            for name in self.fields:
                register = getattr(self, name)
                m.d.sync += register.eq(getattr(self, f"{self.channel}{name}"))
        hits = self._hits(m)
        m.d.sync += self.found.eq((hits & self.reachable).any())
        numbers = []
        for target, area in enumerate(self.areas.areas[: self.targets]):
            number = target - len(self.areas.regions) if isinstance(area, Window) else area.processor
            numbers.append(Mux(hits[target], Const(number, len(self.destination)), 0))
        m.d.sync += self.destination.eq(either(numbers))
        if self.windows:
            m.d.sync += self.multicast.eq(hits[len(self.areas.regions) :].any())
        return m

    def _hits(self, m: Any) -> Any:
        hits: Any = Signal(self.targets)
        address: Any = self.addr
        for target, area in enumerate(self.areas.areas[: self.targets]):
            low = area.size.bit_length() - 1
            m.d.comb += hits[target].eq(address[low:] == area.base >> low if low < self.axi.address_bits else 1)
        return hits
