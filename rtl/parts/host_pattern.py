# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Host back-pressure in the lock-step harness: sources that pause and receivers that stall.

For benches only; the golden model uses the same patterns (``topology/common/host_pattern.py``).
"""

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.flit import stream_of
from rtl.parts.part import Part, instantiate
from rtl.parts.pattern_source import PatternSource
from topology.common.host_pattern import LEVEL_BITS, SEED_BITS, next_state_masks
from topology.common.pattern import SEED_BITS as PAYLOAD_SEED_BITS

PATTERN_INPUTS = {"seed": In(SEED_BITS), "salt": In(SEED_BITS), "level": In(LEVEL_BITS)}


class HostPattern(Part):
    """Schedules the cycles in which an endpoint pauses.

    In cycle 0, the second one after a reset, the pattern is in the state given by seed and salt, and it advances by one
    state per cycle. ``seed`` and ``salt`` are sampled up to then; ``level`` must not change. With level 0 no register
    changes, which costs a simulator nothing.

    Members:
        seed, salt (In(16)): See ``first_state``.
        level (In(8)): Number of 256 cycles with a pause.
        holds (Out(1)): Whether this cycle is a pause. Combinational from a register and ``level``.
    """

    def __init__(self):
        super().__init__("host_pattern", {**PATTERN_INPUTS, "holds": Out(1)})

    def elaborate(self, _platform):
        m: Any = Module()
        first, kept, state = Signal(SEED_BITS), Signal(SEED_BITS), Signal(SEED_BITS)
        begun, started = Signal(), Signal()
        m.d.comb += [
            first.eq(self.seed ^ self.salt),
            state.eq(Mux(started, kept, Mux(first == 0, 1, first))),
            self.holds.eq(state[:LEVEL_BITS] < self.level),
        ]
        with m.If(self.level != 0):
            m.d.sync += [
                begun.eq(1),
                started.eq(begun),
                kept.eq(Cat((state & mask).xor() for mask in next_state_masks())),
            ]
        return m


class PausingSource(Part):
    """The payload generator of a message, with cycles in which it offers no word.

    An offered word stays until it is taken. The first word is offered in the first cycle after ``start`` in which the
    source does not pause, any other in the first such cycle after the one before was taken.

    Parameters:
        flit_bits: Width of a word.

    Members:
        start, words: As ``PatternSource``.
        payload_seed (In(32)): Seed of the message.
        seed, salt, level: As ``HostPattern``.
    """

    def __init__(self, flit_bits: int):
        self.flit_bits = flit_bits
        super().__init__(
            "pausing_source",
            {
                "start": In(1),
                "payload_seed": In(PAYLOAD_SEED_BITS),
                **PATTERN_INPUTS,
                "words": Out(stream_of(flit_bits)),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        source = instantiate(m, platform, "source", PatternSource(self.flit_bits))
        pattern = _pattern(m, platform, self)
        offered = Signal()
        m.d.comb += [
            source.start.eq(self.start),
            source.seed.eq(self.payload_seed),
            source.words.ready.eq(self.words.ready & self.words.valid),
            self.words.valid.eq(offered | ~pattern.holds),
            self.words.payload.eq(source.words.payload),
        ]
        m.d.sync += offered.eq(self.words.valid & ~self.words.ready & ~self.start)
        return m


class StallingReceiver(Part):
    """The reader of an ejector, with cycles in which it accepts no flit.

    Members:
        seed, salt, level: As ``HostPattern``.
        blocked (In(1)): Accept nothing in this cycle, independent of the pattern.
        ready (Out(1)): Whether a flit is taken if there is one.
    """

    def __init__(self):
        super().__init__("stalling_receiver", {**PATTERN_INPUTS, "blocked": In(1), "ready": Out(1)})

    def elaborate(self, platform):
        m: Any = Module()
        pattern = _pattern(m, platform, self)
        m.d.comb += self.ready.eq(~(pattern.holds | self.blocked))
        return m


def _pattern(m, platform, host) -> Any:
    """Return the pattern of a host with the host's inputs."""
    pattern = instantiate(m, platform, "pattern", HostPattern())
    m.d.comb += [getattr(pattern, name).eq(getattr(host, name)) for name in PATTERN_INPUTS]
    return pattern
