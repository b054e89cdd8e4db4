"""Situations of networks with virtual channels: tori, meshes and hypercubes."""

import numpy as np

from sim_model.engines.cycle.state import NONE
from verification.campaign.situations.common import BUFFER_FULL, HOSTS
from verification.campaign.situations.sample import Sample, Situation, how_many


def active_inputs(sample: Sample) -> np.ndarray:
    """Return input VCs whose worm has an output VC, or is drained: bool[switches, VC ports]."""
    return sample.input_bits(sample.routers["active"])


def filled(sample: Sample) -> np.ndarray:
    """Return input VCs with flits in their buffers: bool[switches, VC ports]."""
    return sample.by_input(sample.channels["count"]) > 0


def _all_vcs_held(sample: Sample) -> int:
    """Count links between switches with several virtual channels, none of which is free."""
    source, masks = sample.shape.shared_links
    return how_many(sample.routers["free"][source] & masks == 0)


def _two_worms(sample: Sample) -> int:
    return how_many(sample.holds_two_worms[sample.shape.between])


def _vcs_interleave(sample: Sample) -> int:
    """Count flits, not tails, that are followed in the next cycle by one of another VC of the link."""
    moved = sample.recorded != NONE
    goes_on = (moved & ~sample.tails)[:-1] & ~moved[1:]
    link_moves = sample.shape.on_link(moved[1:])
    return how_many(goes_on & link_moves[:, sample.shape.link_of])


def _tail_then_head(sample: Sample) -> int:
    ended, begins = (sample.shape.on_link(moves) for moves in (sample.tails[:-1], sample.heads[1:]))
    between = sample.shape.link_of[sample.shape.between]
    return how_many((ended & begins)[:, np.unique(between)])


def _delivery_full(sample: Sample) -> int:
    return how_many(sample.family.buffers["count"] >= max(sample.depth, 1))


VCS = (
    *HOSTS,
    BUFFER_FULL,
    Situation("tail-then-head", "On a link between switches a head follows a tail in the next cycle.", _tail_then_head),
    Situation("all-lanes-held", "No VC of a link that has several is free.", _all_vcs_held),
    Situation("two-worms-in-a-buffer", "The buffer of a VC holds flits of two worms.", _two_worms),
    Situation("lanes-interleave", "Two worms on VCs of one link take turns, flit by flit.", _vcs_interleave),
    Situation("delivery-full", "The buffer before a processor holds as many flits as those of VCs.", _delivery_full),
)


def without_credit(sample: Sample, targets: np.ndarray) -> np.ndarray:
    """Input VCs whose worm has flits and no credit for its output VC; targets are masks: bool[switches, VCs]."""
    return active_inputs(sample) & filled(sample) & (targets & ~sample.routers["credited"][:, np.newaxis] != 0)
