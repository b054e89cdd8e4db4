"""Claims about the interface of an AXI4 subordinate."""

from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value

from rtl.axi4.subordinate import ID_BITS, SubordinateInterface
from rtl.axi4.words import fields_of
from rtl.parts.selection import concat, either
from tests.proofs.axi4_rules import RequestPackets, Transfer, channel_payload, stream_payload
from tests.proofs.claims import Claims, Describe, Inside
from tests.proofs.links import ReferenceQueue
from topology.axi4.words import Axi4Format, bits_of

PROCESSORS, ADDRESS_BITS = 3, 15


def axi4_subordinate(
    pending: int, windows: int, user_bits: int = 0, outstanding: int = 2, *, one_word: bool = False
) -> Describe:
    """Claims about the interface of a subordinate with some transactions under way in each direction."""

    def describe(claims: Claims) -> None:
        axi = Axi4Format(PROCESSORS, ADDRESS_BITS, 32, 0, user_bits, outstanding, windows)
        request_bits = bits_of(axi.request_fields if one_word else axi.write_fields)
        part: Any = SubordinateInterface(axi, request_bits, axi.min_response_bits, pending=pending)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        _Reference(claims, inside, part, axi).prove()

    return describe


class _Reference:
    """Requests in the order of their packets, and the transactions that the subordinate has under way."""

    def __init__(self, claims: Claims, inside: Inside, part: Any, axi: Axi4Format):
        self.claims, self.inside, self.part, self.axi = claims, inside, part, axi
        self.requests = Transfer(claims, part, "request_t", concat((part.request_tdata, part.request_tlast)))
        self.responses = Transfer(claims, part, "response_t", stream_payload(part, "response"))
        self.channels = {
            name: Transfer(claims, part, name, channel_payload(part, axi, ID_BITS, name))
            for name in ("aw", "w", "b", "ar", "r")
        }
        self.packets = RequestPackets(claims, axi, part.request_tdata, self.requests.goes, part.request_tlast)
        self.kept = fields_of(self.packets.row, axi.request_fields)
        self._assume_packets()
        self.writes, self.reads = _Queue(self, "writes", 1), _Queue(self, "reads", 0)
        self._assume_answers()

    def _assume_packets(self) -> None:
        """Assume whole packets: those of a read without data, those of a write with ``len`` + 1 beats."""
        claims, part, packets = self.claims, self.part, self.packets
        self.beats: Any = Signal(8, name="beats_of_write")
        with claims.m.If(self.requests.goes):
            claims.m.d.sync += self.beats.eq(Mux(packets.in_data, self.beats + 1, 0))
        claims.assume(self.requests.stays)
        last = Mux(
            packets.in_data,
            self.beats == self.kept["len"],
            (packets.position == packets.words - 1) & ~packets.fields["write"],
        )
        claims.assume(~part.request_tvalid | (part.request_tlast == last))
        if self.axi.windows:
            claims.never_changes(part.base)
            apart = (packets.fields["addr"] & part.base) == 0
            claims.assume(~(packets.in_fields & packets.fields["multicast"]) | apart)

    def _assume_answers(self) -> None:
        """Assume answers of requests that have been given, in order, a write's behind its last beat."""
        claims, part, channels = self.claims, self.part, self.channels
        self.given = {name: Signal(range(part.pending + 2), name=f"{name}_given") for name in ("aw", "w", "ar")}
        steps = {
            "aw": (channels["aw"].goes, channels["b"].goes),
            "w": (channels["w"].goes & part.wlast, channels["b"].goes),
            "ar": (channels["ar"].goes, channels["r"].goes & part.rlast),
        }
        for name, (more, fewer) in steps.items():
            claims.m.d.sync += self.given[name].eq(self.given[name] + more - fewer)
        for name in ("b", "r"):
            claims.assume(channels[name].stays)
        begun = self.given["aw"].any() | channels["aw"].goes  # a timeout answers as it takes the request
        claims.assume(~part.bvalid | begun & self.given["w"].any())
        self.read_beats: Any = Signal(8, name="beats_of_read")
        with claims.m.If(channels["r"].goes):
            claims.m.d.sync += self.read_beats.eq(Mux(part.rlast, 0, self.read_beats + 1))
        last = self.read_beats == self.reads.first["len"]
        claims.assume(~part.rvalid | self.given["ar"].any() & (part.rlast == last))

    def prove(self) -> None:
        """Claim everything."""
        claims, part, channels = self.claims, self.part, self.channels
        for name in ("aw", "w", "ar"):
            claims.always(f"{name.upper()} stays until it is taken", channels[name].stays)
        claims.always("words of responses stay until they are taken", self.responses.stays)
        self._prove_requests()
        self._prove_data()
        self._prove_responses()
        self._prove_turns()
        self._tie()
        for queue in (self.writes, self.reads):
            queue.prove()
        claims.possible("a write of two beats is answered", channels["b"].goes & (self.kept["len"] == 1))
        claims.possible("a read of two beats is answered", channels["r"].goes & part.rlast & (self.read_beats == 1))
        claims.possible("data go before their request", channels["w"].goes & part.awvalid)

    def _prove_requests(self) -> None:
        claims, part, packets, channels = self.claims, self.part, self.packets, self.channels
        self.there = {}
        for name, queue in (("aw", self.writes), ("ar", self.reads)):
            there: Any = Signal(name=f"{name}_there")
            claims.m.d.sync += there.eq(queue.enters | there & ~channels[name].goes)
            self.there[name] = there
            claims.always("each packet gives one request", getattr(part, f"{name}valid") == there)
            for field in ("len", "size", "burst", "cache", "prot", "qos", "user"):
                if field in self.kept:
                    same = getattr(part, f"{name}{field}") == self.kept[field]
                    claims.always("requests have the fields of their packets", ~there | same)
            nothing = ~(getattr(part, f"{name}id").any() | getattr(part, f"{name}lock"))
            claims.always("all requests have one ID, and none is exclusive", nothing)
        address = self.kept["addr"]
        claims.always("a read has the address of its packet", ~self.there["ar"] | (part.araddr == address))
        if self.axi.windows:
            address = Mux(self.kept["multicast"], (part.base + address)[: len(address)], address)
        claims.always(
            "a write has the address of its packet, that of a window from the base",
            ~self.there["aw"] | (part.awaddr == address),
        )
        free = ~self.there["aw"] & ~self.there["ar"]
        room = (self.writes.held < part.pending) & (self.reads.held < part.pending)
        taken = part.request_tready == (free & room)
        claims.always("fields wait for the request before them and for room alone", ~packets.in_fields | taken)

    def _prove_data(self) -> None:
        claims, part, packets = self.claims, self.part, self.packets
        offered = part.wvalid == (packets.in_data & part.request_tvalid)
        claims.always("words behind the fields are the beats", offered)
        word = fields_of(part.request_tdata, self.axi.write_fields)
        same = concat(getattr(part, f"w{name}") == value for name, value in word.items()).all()
        claims.always("beats have the words of their packet", ~part.wvalid | same)
        claims.always(
            "the last beat is marked, and no other", ~part.wvalid | (part.wlast == (self.beats == self.kept["len"]))
        )
        claims.always("a word leaves with its beat", ~packets.in_data | (part.request_tready == part.wready))

    def _prove_responses(self) -> None:
        """Claim that answers go to the oldest request, one for each."""
        claims, part, channels = self.claims, self.part, self.channels
        self.in_data: Any = Signal(name="in_response_data")
        head = fields_of(part.response_tdata, self.axi.response_fields)
        self.is_read: Any = claims.named(head["read"], "answers_read")
        goes = self.responses.goes
        with claims.m.If(goes):
            claims.m.d.sync += self.in_data.eq(~part.response_tlast)
        first = claims.named(part.response_tvalid & ~self.in_data, "head_offered")
        write, read = (
            claims.named(first & ~self.is_read, "write_answered"),
            claims.named(first & self.is_read, "read_answered"),
        )
        rest = claims.named(part.response_tvalid & self.in_data, "data_offered")
        oldest = {True: self.reads.first, False: self.writes.first}
        for is_read, here in ((False, write), (True, read)):
            to = (head["slot"] == oldest[is_read]["slot"]) & (part.response_tdest == oldest[is_read]["source"])
            claims.always("an answer goes to the source and the slot of the oldest request", ~here | to)
        claims.always(
            "all words of an answer go to one source", ~rest | (part.response_tdest == self.reads.first["source"])
        )
        claims.always("no answer comes before the subordinate's", ~write | part.bvalid)
        claims.always("no answer comes before the subordinate's", ~(read | rest) | part.rvalid)
        claims.always(
            "an answer of a write has its response, in one word",
            ~write | (head["resp"] == part.bresp) & part.response_tlast,
        )
        claims.always("an answer of a read goes on behind its first word", ~read | ~part.response_tlast)
        word = fields_of(part.response_tdata, self.axi.read_fields)
        same = concat(getattr(part, f"r{name}") == value for name, value in word.items()).all()
        claims.always(
            "words of a read are its beats, to the last one", ~rest | same & (part.response_tlast == part.rlast)
        )
        claims.always("B is taken with its word", channels["b"].goes == goes & write)
        claims.always("R is taken with its word", channels["r"].goes == goes & rest)

    def _prove_turns(self) -> None:
        """Claim that answers of reads and of writes go in turn, and that none rests."""
        claims, part = self.claims, self.part
        idle = claims.named(self.inside.state(fsm="responses")("IDLE"), "sender_is_idle")
        begins = claims.named(claims.was(idle, "was_idle") & ~idle, "answer_begins")
        read_last: Any = Signal(name="read_answered_last")
        with claims.m.If(self.responses.goes & ~self.in_data):
            claims.m.d.sync += read_last.eq(self.is_read)
        write = part.bvalid & self.given["aw"].any()
        both = claims.was(write & part.rvalid & idle, "both_might_go")
        claims.always("answers of reads and of writes go in turn", ~(both & begins) | (self.is_read != read_last))
        some = claims.was((write | part.rvalid) & idle, "one_might_go")
        claims.always("no answer rests", ~some | part.response_tvalid)
        kept = self.inside.register("read_last")
        here = self.inside.state(fsm="responses")("HEAD") & ~begins
        claims.invariant("the turn is kept", Mux(here, kept == self.inside.register("reads"), kept == read_last))

    def _tie(self) -> None:
        claims, inside, packets = self.claims, self.inside, self.packets
        takes, sends = inside.state(fsm="requests"), inside.state(fsm="responses")
        claims.invariant("the interface is in the data", takes("BODY") == packets.in_data)
        claims.invariant("words are counted", inside.register("position") == Mux(packets.in_data, 0, packets.position))
        row = inside.register("request")
        bits = len(self.part.request_tdata)
        whole = packets.in_data | self.there["aw"] | self.there["ar"]
        for word in range(packets.words):
            low, high = word * bits, min(packets.bits, (word + 1) * bits)
            known = whole | (packets.position > word)
            claims.invariant("words are kept", ~known | (row[low:high] == packets.row[low:high]))
        fresh = inside.register("fresh")
        claims.invariant("a new request waits", ~fresh | Mux(self.kept["write"], self.there["aw"], self.there["ar"]))
        claims.invariant("requests wait one by one", ~(self.there["aw"] & self.there["ar"]))
        claims.invariant("a request that waits is the last packet's", ~self.there["aw"] | self.kept["write"])
        claims.invariant(
            "a request that waits is the last packet's", ~self.there["ar"] | ~self.kept["write"] & ~packets.in_data
        )
        claims.invariant("data are of a write", ~packets.in_data | self.kept["write"])
        claims.invariant(
            "no fields come while a request waits",
            ~(self.there["aw"] | self.there["ar"]) | packets.in_data | (packets.position == 0),
        )
        claims.invariant("the sender is in the data", sends("BODY") == self.in_data)
        reads, head = inside.register("reads"), sends("HEAD")
        claims.invariant("data are of a read", ~sends("BODY") | reads)
        queued = [inside.register("level", name).any() for name in ("writes", "reads")]
        claims.invariant("a word is sent of a queued request", ~head | Mux(reads, queued[1], queued[0]))
        claims.invariant("there is a state", concat(sends(s) for s in ("IDLE", "HEAD", "BODY")).any())
        claims.invariant(
            "a word is sent of an answer that waits", ~head | Mux(reads, self.part.rvalid, self.part.bvalid)
        )
        claims.invariant("an answer of a read has not begun", ~(head & reads) | (self.read_beats == 0))
        under_way = self.given["aw"] + self.there["aw"] == self.writes.held
        claims.invariant("writes are counted", under_way)
        claims.invariant("data of writes are counted", self.given["w"] + packets.in_data == self.writes.held)
        claims.invariant("reads are counted", self.given["ar"] + self.there["ar"] == self.reads.held)
        begun = self.in_data | (self.read_beats == 0)
        claims.invariant("beats are of a read that is answered", begun & (~self.in_data | self.given["ar"].any()))


