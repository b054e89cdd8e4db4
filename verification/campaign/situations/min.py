"""Situations of multistage networks: copies made apart, and tokens."""

import numpy as np

from sim_model.engines.cycle.state import NONE
from verification.campaign.situations.branching import BRANCHING
from verification.campaign.situations.sample import Sample, Situations, bits, how_many


def _half_copied(sample: Sample) -> int:
    inputs = sample.family.inputs
    return how_many((inputs["copied"] != 0) & (inputs["owed"] & ~inputs["copied"] != 0))


def _tail_partly_sent(sample: Sample) -> int:
    inputs = sample.family.inputs
    return how_many((inputs["owed"] != 0) & (inputs["owed"] != inputs["request"]))


def _token_rings(sample: Sample):
    """Return per ring of two switches or more: its number, and the masks of its switches that request the token."""
    for number, group in enumerate(sample.family.groups):
        if group["switches"] > 1:
            switches = sample.family.rings[number, : group["switches"]]
            yield number, switches, sample.routers["seeking"][switches]


def _all_want_token(sample: Sample) -> int:
    return sum(bool((seeking != 0).all()) for _, _, seeking in _token_rings(sample))


def _token_held_and_wanted(sample: Sample) -> int:
    groups = sample.family.groups
    return sum(bool(groups["held"][number] and (seeking != 0).any()) for number, _, seeking in _token_rings(sample))


def _token_wanted_twice(sample: Sample) -> int:
    return how_many(bits(sample.routers["seeking"]) >= 2)


def _token_goes_round(sample: Sample) -> int:
    groups = sample.family.groups
    return sum(bool(not groups["held"][number] and (seeking != 0).any()) for number, _, seeking in _token_rings(sample))


def _holder_blocked(sample: Sample) -> int:
    holder = sample.routers["holder"]
    switches = np.flatnonzero(holder != NONE)
    owed = sample.family.inputs["owed"][sample.shape.input_channel[switches, holder[switches]]]
    return how_many((owed != 0) & (owed & ~sample.vertices["blocked"][switches] == 0))


MIN: Situations = {
    **BRANCHING,
    "half-copied": _half_copied,
    "tail-partly-sent": _tail_partly_sent,
    "token-wanted-by-all": _all_want_token,
    "token-held-and-wanted": _token_held_and_wanted,
    "token-wanted-twice": _token_wanted_twice,
    "token-underway": _token_goes_round,
    "holder-blocked": _holder_blocked,
}
