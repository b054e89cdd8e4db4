"""Situations of networks with virtual channels: tori, meshes and hypercubes."""

from collections.abc import Callable

import numpy as np

from sim_model.engines.cycle.state import NONE
from verification.campaign.situations.common import BUFFER_FULL, HOSTS
from verification.campaign.situations.sample import Sample, Situations, bits, how_many


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


def _three_request_one(sample: Sample) -> int:
    return how_many(bits(sample.family.output_requests) >= 3)


VCS: Situations = {
    **HOSTS,
    **BUFFER_FULL,
    "tail-then-head": _tail_then_head,
    "all-lanes-held": _all_vcs_held,
    "two-worms-in-a-buffer": _two_worms,
    "lanes-interleave": _vcs_interleave,
    "delivery-full": _delivery_full,
    "three-request-one": _three_request_one,
}


def waits_for_credit(targets: Callable[[Sample], np.ndarray]) -> Situations:
    """Return situations of worms without a credit for their output VCs, which are masks: int64[switches, VCs]."""

    def without_credit(sample: Sample) -> np.ndarray:
        uncredited = targets(sample) & ~sample.routers["credited"][:, np.newaxis]
        return active_inputs(sample) & filled(sample) & (uncredited != 0)

    return {
        "worm-without-credit": lambda sample: how_many(without_credit(sample)),
        "tail-without-credit": lambda sample: how_many(
            without_credit(sample) & sample.by_input(sample.front_is_tail).astype(bool)
        ),
    }
