"""Random copies of broadcasts, as faulty nodes may make them, with ordinary packets in between.

Three kinds of traffic, by the extent to which the output is determined:

==============  ====================================================================================================
``orderly``     copies of several broadcasts in random order, as many as there are entries; all copies arrive
``abandoned``   one broadcast after the other, of many of which copies are missing
``crowded``     far more broadcasts at a time than there are entries, with copies missing
==============  ====================================================================================================
"""

import random
from collections.abc import Iterator, Sequence

from tb.harts.copy_oracle import HALF_OF_IDS, Body, ExactOracle, Oracle, Packet
from topology.common.flits import HeaderFormat
from topology.harts.broadcast import ALGORITHMS, COPIES, algorithm_number
from topology.harts.graph import DIRECTIONS
from topology.harts.header import PacketHeader

LOW_IDS = (0, 5, HALF_OF_IDS - 1)
REUSED_ID = 0.15
ORDINARY = 0.15
NEW_BROADCAST = 0.3
DUPLICATE = 0.2
FORGED_ALGORITHM = 0.2
FORGED_DIRECTION = 0.05
ABANDONED = 0.4
SPOILT_FIRST = 0.6


class CopyTraffic:
    """Makes packets.

    Parameters:
        packet_flits: Longest packet, header included.
        entries: Of the collector.
    """

    def __init__(self, layout: HeaderFormat, nodes: int, packet_flits: int, entries: int, numbers: random.Random):
        self._layout = layout
        self._sources = (0, nodes // 2, nodes - 1)
        self._most_words = packet_flits - 1
        self._entries = entries
        self._numbers = numbers
        self._last_id: dict[tuple[int, int], int] = {}

    def orderly(self, oracle: ExactOracle) -> Iterator[Packet]:
        """Yield packets, which enter the oracle as they are made.

        None opens a broadcast while an entry that is neither taken nor being sent might be missing.
        """
        plans: list[Iterator[Packet]] = []
        while True:
            room = len(oracle.open) <= self._entries - 2
            if room and self._chance(ORDINARY):
                packet = self._ordinary()
            elif not plans or (len(plans) < self._entries and self._chance(NEW_BROADCAST)):
                plans.append(self._whole_broadcast(oracle))
                continue
            else:
                plan = self._numbers.choice(plans)
                packet = next(plan, None)
                if packet is None:
                    plans.remove(plan)
                if packet is None or (oracle.opens(packet) and not room):
                    continue
            oracle.take(packet)
            yield packet

    def _whole_broadcast(self, oracle: ExactOracle) -> Iterator[Packet]:
        """Yield copies, some several times; then those that are still missing."""
        source, number = self._source_and_id()
        made = [*self._copies(source, number, self._algorithm())]
        if self._chance(FORGED_ALGORITHM):
            made += self._copies(source, number, self._algorithm())
            self._numbers.shuffle(made)
        yield from made
        for key in sorted({oracle.key(packet) for packet in made}):
            while key in oracle.open:
                missing = [way for way in range(DIRECTIONS) if way not in oracle.open[key]]
                yield self._copy(*key, self._numbers.choice(missing), self._body())

    def abandoned(self, oracle: ExactOracle) -> Iterator[Packet]:
        """Yield packets, which enter the oracle as they are made. A broadcast with missing copies never comes again."""
        while True:
            if self._chance(ORDINARY):
                made = [self._ordinary()]
            else:
                source, number = self._numbers.choice(self._sources), self._numbers.randrange(2 * HALF_OF_IDS)
                made = [*self._copies(source, number, self._algorithm())]
                if oracle.key(made[0]) in oracle.open:
                    continue
                if self._chance(ABANDONED):
                    made = made[: self._numbers.randrange(len(made))]
            for packet in made:
                oracle.take(packet)
                yield packet

    def crowded(self, oracle: Oracle) -> Iterator[Packet]:
        """Yield packets, which enter the oracle as they are made."""
        plans: list[list[Packet]] = []
        while True:
            if self._chance(ORDINARY):
                packet = self._ordinary()
            elif len(plans) <= 2 * self._entries and self._chance(NEW_BROADCAST):
                made = [*self._copies(*self._source_and_id(), self._algorithm())]
                plans.append(made[self._numbers.randrange(len(made)) if self._chance(ABANDONED) else 0 :])
                continue
            elif plans:
                plan = self._numbers.choice(plans[:2] if self._chance(0.5) else plans)
                packet = plan.pop()
                if not plan:
                    plans.remove(plan)
            else:
                continue
            oracle.take(packet)
            yield packet

    def _source_and_id(self) -> tuple[int, int]:
        """Return source and id, often one of few recurring ids: mostly after the one with the other highest bit."""
        source, low = self._numbers.choice(self._sources), self._numbers.randrange(HALF_OF_IDS)
        if self._chance(0.5):
            low = self._numbers.choice(LOW_IDS)
        last = self._last_id.get((source, low), low)
        number = last if self._chance(REUSED_ID) else last ^ HALF_OF_IDS
        self._last_id[source, low] = number
        return source, number

    def _algorithm(self) -> int:
        # many copies allow most faults
        return self._numbers.choice([*range(len(ALGORITHMS)), *map(algorithm_number, ("5-bcast", "6-bcast"))])

    def _copies(self, source: int, number: int, algorithm: int) -> Sequence[Packet]:
        """Return copies of a broadcast with some spoilt, alike or not, and some twice, in random order or the worst."""
        copies = COPIES[ALGORITHMS[algorithm]]
        body = self._body()
        most = (copies - 1) // 2  # so that a vote is open
        spoilt = self._numbers.choice([most, most, copies - most, copies, self._numbers.randint(0, copies)])
        bodies = [self._spoil(body)] * spoilt if self._chance(0.5) else [self._spoil(body) for _ in range(spoilt)]
        bodies += [body] * (copies - spoilt)
        made = list(zip(self._numbers.sample(range(DIRECTIONS), copies), bodies, strict=True))
        made += [(way, other if self._chance(0.5) else body) for way, other in made if self._chance(DUPLICATE)]
        if self._chance(FORGED_DIRECTION):
            made.append((self._numbers.choice([DIRECTIONS, DIRECTIONS + 1]), body))
        self._numbers.shuffle(made)
        if self._chance(SPOILT_FIRST):
            made.sort(key=lambda copy: copy[1] == body)
        return [self._copy(source, number, algorithm, way, sent) for way, sent in made]

    def _copy(self, source: int, number: int, algorithm: int, direction: int, body: Body) -> Packet:
        return Packet(self._header(1, source, number, algorithm, direction), body)

    def _ordinary(self) -> Packet:
        source, number = self._source_and_id()
        return Packet(self._header(0, source, number, self._algorithm(), self._numbers.randrange(8)), self._body())

    def _header(self, broadcast: int, source: int, number: int, algorithm: int, direction: int) -> int:
        """Return a header whose unused bits, and fields that a collector must ignore, are random."""
        fields = {name: self._numbers.getrandbits(width) for name, width in self._layout.fields}
        fields |= {"broadcast": broadcast, "source": source, "id": number}
        fields |= {"algorithm": algorithm, "direction": direction}
        unused = self._numbers.getrandbits(self._layout.flit_bits) >> self._layout.fixed_bits << self._layout.fixed_bits
        return PacketHeader(**fields).pack(self._layout) | unused

    def _body(self) -> Body:
        words = self._numbers.choice([0, 1, self._most_words, self._numbers.randint(0, self._most_words)])
        return tuple(self._numbers.getrandbits(self._layout.flit_bits) for _ in range(words))

    def _spoil(self, body: Body) -> Body:
        """Return another body: one word has a wrong bit, often the last word, or the length is wrong."""
        if body and self._chance(0.6):
            position = self._numbers.choice([len(body) - 1, self._numbers.randrange(len(body))])
            wrong = body[position] ^ 1 << self._numbers.randrange(self._layout.flit_bits)
            return (*body[:position], wrong, *body[position + 1 :])
        if len(body) < self._most_words and (not body or self._chance(0.5)):
            return (*body, self._numbers.getrandbits(self._layout.flit_bits))
        return body[:-1]

    def _chance(self, probability: float) -> bool:
        return self._numbers.random() < probability
