# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""The traffic of one node: random descriptors, random lengths, random pauses; and the format of its messages.

::

    header │ seed in 1 or 2 words, the header's flits XORed into the first one │ 1 to 32 words of the pattern

A receiver that checks every word against the seed has checked every bit of the header too.
"""

from functools import reduce
from operator import xor
from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from fpga.boards.common.descriptors import row_layout
from fpga.boards.common.parameters import LENGTH_FIELD, PAUSE_BITS, SEED_BITS
from rtl.parts.flit import stream_of
from rtl.parts.injector import descriptor_layout
from rtl.parts.part import Part, instantiate
from rtl.parts.pattern_source import PatternSource
from rtl.parts.selection import table_row
from topology.common.flits import HeaderFormat, bits_for
from topology.common.pattern import payload_word


def seed_words(flit_bits: int) -> int:
    """Return the body words of a seed, lowest bits first; the rest of the last one is 0."""
    return -(-SEED_BITS // flit_bits)


def spread(seed: Value) -> Value:
    """Return the seed of the pattern. Its first word depends on every bit of ``seed``, at any word width."""
    half = SEED_BITS // 2
    return Value.cast(Cat(seed[:SEED_BITS], seed[half:SEED_BITS], seed[:half]))


def pattern_seed(seed: int) -> int:
    """Return ``spread`` of a number."""
    half = SEED_BITS // 2
    return seed | seed >> half << SEED_BITS | (seed & (1 << half) - 1) << SEED_BITS + half


def pattern_words(seed: int) -> int:
    """Return the number of body words after the seed."""
    return 1 + (seed >> LENGTH_FIELD.start & (1 << LENGTH_FIELD.stop - LENGTH_FIELD.start) - 1)


def message_words(header: HeaderFormat, value: int, header_flits: int, seed: int) -> list[int]:
    """Return the data fields of a whole message.

    Parameters:
        value: The header.
        header_flits: Its length.
    """
    flit_bits = header.flit_bits
    first = header.to_flits(value, header_flits)
    seeds = [seed >> flit_bits * k & (1 << flit_bits) - 1 for k in range(seed_words(flit_bits))]
    seeds[0] ^= reduce(xor, first)
    start = pattern_seed(seed)
    return [*first, *seeds, *(payload_word(start, k, flit_bits) for k in range(pattern_words(seed)))]


STATE_BITS = 32
RANDOM_BITS = SEED_BITS + PAUSE_BITS
"""Random bits that a node needs per message."""
TAPS = 0x8020_0003
"""x^32 + x^22 + x^2 + x + 1, in Galois form: every state but 0 comes up once in 2^32 - 1 cycles."""


def next_state(state: int) -> int:
    """Return the state after ``state``."""
    return state >> 1 ^ (TAPS if state & 1 else 0)


class RandomBits(Part):
    """A shift register that advances in every cycle, from its own initial state.

    Members:
        start (In(32)): State in the second cycle after reset, not 0; a constant.
        bits (Out(22)): Low bits of the state, a register; 0 in the first cycle after reset.
    """

    def __init__(self):
        super().__init__("random_bits", {"start": In(STATE_BITS), "bits": Out(RANDOM_BITS)})

    def elaborate(self, _platform):
        m: Any = Module()
        started = Signal()
        state = Signal(STATE_BITS)
        m.d.comb += self.bits.eq(state)
        m.d.sync += [started.eq(1), state.eq(Mux(started, state >> 1 ^ Mux(state[0], TAPS, 0), self.start))]
        return m


PAUSE_FIELD = slice(SEED_BITS, RANDOM_BITS)


class TrafficGenerator(Part):
    """Sends messages to a ``MessageInjector``; their format is in ``fpga.boards.common.parameters``.

    A message's seed is the random bits in the cycle in which the node is idle. Its low bits select the descriptor,
    others the length.

    Parameters:
        header: Header format of the network.
        descriptors: Rows of the table, a power of two.

    Members:
        table (In): The node's descriptors as ``pack_rows`` has them; a constant.
        random (In(22))
        enable (In(1)): Whether to start messages.
        message (Out(stream of descriptor_layout)): Stable until it is taken.
        payload (Out(stream of flit_bits)): Body words; always valid.
        sent (Out(1)): A register; high for one cycle per message.
        expected (Out(1)): A register; high for one cycle per expected delivery of the message.
        expected_seed (Out(16)): In these cycles the seed, otherwise 0.
    """

    def __init__(self, header: HeaderFormat, descriptors: int):
        self.header = header
        self.descriptors = descriptors
        super().__init__(
            "traffic_generator",
            {
                "table": In(descriptors * row_layout(header).size),
                "random": In(RANDOM_BITS),
                "enable": In(1),
                "message": Out(stream_of(descriptor_layout(header))),
                "payload": Out(stream_of(header.flit_bits)),
                "sent": Out(1),
                "expected": Out(1),
                "expected_seed": Out(SEED_BITS),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        seed = Signal(SEED_BITS)
        row: Any = Signal(row_layout(self.header))
        offered, accepted = Signal(), Signal()
        pause = Signal(PAUSE_BITS)
        chosen = table_row(m, self.table, seed[: bits_for(self.descriptors)], len(Value.cast(row)), "row")
        m.d.comb += [Value.cast(row).eq(chosen), accepted.eq(offered & self.message.ready)]
        self._describe(m, row, seed, offered)
        counted = self._count(m, row, seed, accepted)
        seed_sent = self._send_body(m, platform, row, seed, accepted)
        with m.If(accepted):
            m.d.sync += [offered.eq(0), pause.eq(self.random[PAUSE_FIELD])]
        with m.Elif(pause != 0):
            m.d.sync += pause.eq(pause - 1)
        with m.Elif(self.enable & ~offered & counted & seed_sent):
            m.d.sync += [offered.eq(1), seed.eq(self.random[:SEED_BITS])]
        return m

    def _describe(self, m, row, seed, offered) -> None:
        message = self.message.payload
        body = 1 + seed_words(self.header.flit_bits) + seed[LENGTH_FIELD]
        m.d.comb += [
            self.message.valid.eq(offered),
            message.header.eq(row.header),
            message.header_flits.eq(row.header_flits),
            message.flits.eq(row.header_flits + body),
        ]

    def _count(self, m, row, seed, accepted) -> Value:
        """Count a message, and once per destination an expected delivery; return whether that is done."""
        left = Signal(row.destinations.shape())
        with m.If(accepted):
            m.d.sync += left.eq(row.destinations)
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        m.d.sync += [
            self.sent.eq(accepted),
            self.expected.eq(left != 0),
            self.expected_seed.eq(Mux(left != 0, seed, 0)),
        ]
        return left == 0

    def _send_body(self, m, platform, row, seed, accepted) -> Value:
        """Send the seed in words, then the pattern; return whether the seed may change."""
        flit_bits = self.header.flit_bits
        words = seed_words(flit_bits)
        pattern = instantiate(m, platform, "pattern", PatternSource(flit_bits))
        sent = Signal(range(words + 1), init=words)
        padded, folded = Signal(words * flit_bits), Signal(flit_bits)
        header_flits = [row.header[low : low + flit_bits] for low in range(0, len(row.header), flit_bits)]
        m.d.comb += [padded.eq(seed), folded.eq(reduce(xor, header_flits))]
        word = table_row(m, padded, sent[: bits_for(words)], flit_bits, "word") ^ Mux(sent == 0, folded, 0)
        m.d.comb += [
            pattern.start.eq(accepted),
            pattern.seed.eq(spread(seed)),
            pattern.words.ready.eq(self.payload.ready & (sent == words)),
            self.payload.valid.eq(1),
            self.payload.payload.eq(Mux(sent == words, pattern.words.payload, word)),
        ]
        with m.If(accepted):
            m.d.sync += sent.eq(0)
        with m.Elif(self.payload.ready & (sent != words)):
            m.d.sync += sent.eq(sent + 1)
        return sent == words
