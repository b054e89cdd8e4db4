"""Jobs for trials of AXI4 ends that wait for each other, and their results."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

JOB_VARIABLE = "HYDRANOC_AXI4_TRIAL"
FREE, REQUEST_FIRST, DATA_FIRST = "free", "request-first", "data-first"
"""Rules of subordinates: none; no data of a write is taken before AW; AW is not taken before all data of the write."""


class Event(NamedTuple):
    """An event that others may wait for.

    Members:
        kind: ``ended``: a manager has the whole answer; ``arrived``: a subordinate has taken AW or AR.
        processor: Of the manager or the subordinate.
        channel: ``write`` or ``read``.
        number: Of the transaction, counted from 0 by this end, in this direction.
    """

    kind: str
    processor: int
    channel: str
    number: int


@dataclass(frozen=True)
class Transfer:
    """A transaction of a manager.

    Parameters:
        channel: ``write`` or ``read``.
        address, beats, id: Of an INCR burst of 32-bit words.
        after: It begins after this event.
        data_after: Of a write, all beats but the first one come after this event.
    """

    channel: str
    address: int
    beats: int
    id: int = 0
    after: Event | None = None
    data_after: Event | None = None


@dataclass(frozen=True)
class Trial:
    """A trial: what each manager does, and what the ends wait for.

    Parameters:
        transfers: By processor, in the order in which each channel begins them.
        subordinates: Processors.
        rule: Of the subordinates: ``FREE``, ``REQUEST_FIRST`` or ``DATA_FIRST``.
        answers_after: Event before which a subordinate does not answer, by the arrival of the request.
        holds: First cycle in which a manager takes answers, by processor and channel ``b`` or ``r``; default 0.
        pause: Probability that an end pauses a channel in a cycle.
        cycles: The trial ends after as many, if not all transfers have ended before.
        result: Path of the file for the result.
    """

    transfers: Mapping[int, tuple[Transfer, ...]]
    subordinates: tuple[int, ...]
    rule: str = FREE
    answers_after: Mapping[Event, Event] = field(default_factory=dict)
    holds: Mapping[tuple[int, str], int] = field(default_factory=dict)
    pause: float = 0.0
    cycles: int = 5_000
    seed: int = 1
    result: str = ""


@dataclass
class TrialResult:
    """Result of a trial.

    Members:
        report: The first wrong answer, or None.
        ended: Cycles in which transfers of each manager have ended, by processor.
        cycles: Until all transfers have ended, or the limit.
    """

    report: str | None = None
    ended: dict[str, list[int]] = field(default_factory=dict)
    cycles: int = 0
