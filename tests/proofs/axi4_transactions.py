"""Claims about transactions of an AXI4 manager: channels B and R, slots, and the collector of answers."""

from typing import Any

from amaranth.asserts import AnySeq
from amaranth.hdl import Const, Mux, Signal

from rtl.axi4.words import fields_of
from rtl.parts.selection import concat, either
from tests.proofs.axi4_destinations import PROCESSORS
from tests.proofs.claims import at_most_one
from topology.axi4.words import DECERR, RESPONSE_BITS


def ones(bits: Any) -> Any:
    """Return the number of bits that are set."""
    return sum((bit for bit in bits), Const(0))


class _Direction:
    """Transactions of one direction: the ID of interest, and one transaction that is any one of this ID.

    Members:
        under_way: Transactions of the ID that have been taken and not answered.
        live: The transaction has been taken and not answered.
        waits: It has not started.
        ahead: Earlier ones of the ID that have not been answered.
        slot: Its slot, once it has started.
        earlier, later: Slots of the ID with transactions that were taken before it, and after it.

    Parameters:
        starts: The request in the port becomes a transaction, in this slot.
        ends: An answer of the ID has been taken.
        freed: Slots whose transactions leave them in this cycle.
    """

    def __init__(self, reference: Any, request: Any, name: str, starts: Any, slot: Any, ends: Any, freed: Any):
        self.reference, self.request, self.name = reference, request, name
        claims = self.claims = reference.claims
        m, axi, inside = claims.m, reference.axi, reference.inside
        self.busy = inside.register("busy", name)
        self.ids: list[Any] = [
            inside.register(f"id_{s}", name) if axi.id_bits else Const(0, 0) for s in range(reference.slots)
        ]
        self.number = reference.number
        self.targets: list[Any] = [
            inside.register(f"target_{s}", name) for s in range(reference.slots if reference.pipelined else 0)
        ]
        request.tie(inside, self.busy, self.ids, self.targets)
        enters = claims.named(request.transfer.goes & request.of(self.number, request.now), f"{name}_enters")
        self.ends: Any = claims.named(ends, f"{name}_ends")
        self.under_way: Any = Signal(3, name=f"{name}_under_way")
        left = claims.named(self.under_way - self.ends, f"{name}_left")
        m.d.sync += self.under_way.eq(left + enters)
        picked: Any = AnySeq(1)
        self.seen: Any = Signal(name=f"{name}_seen")
        self.live: Any = Signal(name=f"{name}_live")
        self.waits: Any = Signal(name=f"{name}_waits")
        self.ahead: Any = Signal(3, name=f"{name}_ahead")
        self.slot: Any = Signal(axi.slot_bits, name=f"{name}_slot")
        self.picks: Any = claims.named(enters & picked & ~self.seen, f"{name}_picks")
        self.over: Any = claims.named(self.live & self.ends & (self.ahead == 0), f"{name}_over")
        self.starts: Any = claims.named(self.live & self.waits & starts, f"{name}_starts")
        with m.If(self.picks):
            m.d.sync += [self.seen.eq(1), self.live.eq(1), self.waits.eq(1), self.ahead.eq(left)]
        with m.Elif(self.ends & (self.ahead != 0)):
            m.d.sync += self.ahead.eq(self.ahead - 1)
        with m.If(self.starts):
            m.d.sync += [self.waits.eq(0), self.slot.eq(slot)]
        with m.If(self.over):
            m.d.sync += self.live.eq(0)
        self.freed: Any = claims.named(freed, f"{name}_freed")
        self.earlier: Any = Signal(reference.slots, name=f"{name}_earlier")
        self.later: Any = Signal(reference.slots, name=f"{name}_later")
        before = Mux(self.picks, self.in_slots(), self.earlier)
        new = Mux(starts & self.waiting() & ~self.waits, (1 << slot)[: reference.slots], 0)
        m.d.sync += self.earlier.eq(before & ~self.freed)
        m.d.sync += self.later.eq(Mux(self.picks | self.waits, 0, (self.later | new) & ~self.freed))

    def has_found_target(self, s: int) -> Any:
        """Return whether the transaction of a slot has a destination; only with targets."""
        return self.targets[s][len(self.request.port.destination)]

    def is_of_interest(self, number: Any) -> Any:
        """Return whether an ID is the one of interest."""
        return number == self.number if self.reference.axi.id_bits else Const(1)

    def waiting(self) -> Any:
        """Return whether the port has a request of the ID of interest that has not started."""
        begun = self.reference.begun if self.name == "writes" else Const(0)
        return self.request.there & ~begun & self.request.of(self.number, self.request.fields)

    def in_slots(self) -> Any:
        """Return the slots that have a transaction of the ID of interest."""
        return concat(self.busy[s] & self.is_of_interest(self.ids[s]) for s in range(self.reference.slots))

    def tie(self, answering: Any) -> None:
        """Tie counts, given whether an answer of the ID that has left its slot waits."""
        claims, name = self.claims, self.name
        inside = claims.named(self.in_slots(), f"{name}_in_slots")
        if not self.targets:
            claims.invariant("an ID has one slot", at_most_one(inside))
        claims.invariant("transactions are counted", self.under_way == self.waiting() + ones(inside) + answering)
        claims.invariant("a request that waits is in the port", ~(self.live & self.waits) | self.waiting())
        claims.invariant("earlier ones are counted", ~self.live | (self.ahead == ones(self.earlier) + self.in_answer))
        own = Mux(self.in_slot, (1 << self.slot)[: self.reference.slots], 0)
        disjoint = ~(self.earlier & self.later).any() & ~(own & (self.earlier | self.later)).any()
        whole = disjoint & (inside == self.earlier | own | self.later)
        claims.invariant("slots are those of earlier and of later ones", ~self.live | whole)
        claims.invariant("none is later than a request that waits", ~(self.live & self.waits) | ~self.later.any())
        claims.invariant("what lives has been seen", ~self.live | self.seen)


