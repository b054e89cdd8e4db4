"""Receiving side of an endpoint of the plane: results as AXI4-Stream packets, and ends of barriers.

======================  =============================================================================
cycle                   what happens
======================  =============================================================================
t                       a word is on the link
t + 1                   it is offered, if no other one is before it; or ``barrier_done`` is high
t + n                   it is taken
t + n + 1               its credit is on the wire; that of a header is in cycle t + 1
======================  =============================================================================
"""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import memory
from amaranth.lib.wiring import In, Out

from rtl.collectives.parameters import PlaneParameters, plane_link
from rtl.parts.arbiter import RoundRobinArbiter
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat, either, encoded


class Result(Part):
    """Delivers the results of one member. Throughput 1 word per cycle. All outputs but the last two are registers.

    Words of different groups alternate in the stream. ``barrier_done`` does not wait for words of earlier operations.

    Parameters:
        plane

    Members:
        link (In(plane_link)): Words from the switch.
        credits (Out(groups)): Credits for the switch.
        tdata, tvalid, tready, tlast: AXI4-Stream of the results.
        tid (Out): Group. Absent if there is one group.
        tuser (Out(1)): The operation has an error; counts with ``tlast``.
        barrier_done (Out(groups)): A barrier of each group is over; high for one cycle.
        barrier_error (Out(groups)): It has an error. Only with ``barrier_done``.
        flush (In(groups)): Drop everything of these groups.
        taken (Out(groups)): A word of each group is taken in this cycle. Combinational.
        delivered (Out(groups)): Likewise, the last one of a result.
    """

    def __init__(self, plane: PlaneParameters):
        self.plane = plane
        groups = plane.groups
        members: dict[str, Any] = {"link": In(plane_link(plane)), "credits": Out(groups)}
        members |= {"tdata": Out(plane.word_bits), "tvalid": Out(1), "tready": In(1), "tlast": Out(1), "tuser": Out(1)}
        if plane.group_bits:
            members["tid"] = Out(plane.group_bits)
        members |= {"barrier_done": Out(groups), "barrier_error": Out(groups), "flush": In(groups)}
        members |= {"taken": Out(groups), "delivered": Out(groups)}
        super().__init__(f"result_{plane.name}_{plane.result_words}", members)

    def elaborate(self, platform):
        m: Any = Module()
        groups = range(self.plane.groups)
        count = self.plane.groups
        names = ("arrives", "data_words", "headers", "receiving", "loads", "offered")
        signals: list[Any] = [Signal(count, name=name) for name in names]
        arrives, data_words, headers, receiving, loads, offered = signals
        load: Any = Signal()
        payload: Any = self.link.payload
        has_group = self.plane.group_bits > 0
        m.d.comb += [
            arrives.eq(
                concat(
                    self.link.valid & (payload.group == g if has_group else Const(1)) & ~self.flush[g] for g in groups
                )
            ),
            headers.eq(arrives & ~receiving),
            data_words.eq(arrives & receiving),
            offered.eq(concat(self.tvalid & (self.tid == g if has_group else Const(1)) for g in groups)),
            load.eq(~self.tvalid | self.tready),
            self.taken.eq(Mux(self.tready, offered, 0)),
            self.delivered.eq(Mux(self.tlast, self.taken, 0)),
        ]
        m.d.sync += [
            self.barrier_done.eq(Mux(payload.last, headers, 0)),
            self.barrier_error.eq(Mux(payload.last & payload.error, headers, 0)),
        ]
        for g in groups:
            with m.If(self.flush[g]):
                m.d.sync += receiving[g].eq(0)
            with m.Elif(arrives[g]):
                m.d.sync += receiving[g].eq(~payload.last)
            self._owe(m, g, headers[g], self.taken[g])
        word = self._store(m, platform, data_words, load, loads)
        held = Signal(len(word), name="stream_held", reset_less=True)
        with m.If(load):
            m.d.sync += [held.eq(word), self.tvalid.eq(loads.any())]
            if has_group:
                m.d.sync += self.tid.eq(concat(encoded(loads, groups, self.plane.group_bits)))
        with m.Elif((offered & self.flush).any()):
            m.d.sync += self.tvalid.eq(0)
        for port, bits in ((self.tdata, held[: self.plane.word_bits]), (self.tlast, held[-2]), (self.tuser, held[-1])):
            m.d.comb += port.eq(bits)
        return m

    def _owe(self, m, g, header, taken):
        """Send the credits of a group, one per cycle."""
        owed: Any = Signal(range(self.plane.result_words + 1), name=f"owed_{g}")
        due: Any = Signal(range(self.plane.result_words + 3), name=f"due_{g}")
        m.d.comb += due.eq(owed + header + taken)
        with m.If(self.flush[g]):
            m.d.sync += [owed.eq(0), self.credits[g].eq(0)]
        with m.Else():
            m.d.sync += [owed.eq(due - due.any()), self.credits[g].eq(due.any())]

    def _store(self, m, platform, arriving, load, loads) -> Value:
        """Store the words of all groups; return the one that is offered next.

        Parameters:
            arriving: Group of the data word on the link, one-hot or 0.
            load: The output register takes a word.
            loads: Set to the group of that word, one-hot or 0.
        """
        plane = self.plane
        groups = range(plane.groups)
        slots = 1 << (plane.result_words - 1).bit_length()
        entry = Value.cast(self.link.payload)[: plane.word_bits + 2]
        m.submodules.words = store = memory.Memory(shape=len(entry), depth=plane.groups * slots, init=[])
        write: Any = store.write_port()
        read: Any = store.read_port(domain="comb")
        turns = instantiate(m, platform, "turns", RoundRobinArbiter(plane.groups))
        present: Any = Signal(plane.groups)
        backs, fronts = [], []
        for g in groups:
            pointers: list[Any] = [Signal(range(slots), name=f"result_{end}_{g}") for end in ("back", "front", "left")]
            back, front, left = pointers
            backs.append(back)
            fronts.append(front)
            m.d.comb += left.eq(back - front)
            with m.If(self.flush[g]):
                m.d.sync += [present[g].eq(0), back.eq(0), front.eq(0)]
            with m.Else():
                stays = Mux(loads[g], left != 1, 1)
                m.d.sync += [
                    back.eq(back + arriving[g]),
                    front.eq(front + loads[g]),
                    present[g].eq(Mux(present[g], stays | arriving[g], arriving[g] & ~loads[g])),
                ]
        m.d.comb += [
            turns.eligible.eq(Mux(load, (present | arriving) & ~self.flush, 0)),
            loads.eq(turns.chosen),
            write.en.eq(arriving.any()),
            write.data.eq(entry),
            write.addr.eq(self._address(arriving, backs)),
            read.addr.eq(self._address(loads, fronts)),
        ]
        return Value.cast(Mux((loads & present).any(), read.data, entry))

    def _address(self, one_hot, pointers) -> Any:
        pointer: Any = either([Mux(one_hot[g], pointer, 0) for g, pointer in enumerate(pointers)])
        bits = self.plane.group_bits
        return Cat(pointer[: len(pointers[0])], *encoded(one_hot, range(self.plane.groups), bits))
