"""The frame of eight steps in which a copy collector works.

=====  ======================================================================================================
step   what happens
=====  ======================================================================================================
0      a flit is taken: not a tail while a packet is being delivered
1      of a head: its entry is looked for, and the memory of finished broadcasts is read
3      of a head: it is taken into an entry, late or refused
2 - 4  the words at its place in the lanes are read; each is compared in the two cycles that follow
4      of a head: a new entry is taken
5      the word is written: a head as the entry's header, others into the next lane
5      the next word to be delivered is read
6      and is loaded into the output register, if that is free
7      of a tail: the vote is counted
=====  ======================================================================================================

The steps are independent of traffic; the decision on a copy is made once and kept beside them.
"""

from enum import IntEnum
from typing import Any

from amaranth.hdl import Signal

from topology.harts.reception import STEPS


class Step(IntEnum):
    """Steps by the action that begins in them."""

    TAKE = 0
    LOOK = 1
    READ = 2
    JUDGE = 3
    ENTER = 4
    WRITE = 5
    EMIT = 6
    COUNT = 7


def count_steps(m: Any) -> list[Signal]:
    """Return one bit per step, set in that step; the first cycle after reset is step 0."""
    step = Signal(range(STEPS))
    at = [Signal(name=f"at_{number}") for number in range(STEPS)]
    m.d.sync += step.eq(step + 1)
    m.d.comb += [signal.eq(step == number if number else ~step.any()) for number, signal in enumerate(at)]
    return at
