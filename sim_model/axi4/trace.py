"""Recording of AXI4 ends: what all ports show in each cycle."""

from typing import NamedTuple

import numpy as np

from sim_model.axi4.state import CHANNELS
from sim_model.engines.cycle.records import NONE


class EndTrace(NamedTuple):
    """Rows of a recording, one per cycle; no rows when nothing is recorded.

    An offer is packed: a transaction at a manager, or a response at a subordinate and on a manager's channel R, times
    256, plus the beat; NONE for none. A read without destination has the offer -2 - (256 times transaction, plus beat).
    """

    manager_offers: np.ndarray  # int64[rows, managers, channels]
    manager_ready: np.ndarray  # uint8
    manager_answers: np.ndarray  # uint8[rows, managers], of channel B
    subordinate_offers: np.ndarray  # int64[rows, subordinates, channels]
    subordinate_ready: np.ndarray  # uint8


def make_trace(rows: int, managers: int, subordinates: int) -> EndTrace:
    """Return an empty recording."""
    return EndTrace(
        manager_offers=np.full((rows, managers, len(CHANNELS)), NONE, dtype=np.int64),
        manager_ready=np.zeros((rows, managers, len(CHANNELS)), dtype=np.uint8),
        manager_answers=np.zeros((rows, managers), dtype=np.uint8),
        subordinate_offers=np.full((rows, subordinates, len(CHANNELS)), NONE, dtype=np.int64),
        subordinate_ready=np.zeros((rows, subordinates, len(CHANNELS)), dtype=np.uint8),
    )
