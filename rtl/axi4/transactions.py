"""Transactions of a manager that are under way, in one direction.

A slot is a transaction under way. Its number goes with the request and comes back with the response, so the network
knows no IDs. Responses of one ID have to come in the order of the requests, and messages between two processors may
overtake each other. So an ID has one transaction at a time. In networks that keep the order of such messages it may
have several to one target: a processor, a window, or none.
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.fifo import SyncFIFO
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat, encoded, lowest_one, table_row
from topology.axi4.words import DECERR, RESPONSE_BITS, Axi4Format


class _Slots:
    """Registers of the slots, in the module of the part that has them.

    Parameters:
        part: With ``asked``, ``id`` (if IDs have bits), ``target`` (if an ID may have several transactions),
            ``granted`` and ``slot``.
        start: The request that is granted becomes a transaction.
        end (Signal(outstanding)): Slots that become free.
    """

    def __init__(self, m: Any, part: Any, axi: Axi4Format, start: Any, end: Any):
        count = axi.outstanding
        self.busy: Any = Signal(count, name="busy")
        self.ids: Any = [Signal(axi.id_bits, name=f"id_{i}", reset_less=True) for i in range(count)]
        targets: Any = []
        if hasattr(part, "target"):
            targets = [Signal.like(part.target, name=f"target_{i}", reset_less=True) for i in range(count)]
        self._axi = axi
        self.starts: Any = Signal(count, name="starts")
        free: Any = Signal(count, name="free")
        conflicts: Any = Signal(count, name="conflicts")
        m.d.comb += free.eq(~self.busy)
        chosen = encoded(lowest_one(free), range(count), axi.slot_bits)
        for i in range(count):
            conflict = self.ids[i] == part.id if axi.id_bits else Const(1)
            if targets:
                conflict &= targets[i] != part.target
            m.d.comb += [
                conflicts[i].eq(self.busy[i] & conflict),
                self.starts[i].eq(start & (part.slot == i)),
            ]
            with m.If(self.starts[i]):
                m.d.sync += [self.ids[i].eq(part.id)] if axi.id_bits else []
                m.d.sync += [targets[i].eq(part.target)] if targets else []
        # a granted request stays so: no other one takes a slot
        m.d.sync += [
            part.granted.eq(part.asked & ~start & free.any() & ~conflicts.any()),
            self.busy.eq(self.busy & ~end | self.starts),
        ]
        with m.If(~part.granted):
            m.d.sync += part.slot.eq(concat(chosen))

    def id_of(self, m: Any, slot: Any, name: str) -> Any:
        """Return the ID of a slot."""
        return table_row(m, concat(self.ids), slot, self._axi.id_bits, name)


def _asking_members(axi: Axi4Format, target_bits: int) -> dict[str, Any]:
    members: dict[str, Any] = {"asked": In(1), "granted": Out(1), "slot": Out(axi.slot_bits), "start": In(1)}
    if axi.id_bits:
        members["id"] = In(axi.id_bits)
    if target_bits:
        members["target"] = In(target_bits)
    return members


class ReadTransactions(Part):
    """Reads under way.

    Parameters:
        axi
        target_bits: Width of ``target``; 0 if an ID has one transaction at a time.

    Members:
        asked (In(1)), id (In), target (In): A request waits. All are registers, unchanged until it has started.
        granted (Out(1)), slot (Out): It may start, under this number. Registers; valid from the next cycle on.
        start (In(1)): It starts. Only with ``granted``.
        answer_slot (In), answer_id (Out): ID of a transaction. Combinational.
        end (In(1)): The transaction ``end_slot`` has ended.
        end_slot (In)
    """

    def __init__(self, axi: Axi4Format, target_bits: int = 0):
        self.axi = axi
        members = _asking_members(axi, target_bits)
        members |= {"answer_slot": In(axi.slot_bits), "end": In(1), "end_slot": In(axi.slot_bits)}
        if axi.id_bits:
            members["answer_id"] = Out(axi.id_bits)
        super().__init__(f"axi4_reads_{axi.outstanding}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        ends = Signal(self.axi.outstanding)
        slots = _Slots(m, self, self.axi, self.start, ends)
        m.d.comb += ends.eq(concat(self.end & (self.end_slot == i) for i in range(self.axi.outstanding)))
        if self.axi.id_bits:
            m.d.comb += self.answer_id.eq(slots.id_of(m, self.answer_slot, "answered"))
        return m


class WriteTransactions(Part):
    """Writes under way: collects a response of each destination, and answers once with the worst.

    From the last response to ``bvalid`` 2 cycles, if no other answer waits.

    Parameters:
        axi
        target_bits: See ``ReadTransactions``.
        answers: Most responses to all pieces of a write; 0 for whole writes.

    Members:
        asked, id, target, granted, slot, start: See ``ReadTransactions``.
        receivers (In): Number of responses to come; with ``start``. Absent without windows.
        sending (In(1)), sending_slot (In): Other pieces of the write follow. Only with pieces.
        again (In(1)): Another piece of this write starts, with ``receivers`` more responses. Not with ``answered``.
            Only with pieces.
        failed (In(1)): The write has no destination; with ``start``, and not with ``answered``.
        answered (In(1)), answer_slot (In), answer (In): A response has come.
        bid, bresp, bvalid, bready: Channel B. Registers.
    """

    def __init__(self, axi: Axi4Format, target_bits: int = 0, *, answers: int = 0):
        self.axi = axi
        self.answers = answers
        members = _asking_members(axi, target_bits)
        if answers:
            members |= {"sending": In(1), "sending_slot": In(axi.slot_bits), "again": In(1)}
        if axi.multicasts:
            members["receivers"] = In(axi.processors.bit_length())
        members |= {"failed": In(1), "answered": In(1), "answer_slot": In(axi.slot_bits)}
        members |= {"answer": In(RESPONSE_BITS), "bresp": Out(RESPONSE_BITS), "bvalid": Out(1), "bready": In(1)}
        if axi.id_bits:
            members["bid"] = Out(axi.id_bits)
        super().__init__(f"axi4_writes_{axi.outstanding}", members)

    def elaborate(self, _platform):
        m: Any = Module()
        count = self.axi.outstanding
        m.submodules.complete = complete = SyncFIFO(width=self.axi.slot_bits, depth=count)
        ends: Any = Signal(count)
        slots = _Slots(m, self, self.axi, self.start, ends)
        completes, worst = self._collect(m, slots)
        load = Signal()
        m.d.comb += [
            complete.w_en.eq(completes.any() | self.start & self.failed),
            complete.w_data.eq(Mux(self.answered, self.answer_slot, self.slot)),
            load.eq(complete.r_rdy & (~self.bvalid | self.bready)),
            complete.r_en.eq(load),
            ends.eq(concat(load & (complete.r_data == i) for i in range(count))),
        ]
        m.d.sync += self.bvalid.eq(load | self.bvalid & ~self.bready)
        with m.If(load):
            m.d.sync += self.bresp.eq(table_row(m, concat(worst), complete.r_data, RESPONSE_BITS, "worst"))
            if self.axi.id_bits:
                m.d.sync += self.bid.eq(slots.id_of(m, complete.r_data, "complete"))
        return m

    def _collect(self, m: Any, slots: _Slots) -> tuple[Any, list[Any]]:
        """Return the slots whose last response comes now, and the worst response of each slot so far."""
        count, slot = self.axi.outstanding, self.answer_slot
        completes: Any = Signal(count)
        worst = [Signal(RESPONSE_BITS, name=f"worst_{i}", reset_less=True) for i in range(count)]
        before: Any = Signal(RESPONSE_BITS)
        last: Any = Signal(init=1)
        receivers = self.receivers if self.axi.multicasts else 1
        m.d.comb += before.eq(table_row(m, concat(worst), slot, RESPONSE_BITS, "before"))
        left: list[Any] = []
        fewer: Any = Const(0)
        more: Any = Const(0)
        if self.axi.multicasts or self.answers:
            bits = self.answers.bit_length() if self.answers else len(self.receivers)
            left = [Signal(bits, name=f"left_{i}", reset_less=True) for i in range(count)]
            now, fewer = Signal(bits, name="left_now"), Signal(bits, name="fewer")
            m.d.comb += [now.eq(table_row(m, concat(left), slot, bits, "left")), fewer.eq(now - 1), last.eq(now == 1)]
            if self.answers:
                more = Signal(bits, name="more")
                m.d.comb += more.eq(table_row(m, concat(left), self.sending_slot, bits, "sending") + receivers)
                with m.If(self.sending & (self.sending_slot == slot)):
                    m.d.comb += last.eq(0)
        else:
            m.d.comb += last.eq(1)
        for i in range(count):
            here = Signal(name=f"answered_{i}")
            m.d.comb += [here.eq(self.answered & (slot == i)), completes[i].eq(here & last)]
            with m.If(slots.starts[i]):
                m.d.sync += worst[i].eq(Mux(self.failed, DECERR, 0))
                if left:
                    m.d.sync += left[i].eq(receivers)
            with m.Elif(here):
                m.d.sync += worst[i].eq(Mux(self.answer > before, self.answer, before))
                if left:
                    m.d.sync += left[i].eq(fewer)
            if self.answers:
                with m.Elif(self.again & (self.sending_slot == i)):
                    m.d.sync += left[i].eq(more)
        return completes, worst
