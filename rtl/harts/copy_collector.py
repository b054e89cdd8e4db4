# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Merges the copies of a broadcast that arrive at a node's host into one packet (Sec. 4).

Copies arrive one after the other, at most one flit per frame of eight cycles, the rate of the node. The words of each
collected broadcast are stored in an entry, in a lane for every distinct body.

The schedule of a frame is in ``copy_steps``.

A copy of a broadcast that is delivered but still in its entry is late: only its direction is recorded, so that the
entry is freed when all copies have arrived. The header of the delivered packet is the header of the deciding copy.
One header is therefore stored for each entry, and the lanes contain bodies only.
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal, Value
from amaranth.lib import data, memory
from amaranth.lib.wiring import In, Out, connect, flipped

from rtl.generator.router_parameters import check_range
from rtl.harts.copy_emission import CopyEmission
from rtl.harts.copy_entries import CopyEntries, Step, count_steps
from rtl.harts.copy_vote import VOTES_BITS, CopyVote, poll_layout, stored_layout
from rtl.harts.finished_broadcasts import FinishedBroadcasts
from rtl.harts.parameters import MAX_PACKET_FLITS
from rtl.parts.flit import flit_layout, link_signature
from rtl.parts.input_buffer import InputBuffer
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat, encoded, packed, table_row
from topology.common.flits import HeaderFormat, bits_for
from topology.harts.broadcast import ALGORITHMS, COPIES
from topology.harts.graph import DIRECTIONS
from topology.harts.reception import ENTRIES, FIRST, MAX_COPIES, VOTE, check_reception, lanes, threshold

BUFFER_FLITS = 2
COPY_FIELDS = ("broadcast", "algorithm", "direction", "source", "id")
KEY_FIELDS = ("algorithm", "source", "id")


