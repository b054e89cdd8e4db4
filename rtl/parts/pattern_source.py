"""Payload generator: the test pattern of ``topology.common.pattern`` in hardware."""

from typing import Any

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.flit import stream_of
from rtl.parts.part import Part
from topology.common.flits import FlitFormat
from topology.common.pattern import SEED_BITS, STEP, lane_constant


class PatternSource(Part):
    """Endless stream of payload words, restarted for each message.

    Word k after a ``start`` with seed s is ``payload_word(s, k, flit_bits)``. The first word is offered in the cycle
    after ``start``; throughput 1 word per cycle.

    Parameters:
        flit_bits: Width of a word.

    Members:
        start (In(1)): Take the seed.
        seed (In(32)): Seed of the message.
        words (Out(stream of flit_bits)): The pattern; always valid.
    """

    def __init__(self, flit_bits: int):
        self.flit_bits = FlitFormat(flit_bits).flit_bits
        super().__init__(
            "pattern_source",
            {
                "start": In(1),
                "seed": In(SEED_BITS),
                "words": Out(stream_of(flit_bits)),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        state = Signal(SEED_BITS)
        folded = Signal(min(SEED_BITS, self.flit_bits))
        lanes = [folded ^ Const(lane_constant(i), SEED_BITS) for i in range(-(-self.flit_bits // SEED_BITS))]
        m.d.comb += [
            folded.eq(state ^ state >> SEED_BITS // 2),
            self.words.payload.eq(Cat(*lanes)),
            self.words.valid.eq(1),
        ]
        with m.If(self.start):
            m.d.sync += state.eq(self.seed)
        with m.Elif(self.words.ready):
            m.d.sync += state.eq(state + STEP)
        return m
