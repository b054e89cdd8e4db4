"""Golden twin of the copy collector, which makes one packet of the copies of a broadcast."""

from collections import deque
from collections.abc import Mapping

from sim_model.harts.copy_records import Arrival, CopyOutcome, Emission, Entry, Word
from topology.common.flits import FlitFormat, HeaderFormat
from topology.harts.broadcast import ALGORITHMS, COPIES
from topology.harts.graph import DIRECTIONS
from topology.harts.header import ID_BITS, PacketHeader
from topology.harts.reception import ENTRIES, STEPS, VOTE, check_reception, lanes, threshold

Inputs = Mapping[str, int]
"""Value of every input port in one cycle, by dotted name."""
Outputs = dict[str, int | None]
"""Value of every output port in one cycle, by dotted name; None where the part's contract leaves it open."""
BUFFER_FLITS = 2
HALF_OF_IDS = 1 << ID_BITS - 1
LOAD_STEP = 6
"""Step in which the output register may load the next flit of a packet."""


class CopyCollectorTwin:
    """Collects the copies of broadcasts and hands over one packet for each, and ordinary packets as they are.

    Parameters:
        header: Header format of the mesh.
        nodes: Of the mesh.
        packet_flits: Longest packet, header included.
        mode: ``FIRST`` or ``VOTE``.
        entries: Broadcasts collected at a time.
        least_copies: Broadcasts by algorithms that make fewer copies are refused.

    Members:
        cycle (int): Cycles since reset; the step is its rest by ``STEPS``.
        sweep_cycles (int): Cycles in which the memory of finished broadcasts is cleared; no flit is taken before.
        buffer (deque of int): Flits that wait, the first in front.
        ready (int): Output register: the buffer has a place.
        work (int or None): The flit that this frame is about.
        arrival (Arrival or None): The packet that it belongs to.
        entries (list of (Entry or None)): None while an entry is not in use.
        turn (int): Entry that is the next to be given up when all are in use.
        finished (dict): By source and id without its highest bit: the highest bit of the id that was delivered last.
        emission (Emission or None)
        register (int or None): The flit on the output.
        refused, undecided (int): Output registers.
    """

    def __init__(
        self,
        header: HeaderFormat,
        nodes: int,
        packet_flits: int,
        mode: str = VOTE,
        entries: int = ENTRIES,
        least_copies: int = 1,
    ):
        check_reception(mode, entries, least_copies)
        self.header = header
        self.packet_flits = packet_flits
        self.mode = mode
        self.least_copies = least_copies
        self._flits = FlitFormat(header.flit_bits)
        self.cycle = 0
        self.sweep_cycles = (1 << (nodes - 1).bit_length()) * HALF_OF_IDS
        self.buffer: deque[int] = deque()
        self.ready = 0
        self.work: int | None = None
        self.arrival: Arrival | None = None
        self.entries: list[Entry | None] = [None] * entries
        self.turn = 0
        self.finished: dict[tuple[int, int], int] = {}
        self.emission: Emission | None = None
        self.register: int | None = None
        self.refused = 0
        self.undecided = 0

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``i.*``, ``o.*``, ``refused`` and ``undecided``."""
        outputs: Outputs = {
            "i.ready": self.ready,
            "o.valid": int(self.register is not None),
            "o.payload": self.register,
            "refused": self.refused,
            "undecided": self.undecided,
        }
        self.refused = self.undecided = 0
        step = self.cycle % STEPS
        pop = step == 0 and self._may_take()
        if step == 0:
            self.work = self.buffer[0] if pop else None
            self._judge()
        self._load(inputs["o.ready"], step)
        if step == STEPS - 1 and self.work is not None:
            self._keep_books(self.work)
        if pop:
            self.buffer.popleft()
        if inputs["i.valid"] and self.ready:
            self.buffer.append(inputs["i.payload"])
        self.ready = int(len(self.buffer) < BUFFER_FLITS)
        self.cycle += 1
        return outputs

    def _may_take(self) -> bool:
        """Return whether a tail may decide what is sent next: it waits until no packet is being sent."""
        if self.cycle < self.sweep_cycles or not self.buffer:
            return False
        _, _, tail = self._flits.unpack(self.buffer[0])
        return not (tail and self.emission)

    def _load(self, ready: int, step: int) -> None:
        if ready:
            self.register = None
        if step == LOAD_STEP and self.emission and self.register is None:
            self.register = self.emission.flits.popleft()
            if not self.emission.flits:
                self.emission = None

    # at the start of a frame: where the packet belongs

    def _judge(self) -> None:
        """Judge a head. State changes at the end of the frame only; until then an emission may end,
        but its entry is not given away.
        """
        if self.work is None:
            return
        data, head, _ = self._flits.unpack(self.work)
        if head != (self.arrival is None):
            raise ValueError("Packets must be a head and the rest up to a tail, one after the other")
        if head:
            fields = PacketHeader.unpack(self.header, data)
            self.arrival = Arrival(data, fields, CopyOutcome.OPENS, -1)
            if fields.broadcast:
                self._judge_copy(self.arrival)
            if self.arrival.verdict is CopyOutcome.OPENS:
                self.arrival.slot = self._victim()

    def _judge_copy(self, arrival: Arrival) -> None:
        fields = arrival.fields
        if COPIES[ALGORITHMS[fields.algorithm]] < self.least_copies or fields.direction >= DIRECTIONS:
            arrival.verdict = CopyOutcome.REFUSED
            return
        for slot, entry in enumerate(self.entries):
            if entry and entry.key == arrival.key:
                self._judge_by_entry(arrival, slot, entry)
                return
        if self._is_finished(fields):
            arrival.verdict = CopyOutcome.REFUSED

    def _judge_by_entry(self, arrival: Arrival, slot: int, entry: Entry) -> None:
        fields = arrival.fields
        beaten = not entry.delivered and self._is_finished(fields)  # by another algorithm's broadcast
        if beaten:
            self.entries[slot] = None
        if beaten or fields.direction in entry.seen:
            arrival.verdict = CopyOutcome.REFUSED
            return
        arrival.verdict = CopyOutcome.LATE if entry.delivered else CopyOutcome.JOINS
        arrival.slot = slot

    def _is_finished(self, fields: PacketHeader) -> bool:
        """Return whether a broadcast of this source and id has been delivered."""
        high, low = divmod(fields.id, HALF_OF_IDS)
        return self.finished.get((fields.source, low)) == high

    def _victim(self) -> int:
        """Return the entry of a new packet: a free one, or the next in turn; never the one being sent."""
        count = len(self.entries)
        sent = self.emission.slot if self.emission else None
        in_turn = [(self.turn + distance) % count for distance in range(count)]
        free = [slot for slot in range(count) if not self.entries[slot]]
        return next(slot for slot in free + in_turn if slot != sent)

    # at the end of a frame

    def _keep_books(self, flit: int) -> None:
        arrival = self.arrival
        assert arrival
        data, head, tail = self._flits.unpack(flit)
        if head and arrival.verdict is CopyOutcome.OPENS:
            self._open(arrival)
        self.refused = int(head and arrival.verdict is CopyOutcome.REFUSED)
        arrival.words.append((0 if head else data, tail))
        if len(arrival.words) > self.packet_flits:
            raise ValueError(f"Packet must have at most {self.packet_flits} flits, not more")
        if tail:
            self.arrival = None
            if arrival.verdict is not CopyOutcome.REFUSED:
                self._close(arrival)

    def _open(self, arrival: Arrival) -> None:
        slot, fields = arrival.slot, arrival.fields
        evicted = self.entries[slot]
        if evicted:
            self.undecided |= int(not evicted.delivered)
            self.turn = (slot + 1) % len(self.entries)
        if fields.broadcast:
            self._forget(fields.source, fields.id ^ HALF_OF_IDS)
            self.entries[slot] = Entry(arrival.key, COPIES[ALGORITHMS[fields.algorithm]])
        else:
            self.entries[slot] = Entry()

    def _forget(self, source: int, number: int) -> None:
        """Drop the outdated entries of a source's id."""
        for slot, entry in enumerate(self.entries):
            if entry and entry.key and entry.key[:2] == (source, number):
                self.entries[slot] = None

    def _close(self, arrival: Arrival) -> None:
        """Close a packet that was not refused, after its tail."""
        entry = self.entries[arrival.slot]
        assert entry
        if entry.key is None:
            self._emit(arrival, arrival.words)
            self.entries[arrival.slot] = None
            return
        entry.seen.add(arrival.fields.direction)
        if not entry.delivered:
            self._vote(arrival, entry)
        if len(entry.seen) == entry.copies:
            self.undecided |= int(not entry.delivered)
            self.entries[arrival.slot] = None

    def _vote(self, arrival: Arrival, entry: Entry) -> None:
        if arrival.words not in entry.bodies:
            if len(entry.bodies) == lanes(self.mode):
                return
            entry.bodies.append(arrival.words)
            entry.votes.append(0)
        lane = entry.bodies.index(arrival.words)
        entry.votes[lane] += 1
        if entry.votes[lane] == threshold(entry.copies, self.mode):
            entry.delivered = True
            high, low = divmod(arrival.fields.id, HALF_OF_IDS)
            self.finished[arrival.fields.source, low] = high
            self._emit(arrival, entry.bodies[lane])

    def _emit(self, arrival: Arrival, words: list[Word]) -> None:
        """Begin to send, under the header of the copy that decided."""
        body = [arrival.header, *(data for data, _ in words[1:])]
        flits = (
            self._flits.pack(data=data, head=position == 0, tail=tail)
            for position, (data, (_, tail)) in enumerate(zip(body, words, strict=True))
        )
        self.emission = Emission(arrival.slot, deque(flits))
