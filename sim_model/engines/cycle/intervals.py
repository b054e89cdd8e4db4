"""Reach sets of large networks: processors in such an order that those behind an output stand side by side."""

from typing import NamedTuple

import numpy as np

from sim_model.loops.compiled import compiled
from sim_model.loops.lookups import computed_by


@compiled
def ports_by_interval(switch, processor, reach):
    """Mask of the outputs of a switch behind which a processor is."""
    place = reach.place[processor]
    mask = 0
    for number in range(reach.first_output[switch], reach.end_output[switch]):
        if reach.begin[number] <= place < reach.end[number]:
            mask |= 1 << number - reach.first_output[switch]
    return mask


@computed_by(ports_by_interval)
class ReachIntervals(NamedTuple):
    """In the place of a mask per switch and processor: an interval for each channel."""

    place: np.ndarray  # int64[processors], in the order
    begin: np.ndarray  # int64[channels], places behind a channel to which a copy may lead
    end: np.ndarray  # int64[channels]; as begin where there are none
    first_output: np.ndarray  # int64[switches], number of the channel at output port 0
    end_output: np.ndarray  # int64[switches], behind that of the last one