class Writes(_Direction):
    """Writes, and the collector of their answers."""

    def __init__(self, reference: Any):
        part, claims = reference.part, reference.claims
        starts = reference.write_starts
        slot = reference.inside.placed["writes"].slot
        if not reference.copies:
            slot = claims.named(Mux(reference.dropped, slot, reference.slot), "slot_of_write")
        self.next_slot = slot
        self.load = reference.inside.wire("load", "writes")
        fronts = concat(_is_front(reference, s) for s in range(reference.slots))
        freed = Mux(self.load, fronts, 0)
        taken = part.bvalid & part.bready
        of = part.bid == reference.number if reference.axi.id_bits else Const(1)
        super().__init__(reference, reference.aw, "writes", starts, slot, taken & of, freed)
        m = claims.m
        self.of: Any = claims.named(part.bvalid & of, "b_of_interest")
        self.sent: Any = Signal(name="write_sent")
        self.left: Any = Signal(PROCESSORS.bit_length(), name="answers_left")
        self.worst: Any = Signal(RESPONSE_BITS, name="worst_reference")
        self.offered: Any = Signal(name="write_offered")
        here = self.live & ~self.waits & ~self.offered
        answered = here & reference.answered & (reference.answered_slot == self.slot)
        answered = claims.named(answered, "write_answered")
        tail = reference.tail & ~reference.unsent.any() & (reference.sent_slot == self.slot)
        with m.If(self.picks):
            found = reference.aw.found_now
            m.d.sync += [self.sent.eq(0), self.left.eq(found.count), self.worst.eq(Mux(found.found, 0, DECERR))]
        with m.If(self.starts & reference.dropped | here & tail):
            m.d.sync += self.sent.eq(1)
        with m.If(answered):
            m.d.sync += self.left.eq(self.left - 1)
            with m.If(reference.answer > self.worst):
                m.d.sync += self.worst.eq(reference.answer)
        self.in_slot: Any = claims.named(here, "write_in_slot")
        self.in_answer: Any = claims.named(self.of & ~self.offered, "earlier_write_in_answer")
        if self.targets:
            self._assume_order()

    def _assume_order(self) -> None:
        """Assume that last answers of an ID come in the order of its writes: they have one target."""
        claims, reference = self.claims, self.reference
        for s in range(reference.slots):
            left = reference.owed[s] + reference.unsent_to(s)
            final = reference.answered & (reference.answered_slot == s) & (left == 1)
            its = final & self.in_slot & (self.slot == s)
            waiting = concat(reference.owed[t].any() & self.earlier[t] for t in range(reference.slots) if t != s).any()
            claims.assume(~its | ~waiting)
            behind = final & self.in_slot & self.later[s]
            claims.assume(~behind | (self.left == 0) & self.sent)

    def prove(self) -> None:
        """Claim when B comes, and with which answer."""
        claims, reference, part = self.claims, self.reference, self.reference.part
        claims.always("B is of an ID with a write under way", ~self.of | (self.under_way != 0))
        its = claims.named(self.of & self.live & (self.ahead == 0), "its_answer")
        ready = ~self.waits & self.sent & (self.left == 0)
        claims.always("a write is answered behind its last beat and all receivers' answers", ~its | ready)
        claims.always("the answer is the worst of the receivers", ~its | (part.bresp == self.worst))
        finished = claims.was(self.live & ready & ~self.over, "write_was_complete")
        claims.always("B rests only without a complete write", ~finished | part.bvalid)
        first = part.request_tvalid & reference.packets.in_fields & reference.is_write
        first, slot = (first, reference.slot) if not reference.copies else (reference.write_starts, self.next_slot)
        first = claims.named(first, "write_gets_its_slot")
        for s in range(reference.slots):
            free = (reference.owed[s] == 0) & ~self.busy[s]
            claims.always("a slot is free when a packet gets it", ~(first & (slot == s)) | free)
        self._tie_slots()
        self.tie(self.of)
        self._tie_transaction()
        claims.possible("a second write waits for the first of its ID", self.live & self.waits & (self.ahead == 2))
        claims.possible("an answer is bad", its & (part.bresp == 2))

    def _tie_slots(self) -> None:
        """Tie the collector, and its queue of complete writes, to the answers that are owed."""
        claims, reference, inside = self.claims, self.reference, self.reference.inside
        depth, queue = reference.slots, "writes/complete"
        level = inside.register("level", queue)
        consume = inside.register("consume", queue) if depth > 1 else Const(0)
        produce = inside.register("produce", queue) if depth > 1 else Const(0)
        rows = [inside.memory_row(k, queue) for k in range(depth)]
        self.entries = entries = [claims.named(_row(rows, consume, k), f"complete_{k}") for k in range(depth)]
        claims.invariant("complete writes are at most the slots", level <= depth)
        after = [consume + k for k in range(depth + 1)]
        places = [Mux(at >= depth, at - depth, at) for at in after]
        due = either([Mux(level == k, place, 0) for k, place in enumerate(places)])
        claims.invariant("pointers are apart by the complete writes", (produce == due) & (consume < depth))
        found = [concat((entries[k] == s) & (level > k) for k in range(depth)) for s in range(depth)]
        self.complete = [claims.named(bits.any(), f"is_complete_{s}") for s, bits in enumerate(found)]
        claims.invariant("a write is complete once", level == sum((bit for bit in self.complete), Const(0)))
        for s in range(depth):
            owed, unsent = reference.owed[s], claims.named(reference.unsent_to(s), f"unsent_to_{s}")
            stages = claims.named(concat((unsent.any() | owed.any(), self.complete[s])), f"stages_{s}")
            claims.invariant("a slot is in one stage", at_most_one(stages) & (stages.any() == self.busy[s]))
            if not reference.copies:
                claims.invariant("answers are owed of data that are sent", ~(unsent.any() & owed.any()))
            if reference.windows:
                left = inside.register(f"left_{s}", "writes")
                claims.invariant("answers are counted", ~stages[0] | (left == owed + unsent))
        several = reference.windows > 0 and not reference.copies
        some = reference.sent_count != 0 if several else reference.sent_count == 1
        claims.invariant("a write that is sent has receivers", ~reference.packets.in_data | some)
        if not reference.windows:
            for owed in reference.owed:
                claims.invariant("one answer is owed", owed <= 1)

    def _tie_transaction(self) -> None:
        claims, reference, inside = self.claims, self.reference, self.reference.inside
        part, found = reference.part, reference.aw.found
        with claims.m.If(self.picks):
            claims.m.d.sync += self.offered.eq(0)
        slots = range(reference.slots)
        with claims.m.If(self.in_slot & reference._at(self.freed, self.slot)):
            claims.m.d.sync += self.offered.eq(1)
        waiting = self.live & self.waits
        kept = (self.left == found.count) & (self.worst == Mux(found.found, 0, DECERR)) & ~self.sent
        claims.invariant("a write that waits has its destination", ~waiting | kept)
        claims.invariant("a write that waits is not offered", ~waiting | ~self.offered)
        started_ = self.in_slot
        for s in slots:
            here = claims.named(started_ & (self.slot == s), f"write_in_slot_{s}")
            worst = inside.register(f"worst_{s}", "writes")
            mine = self.busy[s] & self.is_of_interest(self.ids[s]) & (worst == self.worst)
            claims.invariant("a write has its slot", ~here | mine)
            unsent = reference.unsent_to(s)
            open_ = (reference.owed[s] + unsent == self.left) & (self.sent == ~unsent.any())
            stage = Mux(self.left == 0, self.complete[s] & self.sent, open_)
            claims.invariant("a write is in its stage", ~here | stage)
        self._tie_order()
        claims.invariant("a slot has a number", ~started_ | (self.slot < reference.slots))
        offered = self.of & (part.bresp == self.worst) & (self.ahead == 0) & self.sent & (self.left == 0) & ~self.waits
        claims.invariant("an offered answer is the write's", ~(self.live & self.offered) | offered)

    def _tie_order(self) -> None:
        """Tie the order of complete writes to that of the ID's requests."""
        claims, reference, slots = self.claims, self.reference, range(self.reference.slots)
        sending = concat(reference.unsent_to(s).any() & self.earlier[s] for s in slots).any()
        claims.invariant("earlier writes are sent", ~(self.in_slot & sending))
        claims.invariant("later writes begin behind it", ~(self.in_slot & ~self.sent) | ~self.later.any())
        for s in slots:
            here = self.in_slot & (self.slot == s)
            for t in slots:
                if s != t:
                    first = claims.named(self.complete[t] & ~self.complete_before(s, t), f"complete_{t}_then_{s}")
                    claims.invariant(
                        "earlier writes are complete first", ~(here & self.complete[s] & self.earlier[t]) | first
                    )
                    then = self.complete[s] & self.complete_before(s, t)
                    claims.invariant(
                        "later writes are complete later", ~(here & self.complete[t] & self.later[t]) | then
                    )
            if self.targets:
                dropped = self.busy[s] & ~self.has_found_target(s)
                claims.invariant("a write without destination is complete", ~dropped | self.complete[s])

    def complete_before(self, s: int, t: int) -> Any:
        """Return whether a slot is complete before another one."""
        count = len(self.entries)
        pairs = [(j, k) for k in range(count) for j in range(k)]
        level = self.reference.inside.register("level", "writes/complete")
        return concat((self.entries[j] == s) & (self.entries[k] == t) & (level > k) for j, k in pairs).any()


