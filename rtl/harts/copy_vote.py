# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Votes of a broadcast's copies for bodies: the stored body that equals a copy's, and its votes.

A word is compared with the words at its place in the stored bodies, one lane after the other, each in two cycles:
groups of bits, whose results are registers, and all groups together.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from rtl.parts.flit import flit_layout
from rtl.parts.part import Part
from rtl.parts.selection import concat, encoded, lowest_one
from topology.common.flits import bits_for
from topology.harts.reception import MAX_COPIES, VOTE, threshold

GROUP_BITS = 2  # one lookup table behind the memory, which is slow
# the vote that reaches the largest threshold is not counted any more: the broadcast is handed over
VOTES_BITS = bits_for(threshold(MAX_COPIES, VOTE))


def stored_layout(flit_bits: int) -> data.StructLayout:
    """Return the stored part of a flit."""
    return data.StructLayout({"data": flit_bits, "tail": 1})


def poll_layout(lanes: int) -> data.StructLayout:
    """Return the state of a broadcast's bodies: lanes in use, whether it has no words, and votes; 0 at first."""
    return data.StructLayout(
        {"lanes_used": bits_for(lanes + 1), "empty": lanes, "votes": data.ArrayLayout(VOTES_BITS, lanes)}
    )


class CopyVote(Part):
    """Compares a copy's words as they arrive, and counts its vote with the last one.

    Parameters:
        flit_bits, lanes (int)

    Members:
        begin (In(1)): A copy begins.
        word (In(flit_layout)): Of the copy. A head's comparison is ignored.
        stored (In(stored_layout)), shown (In(lanes)): The word of one lane, and that lane, one-hot, or 0. ``word`` is
            stable until two cycles later.
        poll (In(poll_layout)): Before this copy.
        votes_missing (In(VOTES_BITS)): Votes that a body must have had before for this one to decide.
        lane (Out): The lowest lane with the copy's body, or else the next one, ``lanes`` if all are used. The outputs
            are combinational.
        poll_after (Out(poll_layout)): With the copy's vote, if ``word`` is its last.
        decided (Out(1)): The vote decides.
    """

    def __init__(self, flit_bits: int, lanes: int):
        self.lanes = lanes
        super().__init__(
            f"harts_copy_vote_{lanes}_{flit_bits}",
            {
                "begin": In(1),
                "word": In(flit_layout(flit_bits)),
                "stored": In(stored_layout(flit_bits)),
                "shown": In(lanes),
                "poll": In(poll_layout(lanes)),
                "votes_missing": In(VOTES_BITS),
                "lane": Out(bits_for(lanes + 1)),
                "poll_after": Out(poll_layout(lanes)),
                "decided": Out(1),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        poll, after, head = self.poll, self.poll_after, self.word.head
        following: Any = Signal(self.lanes + 1)  # the next lane, one-hot
        agreeing: Any = Signal(self.lanes)
        chosen: Any = Signal(self.lanes)
        none = Signal()
        found = lowest_one(agreeing)
        used = concat(following[lane + 1 :].any() for lane in range(self.lanes))
        m.d.comb += [
            following.eq(1 << poll.lanes_used),
            agreeing.eq(self._compare(m) & used & ~(poll.empty ^ head.replicate(self.lanes))),
            none.eq(~agreeing.any()),
            chosen.eq(Mux(none, following[: self.lanes], found)),
            self.lane.eq(Mux(none, poll.lanes_used, concat(encoded(found, range(self.lanes), len(self.lane))))),
            after.lanes_used.eq(poll.lanes_used + (none & ~following[-1])),
            after.empty.eq(poll.empty | Mux(head & none, following[: self.lanes], 0)),
        ]
        m.d.comb += [after.votes[lane].eq(poll.votes[lane] + chosen[lane]) for lane in range(self.lanes)]
        enough = concat(poll.votes[lane] == self.votes_missing for lane in range(self.lanes))
        m.d.comb += self.decided.eq((chosen & enough).any())
        return m

    def _compare(self, m) -> Any:
        """Return one bit per lane: all words so far are equal."""
        equal: Any = Signal(self.lanes)
        compared: Any = Signal(self.lanes)
        difference: Any = Signal(self.stored.shape().size)
        groups: Any = Signal(-(-len(difference) // GROUP_BITS))
        ours = concat((self.word.data, self.word.tail))
        same = (~difference[low : low + GROUP_BITS].any() for low in range(0, len(difference), GROUP_BITS))
        m.d.comb += difference.eq(ours ^ self.stored.as_value())
        m.d.sync += [compared.eq(self.shown), groups.eq(concat(same))]
        with m.If(self.begin):
            m.d.sync += equal.eq(~0)
        with m.Elif(~self.word.head & ~groups.all()):
            m.d.sync += equal.eq(equal & ~compared)
        return equal
