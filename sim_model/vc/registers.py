"""Registers of routers with virtual channels: words with a bit for each VC, or port, of a switch.

Eight switches lie side by side, so that the processor works on the same word of all of them at a time: a *row* has
eight words of the first register, then eight of the second, and so on. The place of a switch is that of its first word,
and the offset of a register is what has to be added to it.
"""

import numpy as np

from sim_model.engines.cycle.records import aligned_words
from sim_model.engines.cycle.wakeups import ROW_SHIFT
from sim_model.loops.vector_operations import memory_operations, word_operations

WIDTH = 1 << ROW_SHIFT
"""Switches side by side in a row."""
CREDIT_BITS = 5

REGISTERS = (
    "yielding",  # inputs that come after all others; never changes
    "requested",  # input VCs with a request
    "draining",  # of these, the ones whose worm is to be drained
    "turned",  # input VCs at or behind the turn of their input
    "active",  # input VCs whose worm has an output VC, or is drained
    "nonempty",  # input VCs with a flit that was there in the last cycle
    "looked_up",  # input VCs with route candidates of the head at their front
    "free",  # output VCs without a worm
    "credited",  # output VCs that have credits
    "startable",  # output VCs that have the credits which a head needs
    "even_wires",  # output VCs whose credit is on the wire in even cycles, and in odd ones
    "odd_wires",
    "credits",  # output VCs with bit 0 of their number of credits set; the other bits follow
    *(f"credits_{1 << bit}" for bit in range(1, CREDIT_BITS)),
    # from one part of a cycle to the next one:
    "granted",  # input VCs whose flit was granted
    "sent",  # output VCs that flits were sent to
    "dropped",  # input VCs whose request was dropped: first at an output, without resources
    "again",  # of the dropped ones, those that may request again at once: the worm has more flits
    "ended",  # input VCs whose tail was granted
    "finished",  # output VCs that a tail was sent to
    "emptied",  # input VCs whose last flit was granted
    "arrived",  # input VCs where a flit arrives
    "heads",  # input VCs with a head that may request
    "may_start",  # output VCs that a head can have; with a credit that is on a wire in this cycle
    "chosen",  # input VCs that have a new request
    # only in hypercubes:
    "closing",  # active input VCs whose tail left in the last cycle
    "unroutable",  # input VCs whose head, or active worm, is unroutable
    "read",  # input VCs from the processor whose head has been read
    "room",  # the output VC to the processor, if the delivery buffer before it had room in the last cycle
    "next_room",  # the same in this cycle
    "even_releases",  # output VCs whose release is on the wire in even cycles, and in odd ones
    "odd_releases",
    "electing",  # 1 if the allocator has work without a requesting head
    "chose",  # 1 if a choice at random was made in the last cycle
    "asking",  # input VCs whose head takes part in the election
    "usable",  # output VCs that a head can have in this cycle
    "changed",  # not 0 if a register of the switch changes
    "began",  # input VCs whose head gets a VC
    "given",  # the VC
)
"""Names of the registers, by their offsets in a row."""
ROW = len(REGISTERS) * WIDTH


def offset_of(register: str) -> int:
    """Return the offset of a register from the place of a switch."""
    return REGISTERS.index(register) * WIDTH


YIELDING, REQUESTED, DRAINING = (offset_of(name) for name in ("yielding", "requested", "draining"))
TURNED = offset_of("turned")
ACTIVE, LOOKED_UP, FREE = (offset_of(name) for name in ("active", "looked_up", "free"))
CREDITED, STARTABLE, CREDITS = (offset_of(name) for name in ("credited", "startable", "credits"))
WIRES = offset_of("even_wires")
GRANTED, SENT, DROPPED, AGAIN = (offset_of(name) for name in ("granted", "sent", "dropped", "again"))
ENDED, FINISHED = offset_of("ended"), offset_of("finished")
EMPTIED, NONEMPTY, ARRIVED = (offset_of(name) for name in ("emptied", "nonempty", "arrived"))
CLOSING, UNROUTABLE, READ = (offset_of(name) for name in ("closing", "unroutable", "read"))
ROOM, NEXT_ROOM = offset_of("room"), offset_of("next_room")
RELEASES, ELECTING, CHOSE = (offset_of(name) for name in ("even_releases", "electing", "chose"))
ASKING, USABLE, CHANGED = (offset_of(name) for name in ("asking", "usable", "changed"))
BEGAN, GIVEN = offset_of("began"), offset_of("given")
HEADS, MAY_START, CHOSEN = (offset_of(name) for name in ("heads", "may_start", "chosen"))

OPERATIONS = {**memory_operations(WIDTH, WIDTH), **word_operations(WIDTH)}
"""Operations on the words of eight switches."""


def rows_for(switches: int) -> int:
    """Return the rows for ``switches`` switches."""
    return -(-switches // WIDTH)


def by_switch(words: np.ndarray) -> np.ndarray:
    """Return words in rows of eight switches, by switch: ``[rows, ..., 8]`` as ``[rows * 8, ...]``."""
    return np.moveaxis(words, -1, 1).reshape(-1, *words.shape[1:-1])


def in_rows(words: np.ndarray) -> np.ndarray:
    """Return words by switch as rows, with zeros behind the last switch; flat."""
    rows = rows_for(len(words))
    padded = aligned_words(rows * WIDTH, *words.shape[1:])
    padded[: len(words)] = words
    found = aligned_words(rows, *words.shape[1:], WIDTH)
    found[:] = np.moveaxis(padded.reshape(rows, WIDTH, *words.shape[1:]), 1, -1)
    return found.reshape(-1)
