"""Next header flit of a sender that names its set part by part."""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal

from rtl.parts.selection import concat, either, encoded, lowest_one, merged
from topology.common.part_headers import PartsFormat


class NextPart:
    """Selects the lowest part of the processors that has a destination. Combinational.

    Parameters:
        destinations: A bit per processor: those not yet named by a flit.

    Members:
        flit (Value): The part's flit.
        rest (Signal): The destinations without those of the part.
        last (Signal(1)): The rest is empty.
    """

    def __init__(self, m: Module, header: PartsFormat, destinations: Signal):
        top: Any = m
        words: list[Any] = [destinations[named.processors.start : named.processors.stop] for named in header.set_words]
        named = Signal(len(words), name="parts_named")
        behind = Signal(len(words) - 1, name="part_behind_chosen")
        chosen = [named[0], *behind]
        self.rest = Signal(len(destinations), name="destinations_left")
        self.last = Signal(name="part_is_last")
        _, several = merged([(named[k], Const(0)) for k in range(len(words))])
        bits = Signal(header.part_processors, name="part_bits")
        number = concat(encoded(chosen, range(len(words)), header.part_bits))
        self.flit = concat((bits, number, self.last))
        top.d.comb += [
            named.eq(concat(word.any() for word in words)),
            behind.eq(lowest_one(named)[1:]),
            self.last.eq(~several),
            bits.eq(either([Mux(chosen[k], word, 0) for k, word in enumerate(words)])),
            self.rest.eq(concat(Mux(chosen[k], 0, word) for k, word in enumerate(words))),
        ]
