"""Records of the copy collector's twin: of a broadcast, of the arriving packet, and of the departing one."""

from collections import deque
from dataclasses import dataclass, field
from enum import Enum, auto

from topology.harts.header import PacketHeader

Word = tuple[int, bool]
"""Data and tail of a flit as they are kept and compared. The head's data are 0: every copy has its own header."""
Key = tuple[int, int, int]
"""Source, id and number of the algorithm."""


@dataclass
class Entry:
    """State of a broadcast, or of the arriving ordinary packet.

    Members:
        key ((int, int, int) or None): None for an ordinary packet.
        copies: That the algorithm makes.
        seen: Directions of the copies that have come.
        bodies (list of list of Word): Different ones, by lane, in the order in which they came.
        votes: Copies with each body.
        delivered
    """

    key: Key | None = None
    copies: int = 1
    seen: set[int] = field(default_factory=set)
    bodies: list[list[Word]] = field(default_factory=list)
    votes: list[int] = field(default_factory=list)
    delivered: bool = False


class CopyOutcome(Enum):
    """Decision about a packet, by its head."""

    REFUSED = auto()  # swallowed
    LATE = auto()  # only its direction is noted
    JOINS = auto()  # a further copy for an entry
    OPENS = auto()  # takes an entry


@dataclass
class Arrival:
    """The packet that is coming in.

    Members:
        header: Data of its head.
        fields
        verdict
        slot: Number of its entry; -1 if it is refused.
        words: So far.
    """

    header: int
    fields: PacketHeader
    verdict: CopyOutcome
    slot: int
    words: list[Word] = field(default_factory=list)

    @property
    def key(self) -> Key:
        """Of a broadcast."""
        return self.fields.source, self.fields.id, self.fields.algorithm


@dataclass
class Emission:
    """A packet on its way out.

    Members:
        slot: Number of the entry that it comes from.
        flits (deque of int): Still to be loaded into the output register.
    """

    slot: int
    flits: deque[int]
