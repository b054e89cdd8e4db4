"""Pseudo-random bits: a linear feedback shift register."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from fpga.boards.common.parameters import PAUSE_BITS, SEED_BITS
from rtl.parts.part import Part

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

    Members
    -------
    start : In(32)
        State in the second cycle after reset, not 0; a constant.
    bits : Out(22)
        Low bits of the state, a register; 0 in the first cycle after reset.
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
