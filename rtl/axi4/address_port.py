"""Takes requests of a manager from channel AW or AR, and finds their destinations in the address map."""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.axi4.ports import axi4_members, request_channel
from rtl.parts.part import Part
from rtl.parts.selection import concat, either
from topology.axi4.address_map import MIN_SIZE, AddressMap, Window
from topology.axi4.words import INCR, LENGTH_BITS, Axi4Format


class AddressPort(Part):
    """One request of a channel, and its destination.

    A request is taken in cycle t, ``held`` is high from t + 1 and ``found`` and its like are valid from t + 2, when
    ``decoded`` is high.

    Parameters:
        axi
        areas: The address map.
        channel: ``aw``, or ``ar``, which does not reach windows.
        cut_beats: Most beats of a piece of a burst, a power of two; 0 for whole bursts.

    Members:
        awid, ..., awready: The channel. ``awready`` is a register.
        reachable (In(areas)): Targets that this manager reaches, a constant.
        id, len, ... (Out): Fields of the request. Registers.
        decoded (Out(1)): The next outputs are valid. All are registers.
        found (Out(1)): Some target has the address, the manager reaches it, and it takes bursts, if this is one.
        multicast (Out(1)): It is a window. Absent without windows.
        destination (Out): Processor, or number of the window.
        set (Out(regions)): Regions that the write goes to. Only in channel AW with masks. Then ``multicast`` is high
            for masks besides 0, and no ``destination`` belongs to it.
        pop (In(1)): Drop the request. Only with ``decoded``.
        piece_len (Out(8)), more (Out(1)), advance (In(1)): Length of the first piece that is left, in the coding of
            ``len``; others follow; ``addr`` and ``len`` become those without the first piece. Functions of registers.
            Only with ``cut_beats``.
    """

    def __init__(self, axi: Axi4Format, areas: AddressMap, channel: str, *, cut_beats: int = 0):
        self.axi = axi
        self.areas = areas
        self.channel = channel
        self.cut_beats = cut_beats
        self.windows = len(areas.windows) if channel == "aw" else 0
        self.targets = len(areas.regions) + self.windows
        fields = {name.removeprefix(channel): bits for name, bits in request_channel(channel, axi, axi.id_bits).items()}
        fields.pop("lock")
        self.fields = fields
        self.masks = axi.masks and channel == "aw"
        bits = max([axi.node_bits, *([(self.windows - 1).bit_length()] if self.windows else [])])
        members: dict[str, Any] = axi4_members(axi, axi.id_bits, faces_manager=True, only=channel, masks=axi.masks)
        members |= {"reachable": In(self.targets), **{name: Out(width) for name, width in fields.items()}}
        members |= {"decoded": Out(1), "found": Out(1), "destination": Out(bits), "pop": In(1)}
        if self.windows or self.masks:
            members["multicast"] = Out(1)
        if self.masks:
            members["set"] = Out(self.targets)
        if cut_beats:
            members |= {"piece_len": Out(LENGTH_BITS), "more": Out(1), "advance": In(1)}
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
                given = getattr(self, f"{self.channel}{name}")
                m.d.sync += register.eq(given[self.axi.address_bits :] if self.masks and name == "user" else given)
        if self.cut_beats:
            self._cut(m)
        mask = self._mask(m, take) if self.masks else None
        hits = self._hits(m, mask)
        single = sum(self.areas.single(target) << target for target in range(self.targets))
        usable = self.reachable
        if single:
            usable &= ~Mux(self.len.any(), Const(single, self.targets), 0)
        m.d.sync += self.found.eq((hits & usable).any())
        numbers = []
        for target, area in enumerate(self.areas.areas[: self.targets]):
            number = target - len(self.areas.regions) if isinstance(area, Window) else area.processor
            numbers.append(Mux(hits[target], Const(number, len(self.destination)), 0))
        m.d.sync += self.destination.eq(either(numbers))
        if self.windows:
            m.d.sync += self.multicast.eq(hits[len(self.areas.regions) :].any())
        if mask is not None:
            low = self.areas.regions[0].size.bit_length() - 1
            m.d.sync += [self.multicast.eq(mask.any()), self.set.eq(hits & usable)]
            with m.If(mask[:low].any()):
                m.d.sync += self.found.eq(0)
        return m

    def _cut(self, m: Any) -> None:
        """Give the first piece; advance to the next one. A burst does not cross a boundary of 4,096 bytes."""
        low = self.cut_beats.bit_length() - 1
        length, address, size = (Value.cast(getattr(self, name)) for name in ("len", "addr", "size"))
        bits = MIN_SIZE.bit_length() - 1
        widest = self.axi.strobe_bits.bit_length() - 1
        step = concat(size == bit - low if low <= bit <= low + widest else Const(0) for bit in range(bits))
        aligned = concat(address[bit] & (size <= bit) if bit < widest else address[bit] for bit in range(bits))
        m.d.comb += [
            self.more.eq(length[low:].any()),
            self.piece_len.eq(Mux(self.more, self.cut_beats - 1, length[:low])),
        ]
        with m.If(self.advance):
            m.d.sync += length[low:].eq(length[low:] - 1)
            with m.If(self.burst == INCR):
                m.d.sync += address[:bits].eq(aligned + step)

    def _mask(self, m: Any, take: Any) -> Any:
        """Return the mask of the request."""
        mask = Signal(self.axi.address_bits, name="mask")
        with m.If(take):
            m.d.sync += mask.eq(self.awuser[: self.axi.address_bits])
        return mask

    def _hits(self, m: Any, mask: Any) -> Any:
        hits: Any = Signal(self.targets)
        address: Any = self.addr
        for target, area in enumerate(self.areas.areas[: self.targets]):
            low = area.size.bit_length() - 1
            if mask is not None:
                differs = (address[low:] ^ area.base >> low) & ~mask[low:]
                m.d.comb += hits[target].eq(~differs[: self.axi.address_bits - low].any())
            else:
                m.d.comb += hits[target].eq(address[low:] == area.base >> low if low < self.axi.address_bits else 1)
        return hits
