# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Checker of the deliveries at one node against the messages that senders must have sent."""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from fpga.boards.common.generator import seed_words, spread
from fpga.boards.common.parameters import LENGTH_FIELD, SEED_BITS
from rtl.parts.flit import link_signature
from rtl.parts.part import Part, instantiate
from rtl.parts.pattern_source import PatternSource
from rtl.parts.selection import concat, table_row
from topology.common.flits import HeaderFormat, bits_for
from topology.common.part_headers import PartsFormat

STALL_BITS = 3


def own_width(header: HeaderFormat) -> int:
    """Return the width of ``own_bits``: that of the longest header, or with parts of a flit."""
    return header.flit_bits if isinstance(header, PartsFormat) else header.multicast_flits * header.flit_bits


def own_bits(header: HeaderFormat, processor: int) -> int:
    """Return the bit of a multicast header for a processor, alone; with parts, the flit that names it alone."""
    if not isinstance(header, PartsFormat):
        return 1 << header.fixed_bits + processor
    part, bit = divmod(processor, header.part_processors)
    return 1 << bit | part << header.part_processors


class DeliveryChecker(Part):
    """Reads a ``MessageEjector`` and checks every bit of every flit.

    It checks that the header is for this node, reads the seed in the first body words, and computes the length and the
    content of the message from it; see ``fpga.boards.common.parameters``. In one of eight cycles, at random, it is not
    ready.

    Each wrong flit is one error, so a message may have several. After a flit that should have been the tail, all flits
    up to the next head are wrong.

    Parameters:
        header: Header format of the network; the routing key must fit in the first flit.
        sender_bits: Mask of the bits of a key that differ from sender to sender.

    Members:
        unicast_key (In): Key of a message to this node alone, a constant, with zeros in ``sender_bits``.
        own (In): Bits of a multicast header for this node, a constant, see ``own_bits``. Absent if headers name no
            sets: then a key of another node is an error.
        random (In(3)): All zero: not ready.
        link (In(link_signature)): Flits that have arrived.
        flit (Out(1)): A register; high for one cycle per flit.
        error (Out(1)): A register; high for one cycle per wrong flit.
        delivered (Out(1)): A register; high for one cycle per tail.
        delivered_seed (Out(16)): In these cycles the seed of the message, otherwise 0.

    Raises:
        ValueError: If the routing key takes several flits.
    """

    def __init__(self, header: HeaderFormat, sender_bits: int = 0):
        if header.key_flits > 1:
            raise ValueError(f"Routing key must fit in {header.flit_bits} bits, not take {header.fields[0][1]}")
        self.header = header
        self.sender_bits = sender_bits
        super().__init__(
            "delivery_checker",
            {
                "unicast_key": In(header.fields[0][1]),
                **({"own": In(own_width(header))} if header.destinations else {}),
                "random": In(STALL_BITS),
                "link": In(link_signature(header.flit_bits)),
                "flit": Out(1),
                "error": Out(1),
                "delivered": Out(1),
                "delivered_seed": Out(SEED_BITS),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        flit = self.link.payload
        taken, last, wrong = Signal(), Signal(), Signal()
        seed, folded = Signal(SEED_BITS), Signal(self.header.flit_bits)
        m.d.comb += [
            self.link.ready.eq(self.random.any()),
            taken.eq(self.link.valid & self.link.ready),
            last.eq(taken & flit.tail),
        ]
        pattern = instantiate(m, platform, "pattern", PatternSource(self.header.flit_bits))
        with m.FSM(name="expecting"):
            with m.State("HEADER"):
                self._header_flit(m, flit, taken, wrong, folded)
            with m.State("SEED"):
                self._seed_word(m, flit, taken, wrong, folded, seed, pattern)
            with m.State("PATTERN"):
                self._pattern_word(m, flit, taken, wrong, seed, pattern)
        m.d.sync += [
            self.flit.eq(taken),
            self.error.eq(taken & wrong),
            self.delivered.eq(last),
            self.delivered_seed.eq(Mux(last, seed, 0)),
        ]
        return m

    def _header_flit(self, m, flit, taken, wrong, folded) -> None:
        header = self.header
        position = Signal(range(max(2, header.multicast_flits)))
        first, last = Signal(), Signal()
        look = self._look_at_set if header.destinations else self._look_at_key
        kept = look(m, flit, wrong, first, last, position)
        with m.If(taken):
            m.d.sync += kept
            m.d.sync += folded.eq(Mux(first, flit.data, folded ^ flit.data))
            with m.If(flit.tail | (first & ~flit.head)):
                m.d.sync += position.eq(0)
            with m.Elif(last):
                m.d.sync += position.eq(0)
                m.next = "SEED"
            with m.Else():
                m.d.sync += position.eq(position + 1)

    def _look_at_set(self, m, flit, wrong, first, last, position) -> list[Any]:
        """Check a header that may name a set, which must contain this node; return the stored fields of a flit."""
        header = self.header
        multicast, mine = Signal(), Signal()
        was_multicast, was_mine = Signal(), Signal()
        is_longest = position == Mux(multicast, header.multicast_flits - 1, header.unicast_flits - 1)
        if isinstance(header, PartsFormat):
            in_set, part = position >= header.unicast_flits, header.part_position
            bits, of_own_part = slice(header.part_processors), flit.data[part] == self.own[part]
            named = in_set & of_own_part & (flit.data[bits] & self.own[bits]).any()
            is_last = is_longest | in_set & flit.data[header.last_bit]
        else:
            own = table_row(m, self.own, position[: bits_for(header.multicast_flits)], header.flit_bits, "own_row")
            named, is_last = (flit.data & own).any(), is_longest
        m.d.comb += [
            first.eq(position == 0),
            multicast.eq(Mux(first, flit.data[: len(self.unicast_key)] != self.unicast_key, was_multicast)),
            mine.eq((~first & was_mine) | named),
            last.eq(is_last),
            wrong.eq((flit.head ^ first) | flit.tail | (last & multicast & ~mine)),
        ]
        return [was_multicast.eq(multicast), was_mine.eq(mine)]

    def _look_at_key(self, m, flit, wrong, first, last, position) -> list[Any]:
        """Check a header without bit string, whose key must be this node's; no fields are stored."""
        bits = len(self.unicast_key)
        named: Any = ~Const(self.sender_bits, bits)
        m.d.comb += [
            first.eq(position == 0),
            last.eq(position == self.header.unicast_flits - 1),
            wrong.eq((flit.head ^ first) | flit.tail | (first & ((flit.data[:bits] ^ self.unicast_key) & named).any())),
        ]
        return []

    def _seed_word(self, m, flit, taken, wrong, folded, seed, pattern) -> None:
        flit_bits = self.header.flit_bits
        words = seed_words(flit_bits)
        position = Signal(range(max(2, words)))
        collected = Signal((words - 1) * flit_bits)
        assembled: Any = Signal(words * flit_bits)
        last = Signal()
        m.d.comb += [
            assembled.eq(concat((collected, flit.data ^ folded))),
            last.eq(position == words - 1),
            wrong.eq(flit.head | flit.tail | (last & assembled[SEED_BITS:].any())),
            pattern.start.eq(taken & last),
            pattern.seed.eq(spread(assembled)),
        ]
        with m.If(taken):
            m.d.sync += [collected.eq(assembled[flit_bits:]), folded.eq(0)]
            with m.If(flit.tail):
                m.d.sync += position.eq(0)
                m.next = "HEADER"
            with m.Elif(last):
                m.d.sync += [position.eq(0), seed.eq(assembled)]
                m.next = "PATTERN"
            with m.Else():
                m.d.sync += position.eq(position + 1)

    def _pattern_word(self, m, flit, taken, wrong, seed, pattern) -> None:
        position = Signal(LENGTH_FIELD.stop - LENGTH_FIELD.start)
        last = Signal()
        m.d.comb += [
            last.eq(position == seed[LENGTH_FIELD]),
            wrong.eq(flit.head | (flit.tail ^ last) | (flit.data != pattern.words.payload)),
            pattern.words.ready.eq(taken),
        ]
        with m.If(taken):
            m.d.sync += position.eq(position + 1)
            with m.If(flit.tail | last):
                m.d.sync += position.eq(0)
                m.next = "HEADER"
