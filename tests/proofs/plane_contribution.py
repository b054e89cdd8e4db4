"""Claims about the sending side of an endpoint of the collective plane."""

from typing import Any

from amaranth.hdl import Const, Mux, Signal, Value
from amaranth.lib import data

from rtl.collectives.contribution import Contribution, beat_layout
from rtl.collectives.parameters import PlaneParameters
from rtl.parts.selection import concat, either, lowest_one
from tests.proofs.claims import Claims, Describe, Inside, started
from tests.proofs.plane_parts import are_apart, flushed_queue, is_pointer
from topology.collectives.operators import SIGNED_MAX, SUM

WORD_BITS, BEATS = 8, 2
"""BEATS: Beats that wait in front of the link, of all groups together."""
OPERATORS = SUM, SIGNED_MAX


def plane_contribution(groups: int, window: int, places: int) -> Describe:
    """Claims about contributions to some groups, whose switch has some places for each."""

    def describe(claims: Claims) -> None:
        plane = PlaneParameters(groups, WORD_BITS, OPERATORS, buffer_words=places, window=window)
        part: Any = Contribution(plane)
        claims.free_inputs(part)
        if groups > 1:
            claims.assume(part.tdest < groups)
        _Reference(claims, Inside(claims, part), part).prove()

    return describe


class _Reference:
    """Words that may leave, and their order, given the grants of each cycle.

    goes, barrier: Groups of the beat or header, and of the barrier, that leaves in this cycle.
    rows: By group.
    """

    def __init__(self, claims: Claims, inside: Inside, part: Any):
        self.claims, self.inside, self.part = claims, inside, part
        self.groups = part.plane.groups
        layout = beat_layout(part.plane)
        self.valid = [inside.register(f"valid_{k}") for k in range(BEATS)]
        self.beats: list[Any] = [data.View(layout, inside.register(f"beat_{k}")) for k in range(BEATS)]
        self.goes = claims.named(Mux(inside.wire("stream_goes"), inside.wire("own"), 0), "goes")
        self.barrier = inside.wire("barrier")
        self.rows = [_Row(self, g) for g in range(self.groups)]

    def of(self, k: int, g: int) -> Any:
        """Return whether a beat that waits is of a group."""
        return self.valid[k] & (self.beats[k].group == g if self.groups > 1 else Const(1))

    def prove(self) -> None:
        """Claim what leaves, and when."""
        claims, part, rows = self.claims, self.part, self.rows
        claims.invariant("beats wait in front", ~self.valid[1] | self.valid[0])
        places_left = started(claims) & ~(self.valid[0] & self.valid[1])
        claims.always("tready shows whether a beat has a place", part.tready == places_left)
        sent = claims.named(self.goes | self.barrier, "sent")
        one = claims.named(concat((self.goes, self.barrier)), "all_sent")
        claims.always("one word leaves in a cycle", ~concat(one[i] & one[:i].any() for i in range(1, len(one))).any())
        self._prove_link(sent)
        self._prove_turns(sent)
        claims.possible("a barrier waits behind a packet", concat(row.waits_behind_packet for row in rows).any())
        claims.possible("a packet waits behind a barrier", concat(row.waits_behind_barrier for row in rows).any())
        claims.possible("the window is full", concat(row.under_way == part.plane.window for row in rows).any())

    def _prove_link(self, sent: Any) -> None:
        """Claim that the link shows the word that was granted."""
        claims, part, rows = self.claims, self.part, self.rows
        words = either([Mux(self.goes[g] | self.barrier[g], row.word, 0) for g, row in enumerate(rows)])
        expected = claims.was(words, "word")
        payload = Value.cast(part.link.payload)
        right = ~part.link.valid | (payload[: WORD_BITS + 2] == expected)
        claims.always("headers, and the words of a packet behind its header, are unaltered and in order", right)
        valid = part.link.valid == claims.was(sent.any(), "sent")
        claims.always("a word is on the link for each that leaves", valid)
        if self.groups > 1:
            of = concat(part.link.payload.group == g for g in range(self.groups))
            claims.always("a word has its group", ~part.link.valid | (of == claims.was(sent, "sent_of")))

    def _prove_turns(self, sent: Any) -> None:
        """Claim that beats and barriers wait for what they have to, and for little else."""
        claims, rows = self.claims, self.rows
        may = claims.named(concat(row.may_send for row in rows).any(), "beat_may_go")
        waited = claims.was(may & ~self.goes.any(), "beat_waited")
        claims.always("the beat in front waits for one barrier at most", ~(waited & may) | self.goes.any())
        barriers = claims.named(concat(row.may_barrier for row in rows), "barriers_may_go")
        claims.always("a barrier that may go waits for others alone", ~barriers.any() | sent.any())
        first = Mux(self.barrier.any(), lowest_one(barriers), 0)
        claims.always("barriers go by the number of their group", self.barrier == first)