class _Queue:
    """Requests of one direction that have not been answered, the oldest one in front.

    Members:
        held: Their number.
        enters: A packet's last word of fields is taken.
        first: Fields of the oldest one.
    """

    def __init__(self, reference: _Reference, name: str, write: int):
        self.reference, self.name = reference, name
        claims, part, packets = reference.claims, reference.part, reference.packets
        fields = packets.fields
        self.enters: Any = claims.named(packets.complete & (fields["write"] == write), f"{name}_enter")
        channel = reference.channels["b" if write else "r"]
        leaves = claims.named(channel.goes if write else channel.goes & part.rlast, f"{name}_leave")
        axi = reference.axi
        self.layout = (("slot", axi.slot_bits), ("source", axi.node_bits), ("len", 8))
        self.owner_bits = axi.slot_bits + axi.node_bits
        entry = concat(fields[field] for field, _ in self.layout)
        self.queue = queue = ReferenceQueue(claims, part.pending + 1, self.enters, entry, leaves)
        queue.held.name = f"{name}_held"
        for k, row in enumerate(queue.row):
            row.name = f"{name}_row_{k}"
        self.held = queue.held
        self.first = fields_of(queue.row[0], self.layout)

    def prove(self) -> None:
        """Claim the limit of requests, and tie the queue to them."""
        reference, name = self.reference, self.name
        claims, inside, depth = reference.claims, reference.inside, reference.part.pending
        claims.always("no more requests than allowed are under way", self.held <= depth)
        claims.possible(f"as many {name} as allowed are under way", self.held == depth)
        level = inside.register("level", name)
        consume = inside.register("consume", name) if depth > 1 else Const(0)
        produce = inside.register("produce", name) if depth > 1 else Const(0)
        write = reference.kept["write"] == (name == "writes")
        fresh = inside.register("fresh") & write
        claims.invariant("requests are queued", level + fresh == self.held)
        due = consume + level
        claims.invariant("pointers are apart by the requests", produce == Mux(due >= depth, due - depth, due))
        claims.invariant("a pointer is in the queue", (consume < depth) & (level <= depth))
        rows = [inside.memory_row(k, name) for k in range(depth)]
        for k in range(depth):
            here = either([Mux(consume == at, rows[(at + k) % depth], 0) for at in range(depth)])
            same = Value.cast(here) == self.queue.row[k][: self.owner_bits]
            claims.invariant("requests keep their owners", (level <= k) | same)
        newest = concat((reference.kept["slot"], reference.kept["source"]))
        for k in range(depth):
            same = self.queue.row[k][: self.owner_bits] == newest
            claims.invariant("a new request has its owner", ~(fresh & (level == k)) | same)
