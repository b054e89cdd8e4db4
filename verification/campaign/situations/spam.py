"""Situations of SPAM."""

import numpy as np

from verification.campaign.situations.branching import BRANCHING, requests
from verification.campaign.situations.sample import Sample, Situations, bits, how_many


def _waits_for_older(sample: Sample) -> int:
    """Count worms whose outputs are all free but which are not first in the queue."""
    queued = sample.input_bits(sample.routers["queued"])
    unowned = requests(sample) & sample.routers["owned"][:, np.newaxis] == 0
    older = sample.by_input(sample.family.older[:, 0]) & sample.routers["queued"][:, np.newaxis]
    return how_many(queued & unowned & (older != 0))


def _free_and_taken(sample: Sample) -> int:
    """Count queued requests of which some outputs are owned and others are not."""
    wanted = np.where(sample.input_bits(sample.routers["queued"]), requests(sample), 0)
    owned = wanted & sample.routers["owned"][:, np.newaxis]
    return how_many((owned != 0) & (owned != wanted))


def _long_queue(sample: Sample) -> int:
    return how_many(bits(sample.routers["queued"]) >= 3)


SPAM: Situations = {
    **BRANCHING,
    "waits-for-older": _waits_for_older,
    "free-and-taken": _free_and_taken,
    "three-in-queues": _long_queue,
}
