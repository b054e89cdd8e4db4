# (a member of the signature may be absent)
"""One member's traffic on a collective plane, and the check of its results.

All members call the same operations in the same order, and each member's words are such that it knows all results: in
a group of n members with start values s that add up to S, word k of a member is k + s, and the sum of all is n k + S.
For the other operators all members send k.
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.collectives.parameters import PlaneParameters
from rtl.parts.part import Part
from rtl.parts.selection import concat, table_row
from topology.collectives.operators import SUM, XOR

MEMBERS_BITS = 16
LENGTH_BITS = 3
"""An all-reduce has 1 to 8 words: one more than the lowest bits of the round's number."""
BARRIER_ROUNDS = 4
"""A barrier follows each fourth all-reduce of a group."""
ROUND_BITS = 32
CHOICE_BITS = 2
"""Random bits per side: it rests in one of four cycles."""


class PlaneTester(Part):
    """Calls operations and checks their results. In each round there is one all-reduce of each group, in order.

    Parameters:
        plane
        rounds: At least 1.

    Members:
        member (In(groups)): Groups of this processor, a constant.
        members (In(groups * 16)): Number of members of each group, a constant.
        start (In(word_bits)), starts (In(groups * word_bits)): This member's start value, and the sum of those of
            each group; constants.
        random (In(4))
        s_axis_tdata, ...; m_axis_tdata, ...; barrier_request, ...: For the endpoint; see ``PlaneEndpoint``.
        expected (Out(1)): An operation has been called.
        delivered (Out(1)): An operation is over here; some cycles later if several are over together.
        flit (Out(1)): A word or the end of a barrier has arrived.
        error (Out(1)): It is wrong.
    """

    def __init__(self, plane: PlaneParameters, rounds: int):
        self.plane = plane
        self.rounds = rounds
        groups, bits = plane.groups, plane.word_bits
        members: dict[str, Any] = {"member": In(groups), "members": In(groups * MEMBERS_BITS), "start": In(bits)}
        members |= {"starts": In(groups * bits), "random": In(2 * CHOICE_BITS)}
        if not plane.barriers_only:
            for prefix, flow, back in (("s_axis", Out, In), ("m_axis", In, Out)):
                members |= {f"{prefix}_tdata": flow(bits), f"{prefix}_tvalid": flow(1)}
                members |= {f"{prefix}_tready": back(1), f"{prefix}_tlast": flow(1)}
            if plane.group_bits:
                members |= {"s_axis_tdest": Out(plane.group_bits), "m_axis_tid": In(plane.group_bits)}
            if len(plane.operators) > 1:
                members["s_axis_tuser"] = Out(3)
            members["m_axis_tuser"] = In(1)
        members |= {"barrier_request": Out(groups), "barrier_done": In(groups)}
        if not plane.barriers_only:
            members["barrier_error"] = In(groups)
        members |= {"expected": Out(1), "delivered": Out(1), "flit": Out(1), "error": Out(1)}
        super().__init__("plane_tester", members)

    def elaborate(self, _platform):
        m: Any = Module()
        arrived, wrong = Signal(), Signal()
        packet_over = Signal()
        waiting = self._call(m)
        if not self.plane.barriers_only:
            self._check(m, arrived, wrong, packet_over)
        # operations that are over, one pulse for each
        owed: Any = Signal(8)
        over: Any = Signal(range(self.plane.groups + 2))
        unasked = ~waiting if self.plane.barriers_only else self.barrier_error | ~waiting
        m.d.comb += over.eq(sum((self.barrier_done[g] for g in range(self.plane.groups)), start=packet_over))
        m.d.sync += [
            owed.eq(owed + over - owed.any()),
            self.delivered.eq(owed.any()),
            self.flit.eq(arrived | self.barrier_done.any()),
            # a barrier may only end that was called
            self.error.eq(wrong | (self.barrier_done & unasked).any()),
        ]
        return m

    def _operator(self, m: Any, turn: Any, name: str) -> Any:
        """Return the number of the operator of a turn."""
        operators = self.plane.operators
        return table_row(m, Const(sum(o << 3 * i for i, o in enumerate(operators)), 3 * len(operators)), turn, 3, name)

    def _next_turn(self, turn: Any) -> Any:
        return Mux(turn == len(self.plane.operators) - 1, 0, turn + 1)

    def _call(self, m: Any) -> Any:
        """Call all operations; return the groups whose barrier is under way."""
        plane = self.plane
        group: Any = Signal(range(max(2, plane.groups)))
        number: Any = Signal(ROUND_BITS)
        base: Any = Signal(plane.word_bits)
        index: Any = Signal(LENGTH_BITS)
        turn: Any = Signal(range(max(2, len(plane.operators))))
        waiting: Any = Signal(plane.groups)
        chosen = concat(group == g for g in range(plane.groups))
        is_member, last_group = Signal(), Signal()
        offers, rests = Signal(), Signal()
        m.d.comb += [
            is_member.eq((self.member & chosen).any()),
            last_group.eq(group == plane.groups - 1),
            rests.eq(~self.random[:CHOICE_BITS].any()),
        ]
        next_group = [group.eq(Mux(last_group, 0, group + 1)), index.eq(0)]
        m.d.sync += [self.expected.eq(0), waiting.eq(waiting & ~self.barrier_done | self.barrier_request)]
        with m.FSM(name="calls"):
            with m.State("PACKET"):
                if plane.barriers_only:
                    m.next = "BARRIER"
                else:
                    self._offer(m, group, base, index, number, turn, offers)
                    with m.If(~is_member | self.s_axis_tvalid & self.s_axis_tready & self.s_axis_tlast):
                        m.next = "BARRIER"
                    with m.If(is_member & ~offers & ~rests):
                        # counted before it is taken: an operation that never starts is missing
                        m.d.sync += [offers.eq(1), self.expected.eq(index == 0)]
            with m.State("BARRIER"):
                due = is_member & (number[: BARRIER_ROUNDS.bit_length() - 1] == BARRIER_ROUNDS - 1)
                with m.If(~due | ~(waiting & chosen).any()):
                    with m.If(due):
                        m.d.comb += self.barrier_request.eq(chosen)
                        m.d.sync += self.expected.eq(1)
                    m.d.sync += next_group
                    m.next = "PACKET"
                    with m.If(last_group):
                        m.d.sync += [number.eq(number + 1), base.eq(base + number[:LENGTH_BITS] + 1)]
                        m.d.sync += turn.eq(self._next_turn(turn))
                        with m.If(number == self.rounds - 1):
                            m.next = "DONE"
            with m.State("DONE"):
                pass
        return waiting

    def _offer(self, m: Any, group: Any, base: Any, index: Any, number: Any, turn: Any, offers: Any) -> None:
        """Offer the words of a packet; an offered word stays until it is taken."""
        operator = Signal(3)
        m.d.comb += [
            operator.eq(self._operator(m, turn, "operator")),
            self.s_axis_tvalid.eq(offers),
            self.s_axis_tdata.eq(base + index + Mux(operator == SUM, self.start, 0)),
            self.s_axis_tlast.eq(index == number[:LENGTH_BITS]),
        ]
        if self.plane.group_bits:
            m.d.comb += self.s_axis_tdest.eq(group)
        if len(self.plane.operators) > 1:
            m.d.comb += self.s_axis_tuser.eq(operator)
        with m.If(offers & self.s_axis_tready):
            m.d.sync += [index.eq(index + 1), offers.eq(0)]

    def _check(self, m: Any, arrived: Any, wrong: Any, packet_over: Any) -> None:
        """Compare every word of a result; each group has its own place in the sequence."""
        plane = self.plane
        bits, groups = plane.word_bits, range(plane.groups)
        tid = self.m_axis_tid if plane.group_bits else Const(0, 1)
        names = ("count", "total", "length", "index", "turn")
        widths = (bits, bits, LENGTH_BITS, LENGTH_BITS, max(1, (len(plane.operators) - 1).bit_length()))
        rows: dict[str, list[Any]] = {
            name: [Signal(width, name=f"{name}_{g}") for g in groups] for name, width in zip(names, widths, strict=True)
        }
        at = {
            name: table_row(m, concat(rows[name]), tid, width, f"{name}_at") if plane.group_bits else rows[name][0]
            for name, width in zip(names, widths, strict=True)
        }
        started = Signal()  # the totals have their first values
        m.d.sync += started.eq(1)
        m.d.comb += self.m_axis_tready.eq(started & self.random[CHOICE_BITS:].any())
        size: Any = Signal(MEMBERS_BITS)
        m.d.comb += size.eq(table_row(m, self.members, tid, MEMBERS_BITS, "size") if plane.group_bits else self.members)
        operator, due = Signal(3), Signal(bits)
        m.d.comb += [
            operator.eq(self._operator(m, at["turn"], "arrived_operator")),
            due.eq(Mux((operator == XOR) & ~size[0], 0, at["count"])),
            arrived.eq(self.m_axis_tvalid & self.m_axis_tready),
        ]
        with m.If(operator == SUM):
            m.d.comb += due.eq(at["total"])
        last = Signal()
        m.d.comb += [
            last.eq(at["index"] == at["length"]),
            packet_over.eq(arrived & last),
            wrong.eq(arrived & ((self.m_axis_tdata != due) | self.m_axis_tuser | (self.m_axis_tlast != last))),
        ]
        for g in groups:
            with m.If(~started):
                m.d.sync += rows["total"][g].eq(self.starts[g * bits : (g + 1) * bits])
            with m.Elif(arrived & (tid == g)):
                m.d.sync += [
                    rows["count"][g].eq(at["count"] + 1),
                    rows["total"][g].eq(at["total"] + size),
                    rows["index"][g].eq(Mux(last, 0, at["index"] + 1)),
                ]
                with m.If(last):
                    m.d.sync += [
                        rows["length"][g].eq(at["length"] + 1),
                        rows["turn"][g].eq(self._next_turn(at["turn"])),
                    ]
