"""Random bursts for the AXI4 bench."""

import random
from typing import Any, NamedTuple

from cocotbext.axi import AxiBurstType

from tb.common.axi4.job import Axi4Job
from topology.axi4.bursts import WRAP_BEATS

FIXED_SHARE = 0.1
"""Of bursts of whole words: cocotbext-axi's master has other lanes than AXI4 for FIXED bursts of narrow beats."""
MAX_FIXED_BEATS = 16
MAX_SHORT_BEATS, MAX_SHORT_WRAP_BEATS = 4, 8
LONG_SHARE = 1 / 32
"""Of bursts, in jobs with mostly short ones."""
LONG_HALVINGS = 5
"""Long bursts are limited to the most beats of the job, halved up to as many times."""
FULL_SHARE = 0.125
"""Of INCR bursts: these have as many beats as the limit."""


class Burst(NamedTuple):
    """Offset, bytes, kind, and logarithm of the bytes of a beat."""

    offset: int
    length: int
    kind: Any
    size: int


def draw_beat(job: Axi4Job, first: int, own: int, numbers: random.Random) -> Burst:
    """Return an access of one beat within ``own`` bytes from offset ``first`` on."""
    word = job.data_bits // 8
    offset = first + numbers.randrange(own)
    return Burst(offset, numbers.randint(1, word - offset % word), AxiBurstType.INCR, word.bit_length() - 1)


def draw_burst(job: Axi4Job, first: int, own: int, numbers: random.Random, *, fixed: bool) -> Burst:
    """Return a burst within ``own`` bytes from offset ``first`` on; without ``fixed`` none of kind FIXED."""
    widest = (job.data_bits // 8).bit_length() - 1
    size = numbers.choice([widest, widest, numbers.randint(0, widest)])
    kind = numbers.choice([AxiBurstType.INCR] * 5 + [AxiBurstType.WRAP])
    limit = draw_limit(job, numbers)
    if fixed and kind == AxiBurstType.INCR and size == widest and numbers.random() < FIXED_SHARE:
        beats = numbers.randint(1, min(MAX_FIXED_BEATS, limit, own >> size))
        return Burst(first + (numbers.randrange(own >> size) << size), beats << size, AxiBurstType.FIXED, size)
    if kind == AxiBurstType.WRAP:
        beats = numbers.choice([beats for beats in WRAP_BEATS if beats <= max(limit, MAX_SHORT_WRAP_BEATS)])
        length = min(beats << size, own)
        return Burst(first + numbers.randrange(own // length) * length, length, kind, size)
    longest = min(own, limit << size)
    if numbers.random() < FULL_SHARE:
        return Burst(first + (numbers.randint(0, own - longest) >> size << size), longest, kind, size)
    length = numbers.randint(1, longest)
    return Burst(first + numbers.randint(0, own - length), length, kind, size)


def draw_limit(job: Axi4Job, numbers: random.Random) -> int:
    """Return the most beats of the next burst."""
    if not job.mostly_short:
        return job.longest
    if numbers.random() < LONG_SHARE:
        return max(1, job.longest >> numbers.randint(0, LONG_HALVINGS))
    return min(job.longest, MAX_SHORT_BEATS)