def _is_front(reference: Any, s: int) -> Any:
    """Return whether a slot is the first complete one."""
    queue, depth, inside = "writes/complete", reference.slots, reference.inside
    consume = inside.register("consume", queue) if depth > 1 else Const(0)
    rows = [inside.memory_row(k, queue) for k in range(depth)]
    return (_row(rows, consume, 0) == s) & (inside.register("level", queue) != 0)


def _row(rows: list[Any], consume: Any, k: int) -> Any:
    """Return the row that is so far behind the front."""
    depth = len(rows)
    return either([Mux(consume == at, rows[(at + k) % depth], 0) for at in range(depth)])


class Reads(_Direction):
    """Reads."""

    def __init__(self, reference: Any):
        part, claims = reference.part, reference.claims
        starts = claims.named(reference.reads_complete, "a_read_starts")
        goes = claims.named(part.rvalid & part.rready, "r_taken")
        of = part.rid == reference.number if reference.axi.id_bits else Const(1)
        ended = [reference.receiver.ended & (reference.receiver.ended_slot == s) for s in range(reference.slots)]
        ends = goes & part.rlast & of
        super().__init__(reference, reference.ar, "reads", starts, reference.slot, ends, concat(ended))
        m = claims.m
        self.goes = goes
        self.of: Any = claims.named(part.rvalid & of, "r_of_interest")
        self.found: Any = Signal(name="read_found")
        self.length: Any = Signal(8, name="read_length")
        self.beats: Any = Signal(9, name="read_beats")
        its = self.its = claims.named(self.of & self.live & (self.ahead == 0), "its_beat")
        with m.If(self.picks):
            m.d.sync += [
                self.found.eq(reference.ar.found_now.found),
                self.length.eq(part.arlen),
                self.beats.eq(0),
            ]
        with m.If(its & part.rready):
            m.d.sync += self.beats.eq(self.beats + 1)
        self.in_slot: Any = claims.named(self.live & ~self.waits, "read_in_slot")
        self.in_answer = Const(0)
        if self.targets:
            self._assume_order()

    def _assume_order(self) -> None:
        """Assume that responses of an ID come in the order of its reads: they have one target."""
        claims, reference = self.claims, self.reference
        owed = claims.named(self.in_slot & reference._at(reference.reads_owed, self.slot), "read_is_owed")
        for s in range(reference.slots):
            its = reference.read_begins & (reference.answered_slot == s) & owed
            claims.assume(~(its & (self.slot == s)) | ~(self.earlier & reference.reads_owed).any())
            claims.assume(~(its & self.later[s]))

    def prove(self) -> None:
        """Claim when R comes, and with which beats."""
        claims, reference, part = self.claims, self.reference, self.reference.part
        claims.always("R is of an ID with a read under way", ~self.of | (self.under_way != 0))
        responding = reference.in_read & (reference.read_slot == self.slot) & ~self.waits & self.found
        right = Mux(self.found, responding, self.waits)
        claims.always("beats of R are of the read's response, or of one without destination", ~self.its | right)
        last = part.rlast == (self.beats == self.length)
        claims.always("a read has len + 1 beats, the last one marked", ~self.its | last)
        word = fields_of(part.response_tdata, reference.axi.read_fields)
        same = (part.rdata == word["data"]) & (part.rresp == word["resp"])
        if reference.axi.user_bits:
            same &= part.ruser == word["user"]
        answer = Mux(self.found, same & part.response_tvalid, part.rresp == DECERR)
        claims.always("beats have the words of the response, or a decode error", ~self.its | answer)
        taken = ~(reference.in_read & reference.responses.goes) | self.goes
        claims.always("each word of a response becomes a beat", taken)
        self._prove_whole()
        offered = claims.named(part.request_tvalid & reference.packets.in_fields & ~reference.is_write, "read_offered")
        for s in range(reference.slots):
            free = ~reference.reads_owed[s] & ~self.busy[s]
            claims.always("a slot is free when a packet gets it", ~(offered & (reference.slot == s)) | free)
        self._tie()
        claims.possible("a read of two beats ends", self.its & part.rlast & (self.length == 1) & self.found)
        claims.possible("a read without destination has two beats", self.its & (self.beats == 1) & ~self.found)

    def _prove_whole(self) -> None:
        """Claim that beats of different reads do not mix."""
        claims, part = self.claims, self.reference.part
        begun: Any = Signal(name="r_begun")
        with claims.m.If(self.goes):
            claims.m.d.sync += begun.eq(~part.rlast)
        if self.reference.axi.id_bits:
            before: Any = Signal(len(part.rid), name="rid_before")
            with claims.m.If(self.goes):
                claims.m.d.sync += before.eq(part.rid)
            claims.always("beats of one read come together", ~(part.rvalid & begun) | (part.rid == before))
            claims.invariant("a read that has begun has its ID", ~begun | (part.rid == before))
        receives = self.reference.receives
        claims.invariant("a read that has begun goes on", ~begun | receives("BODY") | receives("ERROR"))

    def _tie(self) -> None:
        claims, reference, inside, part = self.claims, self.reference, self.reference.inside, self.reference.part
        receives, reads = reference.receives, inside.placed["reads"]
        body, error = claims.named(receives("BODY"), "receives"), claims.named(receives("ERROR"), "refuses")
        claims.invariant("the receiver is in a read", body == reference.in_read)
        claims.invariant("there is a state of the receiver", concat((body, error, receives("HEAD"))).any())
        claims.invariant("the receiver has the slot", ~body | (reference.receiver.ended_slot == reference.read_slot))
        claims.invariant("a slot in a read has a number", ~body | (reference.read_slot < reference.slots))
        waiting = reads.granted & ~reference.ar.found.found
        claims.invariant("a read that is refused waits", ~error | waiting)
        for s in range(reference.slots):
            here = body & (reference.read_slot == s)
            one = ~(here & reference.reads_owed[s]) & ((here | reference.reads_owed[s]) == self.busy[s])
            claims.invariant("a slot of a read is in one stage", one)
            if reference.axi.id_bits:
                claims.invariant("beats have the ID of the slot", ~here | (part.rid == self.ids[s]))
        if reference.axi.id_bits:
            claims.invariant("errors have the ID", ~error | (part.rid == reference.ar.fields["id"]))
        self.tie(Const(0))
        left = inside.register("left", "receiver")
        waits = claims.named(self.live & self.waits, "read_waits")
        kept = (self.found == reference.ar.found.found) & (self.length == reference.ar.fields["len"])
        claims.invariant("a read that waits has its destination", ~waits | kept)
        beats = Mux(error, left + self.beats == self.length, self.beats == 0)
        claims.invariant("beats of a refused read are counted", ~waits | beats)
        in_slot = self.in_slot
        claims.invariant("a read in a slot has a destination", ~in_slot | self.found)
        mine = body & (reference.read_slot == self.slot)
        claims.invariant("earlier reads are answered first", ~(in_slot & mine) | ~self.earlier.any())
        claims.invariant(
            "later reads are answered later", ~(in_slot & body) | ~reference._at(self.later, reference.read_slot)
        )
        for s in range(reference.slots if self.targets else 0):
            claims.invariant("a read without destination has no slot", ~self.busy[s] | self.has_found_target(s))
        claims.invariant("a slot of a read has a number", ~in_slot | (self.slot < reference.slots))
        for s in range(reference.slots):
            here = claims.named(in_slot & (self.slot == s), f"read_in_slot_{s}")
            claims.invariant("a read has its slot", ~here | self.busy[s] & self.is_of_interest(self.ids[s]))
            owed = (self.beats == 0) & (reference.lengths[s] == self.length)
            given = reference.words_left + self.beats == self.length
            claims.invariant("beats of a read are counted", ~here | Mux(reference.reads_owed[s], owed, given))
