"""Oracle of a copy collector, independent of its twin: untimed, and without entries, lanes or frames.

While the entries suffice, the output, the refused copies and the undecided broadcasts are determined (`ExactOracle`).
Otherwise the evicted broadcasts depend on the cycle; the output must still be correct and without duplicates, and
contain all ordinary packets (`CrowdedOracle`).
"""

from collections import defaultdict, deque
from dataclasses import dataclass
from typing import Protocol

from tb.common.parts.monitor import RuleBroken
from topology.common.flits import HeaderFormat
from topology.harts.broadcast import ALGORITHMS, COPIES
from topology.harts.graph import DIRECTIONS
from topology.harts.header import ID_BITS, PacketHeader
from topology.harts.reception import VOTE

HALF_OF_IDS = 1 << ID_BITS - 1
Key = tuple[int, int, int]
"""Source, id and number of the algorithm."""
Body = tuple[int, ...]


@dataclass(frozen=True)
class Packet:
    """A packet on a link.

    Members:
        header: Data of the first flit.
        body (tuple of int): Data of the others.
    """

    header: int
    body: Body


class Oracle(Protocol):
    """Computes the packets that must come out."""

    def take(self, packet: Packet) -> None:
        """Add a packet that goes in."""

    def receive(self, packet: Packet) -> None:
        """Check a packet that came out; raise ``RuleBroken`` if it must not."""

    def check_settled(self, refused: int, undecided: int) -> None:
        """Raise ``RuleBroken`` if, with nothing in flight, a packet is missing, or one of the pulses so far."""


class _Rules:
    """Rules for the fields of a header."""

    def __init__(self, layout: HeaderFormat, mode: str, least_copies: int):
        self._layout = layout
        self._votes = mode == VOTE
        self._least_copies = least_copies

    def fields(self, packet: Packet) -> PacketHeader:
        return PacketHeader.unpack(self._layout, packet.header)

    @staticmethod
    def key(fields: PacketHeader) -> Key:
        return fields.source, fields.id, fields.algorithm

    @staticmethod
    def copies(fields: PacketHeader) -> int:
        return COPIES[ALGORITHMS[fields.algorithm]]

    def barred(self, fields: PacketHeader) -> bool:
        """Return whether a copy is refused, independent of earlier ones."""
        return self.copies(fields) < self._least_copies or fields.direction >= DIRECTIONS

    def suffice(self, agreeing: int, fields: PacketHeader) -> bool:
        """Return whether this number of copies that agree is enough."""
        return 2 * agreeing > self.copies(fields) or not self._votes


