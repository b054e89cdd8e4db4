"""Sending side of an endpoint of the plane: packets of words and requests of barriers become operations.

======================  =============================================================================
cycle                   what happens
======================  =============================================================================
t                       the first beat of a packet is taken; or a request of a barrier is high
t + 1                   nothing waits before it, so its header is sent
t + 2                   the header is on the link; the first word is sent
t + 3                   the first word is on the link
======================  =============================================================================
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from rtl.collectives.credits import GroupCredits
from rtl.collectives.parameters import PlaneParameters, plane_link
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat, either, encoded, lowest_one
from topology.collectives.operators import OPERATOR_BITS


def beat_layout(plane: PlaneParameters) -> data.StructLayout:
    """Return the layout of a beat that waits: ``before`` are the barriers that go before a first one.

    Parameters:
        plane
    """
    return data.StructLayout(
        {
            "word": plane.word_bits,
            "last": 1,
            "first": 1,
            "before": range(plane.window + 1),
            **({"group": plane.group_bits} if plane.group_bits else {}),
            **({"operator": OPERATOR_BITS} if len(plane.operators) > 1 else {}),
        }
    )


class Contribution(Part):
    """Sends the operations of one member. Throughput 1 word per cycle; a header costs a cycle.

    Packets and barriers of a group keep their order. Words of different groups may alternate.

    Parameters:
        plane

    Members:
        tdata, tvalid, tready, tlast: AXI4-Stream of the packets, of one word or more. ``tready`` is a register.
        tdest (In): Group of a beat. Absent if there is one group.
        tuser (In(3)): Operator, in the first beat of a packet. With one that is not in hardware, the operation has an
            error. Absent if the hardware has one operator.
        barrier_request (In(groups)): A barrier of each group is requested in this cycle; requests beyond the window
            are ignored.
        delivered, released (In(groups)): An operation ends at this member in this cycle: its last result is taken; its
            barrier is done.
        link (Out(plane_link)): Words to the switch. Registers.
        credited (In(groups)): Credits of the switch.
        flush (In(groups)): Drop everything of these groups.
    """

    def __init__(self, plane: PlaneParameters):
        self.plane = plane
        groups = plane.groups
        members: dict[str, Any] = {"tdata": In(plane.word_bits), "tvalid": In(1), "tready": Out(1), "tlast": In(1)}
        if plane.group_bits:
            members["tdest"] = In(plane.group_bits)
        if len(plane.operators) > 1:
            members["tuser"] = In(OPERATOR_BITS)
        for name in ("barrier_request", "delivered", "released", "credited", "flush"):
            members[name] = In(groups)
        members["link"] = Out(plane_link(plane))
        window = f"{plane.buffer_words}_{plane.window}"
        super().__init__(f"contribution_{plane.name}_{window}", members)

    def elaborate(self, platform):
        m: Any = Module()
        _Sender(self, m, platform)
        return m


class _Sender:
    """Registers and logic of a sender.

    queue: Up to two beats, the first one in front.
    requests: Barriers that are requested and not sent, by group.
    sending: The header of the group's packet at the front is sent.
    """

    def __init__(self, part: Contribution, m: Any, platform: object):
        self.part, self.m, self.platform = part, m, platform
        self.plane = plane = part.plane
        self.groups = range(plane.groups)
        count = range(plane.window + 1)
        self.layout = beat_layout(plane)
        self.valid: list[Any] = [Signal(name=f"valid_{k}") for k in range(2)]
        self.queue: list[Any] = [Signal(self.layout, name=f"beat_{k}", reset_less=True) for k in range(2)]
        self.sending: Any = Signal(plane.groups)
        self.open: Any = Signal(plane.groups)
        self.requests: list[Any] = [Signal(count, name=f"requests_{g}") for g in self.groups]
        self.under_way: list[Any] = [Signal(count, name=f"under_way_{g}") for g in self.groups]
        self.stream_had: Any = Signal()
        self._count_credits()
        self._choose()
        self._count_requests()
        self._move_queue()
        self._send()

    def _of(self, entry: Any, g: int) -> Any:
        """Return whether a beat in the queue is of a group."""
        return entry.group == g if self.plane.group_bits else Const(1)

    def _count_credits(self):
        m, part, plane = self.m, self.part, self.plane
        counter = instantiate(m, self.platform, "credits", GroupCredits(plane.groups, [plane.buffer_words]))
        self.sent: Any = Signal(plane.groups)
        self.credit: Any = Signal(plane.groups, init=(1 << plane.groups) - 1)
        m.d.comb += [
            counter.sent.eq(self.sent),
            counter.returned.eq(part.credited),
            counter.flush.eq(part.flush),
        ]
        m.d.sync += self.credit.eq(counter.some | part.flush)

    def _choose(self):
        """Choose between the beat in front and the lowest barrier that may go."""
        m, part, plane = self.m, self.part, self.plane
        front, second = self.queue
        may_start: Any = Signal(plane.groups)
        eligible: Any = Signal(plane.groups)
        self.own: Any = Signal(plane.groups)  # group of the beat in front
        self.in_packet: Any = Signal()
        stream: Any = Signal(plane.groups)
        stream_ready: Any = Signal()
        self.barrier: Any = Signal(plane.groups)
        self.barrier_goes: Any = Signal()
        self.stream_goes: Any = Signal()
        for g in self.groups:
            first = [self.valid[k] & self.queue[k].first & self._of(self.queue[k], g) for k in range(2)]
            is_next = Mux(first[0], front.before.any(), Mux(first[1], second.before.any(), 1))
            m.d.comb += [
                may_start[g].eq((self.under_way[g] != plane.window) & self.credit[g] & ~part.flush[g]),
                eligible[g].eq(self.requests[g].any() & ~self.sending[g] & is_next & may_start[g]),
                self.own[g].eq(self.valid[0] & self._of(front, g)),
                stream[g].eq(Mux(self.sending[g], self.credit[g] & ~part.flush[g], may_start[g] & ~front.before.any())),
            ]
        m.d.comb += [
            self.in_packet.eq((self.own & self.sending).any()),
            stream_ready.eq((self.own & stream).any()),
            self.stream_goes.eq(stream_ready & ~(self.stream_had & eligible.any())),
            self.barrier_goes.eq(eligible.any() & ~self.stream_goes),
            self.barrier.eq(Mux(self.barrier_goes, lowest_one(eligible), 0)),
            self.sent.eq(Mux(self.stream_goes, self.own, self.barrier)),
        ]
        with m.If(self.stream_goes):
            m.d.sync += self.stream_had.eq(1)
        with m.Elif(self.barrier_goes):
            m.d.sync += self.stream_had.eq(0)

    def _count_requests(self):
        """Count requests and operations under way, and keep which packets have begun."""
        m, part, plane = self.m, self.part, self.plane
        header = self.stream_goes & ~self.in_packet
        self.left: list[Any] = [Signal(len(self.requests[g]), name=f"requests_left_{g}") for g in self.groups]
        for g in self.groups:
            goes = self.barrier[g]
            full = self.requests[g] == plane.window
            begins = goes | header & self.own[g]
            m.d.comb += self.left[g].eq(
                Mux(full & ~goes, self.requests[g], self.requests[g] + part.barrier_request[g] - goes)
            )
            with m.If(part.flush[g]):
                m.d.sync += [self.requests[g].eq(0), self.under_way[g].eq(0), self.sending[g].eq(0)]
            with m.Else():
                m.d.sync += [
                    self.requests[g].eq(self.left[g]),
                    self.under_way[g].eq(self.under_way[g] + begins - part.delivered[g] - part.released[g]),
                ]
                with m.If(self.stream_goes & self.own[g]):
                    m.d.sync += self.sending[g].eq(~self.in_packet | ~self.queue[0].last)

    def _move_queue(self):
        """Take beats into the queue, and let those in it move up."""
        m, part, plane = self.m, self.part, self.plane
        pops = Signal()
        kept = [Signal(name=f"kept_{k}") for k in range(2)]
        moved: list[Any] = [Signal(self.layout, name=f"moved_{k}") for k in range(2)]
        arriving: Any = Signal(self.layout, name="arriving_beat")
        enters = Signal()
        m.d.comb += pops.eq(self.stream_goes & self.in_packet)
        flushed = [Signal(name=f"flushed_{k}") for k in range(3)]
        beats = [*self.queue, arriving]
        for k, beat in enumerate(beats):
            m.d.comb += flushed[k].eq(concat(part.flush[g] & self._of(beat, g) for g in self.groups).any())
        for k, entry in enumerate(self.queue):
            m.d.comb += moved[k].eq(entry)
            goes = entry.first & concat(self.barrier[g] & self._of(entry, g) for g in self.groups).any()
            with m.If(goes):
                m.d.comb += moved[k].before.eq(entry.before - 1)
        m.d.comb += [
            arriving.word.eq(part.tdata),
            arriving.last.eq(part.tlast),
            arriving.before.eq(either([Mux(self._of(arriving, g), self.left[g], 0) for g in self.groups])),
            arriving.first.eq(~concat(self.open[g] & self._of(arriving, g) for g in self.groups).any()),
            enters.eq(part.tvalid & part.tready & ~flushed[2]),
            kept[0].eq(self.valid[0] & ~pops & ~flushed[0]),
            kept[1].eq(self.valid[1] & ~flushed[1]),
        ]
        if plane.group_bits:
            m.d.comb += arriving.group.eq(part.tdest)
        if "operator" in self.layout.members:
            m.d.comb += arriving.operator.eq(part.tuser)
        for g in self.groups:
            with m.If(part.flush[g]):
                m.d.sync += self.open[g].eq(0)
            with m.Elif(enters & self._of(arriving, g)):
                m.d.sync += self.open[g].eq(~part.tlast)
        valid = [Signal(name=f"will_be_valid_{k}") for k in range(2)]
        m.d.comb += [
            valid[0].eq(kept[0] | kept[1] | enters),
            valid[1].eq(Mux(kept[0], kept[1] | enters, kept[1] & enters)),
        ]
        # tready is low in reset: beats that are taken then would be lost
        m.d.sync += [self.valid[0].eq(valid[0]), self.valid[1].eq(valid[1]), part.tready.eq(~valid[1])]
        m.d.sync += [
            self.queue[0].eq(
                Mux(kept[0], Value.cast(moved[0]), Mux(kept[1], Value.cast(moved[1]), Value.cast(arriving)))
            ),
            self.queue[1].eq(Mux(kept[0] & kept[1], Value.cast(moved[1]), Value.cast(arriving))),
        ]

    def _send(self):
        """Load the output register."""
        m, part, plane = self.m, self.part, self.plane
        front = self.queue[0]
        held: Any = Signal(part.link.payload.shape(), name="link_held", reset_less=True)
        code: Any = Const(plane.default_operator, OPERATOR_BITS)
        header, unknown = code, Const(0)
        if "operator" in self.layout.members:
            known = concat(front.operator == number for number in plane.operators).any()
            unknown = ~known
            header = Mux(self.stream_goes & known, front.operator, code)
        data_word = self.stream_goes & self.in_packet
        m.d.sync += [
            part.link.valid.eq(self.stream_goes | self.barrier_goes),
            held.word.eq(Mux(data_word, front.word, header)),
            held.last.eq(Mux(self.stream_goes, self.in_packet & front.last, 1)),
            held.error.eq(self.stream_goes & ~self.in_packet & unknown),
        ]
        if plane.group_bits:
            m.d.sync += held.group.eq(concat(encoded(self.sent, self.groups, plane.group_bits)))
        m.d.comb += part.link.payload.eq(held)
