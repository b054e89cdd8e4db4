"""Claims about the interface of an AXI4 manager, with all its parts but the store of writes."""

from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value

from rtl.axi4.manager import ManagerInterface
from rtl.axi4.ports import request_channel
from rtl.axi4.words import fields_of
from rtl.axi4.write_store import WriteStore
from rtl.parts.selection import concat
from tests.proofs.axi4_destinations import ADDRESS_BITS, PROCESSORS, REGIONS, WINDOWS, Destinations
from tests.proofs.axi4_rules import RequestPackets, Transfer, channel_payload, stays
from tests.proofs.axi4_transactions import Reads, Writes, ones
from tests.proofs.claims import Claims, Describe, Inside, started
from topology.axi4.address_map import AddressMap
from topology.axi4.words import Axi4Format, bits_of


def axi4_manager(
    id_bits: int,
    outstanding: int,
    windows: int,
    user_bits: int = 0,
    *,
    one_word: bool = False,
    pipelined: bool = False,
    copies: bool = False,
) -> Describe:
    """Claims about the interfaces of all three managers of a network, each of which has a region of its own."""

    def describe(claims: Claims) -> None:
        axi = Axi4Format(PROCESSORS, ADDRESS_BITS, 32, id_bits, user_bits, outstanding, windows)
        areas = AddressMap(REGIONS, WINDOWS[:windows], ADDRESS_BITS)
        request_bits = bits_of(axi.request_fields if one_word else axi.write_fields)
        part: Any = ManagerInterface(
            *(axi, areas, request_bits, axi.min_response_bits), pipelined=pipelined, copies=copies
        )
        claims.free_inputs(part, besides=("node", "reachable", "receivers"))
        inside = Inside(claims, part, left_out=[WriteStore])
        _Reference(claims, inside, part, axi, areas).prove()

    return describe


class _Request:
    """The request of a channel that has been taken and not started.

    Members:
        there: There is one.
        fields: By name.
        found: Its destination.
    """

    def __init__(self, reference: Any, channel: str):
        claims, part, axi = reference.claims, reference.part, reference.axi
        self.channel, self.part, self.claims = channel, part, claims
        self.port = reference.inside.placed[f"{channel}_port"]
        self.transactions = reference.inside.placed["writes" if channel == "aw" else "reads"]
        payload = channel_payload(part, axi, axi.id_bits, channel)
        self.transfer = Transfer(claims, part, channel, payload)
        claims.assume(self.transfer.stays)
        self.there: Any = Signal(name=f"{channel}_there")
        row: Any = Signal(len(payload), name=f"{channel}_row")
        with claims.m.If(self.transfer.goes):
            claims.m.d.sync += row.eq(payload)
        names = request_channel(channel, axi, axi.id_bits)
        self.fields: dict[str, Any] = fields_of(
            row, tuple((name.removeprefix(channel), bits) for name, bits in names.items())
        )
        self.now: dict[str, Any] = {name: getattr(part, f"{channel}{name}") for name in self.fields}
        self.found = reference.map.look_up(self.fields["addr"], f"{channel}_kept", writes=channel == "aw")
        self.found_now = reference.map.look_up(self.now["addr"], f"{channel}_now", writes=channel == "aw")

    def of(self, number: Any, fields: dict[str, Any]) -> Any:
        """Return whether a request has an ID."""
        return fields["id"] == number if "id" in fields else Const(1)

    def prove(self, leaves: Any) -> None:
        """Claim that the port takes one request, and holds it."""
        claims, channel = self.claims, self.channel
        claims.m.d.sync += self.there.eq(self.there & ~leaves | self.transfer.goes)
        ready = getattr(self.part, f"{channel}ready")
        claims.always("a request is taken unless one waits", ready == ~self.there & started(claims))
        claims.invariant("only a request that waits leaves", ~leaves | self.there)

    def tie(self, inside: Inside, busy: Any, ids: list[Any], targets: list[Any]) -> None:
        """Tie the port and the choice of a slot; slots have targets only if an ID may have several transactions."""
        claims, port, name = self.claims, self.port, f"{self.channel}_port"
        claims.invariant("a port holds a request", inside.register("held", name) == self.there)
        same = concat(getattr(port, field) == value for field, value in self.fields.items() if field != "lock").all()
        claims.invariant("a port has the fields", ~self.there | same)
        claims.invariant("only a held request is decoded", ~port.decoded | self.there)
        right = (port.found == self.found.found) & (port.destination == self.found.number)
        if hasattr(port, "multicast"):
            right &= port.multicast == self.found.multicast
        claims.invariant("a decoded request has its destination", ~port.decoded | right)
        granted, slot = self.transactions.granted, self.transactions.slot
        claims.invariant("a granted request is decoded", ~granted | port.decoded)
        own = self.transactions.target if targets else None
        conflicts = [self.of(ids[s], self.fields) & (targets[s] != own if targets else 1) for s in range(len(ids))]
        conflict = concat(busy[s] & (conflicts[s] | (slot == s)) for s in range(len(ids))).any()
        free = ~conflict & (slot < len(ids))
        claims.invariant("a granted request has a slot and an ID that are free", ~granted | free)
        pairs = [(s, t) for s in range(len(ids)) for t in range(s)]
        same_id = [busy[s] & busy[t] & (ids[s] == ids[t] if len(ids[s]) else Const(1)) for s, t in pairs]
        if targets:
            differ = [targets[s] != targets[t] for s, t in pairs]
            apart = concat(bit & other for bit, other in zip(same_id, differ, strict=True)).any()
            claims.invariant("an ID has one target", ~apart)
        else:
            one = ~concat(same_id).any()
            claims.always("an ID has one transaction under way in each direction", one)


