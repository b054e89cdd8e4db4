# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""AXI4-Stream ejector: strips the header from the messages that arrive at a node, and keeps the fields for the user."""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out, connect, flipped

from rtl.parts.ejector import MessageEjector
from rtl.parts.flit import link_signature
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat
from topology.common.flits import HeaderFormat
from topology.common.part_headers import PartsFormat

SOURCE, BROADCAST = "source", "broadcast"
"""Header fields that an ejector reads: the sender, and whether a packet has several receivers."""


class AxiStreamEjector(Part):
    """Delivers the bodies of messages to the user as AXI4-Stream packets.

    A header has no length field. But a multicast's key is never the unicast key of a node that it reaches, so the
    first field distinguishes a unicast, whose header names no set, from a multicast, whose header has a fixed length
    or marks its last flit. Families without sets have a header field ``broadcast`` instead, or no packets with several
    receivers.

    Latency 1 cycle from link to ``tdata``; throughput 1 flit per cycle, header flits included. A message without body
    gives no packet.

    Parameters:
        header: Header format of the network.

    Members:
        unicast_key (In): Key of a message to this node alone, a constant. Present only if headers may have a bit
            string, and no field ``broadcast``.
        link (In(link_signature)): The delivery channel. ``ready`` is a register.
        tdata, tvalid, tready, tlast: The AXI4-Stream. ``tdata``, ``tvalid`` and ``tlast`` depend on registers only.
        tid (Out): The packet's sender, constant in all its beats. A register. Absent if headers have no field
            ``source``.
        tuser (Out(1)): Whether the packet has several receivers, constant in all its beats. A register. Absent if
            headers have neither a bit string nor a field ``broadcast``.
    """

    def __init__(self, header: HeaderFormat):
        self.header = header
        fields = dict(header.fields)
        self.compares_keys = header.destinations > 0 and BROADCAST not in fields
        self.multicasts = self.compares_keys or BROADCAST in fields
        super().__init__(
            "axi_stream_ejector",
            {
                **({"unicast_key": In(header.fields[0][1])} if self.compares_keys else {}),
                "link": In(link_signature(header.flit_bits)),
                "tdata": Out(header.flit_bits),
                "tvalid": Out(1),
                "tready": In(1),
                "tlast": Out(1),
                **({"tid": Out(fields[SOURCE])} if SOURCE in fields else {}),
                **({"tuser": Out(1)} if self.multicasts else {}),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        ejector = instantiate(m, platform, "ejector", MessageEjector(self.header.flit_bits))
        connect(m, flipped(self.link), ejector.link)
        flit = ejector.user.payload
        in_body = Signal()
        taken = Signal()
        m.d.comb += [
            self.tdata.eq(flit.data),
            self.tlast.eq(flit.tail),
            self.tvalid.eq(ejector.user.valid & in_body),
            ejector.user.ready.eq(~in_body | self.tready),
            taken.eq(ejector.user.valid & ejector.user.ready),
        ]
        at = self._positions(m, flit, taken)
        multicast = self._keep_fields(m, flit, at, taken & ~in_body)
        if self.header.multicast_flits == 1:
            m.d.comb += in_body.eq(~flit.head)
            return m
        last = Signal()
        longest, shortest = at[self.header.multicast_flits - 1], at[self.header.unicast_flits - 1]
        if isinstance(self.header, PartsFormat):
            longest = longest | concat(at[self.header.unicast_flits :]).any() & flit.data[self.header.last_bit]
        m.d.comb += last.eq(Mux(multicast, longest, shortest))
        with m.If(taken & flit.tail):
            m.d.sync += in_body.eq(0)
        with m.Elif(taken & last):
            m.d.sync += in_body.eq(1)
        return m

    def _positions(self, m, flit, taken) -> list[Any]:
        """Return one bit per header flit: the flit is in the header at that position."""
        count = self.header.multicast_flits
        if count == 1:
            return [flit.head]
        position = Signal(range(count))  # undefined for the first flit, and in bodies
        with m.If(taken):
            m.d.sync += position.eq(Mux(flit.head, 1, position + 1))
        return [flit.head, *(~flit.head & (position == number) for number in range(1, count))]

    def _keep_fields(self, m, flit, at, taken) -> Any:
        """Register the fields for the user; return whether the header, as far as it has arrived, is a multicast's."""
        fields = dict(self.header.fields)
        if SOURCE in fields:
            sender: Any = Signal(fields[SOURCE], name="sender", reset_less=True)
            m.d.comb += self.tid.eq(sender)
            for number, low, part in self._pieces(flit, SOURCE):
                with m.If(taken & at[number]):
                    m.d.sync += sender[low : low + len(part)].eq(part)
        if not self.multicasts:
            return Const(0)
        multicast = Signal()
        if BROADCAST in fields:
            ((number, _, bit),) = self._pieces(flit, BROADCAST)
            m.d.comb += multicast.eq(Mux(at[number], bit, self.tuser))
        else:
            differs: Any = Const(0)  # the key is not this node's unicast key
            for number, low, part in self._pieces(flit, self.header.fields[0][0]):
                differs = differs | (at[number] & (part != self.unicast_key[low : low + len(part)]))
            m.d.comb += multicast.eq(~flit.head & self.tuser | differs)
        with m.If(taken):
            m.d.sync += self.tuser.eq(multicast)
        return multicast

    def _pieces(self, flit, name: str) -> list[tuple[int, int, Any]]:
        """Return the position of a field in the header: flit, lowest bit of the piece in the field, and the piece."""
        flit_bits, names = self.header.flit_bits, [field for field, _ in self.header.fields]
        start = sum(width for _, width in self.header.fields[: names.index(name)])
        width, low, pieces = dict(self.header.fields)[name], 0, []
        while low < width:
            number, offset = divmod(start + low, flit_bits)
            size = min(width - low, flit_bits - offset)
            pieces.append((number, low, flit.data[offset : offset + size]))
            low += size
        return pieces