class ExactOracle:
    """Predicts all output, as long as no evicted broadcast receives more copies.

    Parameters:
        gives_up: Whether broadcasts that receive no more copies may be evicted.

    Members:
        open (dict): By incomplete broadcast: the bodies received so far, by direction.
    """

    def __init__(self, layout: HeaderFormat, mode: str, least_copies: int, entries: int, *, gives_up: bool):
        self.open: dict[Key, dict[int, Body]] = {}
        self._rules = _Rules(layout, mode, least_copies)
        self._entries = entries
        self._gives_up = gives_up
        self._delivered: set[Key] = set()  # of those that are open
        self._finished: set[tuple[int, int]] = set()
        self._expected: deque[Packet] = deque()
        self._refused = 0
        self._undecided = 0
        self._forgotten = 0  # or evicted before

    def key(self, packet: Packet) -> Key:
        """Return the key of a packet's broadcast."""
        return self._rules.key(self._rules.fields(packet))

    def opens(self, packet: Packet) -> bool:
        """Return whether a packet would take an entry."""
        fields = self._rules.fields(packet)
        return not fields.broadcast or not (self._refuses(fields) or self._rules.key(fields) in self.open)

    def _refuses(self, fields: PacketHeader) -> bool:
        if self._rules.barred(fields):
            return True
        copies = self.open.get(self._rules.key(fields))
        if copies is None:
            return (fields.source, fields.id) in self._finished
        return fields.direction in copies or self._is_beaten(fields)

    def _is_beaten(self, fields: PacketHeader) -> bool:
        """Return whether another broadcast of the same source and id was delivered before this one had a majority."""
        return self._rules.key(fields) not in self._delivered and (fields.source, fields.id) in self._finished

    def take(self, packet: Packet) -> None:
        """Add a packet that goes in."""
        fields = self._rules.fields(packet)
        if not fields.broadcast:
            self._expected.append(packet)
        elif self._refuses(fields):
            self._refused += 1
            if not self._rules.barred(fields) and self._is_beaten(fields):
                self.open.pop(self._rules.key(fields), None)
        else:
            self._take_copy(packet, fields)

    def _take_copy(self, packet: Packet, fields: PacketHeader) -> None:
        key = self._rules.key(fields)
        if key not in self.open:
            self._forget(fields.source, fields.id ^ HALF_OF_IDS)
        copies = self.open.setdefault(key, {})
        copies[fields.direction] = packet.body
        agreeing = sum(body == packet.body for body in copies.values())
        if key not in self._delivered and self._rules.suffice(agreeing, fields):
            self._expected.append(packet)
            self._delivered.add(key)
            self._finished.add((fields.source, fields.id))
            self._finished.discard((fields.source, fields.id ^ HALF_OF_IDS))
        if len(copies) == self._rules.copies(fields):
            del self.open[key]
            self._undecided += key not in self._delivered
            self._delivered.discard(key)

    def _forget(self, source: int, number: int) -> None:
        """Forget a source's id when the other half of the ids is in use."""
        for key in [key for key in self.open if key[:2] == (source, number)]:
            self._forgotten += key not in self._delivered
            self._delivered.discard(key)
            del self.open[key]

    def receive(self, packet: Packet) -> None:
        """Check a packet that came out; raise ``RuleBroken`` if it is not the one that is due."""
        if not self._expected:
            raise RuleBroken(f"{packet} came out and none is due")
        due = self._expected.popleft()
        if packet != due:
            raise RuleBroken(f"{packet} came out and not {due}")

    def check_settled(self, refused: int, undecided: int) -> None:
        """Raise ``RuleBroken`` if, with nothing in flight, a packet is missing, or one of the pulses so far."""
        if self._expected:
            raise RuleBroken(f"{len(self._expected)} packets never came out, of which the first is {self._expected[0]}")
        if refused != self._refused:
            raise RuleBroken(f"{refused} copies were refused and not {self._refused}")
        waiting = len(self.open.keys() - self._delivered) if self._gives_up else 0
        perhaps = waiting + self._forgotten if self._gives_up else 0
        least, most = self._undecided + max(0, waiting - self._entries), self._undecided + perhaps
        if not least <= undecided <= most:
            raise RuleBroken(f"{undecided} broadcasts remained undecided and not {least} to {most}")


class CrowdedOracle:
    """Checks that the output is possible when broadcasts are evicted while their copies arrive."""

    def __init__(self, layout: HeaderFormat, mode: str, least_copies: int):
        self._rules = _Rules(layout, mode, least_copies)
        self._directions: dict[tuple[Key, Body], set[int]] = defaultdict(set)
        self._candidates: deque[tuple[Packet, bool]] = deque()  # and whether it may decide
        self._delivered: set[tuple[int, int]] = set()  # sources and ids
        self._copies = 0

    def take(self, packet: Packet) -> None:
        """Add a packet that goes in."""
        fields = self._rules.fields(packet)
        if not fields.broadcast:
            self._candidates.append((packet, True))
            return
        self._copies += 1
        if not self._rules.barred(fields):
            agreeing = self._directions[self._rules.key(fields), packet.body]
            agreeing.add(fields.direction)
            self._candidates.append((packet, self._rules.suffice(len(agreeing), fields)))

    def receive(self, packet: Packet) -> None:
        """Check a packet that came out; raise ``RuleBroken`` if no copy that came in can have made it."""
        while self._candidates:
            candidate, decides = self._candidates.popleft()
            if decides and candidate == packet:
                self._deliver(packet)
                return
            if not self._rules.fields(candidate).broadcast:
                raise RuleBroken(f"{packet} came out before the ordinary {candidate}")
        raise RuleBroken(f"{packet} came out without enough copies that agree")

    def _deliver(self, packet: Packet) -> None:
        fields = self._rules.fields(packet)
        if not fields.broadcast:
            return
        name = fields.source, fields.id
        if name in self._delivered:
            raise RuleBroken(f"{packet} is the second of its broadcast that came out")
        # from now on the id that differs in its highest bit may be reused
        self._delivered = self._delivered - {(fields.source, fields.id ^ HALF_OF_IDS)} | {name}

    def check_settled(self, refused: int, undecided: int) -> None:
        """Raise ``RuleBroken`` if, with nothing in flight, an ordinary packet is missing, or there are too many pulses.

        Their numbers depend on the cycle; but a copy is refused once, or else opens one broadcast at most.
        """
        if refused + undecided > self._copies:
            raise RuleBroken(
                f"{refused} copies were refused and {undecided} broadcasts given up, of {self._copies} copies"
            )
        for packet, _ in self._candidates:
            if not self._rules.fields(packet).broadcast:
                raise RuleBroken(f"the ordinary {packet} never came out")
