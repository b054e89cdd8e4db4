"""Situations of SPAM."""

import numpy as np

from topology.common.ages import LAST_AGE
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


def _overtaken(sample: Sample) -> int:
    """Count waiting messages behind one whose request was completed later."""
    if sample.family.ages is None:
        return 0
    entered = sample.by_input(sample.family.ages.inputs["entered_cycle"])
    ahead = sample.by_input(sample.family.older[:, 0]) & sample.routers["queued"][:, np.newaxis]
    ports = np.arange(entered.shape[1])
    later = entered[:, np.newaxis, :] > entered[:, :, np.newaxis]  # [switches, waiting, other]
    overtaking = (ahead[:, :, np.newaxis] >> ports & 1).astype(bool) & later
    return how_many(overtaking.any(axis=2) & sample.input_bits(sample.routers["queued"]))


def _heads_of_age(sample: Sample, least: int) -> int:
    return 0 if sample.family.ages is None else how_many(sample.heads & (sample.variants >= least))


SPAM: Situations = {
    **BRANCHING,
    "waits-for-older": _waits_for_older,
    "free-and-taken": _free_and_taken,
    "three-in-queues": _long_queue,
    "overtaken-by-older": _overtaken,
    "head-has-age": lambda sample: _heads_of_age(sample, 1),
    "age-saturated": lambda sample: _heads_of_age(sample, LAST_AGE),
}
