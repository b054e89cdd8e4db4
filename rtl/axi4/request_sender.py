"""Sends a manager's requests into the network.

========  ===============================================================================  ===============
state     what happens                                                                     cycles
========  ===============================================================================  ===============
``IDLE``  chooses a read or a write, in turn                                               1
``COPY``  chooses the receiver of the next copy of a write to a window                     1 per copy
``HEAD``  sends the words of fields                                                        1 per word
``BODY``  sends the data of a write                                                        1 per beat
``NEXT``  goes to the next piece of a write, which has more responses to come              1 per piece
``DRAIN`` drops the data of a write without destination, and answers it                    1 per beat, + 1
========  ===============================================================================  ===============

In a network without multicasts a write to a window is sent to its receivers one after the other.

A burst may be cut into pieces, each with a request of its own. Those of a write follow each other. A piece of a read is
sent when the response to the one before has ended, since messages may overtake each other.
"""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.axi4.write_copies import WriteCopies
from rtl.parts.part import Part
from rtl.parts.selection import concat, packed, table_row
from topology.axi4.address_map import AddressMap
from topology.axi4.words import Axi4Format, bits_of

WRITE, READ = "aw", "ar"


class RequestSender(Part):
    """Makes AXI4-Stream packets of requests. Throughput 1 word per cycle in a packet.

    Parameters:
        axi
        areas: The address map.
        word_bits: Width of the request network's words.
        destination_bits: Width of ``aw_destination``.
        copies: Writes to windows are sent as copies.
        cut_beats: Most beats of a piece of a burst, a power of two; 0 for whole bursts.

    Members:
        node (In): Number of the manager's processor, a constant.
        aw_granted, ar_granted (In(1)): A request may start. It has ``aw_found`` and ``aw_multicast``,
            ``aw_destination``, ``aw_slot`` and the fields ``aw_len`` and so on; those of a read likewise. All stay
            until ``aw_pop`` or ``ar_pop`` (Out(1)).
        aw_start (Out(1)): The write starts. Only with copies or pieces; otherwise it starts with ``aw_pop``.
        ar_start (Out(1)): The read starts. Only with pieces; otherwise it starts with ``ar_pop``.
        aw_more, ar_more (In(1)), aw_advance, ar_advance (Out(1)): See ``AddressPort``, whose ``piece_len`` is
            ``aw_len`` or ``ar_len``. Only with pieces, as all that follows here.
        sending (Out(1)), write_slot (Out): A write of several pieces is not sent to its end.
        reading (Out(1)), read_slot (Out): Neither is a read.
        piece_ended (In(1)): The response to a piece of this read has ended.
        failed (Out(1)): The write that starts has no destination.
        answering (In(1)): No such write may start in this cycle.
        startable, word, last, valid (In), pop (Out(1)): See ``WriteStore``.
        keep, rewind (Out(1)): See ``WriteStore``. Only with copies.
        tdata, tvalid, tready, tlast, tdest, tuser: Packets for the network. No ``tuser`` without windows or with
            copies.
    """

    def __init__(
        self,
        axi: Axi4Format,
        areas: AddressMap,
        word_bits: int,
        destination_bits: int,
        *,
        copies: bool = False,
        cut_beats: int = 0,
    ):
        self.axi = axi
        self.areas = areas
        self.word_bits = word_bits
        self.copies = copies
        self.cut_beats = cut_beats
        own = ("write", "multicast", "source", "slot")
        self._fields = tuple((name, bits) for name, bits in axi.request_fields if name not in own)
        members: dict[str, Any] = {"node": In(axi.node_bits), "failed": Out(1), "answering": In(1)}
        for channel in (WRITE, READ):
            members |= {f"{channel}_granted": In(1), f"{channel}_found": In(1), f"{channel}_pop": Out(1)}
            members |= {f"{channel}_slot": In(axi.slot_bits)}
            members |= {f"{channel}_{name}": In(bits) for name, bits in self._fields}
        members |= {"aw_destination": In(destination_bits), "ar_destination": In(axi.node_bits)}
        members |= {"startable": In(1), "word": In(bits_of(axi.write_fields)), "last": In(1), "valid": In(1)}
        members |= {"pop": Out(1), "tdata": Out(word_bits), "tvalid": Out(1), "tready": In(1), "tlast": Out(1)}
        members["tdest"] = Out(axi.node_bits)
        if axi.multicasts:
            members["aw_multicast"] = In(1)
        if axi.masks:
            members["aw_set"] = In(len(areas.regions))
        if copies or cut_beats:
            members["aw_start"] = Out(1)
        if cut_beats:
            members |= {f"{channel}_more": In(1) for channel in (WRITE, READ)}
            members |= {f"{channel}_advance": Out(1) for channel in (WRITE, READ)}
            members |= {"sending": Out(1), "write_slot": Out(axi.slot_bits)}
            members |= {"ar_start": Out(1), "reading": Out(1), "read_slot": Out(axi.slot_bits), "piece_ended": In(1)}
        if copies:
            members |= {"keep": Out(1), "rewind": Out(1)}
        elif axi.multicasts:
            members["tuser"] = Out(axi.processors)
        super().__init__(f"axi4_request_sender_w{word_bits}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        cut, words = self.cut_beats > 0, self.axi.request_words(self.word_bits)
        self._write_slot: Any = self.write_slot if cut else Signal(self.axi.slot_bits, name="write_slot")
        self._piece_end = self._find_piece_end(m)
        self._writes, self._write_last, self._last_word = (
            Signal(name=n) for n in ("writes", "write_last", "last_word")
        )
        self._position: Any = Signal(range(words), name="position")
        m.d.comb += self._last_word.eq(self._position == words - 1 if words > 1 else 1)
        self._copies = WriteCopies(m, self.axi, self.areas, self._window, self.node) if self.copies else None
        self._more = self._copies.more if self._copies else Const(0)
        self._route(m)
        may_write, may_read = self._find_requests(m)
        with m.FSM():
            with m.State("IDLE"):
                m.d.sync += self._position.eq(0)
                with m.If(may_write & ~(may_read & self._write_last)):
                    self._start_write(m)
                with m.Elif(may_read):
                    self._start_read(m)
            if self._copies:
                m.d.comb += [self.keep.eq(self._more), self.rewind.eq(self.pop & self._piece_end & self._more)]
                with m.State("COPY"):
                    self._copies.choose()
                    m.d.sync += self._position.eq(0)
                    m.next = "HEAD"
            with m.State("HEAD"):
                self._send_fields(m, words)
            with m.State("BODY"):
                self._send_data(m)
            if cut:
                with m.State("NEXT"):
                    m.d.sync += self._position.eq(0)
                    m.d.comb += self.aw_advance.eq(1)
                    self._begin_packet(m)
            with m.State("DRAIN"):
                self._drop_data(m)
        return m

    def _find_piece_end(self, m: Any) -> Any:
        """Return whether the first beat in the store is the last one of a piece."""
        if not self.cut_beats:
            return self.last
        beats: Any = Signal(range(self.cut_beats))
        end: Any = Signal(name="piece_end")
        m.d.comb += end.eq(self.last | (beats == self.cut_beats - 1))
        with m.If(self.pop):
            m.d.sync += beats.eq(Mux(end, 0, beats + 1))
        return end

    def _route(self, m: Any) -> None:
        """Drive the destinations of packets."""
        to, copies = self.aw_destination, self._copies
        if copies:
            to = Mux(self.aw_multicast, copies.destination, to)
        m.d.comb += self.tdest.eq(Mux(self._writes, to, self.ar_destination))
        if self.axi.multicasts and not copies:
            row = self._destinations(m)
            m.d.comb += self.tuser.eq(Mux(self._writes & self.aw_multicast, row, 0))

    def _find_requests(self, m: Any) -> tuple[Any, Any]:
        """Return whether a write and whether a read could start; for a read of pieces, its next piece."""
        can_write, can_read = Signal(), Signal()
        m.d.comb += [
            can_write.eq(self.aw_granted & self.startable),
            can_read.eq(self.ar_granted & self.ar_found),
        ]
        if self.cut_beats:
            self._due = Signal(name="due")  # the next piece of a read may be sent
            m.d.comb += self.ar_advance.eq(self.piece_ended)
            with m.If(self.piece_ended):
                m.d.sync += self._due.eq(1)
            with m.If(self.reading):
                m.d.comb += can_read.eq(self._due)
        return can_write, can_read

    def _start_write(self, m: Any) -> None:
        m.d.sync += [self._writes.eq(1), self._write_last.eq(1)]
        with m.If(self.aw_found):
            self._begin_packet(m)
            if self.copies or self.cut_beats:
                m.d.comb += self.aw_start.eq(1)
                m.d.sync += self._write_slot.eq(self.aw_slot)
            if self.cut_beats:
                m.d.sync += self.sending.eq(self.aw_more)
        with m.Else():
            m.next = "DRAIN"

    def _begin_packet(self, m: Any) -> None:
        """Go to the fields of a write, or to the first of its copies."""
        m.next = "HEAD"
        if self._copies:
            with m.If(self.aw_multicast):
                self._copies.begin()
                m.next = "COPY"

    def _start_read(self, m: Any) -> None:
        m.d.sync += [self._writes.eq(0), self._write_last.eq(0)]
        m.next = "HEAD"
        if self.cut_beats:
            m.d.sync += self._due.eq(0)
            with m.If(~self.reading):
                m.d.sync += self.read_slot.eq(self.ar_slot)

    def _send_fields(self, m: Any, words: int) -> None:
        m.d.comb += [self.tvalid.eq(1), self.tdata.eq(self._header(m, words))]
        m.d.comb += self.tlast.eq(self._last_word & ~self._writes)
        with m.If(self.tready):
            m.d.sync += self._position.eq(self._position + 1)
            with m.If(self._last_word):
                self._end_fields(m)
                with m.If(self._writes):
                    m.next = "BODY"
                with m.Else():
                    m.next = "IDLE"

    def _end_fields(self, m: Any) -> None:
        """Take the request from its port, unless there are other packets of it."""
        writes, more = self._writes, self._more
        if not self.cut_beats:
            m.d.comb += [self.aw_pop.eq(writes & ~more), self.ar_pop.eq(~writes)]
            return
        m.d.comb += [
            self.aw_pop.eq(writes & ~more & ~self.aw_more),
            self.ar_pop.eq(~writes & ~self.ar_more),
            self.ar_start.eq(~writes & ~self.reading),
        ]
        with m.If(self.aw_pop):
            m.d.sync += self.sending.eq(0)
        with m.If(~writes):
            m.d.sync += self.reading.eq(self.ar_more)

    def _send_data(self, m: Any) -> None:
        m.d.comb += [self.tvalid.eq(self.valid), self.tdata.eq(self.word), self.tlast.eq(self._piece_end)]
        m.d.comb += self.pop.eq(self.valid & self.tready)
        with m.If(self.pop & self._piece_end):
            m.next = "IDLE"
            if self.cut_beats:
                with m.If(self.sending):
                    m.next = "NEXT"
            if self.copies:
                with m.If(self._more):
                    m.next = "COPY"

    def _drop_data(self, m: Any) -> None:
        """Drop the data of a write without destination, the last beat together with the answer."""
        m.d.comb += [
            self.failed.eq(1),
            self.pop.eq(self.valid & ~(self.last & self.answering)),
            self.aw_pop.eq(self.pop & self.last),
        ]
        if self.copies or self.cut_beats:
            m.d.comb += self.aw_start.eq(self.aw_pop)
        with m.If(self.aw_pop):
            m.next = "IDLE"

    @property
    def _window(self) -> Any:
        """Number of a write's window."""
        return self.aw_destination[: (self.axi.windows - 1).bit_length()]

    def _destinations(self, m: Any) -> Any:
        """Return the destination set of a write to several receivers."""
        count = self.axi.processors
        if self.axi.masks:
            numbers = {region.processor: i for i, region in enumerate(self.areas.regions)}
            return concat(self.aw_set[numbers[i]] if i in numbers else Const(0) for i in range(count))
        masks = [sum(1 << processor for processor in window.processors) for window in self.areas.windows]
        return table_row(m, Const(packed(masks, count), self.axi.windows * count), self._window, count, "mask")

    def _write_address(self, m: Any) -> Any:
        """Return the address of a write, and its offset if it goes to a window."""
        if not self.axi.multicasts:
            return self.aw_addr
        bits, offset = self.axi.address_bits, Signal(self.axi.address_bits)
        if self.axi.masks:
            row: Any = self.areas.regions[0].size - 1
        else:
            sizes = Const(packed([w.size - 1 for w in self.areas.windows], bits), self.axi.windows * bits)
            row = table_row(m, sizes, self._window, bits, "offset")
        m.d.comb += offset.eq(self.aw_addr & Mux(self.aw_multicast, row, (1 << bits) - 1))
        return offset

    def _header(self, m: Any, words: int) -> Any:
        """Return the word of fields that is sent."""

        def field(name: str, bits: int) -> Any:
            if name in ("write", "source"):
                return self._writes if name == "write" else self.node
            if name == "multicast":
                return self._writes & self.aw_multicast
            write = self._write_address(m) if name == "addr" else getattr(self, f"aw_{name}")
            read = getattr(self, f"ar_{name}")
            if name == "slot":  # a request that has started stays if there are other packets of it
                write = self._write_slot if self.copies or self.cut_beats else write
                read = self.read_slot if self.cut_beats else read
            return Mux(self._writes, write, read)[:bits]

        row: Any = Signal(words * self.word_bits, name="fields")
        m.d.comb += row.eq(Cat(*(Value.cast(field(name, bits)) for name, bits in self.axi.request_fields)))
        return table_row(m, row, self._position, self.word_bits, "header") if words > 1 else row
