"""Reach sets of large networks: an order of processors in which those behind an output are contiguous."""

from typing import NamedTuple

import numpy as np

from sim_model.loops.compiled import compiled
from sim_model.loops.lookups import computed_by


@compiled
def ports_by_interval(switch, processor, reach):
    """Return the mask of the outputs of a switch that lead to a processor."""
    place = reach.place[processor]
    mask = 0
    for number in range(reach.first_output[switch], reach.end_output[switch]):
        if reach.begin[number] <= place < reach.end[number]:
            mask |= 1 << number - reach.first_output[switch]
    return mask


@computed_by(ports_by_interval)
class ReachIntervals(NamedTuple):
    """Reach sets as one interval per channel, in place of a mask per switch and processor."""

    place: np.ndarray  # int64[processors], in the order
    begin: np.ndarray  # int64[channels], places behind a channel to which a copy may lead
    end: np.ndarray  # int64[channels]; as begin where there are none
    first_output: np.ndarray  # int64[switches], number of the channel at output port 0
    end_output: np.ndarray  # int64[switches], behind that of the last one
