"""Interface of an AXI4 subordinate: packets of the request network become transactions, answers go back.

A subordinate gets all its transactions with one ID, so it answers those of each channel in order, and its data beats
never alternate between reads. AW and W are offered side by side: it may wait for either of them.
"""

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out

from rtl.axi4.ports import axi4_members, request_channel
from rtl.axi4.words import fields_of
from rtl.parts.part import Part
from topology.axi4.words import Axi4Format, bits_of

ID_BITS = 1
"""IDs of subordinates are 0; tools expect the signals."""


class SubordinateInterface(Part):
    """Connects a subordinate to the networks. Throughput 1 beat per cycle in a burst.

    Parameters:
        axi
        request_bits, response_bits: Widths of the networks' words.
        pending: Transactions that the subordinate may have under way, in each direction.

    Members:
        awid, ..., rready: The AXI4 port.
        base (In(address_bits)): Address to which offset 0 of a window belongs, a constant. Absent without windows.
        request_tdata, ...: AXI4-Stream out of the request network.
        response_tdata, ...: AXI4-Stream into the response network. No ``response_tuser``.
    """

    def __init__(self, axi: Axi4Format, request_bits: int, response_bits: int, *, pending: int = 4):
        self.axi = axi
        self.request_bits = request_bits
        self.pending = pending
        members: dict[str, Any] = axi4_members(axi, ID_BITS, faces_manager=False)
        if axi.multicasts:
            members["base"] = In(axi.address_bits)
        members |= {f"request_{name}": In(bits) for name, bits in _stream(request_bits)}
        members["request_tready"] = Out(1)
        members |= {f"response_{name}": Out(bits) for name, bits in _stream(response_bits)}
        members |= {"response_tready": In(1), "response_tdest": Out(axi.node_bits)}
        super().__init__("axi4_subordinate", members)

    def elaborate(self, _platform):
        m: Any = Module()
        queues: dict[str, Any] = {}
        for name in ("writes", "reads"):
            queue = SyncFIFO(width=self.axi.node_bits + self.axi.slot_bits, depth=self.pending)
            m.submodules[name] = queues[name] = queue
        self._give_requests(m, queues)
        self._send_responses(m, queues)
        return m

    def _give_requests(self, m: Any, queues: dict[str, Any]) -> None:
        """Take packets; offer their requests and data."""
        words, bits = self.axi.request_words(self.request_bits), bits_of(self.axi.request_fields)
        row: Any = Signal(bits, name="request")
        fields = fields_of(row, self.axi.request_fields)
        position: Any = Signal(range(words))
        last_word: Any = Signal()
        fresh = Signal()  # the row has become a request
        m.d.comb += last_word.eq(position == words - 1 if words > 1 else 1)
        m.d.sync += [
            fresh.eq(0),
            self.awvalid.eq(self.awvalid & ~self.awready),
            self.arvalid.eq(self.arvalid & ~self.arready),
        ]
        self._connect_requests(m, fields)
        for name, write in (("writes", 1), ("reads", 0)):
            m.d.comb += [
                queues[name].w_en.eq(fresh & (fields["write"] == write)),
                queues[name].w_data.eq(Cat(fields["slot"], fields["source"])),
            ]
        room = queues["writes"].w_rdy & queues["reads"].w_rdy
        write = Signal()
        with m.FSM(name="requests"):
            with m.State("HEAD"):
                m.d.comb += self.request_tready.eq(~self.awvalid & ~self.arvalid & room)
                with m.If(self.request_tvalid & self.request_tready):
                    m.d.sync += position.eq(position + 1)
                    for word in range(words):
                        low, high = word * self.request_bits, min(bits, (word + 1) * self.request_bits)
                        with m.If(position == word):
                            m.d.sync += row[low:high].eq(self.request_tdata[: high - low])
                    m.d.comb += write.eq(self.request_tdata[0] if words == 1 else row[0])
                    with m.If(last_word):
                        m.d.sync += [position.eq(0), fresh.eq(1), self.awvalid.eq(write), self.arvalid.eq(~write)]
                        with m.If(write):
                            m.next = "BODY"
            with m.State("BODY"):
                m.d.comb += [self.wvalid.eq(self.request_tvalid), self.request_tready.eq(self.wready)]
                with m.If(self.request_tvalid & self.wready & self.request_tlast):
                    m.next = "HEAD"
        word = fields_of(self.request_tdata, self.axi.write_fields)
        m.d.comb += self.wlast.eq(self.request_tlast)
        m.d.comb += [getattr(self, f"w{name}").eq(value) for name, value in word.items()]

    def _connect_requests(self, m: Any, fields: dict[str, Any]) -> None:
        """Connect channels AW and AR to the same registers."""
        for channel in ("aw", "ar"):
            for port in request_channel(channel, self.axi, ID_BITS):
                name = port.removeprefix(channel)
                m.d.comb += getattr(self, port).eq(fields.get(name, 0))
        if self.axi.multicasts:
            m.d.comb += self.awaddr.eq(fields["addr"] | Mux(fields["multicast"], self.base, 0))

    def _send_responses(self, m: Any, queues: dict[str, Any]) -> None:
        """Send answers to their managers, those of writes and of reads in turn."""
        reads = Signal()
        read_last = Signal()
        reading = Signal()
        can_write, can_read = Signal(), Signal()
        owner = Mux(reads, queues["reads"].r_data, queues["writes"].r_data)
        slot = Value.cast(owner)[: self.axi.slot_bits]
        m.d.comb += [
            can_write.eq(self.bvalid & queues["writes"].r_rdy),
            can_read.eq(self.rvalid & queues["reads"].r_rdy),
            self.response_tdest.eq(Value.cast(owner)[self.axi.slot_bits :]),
        ]
        data = {"data": self.rdata, "resp": self.rresp}
        if self.axi.user_bits:
            data["user"] = self.ruser
        head = Cat(reads, slot, Mux(reads, 0, self.bresp))
        word = Cat(*(Value.cast(data[name]) for name, _ in self.axi.read_fields))
        m.d.comb += self.response_tdata.eq(Mux(reading, word, head))
        with m.FSM(name="responses"):
            with m.State("IDLE"):
                m.d.sync += reads.eq(can_read & ~(can_write & read_last))
                with m.If(can_read | can_write):
                    m.next = "HEAD"
            with m.State("HEAD"):
                m.d.sync += read_last.eq(reads)
                m.d.comb += [self.response_tvalid.eq(1), self.response_tlast.eq(~reads)]
                with m.If(self.response_tready):
                    with m.If(reads):
                        m.next = "BODY"
                    with m.Else():
                        m.d.comb += [self.bready.eq(1), queues["writes"].r_en.eq(1)]
                        m.next = "IDLE"
            with m.State("BODY"):
                m.d.comb += [
                    reading.eq(1),
                    self.response_tvalid.eq(self.rvalid),
                    self.response_tlast.eq(self.rlast),
                    self.rready.eq(self.response_tready),
                ]
                with m.If(self.rvalid & self.rready & self.rlast):
                    m.d.comb += queues["reads"].r_en.eq(1)
                    m.next = "IDLE"


def _stream(word_bits: int) -> tuple[tuple[str, int], ...]:
    return (("tdata", word_bits), ("tvalid", 1), ("tlast", 1))