class _Reference:
    """Requests, packets and answers as the manager and the networks see them."""

    def __init__(self, claims: Claims, inside: Inside, part: Any, axi: Axi4Format, areas: AddressMap):
        self.claims, self.inside, self.part, self.axi = claims, inside, part, axi
        self.slots = axi.outstanding
        self.map = Destinations(claims, part, areas)
        self.windows = len(areas.windows)
        self.pipelined, self.copies = part.pipelined, part.copies
        self.sender, self.receiver = inside.placed["sender"], inside.placed["receiver"]
        self.store = inside.placed["store"]
        self.requests = Transfer(claims, part, "request_t", concat((part.request_tdata, part.request_tlast)))
        self.responses = Transfer(claims, part, "response_t", concat((part.response_tdata, part.response_tlast)))
        claims.assume(self.responses.stays)
        self.aw, self.ar = _Request(self, "aw"), _Request(self, "ar")
        self.number: Any = claims.constant(max(1, axi.id_bits), "id_of_interest")
        self.sends = inside.state("sender")
        self.receives = inside.state("receiver")
        self._assume_store()
        self._follow_packets()
        self._follow_copies()
        self._follow_network()

    def _assume_store(self) -> None:
        """Assume what ``axi4_store`` proves."""
        claims, store = self.claims, self.store
        for port in (store.startable, store.word, store.last, store.valid, store.wready):
            claims.anything(port)
        claims.assume(stays(claims, store.valid, store.pop, concat((store.word, store.last)), "beat"))
        claims.assume(~claims.was(store.startable & ~store.pop, "startable") | store.startable)
        claims.assume(~store.startable | store.valid)

    def _follow_packets(self) -> None:
        claims, part = self.claims, self.part
        goes, last = self.requests.goes, part.request_tlast
        self.packets = packets = RequestPackets(claims, self.axi, part.request_tdata, goes, last)
        self.is_write: Any = claims.named(packets.fields["write"], "is_write")
        # Words above the present one are of an earlier packet, or of none
        self.slot: Any = claims.named(packets.fields["slot"], "slot_of_packet")
        self.sent_slot: Any = Signal(self.axi.slot_bits, name="sent_slot")
        self.sent_count: Any = Signal(PROCESSORS.bit_length(), name="sent_count")
        self.writes_complete: Any = claims.named(packets.complete & self.is_write, "write_fields_complete")
        self.reads_complete: Any = claims.named(packets.complete & ~self.is_write, "read_fields_complete")
        with claims.m.If(packets.complete):
            count = 1 if self.copies else self.aw.found.count
            claims.m.d.sync += [self.sent_slot.eq(self.slot), self.sent_count.eq(count)]
        self.dropped: Any = claims.named(self.sender.aw_pop & self.sender.failed, "write_dropped")
        self.failed: Any = claims.named(self.receiver.failed, "read_failed")
        self.tail: Any = claims.named(goes & packets.in_data & last, "tail_of_write")

    def _follow_copies(self) -> None:
        """Follow the start of a write, and the receivers that it still has to be sent to.

        Without copies a write starts and leaves the port with its last word of fields.
        """
        claims, m = self.claims, self.claims.m
        self.write_starts: Any = claims.named(self.writes_complete | self.dropped, "a_write_starts")
        self.write_leaves: Any = self.write_starts
        self.begun: Any = Const(0)
        self.unsent: Any = Const(0, PROCESSORS)
        if not self.copies:
            return
        self.write_starts = claims.named(self.sender.aw_start, "a_write_starts_with_copies")
        self.begun, self.unsent = Signal(name="write_has_begun"), Signal(PROCESSORS, name="unsent")
        one = (1 << self.part.request_tdest)[:PROCESSORS]
        rest = claims.named(Mux(self.writes_complete, self.unsent & ~one, self.unsent), "unsent_then")
        last = self.writes_complete & ~rest.any()
        self.write_leaves = claims.named(last | self.dropped, "a_write_leaves")
        begins = claims.named(self.write_starts & ~self.dropped, "a_write_begins")
        m.d.sync += [
            self.begun.eq(begins | self.begun & ~self.write_leaves),
            self.unsent.eq(Mux(begins, self.aw.found.receivers, rest)),
        ]

    def unsent_to(self, s: int) -> Any:
        """Return the answers that are not owed yet of a write with a slot, as its data are not sent."""
        if not self.copies:
            return Mux(self.packets.in_data & (self.sent_slot == s), self.sent_count, 0)
        current = self.inside.register("write_slot", "sender")
        return Mux((self.begun | self.packets.in_data) & (current == s), ones(self.unsent) + self.packets.in_data, 0)

    def _follow_network(self) -> None:
        """Follow answers that the network owes, and assume that it gives no others."""
        claims, part, axi, m = self.claims, self.part, self.axi, self.claims.m
        bits = PROCESSORS.bit_length()
        self.owed: list[Any] = [Signal(bits, name=f"owed_{s}") for s in range(self.slots)]
        self.reads_owed: Any = Signal(self.slots, name="reads_owed")
        self.lengths: list[Any] = [Signal(8, name=f"length_{s}") for s in range(self.slots)]
        self.in_read: Any = Signal(name="in_read")
        self.read_slot: Any = Signal(axi.slot_bits, name="read_slot")
        self.words_left: Any = Signal(8, name="words_left")
        head = fields_of(part.response_tdata, axi.response_fields)
        goes = self.responses.goes
        self.answered: Any = claims.named(goes & ~self.in_read & ~head["read"], "answered_reference")
        self.answered_slot, self.answer = head["slot"], head["resp"]
        self.read_begins: Any = claims.named(goes & ~self.in_read & head["read"], "read_begins")
        begins = self.read_begins
        for s in range(self.slots):
            now = self.answered & (head["slot"] == s)
            enters = Mux(self.tail & (self.sent_slot == s), self.sent_count, 0)
            m.d.sync += self.owed[s].eq(self.owed[s] + enters - now)
            with m.If(self.reads_complete & (self.slot == s)):
                m.d.sync += [self.reads_owed[s].eq(1), self.lengths[s].eq(self.ar.fields["len"])]
            with m.If(begins & (head["slot"] == s)):
                m.d.sync += [self.reads_owed[s].eq(0), self.words_left.eq(self.lengths[s])]
        ends = goes & self.in_read & part.response_tlast
        m.d.sync += self.in_read.eq(begins | self.in_read & ~ends)
        with m.If(begins):
            m.d.sync += self.read_slot.eq(head["slot"])
        with m.If(goes & self.in_read):
            m.d.sync += self.words_left.eq(self.words_left - 1)
        is_owed = concat(owed.any() for owed in self.owed)
        read = self._at(self.reads_owed, head["slot"]) & ~part.response_tlast
        write = self._at(is_owed, head["slot"]) & part.response_tlast
        first = Mux(head["read"], read, write) & (head["slot"] < self.slots)
        rest = part.response_tlast == (self.words_left == 0)
        claims.assume(~part.response_tvalid | Mux(self.in_read, rest, first))

    def _at(self, bits: Any, slot: Any) -> Any:
        """Return one bit of each slot."""
        return concat((slot == s) & bits[s] for s in range(self.slots)).any()

    def prove(self) -> None:
        """Claim everything."""
        claims, part, axi = self.claims, self.part, self.axi
        self.aw.prove(self.write_leaves)
        self.ar.prove(self.reads_complete | self.failed)
        claims.always("words of requests stay until they are taken", self.requests.stays)
        for channel in ("b", "r"):
            transfer = Transfer(claims, part, channel, channel_payload(part, axi, axi.id_bits, channel))
            claims.always(f"{channel.upper()} stays until it is taken", transfer.stays)
        self._prove_requests()
        self._prove_turns()
        self._tie_sender()
        if self.copies:
            self._prove_copies()
        Writes(self).prove()
        Reads(self).prove()

    def _prove_requests(self) -> None:
        """Claim what enters the network."""
        claims, part, packets, store = self.claims, self.part, self.packets, self.store
        offered = claims.named(part.request_tvalid & packets.in_fields, "fields_offered")
        begun = self.begun if self.copies else self.aw.there
        of = Mux(self.is_write, begun & self.aw.found.found, self.ar.there & self.ar.found.found)
        claims.always("a packet is of a request with a destination", ~offered | of)
        self.expected = expected = self._expected()
        mask = self._mask()
        bits = len(part.request_tdata)
        padding = Const(0, len(packets.row) - len(expected))
        row, masked = concat((expected, padding)), concat((mask, padding))
        for word in range(packets.words):
            low, high = word * bits, (word + 1) * bits
            same = (part.request_tdata & masked[low:high]) == (row[low:high] & masked[low:high])
            claims.always("fields are those of the request", ~(offered & (packets.position == word)) | same)
        last = part.request_tlast == ((packets.position == packets.words - 1) & ~self.is_write)
        claims.always("a read ends with its fields, a write does not", ~offered | last)
        self._prove_destination(offered)
        beat = (part.request_tdata == store.word) & (part.request_tlast == store.last) & store.valid
        claims.always("words behind the fields are the beats", ~(part.request_tvalid & packets.in_data) | beat)
        taken = self.requests.goes & packets.in_data
        dropping = store.valid & self.aw.there & ~self.aw.found.found & packets.in_fields & ~part.request_tvalid
        claims.always("a beat leaves the store with its word, or is dropped", ~store.pop | taken ^ dropping)
        claims.always("a word takes its beat from the store", ~taken | store.pop)
        claims.always("a write without destination ends with its last beat", ~self.dropped | store.pop & store.last)
        ends = store.pop & store.last & ~taken
        claims.always("the last beat that is dropped ends its write", ~ends | self.dropped)
        claims.possible("a write without destination is dropped", self.dropped)
        if self.windows and not self.copies:
            claims.possible("a multicast is sent", self.tail & (self.sent_count > 1))

    def _prove_destination(self, offered: Any) -> None:
        claims, part = self.claims, self.part
        receivers = Mux(self.is_write, self.aw.found.receivers, self.ar.found.receivers)
        sets = [part.request_tuser] if hasattr(part, "request_tuser") else []
        one = (1 << part.request_tdest)[:PROCESSORS]
        to = Mux(sets[0].any(), sets[0] & ~self.map.own, one) if sets else one
        right = to == receivers
        if self.copies:
            right = Mux(self.is_write, (one & self.unsent).any(), right)
        claims.always("a packet goes to the receivers of its address", ~offered | right)
        route = concat((part.request_tdest, *sets))
        first = Signal(len(route), name="route_of_packet")
        with claims.m.If(self.requests.goes & (self.packets.position == 0)):
            claims.m.d.sync += first.eq(route)
        behind = part.request_tvalid & self.packets.in_fields & (self.packets.position != 0)
        waits = claims.was(offered & ~part.request_tready, "fields_wait")
        kept = claims.was(route, "route")
        claims.always("all fields have one destination", ~behind | (route == first))
        claims.always("all fields have one destination", ~waits | (route == kept))

    def _expected(self) -> Any:
        """Return the fields that a packet must have, but for its slot."""
        parts = []
        for name, bits in self.axi.request_fields:
            if name in ("write", "multicast"):
                value = self.is_write if name == "write" else self.is_write & self.aw.found.multicast
            elif name == "source":
                value = self.map.node
            elif name == "slot":
                value = Const(0, bits)
            elif name == "addr":
                value = Mux(self.is_write, self.aw.found.address, self.ar.found.address)
            else:
                value = Mux(self.is_write, self.aw.fields[name], self.ar.fields[name])
            parts.append(Value.cast(value)[:bits])
        return self.claims.named(concat(parts), "expected_fields")

    def _mask(self) -> Any:
        return concat(Const(0 if name == "slot" else (1 << bits) - 1, bits) for name, bits in self.axi.request_fields)

    def _prove_turns(self) -> None:
        """Claim that reads and writes go in turn, and that the sender rests only without them."""
        claims, part, packets = self.claims, self.part, self.packets
        writes, reads = self.inside.placed["writes"], self.inside.placed["reads"]
        may_write = claims.named(writes.granted & self.store.startable, "may_write")
        may_read = claims.named(reads.granted & self.ar.found.found, "may_read")
        idle = claims.named(self.sends("IDLE"), "sender_is_idle")
        wrote: Any = Signal(name="wrote_last")
        begins = claims.was(idle, "was_idle") & ~idle
        writes_now = claims.named(Mux(part.request_tvalid, self.is_write, 1), "writes_now")
        with claims.m.If(begins):
            claims.m.d.sync += wrote.eq(writes_now)
        both = claims.was(may_write & may_read & idle, "both_might_go")
        claims.always("reads and writes go in turn", ~(both & begins) | (writes_now != wrote))
        any_one = claims.was((may_write | may_read) & idle, "one_might_go")
        claims.always("the sender rests only without a request", ~any_one | ~idle)
        writing = self.inside.register("write_last", "sender")
        fresh = Mux(begins, writes_now, wrote)
        claims.invariant("the sender keeps its turn", writing == fresh)
        claims.invariant("a packet begins behind its turn", ~begins | ~packets.in_data & (packets.position == 0))

    def _tie_sender(self) -> None:
        claims, packets, sends = self.claims, self.packets, self.sends
        writes, reads = self.inside.placed["writes"], self.inside.placed["reads"]
        position, writing = (self.inside.register(name, "sender") for name in ("position", "writes"))
        here = claims.named(sends("HEAD"), "sends_fields")
        claims.invariant("the sender is in the data", sends("BODY") == packets.in_data)
        claims.invariant("the sender counts words", ~here | (position == packets.position))
        claims.invariant("words are counted in fields alone", here | packets.in_data | (packets.position == 0))
        slot, start = writes.slot, writes.granted & self.aw.found.found
        if self.copies:
            slot, start = self.inside.register("write_slot", "sender"), self.begun & self.aw.found.found
        slot = Mux(writing, slot, reads.slot)
        known = Mux(writing, start, reads.granted & self.ar.found.found)
        claims.invariant("fields are sent of a granted request", ~here | known)
        kept = (packets.row[0] == writing) & (fields_of(packets.row, self.axi.request_fields)["slot"] == slot)
        claims.invariant("the first word is kept", ~here | (packets.position == 0) | kept)
        claims.invariant("data are of a write", ~sends("BODY") | writing)
        dropping = writes.granted & ~self.aw.found.found
        claims.invariant("a write that is dropped is granted", ~sends("DRAIN") | dropping)
        states = "IDLE", "HEAD", "BODY", "DRAIN", *(["COPY"] if self.copies else [])
        claims.invariant("there is a state", concat(sends(s) for s in states).any())

    def _prove_copies(self) -> None:
        """Claim that the store keeps the beats for all copies but the last one."""
        claims, store, sends, packets = self.claims, self.store, self.sends, self.packets
        more = self.unsent.any()
        claims.always("beats are kept for further copies", ~store.pop | (store.keep == more))
        again = store.pop & store.last & more
        claims.always("the store goes back behind a copy that is not the last", store.rewind == again)
        writing = self.inside.register("writes", "sender")
        left = self.inside.register("copies_left", "sender")[:PROCESSORS]
        one = (1 << self.part.request_tdest)[:PROCESSORS]
        here = claims.named(sends("HEAD") & writing, "sends_fields_of_write")
        due = (one & self.unsent).any() & (left == self.unsent & ~one)
        claims.invariant("the receiver has no copy yet", ~here | due)
        claims.invariant("copies are left", ~(sends("COPY") | sends("BODY")) | (left == self.unsent))
        quiet = sends("IDLE") | sends("DRAIN") | sends("HEAD") & ~writing
        claims.invariant("no copies are left of other requests", ~quiet | ~left.any() & ~self.unsent.any())
        begun = here | sends("COPY") | sends("BODY") & left.any()
        claims.invariant("a write has begun", self.begun == begun)
        some = self.unsent.any() & self.aw.found.multicast & writing
        claims.invariant("copies are of a window", ~sends("COPY") | some)
        claims.invariant("further copies are of a window", ~(self.begun & left.any()) | self.aw.found.multicast)
        port = self.inside.placed["aw_port"]
        claims.invariant("a write that has begun waits in the port", ~self.begun | port.decoded & self.aw.found.found)
        sent = self.inside.register("write_slot", "sender") == self.sent_slot
        claims.invariant("data have the slot of the write", ~packets.in_data | sent)
        within = (self.unsent & ~self.aw.found.receivers) == 0
        claims.invariant("copies go to receivers", ~self.begun | within)
        rewound: Any = Signal(name="rewound")
        claims.m.d.sync += rewound.eq(rewound | store.rewind)
        claims.possible("the second copy of a write is sent", self.tail & ~more & rewound)