class CopyCollector(Part):
    """Delivers each broadcast once, and ordinary packets unchanged.

    Throughput one flit per eight cycles on either side. Latency 15 cycles from the deciding flit, taken, to the header
    on ``o``. After reset nothing is taken while the memory of finished broadcasts is swept: a cycle for each of its
    2 to the power of (bits of a source + 7) words.

    A source may reuse an id after half of the id space, and the state of its last use is then discarded. One broadcast
    per source and id is delivered: it supersedes those with the same id by other algorithms.

    Parameters:
        header: Header format of the mesh.
        packet_flits: Flits of the longest packet, header included; at least 2. The last words of a longer one overwrite
            each other.
        mode: ``first``: the first copy is delivered. ``vote``: the one whose body reaches a majority of all copies that
            the algorithm makes.
        entries: Broadcasts that are collected at a time, 2 to 16.
        least_copies: Broadcasts by algorithms that make fewer copies are refused.

    Members:
        i (In(link_signature)): Packets from the node. ``ready`` is a register.
        o (Out(link_signature)): Packets for the host; ``valid`` and ``payload`` are registers.
        undecided (Out(1)): High for one cycle when an undecided broadcast is given up: all copies have arrived, or its
            entry is needed. Not for those superseded by another broadcast, or by a new one with the same id. A
            register.
        refused (Out(1)): High for one cycle when a copy is dropped: of a broadcast that was delivered before, a second
            one from the same direction, or of an algorithm with too few copies. A register.

    Raises:
        ValueError: If a parameter is out of range.
    """

    def __init__(
        self,
        header: HeaderFormat,
        nodes: int,
        packet_flits: int,
        mode: str,
        entries: int = ENTRIES,
        least_copies: int = 1,
    ):
        check_range("Packet length in flits", packet_flits, 2, MAX_PACKET_FLITS)
        check_reception(mode, entries, least_copies)
        self.header = header
        self.nodes = nodes
        self.packet_flits = packet_flits
        self.mode = mode
        self.entries = entries
        self.least_copies = least_copies
        self.lanes = lanes(mode)
        widths = dict(header.fields)
        self._copy_layout = data.StructLayout({name: widths[name] for name in COPY_FIELDS})
        shape = f"n{nodes}_f{header.flit_bits}_h{header.fixed_bits}_p{packet_flits}"
        super().__init__(
            f"harts_copy_collector_{mode}_{shape}_e{entries}_k{least_copies}",
            {
                "i": In(link_signature(header.flit_bits)),
                "o": Out(link_signature(header.flit_bits)),
                "undecided": Out(1),
                "refused": Out(1),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        self._steps = count_steps(m)
        self._word: Any = Signal(flit_layout(self.header.flit_bits), name="word")
        self._copy: Any = Signal(self._copy_layout, name="copy")
        self._direction: Any = Signal(DIRECTIONS, name="direction_bit")
        self._counted = Signal(name="counted")  # a copy ends, and is neither dropped nor refused
        self._busy = Signal(name="busy")  # there is a word in this frame
        position_bits = bits_for(self.packet_flits - 1)
        self._position = Signal(position_bits, name="position")  # in the body; 0 also of a head
        self._emission = CopyEmission(self.entries, self.lanes, position_bits)
        finished = instantiate(m, platform, "finished_broadcasts", FinishedBroadcasts(self._copy.source.shape().width))
        entries = instantiate(m, platform, "entries", CopyEntries(self.entries, self._key_bits, self._name_bits))
        progress, following = self._keep_progress(m, entries)
        self._take(m, platform, finished)
        decision = self._decide(m, finished, entries, progress)
        stored = self._store(m, entries, self._next_lane(progress), decision["voting"])
        lane, decided = self._vote(m, platform, stored, progress, following)
        deciding = self._count(m, finished, entries, decision, progress, following, decided)
        m.d.comb += [
            entries.emitting.eq(self._emission.emitting),
            entries.emitted.eq(self._emission.entry),
        ]
        self._emission.send(m, self.o, self._steps[Step.EMIT], stored)
        self._emission.begin(m, deciding, entries.entry, lane)
        return m

    @property
    def _key_bits(self) -> int:
        return sum(self._copy_layout[name].width for name in KEY_FIELDS)

    @property
    def _name_bits(self) -> int:
        return self._copy_layout["source"].width + self._copy_layout["id"].width

    def _take(self, m, platform, finished):
        """Take a flit from the buffer."""
        at, flit_bits = self._steps, self.header.flit_bits
        buffer = instantiate(m, platform, "buffer", InputBuffer(flit_bits, BUFFER_FLITS))
        connect(m, flipped(self.i), buffer.link)
        flit: Any = buffer.flit
        fields = data.StructLayout(dict(self.header.fields))
        header: Any = data.View(fields, flit.data[: fields.size])
        pop = Signal()
        last = self.packet_flits - 2  # of a body
        m.d.comb += [
            pop.eq(at[Step.TAKE] & buffer.present & ~finished.sweeping & ~(flit.tail & self._emission.emitting)),
            buffer.pop.eq(pop),
        ]
        with m.If(at[Step.TAKE]):
            m.d.sync += self._busy.eq(pop)
        with m.If(pop):
            m.d.sync += [
                self._word.eq(flit),
                self._position.eq(Mux(flit.head, 0, self._position + (~self._word.head & (self._position != last)))),
            ]
        with m.If(pop & flit.head):
            m.d.sync += [self._copy[name].eq(header[name]) for name in COPY_FIELDS]

    def _keep_progress(self, m, entries) -> tuple[Any, Any]:
        """Return the progress of the entry's broadcast, at first all 0, without and with the copy that ends."""
        votes = {"poll": poll_layout(self.lanes)} if self.mode == VOTE else {}
        shape = data.StructLayout({"seen": DIRECTIONS, "delivered": 1, **votes})
        m.submodules.progress = store = memory.Memory(shape=shape, depth=self.entries, init=[])
        write: Any = store.write_port()
        read: Any = store.read_port(domain="comb")
        following: Any = Signal(shape, name="following")
        m.d.comb += [
            read.addr.eq(entries.entry),
            write.addr.eq(entries.entry),
            write.data.eq(Mux(entries.take, 0, Value.cast(following))),
            write.en.eq(entries.take | self._counted),
        ]
        return read.data, following

    def _next_lane(self, progress) -> Any:
        return progress.poll.lanes_used if self.mode == VOTE else Const(0, 1)

    def _by_algorithm(self, m, name: str, values: list[int], bits: int) -> Value:
        """Return a value selected by the copy's algorithm."""
        return table_row(m, Const(packed(values, bits), bits * len(values)), self._copy.algorithm, bits, name)

    def _decide(self, m, finished, entries, progress) -> dict[str, Any]:
        """Return the decisions on a copy, made from its head and kept until its tail."""
        at, copy = self._steps, self._copy
        decision: dict[str, Any] = {
            name: Signal(name=name) for name in ("voting", "late", "allocating", "losing", "refusing", "beaten")
        }
        head, seen, refused, late, beaten = Signal(), Signal(), Signal(), Signal(), Signal()
        few = [int(COPIES[algorithm] < self.least_copies) for algorithm in ALGORITHMS]
        m.d.comb += [
            head.eq(self._busy & self._word.head),
            self._direction.eq(1 << copy.direction),
            seen.eq((progress.seen & self._direction).any()),
            refused.eq(
                copy.broadcast
                & (
                    Mux(entries.matched, seen | beaten, finished.finished)
                    | ~self._direction.any()
                    | self._by_algorithm(m, "few", few, 1)
                )
            ),
            late.eq(entries.matched & progress.delivered),
            # by a broadcast of the same source and id, but by another algorithm: one of the two is forged
            beaten.eq(entries.matched & ~progress.delivered & finished.finished),
            entries.look.eq(head & at[Step.LOOK]),
            entries.key.eq(concat(copy[name] for name in KEY_FIELDS)),
            entries.keyed.eq(copy.broadcast),
            entries.take.eq(decision["allocating"] & at[Step.ENTER]),
            finished.source.eq(copy.source),
            finished.id.eq(copy.id),
        ]
        with m.If(at[Step.JUDGE]):
            m.d.sync += [
                decision["allocating"].eq(head & ~refused & ~entries.matched),
                decision["losing"].eq(head & ~refused & ~entries.matched & entries.in_use & ~progress.delivered),
                decision["refusing"].eq(head & refused),
                decision["beaten"].eq(head & beaten),
            ]
        with m.If(at[Step.JUDGE] & head):
            m.d.sync += [decision["voting"].eq(~refused & ~late), decision["late"].eq(~refused & late)]
        return decision

    def _store(self, m, entries, next_lane, voting) -> Any:
        """Store the words: read for lanes and emission, written into the next lane, or of a head as header."""
        at, emission, headers = self._steps, self._emission, self.lanes
        slot_bits = bits_for(self.lanes + 1)  # of an entry: lanes and header
        depth = self.entries << slot_bits + len(self._position)
        m.submodules.words = store = memory.Memory(shape=stored_layout(self.header.flit_bits), depth=depth, init=[])
        write: Any = store.write_port()
        read: Any = store.read_port()
        lane, slot, written_slot = Signal(slot_bits), Signal(slot_bits), Signal(slot_bits)
        entry, position = Signal.like(emission.entry), Signal.like(self._position)
        room = Signal()
        m.d.comb += [
            lane.eq(concat(encoded(at[Step.READ : Step.READ + self.lanes], range(self.lanes), slot_bits))),
            slot.eq(Mux(at[Step.WRITE], Mux(emission.head, headers, emission.lane), lane)),
            entry.eq(Mux(at[Step.WRITE], emission.entry, entries.entry)),
            position.eq(Mux(at[Step.WRITE], emission.position, self._position)),
            read.addr.eq(concat((position, slot, entry))),
            room.eq(next_lane != self.lanes),
            written_slot.eq(Mux(self._word.head, headers, next_lane)),
            write.addr.eq(concat((self._position, written_slot, entries.entry))),
            write.data.data.eq(self._word.data),
            write.data.tail.eq(self._word.tail),
            write.en.eq(at[Step.WRITE] & self._busy & voting & (room | self._word.head)),
        ]
        return read.data

    def _vote(self, m, platform, stored, progress, following) -> tuple[Any, Any]:
        """Return the lane of the copy that ends, and whether its vote decides."""
        if self.mode == FIRST:
            return Const(0, 1), Const(1, 1)
        at, decided = self._steps, Signal()
        vote = instantiate(m, platform, "vote", CopyVote(self.header.flit_bits, self.lanes))
        missing = [threshold(COPIES[algorithm], VOTE) - 1 for algorithm in ALGORITHMS]
        m.d.comb += [
            vote.begin.eq(self._busy & self._word.head & at[Step.LOOK]),
            vote.word.eq(self._word),
            vote.stored.eq(stored),
            vote.shown.eq(concat(at[Step.READ + 1 : Step.READ + 1 + self.lanes])),
            vote.poll.eq(progress.poll),
            vote.votes_missing.eq(self._by_algorithm(m, "missing", missing, VOTES_BITS)),
            following.poll.eq(vote.poll_after),
            decided.eq(vote.decided | ~self._copy.broadcast),
        ]
        return vote.lane, decided

    def _count(self, m, finished, entries, decision, progress, following, decided) -> Signal:
        """Count the direction of a copy that has ended; return whether its vote decides the broadcast."""
        broadcast = self._copy.broadcast
        counted = self._counted
        ended, deciding, complete, lost = Signal(), Signal(), Signal(), Signal()
        directions: Any = Signal(range(MAX_COPIES + 1))
        copies = self._by_algorithm(m, "copies", [COPIES[name] for name in ALGORITHMS], len(directions))
        m.d.comb += [
            ended.eq(self._steps[Step.COUNT] & self._busy & self._word.tail),
            counted.eq(ended & (decision["voting"] | decision["late"])),
            deciding.eq(ended & decision["voting"] & decided),
            following.seen.eq(progress.seen | self._direction),
            following.delivered.eq(progress.delivered | decided),
            directions.eq(sum(following.seen[way] for way in range(DIRECTIONS))),
            complete.eq(directions == copies),
            lost.eq(counted & broadcast & complete & ~following.delivered),
            entries.free.eq(counted & (complete | ~broadcast) | self._steps[Step.ENTER] & decision["beaten"]),
            finished.write.eq(deciding & broadcast),
        ]
        m.d.sync += [
            self.undecided.eq(self._steps[Step.COUNT] & decision["losing"] | lost),
            self.refused.eq(self._steps[Step.COUNT] & decision["refusing"]),
        ]
        return deciding
