"""Registers of routers with lanes: words with a bit for each lane, or port, of a switch.

Eight switches lie side by side, so that the processor works on the same word of all of them at a time: a *row* has
eight words of the first register, then eight of the second, and so on. The place of a switch is that of its first word,
and the offset of a register is what has to be added to it.
"""

import numpy as np

from sim_model.engines.cycle.alarms import ROW_SHIFT
from sim_model.engines.cycle.records import aligned_words
from sim_model.loops.vector_operations import memory_operations, word_operations

WIDTH = 1 << ROW_SHIFT
"""Switches that lie side by side."""
CREDIT_BITS = 5

REGISTERS = (
    "yielding",  # inputs that come after all others; never changes
    "requested",  # input lanes with a request
    "draining",  # of these, the ones whose worm is to be drained
    "turned",  # input lanes at or behind the turn of their input
    "active",  # input lanes whose worm has an output lane, or is drained
    "nonempty",  # input lanes with a flit that was there in the last cycle
    "looked_up",  # input lanes that know where the head at their front can go
    "free",  # output lanes without a worm
    "credited",  # output lanes that have credits
    "startable",  # output lanes that have the credits which a head needs
    "even_wires",  # output lanes whose credit is on the wire in even cycles, and in odd ones
    "odd_wires",
    "credits",  # output lanes in whose number of credits bit 0 is set; the others follow
    *(f"credits_{1 << bit}" for bit in range(1, CREDIT_BITS)),
    # what one part of a cycle leaves to the next one:
    "granted",  # input lanes whose flit was granted
    "sent",  # output lanes that flits were sent to
    "dropped",  # input lanes whose request was dropped: the first one at an output, and not good
    "again",  # of the dropped ones, those that can be asked for again at once: the worm goes on behind its first flit
    "ended",  # input lanes whose tail was granted
    "finished",  # output lanes that a tail was sent to
    "emptied",  # input lanes whose last flit was granted
    "arrived",  # input lanes where a flit arrives
    "heads",  # input lanes with a head that can be asked for
    "may_start",  # output lanes that a head can have; with a credit that is on a wire in this cycle
    "chosen",  # input lanes that have a new request
    # of hypercubes alone:
    "closing",  # active input lanes whose tail left in the last cycle
    "nowhere",  # input lanes whose head, or active worm, has no way
    "read",  # input lanes from the processor whose head has been read
    "room",  # the output lane to the processor, if the delivery buffer before it had room in the last cycle
    "next_room",  # the same in this cycle
    "even_releases",  # output lanes whose release is on the wire in even cycles, and in odd ones
    "odd_releases",
    "electing",  # 1 if the allocator has something to do, though no head asks
    "chose",  # 1 if a choice at random was made in the last cycle
    "asking",  # input lanes whose head takes part in the election
    "usable",  # output lanes that a head can have in this cycle
    "changed",  # not 0 if a register of the switch changes
    "began",  # input lanes whose head gets a lane
    "given",  # the lane
)
"""By their offsets in a row."""
ROW = len(REGISTERS) * WIDTH


def offset_of(register: str) -> int:
    """Return what has to be added to the place of a switch."""
    return REGISTERS.index(register) * WIDTH


YIELDING, REQUESTED, DRAINING = (offset_of(name) for name in ("yielding", "requested", "draining"))
TURNED = offset_of("turned")
ACTIVE, LOOKED_UP, FREE = (offset_of(name) for name in ("active", "looked_up", "free"))
CREDITED, STARTABLE, CREDITS = (offset_of(name) for name in ("credited", "startable", "credits"))
WIRES = offset_of("even_wires")
GRANTED, SENT, DROPPED, AGAIN = (offset_of(name) for name in ("granted", "sent", "dropped", "again"))
ENDED, FINISHED = offset_of("ended"), offset_of("finished")
EMPTIED, NONEMPTY, ARRIVED = (offset_of(name) for name in ("emptied", "nonempty", "arrived"))
CLOSING, NOWHERE, READ = (offset_of(name) for name in ("closing", "nowhere", "read"))
ROOM, NEXT_ROOM = offset_of("room"), offset_of("next_room")
RELEASES, ELECTING, CHOSE = (offset_of(name) for name in ("even_releases", "electing", "chose"))
ASKING, USABLE, CHANGED = (offset_of(name) for name in ("asking", "usable", "changed"))
BEGAN, GIVEN = offset_of("began"), offset_of("given")
HEADS, MAY_START, CHOSEN = (offset_of(name) for name in ("heads", "may_start", "chosen"))

OPERATIONS = {**memory_operations(WIDTH, WIDTH), **word_operations(WIDTH)}
"""On the words of eight switches."""


def rows_for(switches: int) -> int:
    """Return rows that hold so many switches."""
    return -(-switches // WIDTH)


def by_switch(words: np.ndarray) -> np.ndarray:
    """Return words in rows of eight switches, by switch: ``[rows, ..., 8]`` as ``[rows * 8, ...]``."""
    return np.moveaxis(words, -1, 1).reshape(-1, *words.shape[1:-1])


def in_rows(words: np.ndarray) -> np.ndarray:
    """Return the other way round, with zeros behind the last switch; flat."""
    rows = rows_for(len(words))
    padded = aligned_words(rows * WIDTH, *words.shape[1:])
    padded[: len(words)] = words
    found = aligned_words(rows, *words.shape[1:], WIDTH)
    found[:] = np.moveaxis(padded.reshape(rows, WIDTH, *words.shape[1:]), 1, -1)
    return found.reshape(-1)
