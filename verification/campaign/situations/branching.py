"""Situations of switches in which worms split: those of SPAM and of multistage networks."""

import numpy as np

from verification.campaign.situations.common import COMMON, WORM_SWITCHES
from verification.campaign.situations.sample import Sample, Situations, bits, how_many


def standing(sample: Sample) -> np.ndarray:
    """Return masks of inputs, by switch, whose request is complete and not yet fully served."""
    routers = sample.routers
    return routers["queued"] | (routers["active"] if "active" in routers.dtype.names else 0)


def requests(sample: Sample) -> np.ndarray:
    """Return the outputs that each of these inputs requests: int64[switches, most inputs]."""
    wanted = sample.by_input(sample.family.inputs["request"])
    return np.where(sample.input_bits(standing(sample)), wanted, 0)


def _all_want_one(sample: Sample) -> int:
    wanted = np.where(sample.shape.is_input, requests(sample), -1)
    return how_many((np.bitwise_and.reduce(wanted, axis=1) != 0) & (sample.shape.inputs > 2))


def _three_want_one(sample: Sample) -> int:
    wanted = requests(sample)
    outputs = np.arange(int(sample.shape.outputs.max()))
    return how_many((wanted[:, :, np.newaxis] >> outputs & 1).sum(axis=1) >= 3)


def _multicasts_cross(sample: Sample) -> int:
    wanted = requests(sample)
    common = bits(wanted[:, :, np.newaxis] & wanted[:, np.newaxis, :])
    common[:, np.arange(wanted.shape[1]), np.arange(wanted.shape[1])] = 0
    return how_many((common >= 2).any(axis=(1, 2)))


def _to_all_others(sample: Sample) -> int:
    wanted = requests(sample)
    return how_many((bits(wanted) >= sample.shape.outputs[:, np.newaxis] - 1) & (bits(wanted) >= 3))


def _partly_held(sample: Sample) -> np.ndarray:
    """Return inputs with a worm that splits and owns some, but not all, of its output registers."""
    wanted = requests(sample)
    held = wanted & sample.vertices["occupied"][: sample.switches, np.newaxis]
    return (bits(wanted) >= 2) & (held != 0) & (held != wanted)


def _branch_held(sample: Sample) -> int:
    return how_many(_partly_held(sample))


def _full_while_served(sample: Sample) -> int:
    return how_many(_partly_held(sample) & sample.by_input(sample.full).astype(bool))


def _heads_wait(sample: Sample) -> int:
    waiting = sample.vertices["nonempty"][: sample.switches] & ~standing(sample)
    return how_many(bits(waiting) >= 2)


def _all_registers_held(sample: Sample) -> int:
    blocked = bits(sample.vertices["blocked"][: sample.switches])
    return how_many((blocked == sample.shape.outputs) & (sample.shape.outputs > 2))


BRANCHING: Situations = {
    **COMMON,
    **WORM_SWITCHES,
    "all-inputs-want-one": _all_want_one,
    "three-want-one": _three_want_one,
    "multicasts-cross": _multicasts_cross,
    "to-all-others": _to_all_others,
    "branch-held": _branch_held,
    "full-while-served": _full_while_served,
    "heads-wait": _heads_wait,
    "all-registers-blocked": _all_registers_held,
}