class _Row:
    """Operations and words of a group.

    queue: Beats that wait.
    order: Operations that wait, the next one lowest: 1 for a packet, 0 for a barrier; ``count`` of them.
    word: That leaves if the group is granted.
    may_send, may_barrier: The beat in front, and a barrier, has what it needs.
    """

    def __init__(self, reference: _Reference, g: int):
        self.claims, self.g = reference.claims, g
        claims, part, inside = reference.claims, reference.part, reference.inside
        plane = part.plane
        self.window, self.places = plane.window, plane.buffer_words
        self.flush = part.flush[g]
        self.goes, self.barrier = reference.goes[g], reference.barrier[g]
        self.here = [claims.named(reference.of(k, g), f"here_{k}_{g}") for k in range(BEATS)]
        self.beats = reference.beats
        enters = part.tvalid & part.tready & ~self.flush & (part.tdest == g if plane.groups > 1 else Const(1))
        self.enters = claims.named(enters, f"enters_{g}")
        self._follow_packets(part)
        self._count_operations(part)
        self._order_operations(part)
        self._choose()
        self._tie(inside)

    def _register(self, name: str, following: Any, bits: int, init: int = 0) -> Any:
        register = Signal(bits, init=init, name=f"{name}_{self.g}")
        self.claims.m.d.sync += register.eq(Mux(self.flush, init, following(register)))
        return register

    def _follow_packets(self, part: Any) -> None:
        """Keep the beats, and which packets have begun at either end of them."""
        claims, g = self.claims, self.g
        self.open = self._register("opened", lambda was: Mux(self.enters, ~part.tlast, was), 1)
        self.first_enters = claims.named(self.enters & ~self.open, f"first_enters_{g}")
        entry = concat((part.tdata, part.tlast, ~self.open, part.tuser))
        self.began: Any = Signal(name=f"header_is_sent_{g}")
        leaves = claims.named(self.goes & self.began, f"beat_leaves_{g}")
        self.queue = flushed_queue(claims, BEATS, self.enters, entry, leaves, self.flush, f"of_{g}")
        front: Any = self.queue.row[0]
        self.data, self.last = front[:WORD_BITS], front[WORD_BITS]
        self.operator = front[WORD_BITS + 2 :]
        following = Mux(self.goes, ~self.began | ~self.last, self.began)
        claims.m.d.sync += self.began.eq(Mux(self.flush, 0, following))
        self.header = claims.named(self.goes & ~self.began, f"header_leaves_{g}")

    def _count_operations(self, part: Any) -> None:
        """Count credits, and operations under way."""
        claims, g = self.claims, self.g
        begins = self.header | self.barrier
        ends = part.delivered[g] + part.released[g]
        bits = self.window.bit_length()
        self.under_way = self._register("operations", lambda was: was + begins - ends, bits)
        claims.assume(self.flush | (ends <= self.under_way))
        claims.always("no more operations than the window are under way", self.under_way <= self.window)
        bits = self.places.bit_length()
        back = part.credited[g]
        self.left = self._register("left", lambda was: was + back - (self.goes | self.barrier), bits, self.places)
        claims.assume(self.flush | ~back | (self.left != self.places))
        claims.always("nothing leaves without a credit", ~(self.goes | self.barrier) | (self.left != 0))

    def _order_operations(self, part: Any) -> None:
        """Keep the order of requests and first beats."""
        claims, g = self.claims, self.g
        bits = self.window + BEATS
        barriers = self.window.bit_length()
        full_before: Any = Signal(barriers, name=f"barriers_{g}")
        accepted = part.barrier_request[g] & ((full_before != self.window) | self.barrier)
        accepted = claims.named(accepted, f"accepted_{g}")
        self.barriers = full_before
        claims.m.d.sync += full_before.eq(Mux(self.flush, 0, full_before + accepted - self.barrier))
        leaves = claims.named(self.header | self.barrier, f"operation_leaves_{g}")
        self.count: Any = Signal(range(bits + 1), name=f"waiting_{g}")
        self.order: Any = Signal(bits, name=f"order_{g}")
        kept = claims.named(self.count - leaves + accepted, f"kept_{g}")
        claims.m.d.sync += [
            self.count.eq(Mux(self.flush, 0, kept + self.first_enters)),
            self.order.eq(Mux(self.flush, 0, self.order >> leaves | self.first_enters << kept[:3])),
        ]
        right = Mux(self.header, self.order[0], ~self.order[0])
        claims.always("operations leave in the order of requests and first beats", ~leaves | (self.count != 0) & right)

    def _choose(self) -> None:
        """Find what may leave, and what it is."""
        known = concat(self.operator == number for number in OPERATORS).any()
        code = Mux(known & self.goes, self.operator, OPERATORS[0])
        header = concat((code, Const(0, WORD_BITS - 3), self.barrier, ~known & self.goes))
        word = concat((self.data, self.last, Const(0, 1)))
        self.word = Mux(self.goes & self.began, word, header)
        starts = (self.under_way != self.window) & (self.left != 0)
        packet = (self.count != 0) & self.order[0]
        may = Mux(self.began, self.left != 0, starts & packet) & ~self.flush
        self.may_send = self.here[0] & may
        self.may_barrier = (self.count != 0) & ~self.order[0] & ~self.began & starts & ~self.flush
        self.waits_behind_packet = packet & (self.barriers != 0)
        self.waits_behind_barrier = self.here[0] & (self.count != 0) & ~self.order[0]

    def _tie(self, inside: Inside) -> None:
        """Tie registers to the reference."""
        claims, g = self.claims, self.g
        claims.invariant("beats are held", self.queue.held == self.here[0] + self.here[1])
        second = Mux(self.here[0], self.queue.row[1], self.queue.row[0])
        for k, row in enumerate((self.queue.row[0], second)):
            beat = self.beats[k]
            entry = concat((beat.word, beat.last, beat.first, beat.operator))
            claims.invariant("beats are as they came", ~self.here[k] | (entry == row))
        claims.invariant("a header is sent", inside.register("sending")[g] == self.began)
        claims.invariant("a packet has begun", inside.register("open")[g] == self.open)
        claims.invariant("barriers are counted", inside.register(f"requests_{g}") == self.barriers)
        claims.invariant("operations are counted", inside.register(f"under_way_{g}") == self.under_way)
        claims.invariant("a register shows a credit", inside.register("credit")[g] == (self.left != 0))
        self._tie_credits(inside)
        self._tie_order()

    def _tie_credits(self, inside: Inside) -> None:
        claims, g = self.claims, self.g
        pointers = inside.placed["credits"].pointers
        sent, returned = inside.register(f"sent_{g}", "credits"), inside.register(f"returned_0_{g}", "credits")
        used = claims.named((self.places - self.left)[: len(self.left)], f"used_{g}")
        claims.invariant("credits are at most the places", self.left <= self.places)
        claims.invariant("a pointer is one", is_pointer(pointers, returned))
        claims.invariant("counters are apart by the places in use", are_apart(pointers, sent, returned, used))
        some = inside.register(f"has_credit_0_{g}", "credits")
        claims.invariant("a credit is one", some == (self.left != 0))

    def _tie_order(self) -> None:
        """Tie the barriers before each first beat to the order of operations, and packets to their ends."""
        claims, g = self.claims, self.g
        first, second = self.here
        waits = [first & self.beats[0].first & ~self.began, second & self.beats[1].first]
        waits = [claims.named(bit, f"packet_waits_{k}_{g}") for k, bit in enumerate(waits)]
        before = [beat.before for beat in self.beats]
        packets = waits[0] << before[0] | Mux(waits[1], Const(1, 1) << (before[1] + waits[0]), 0)
        claims.invariant("packets have their places in the order", self.order == packets)
        claims.invariant("all that waits is counted", self.count == self.barriers + waits[0] + waits[1])
        for k in range(BEATS):
            claims.invariant("barriers before a packet wait", ~waits[k] | (before[k] <= self.barriers))
        claims.invariant("packets are in order", ~(waits[0] & waits[1]) | (before[0] <= before[1]))
        begun = first & self.beats[0].first & self.began
        claims.invariant("no barrier waits before a packet that has begun", ~begun | (before[0] == 0))
        claims.invariant("barriers are at most a window", self.barriers <= self.window)
        middle: Any = self.began & ~(first & self.beats[0].first)
        for k in range(BEATS):
            right = self.beats[k].first ^ middle
            if k == 0:
                right |= self.began & self.beats[0].first
            claims.invariant("packets are whole", ~self.here[k] | right)
            middle = claims.named(Mux(self.here[k], ~self.beats[k].last, middle), f"in_packet_{k}_{g}")
        claims.invariant("the stream goes on where it ended", middle == self.open)
