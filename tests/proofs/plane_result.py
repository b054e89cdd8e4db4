"""Claims about the receiving side of an endpoint of the collective plane."""

from typing import Any

from amaranth.hdl import Mux, Signal, Value

from rtl.collectives.parameters import PlaneParameters
from rtl.collectives.result import Result
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, Inside
from tests.proofs.plane_parts import flushed_queue
from tests.proofs.selection import bound_waiting, reference_turn
from topology.collectives.operators import SUM

WORD_BITS = 8
LAST, ERROR = WORD_BITS, WORD_BITS + 1
"""Positions in the stored bits of a word."""


def plane_result(groups: int, places: int) -> Describe:
    """Claims about results of some groups, with some places each."""

    def describe(claims: Claims) -> None:
        plane = PlaneParameters(groups, WORD_BITS, (SUM,), result_words=places)
        part: Any = Result(plane)
        claims.free_inputs(part)
        inside = Inside(claims, part)
        if groups > 1:
            claims.assume(part.link.payload.group < groups)
        rows = [_Row(claims, inside, part, g) for g in range(groups)]
        load = claims.named(~part.tvalid | part.tready, "load")
        waiting = claims.named(concat(row.waits for row in rows), "words_wait")
        rests = claims.was(load & waiting.any(), "words_waited") & ~part.tvalid
        claims.always("the stream rests only if no word is there", ~rests)
        _prove_stable(claims, part, rows)
        if groups > 1:
            turn = reference_turn(claims, claims.named(Mux(load, waiting, 0), "may_load"), groups)
            later = concat((turn != 0) & (turn <= i) for i in range(1, groups))
            claims.invariant("the mask encodes the turn", inside.register("later", "turns") == later)
            bound_waiting(claims, waiting, inside.placed["turns"].chosen, turn, step=load)
        claims.possible("a header comes as a word is taken", concat(row.header & row.taken for row in rows).any())

    return describe


def _prove_stable(claims: Claims, part: Any, rows: list["_Row"]) -> None:
    """Claim that an offered word stays until it is taken, or its group is flushed."""
    flushed = concat(row.offered & row.flush for row in rows).any()
    fields = [part.tdata, part.tlast, part.tuser, *([part.tid] if len(rows) > 1 else [])]
    word = claims.named(concat(fields), "offered_word")
    waited = claims.was(part.tvalid & ~part.tready & ~flushed, "waited_for_the_user")
    same = part.tvalid & (word == claims.was(word, "offered_word"))
    claims.always("a word that waits for the user stays as it is", ~waited | same)


class _Row:
    """Words of one group, from the link until the user takes them.

    waits: There is a word that is not offered yet, or one arrives.
    """

    def __init__(self, claims: Claims, inside: Inside, part: Any, g: int):
        places, several = part.plane.result_words, part.plane.groups > 1
        payload = part.link.payload
        self.flush: Any = part.flush[g]
        arrives = part.link.valid & (payload.group == g if several else Value.cast(1)) & ~self.flush
        arrives = claims.named(arrives, f"arrives_{g}")
        begun: Any = Signal(name=f"begun_{g}")
        claims.m.d.sync += begun.eq(Mux(self.flush, 0, Mux(arrives, ~payload.last, begun)))
        self.header = claims.named(arrives & ~begun, f"header_{g}")
        word = claims.named(arrives & begun, f"word_{g}")
        offered = part.tvalid & (part.tid == g if several else Value.cast(1))
        self.offered: Any = claims.named(offered, f"offered_{g}")
        self.taken = claims.named(self.offered & part.tready, f"taken_{g}")
        entry = Value.cast(payload)[: WORD_BITS + 2]
        self.queue = flushed_queue(claims, places, word, entry, self.taken, self.flush, f"of_{g}")
        self.stored = claims.named((self.queue.held - self.offered)[: len(self.queue.held)], f"stored_{g}")
        self.waits = claims.named(((self.stored != 0) | word) & ~self.flush, f"waits_{g}")
        self._prove_words(claims, part, g)
        self._prove_credits(claims, inside, part, g, arrives)
        claims.invariant("an operation has begun", inside.register("receiving")[g] == begun)
        self._tie(claims, inside, part, g)

    def _prove_words(self, claims: Claims, part: Any, g: int) -> None:
        word = concat((part.tdata, part.tlast, part.tuser))
        right = (self.queue.held != 0) & (word == self.queue.row[0])
        claims.always("words are offered once, unaltered and in order, without headers", ~self.offered | right)
        claims.always("a result is delivered as its last word is taken", part.delivered[g] == self.taken & part.tlast)
        payload = part.link.payload
        ends = self.header & payload.last
        done = concat((part.barrier_done[g], part.barrier_error[g]))
        expected = claims.was(concat((ends, ends & payload.error)), f"barrier_{g}")
        claims.always("a header that is the last word ends a barrier", done == expected)

    def _prove_credits(self, claims: Claims, inside: Inside, part: Any, g: int, arrives: Any) -> None:
        places, pulse = part.plane.result_words, part.credits[g]
        come: Any = Signal(range(places + 1), name=f"to_come_{g}")
        due = claims.named(come + self.header + self.taken, f"due_by_words_{g}")
        claims.m.d.sync += come.eq(Mux(self.flush, 0, due - due.any()))
        left: Any = Signal(range(places + 1), init=places, name=f"left_{g}")
        claims.m.d.sync += left.eq(Mux(self.flush, places, left + pulse - arrives))
        claims.assume(~arrives | (left != 0))
        given = claims.was(due.any() & ~self.flush, f"credit_due_{g}")
        claims.always("each header and each word that is taken gives one credit, one in a cycle", pulse == given)
        whole = left + self.queue.held + come + pulse == places
        claims.always("credits, words and credits to come make up the buffer", whole)
        claims.invariant("credits to come are counted", inside.register(f"owed_{g}") == come)
        claims.possible("all places are full", self.queue.held == places)

    def _tie(self, claims: Claims, inside: Inside, part: Any, g: int) -> None:
        """Tie pointers and memory to the words that are not offered yet."""
        places = part.plane.result_words
        back, front = (inside.register(f"result_{end}_{g}") for end in ("back", "front"))
        slots = 1 << len(front)
        claims.invariant("words have places", self.queue.held <= places)
        claims.invariant("a register shows a word", inside.register("present")[g] == (self.stored != 0))
        apart = (back - front - self.stored)[: len(front)] == 0
        claims.invariant("pointers are apart by the words", apart)
        rows = concat(inside.memory_row(g * slots + k, "words") for k in range(slots))
        for k in range(places):
            expected = (
                self.queue.row[k] if k + 1 == places else Mux(self.offered, self.queue.row[k + 1], self.queue.row[k])
            )
            here = rows.word_select((front + k)[: len(front)], WORD_BITS + 2) == expected
            claims.invariant("places have their words", (self.stored <= k) | here)
