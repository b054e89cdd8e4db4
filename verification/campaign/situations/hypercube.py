"""Situations of hypercubes."""

import numpy as np

from sim_model.engines.cycle.state import NONE
from verification.campaign.situations.sample import Sample, Situations, bits, how_many
from verification.campaign.situations.virtual_channels import VCS, active_inputs, filled, waits_for_credit


def _targets(sample: Sample) -> np.ndarray:
    """Return masks of the output VC of each input VC's worm, if it has credits."""
    target = sample.family.vcs["target"]
    return np.where(target == NONE, 0, np.int64(1) << np.maximum(target, 0)) & ~sample.family.delivery_vcs


def _heads(sample: Sample) -> np.ndarray:
    return ~active_inputs(sample) & filled(sample)


def _no_adaptive_vc(sample: Sample) -> int:
    candidates = sample.family.vcs["candidates"]
    lost = candidates & sample.routers["free"][:, np.newaxis] == 0
    return how_many(_heads(sample) & (candidates != 0) & lost)


def _escape_picked(sample: Sample) -> np.ndarray:
    routers = sample.routers
    return (routers["leader"] != NONE) & (routers["adaptive"] == 0) & (routers["escape"] != 0)


def _leader_picks_escape(sample: Sample) -> int:
    return how_many(_escape_picked(sample))


def _escape_taken(sample: Sample) -> int:
    return how_many(_escape_picked(sample) & (sample.routers["escape"] & sample.routers["free"] == 0))


def _many_heads(sample: Sample) -> int:
    return how_many(_heads(sample).sum(axis=1) >= 3)


def _most_request_one(sample: Sample) -> int:
    inputs = sample.family.most_ports
    hosts = int(sample.family.host_vcs).bit_count()
    others = np.where(np.arange(sample.family.output_requests.shape[1]) == sample.family.dimensions, hosts, 1)
    return how_many(bits(sample.family.output_requests) == inputs - others) if inputs > 2 else 0


def _no_room(sample: Sample) -> int:
    return how_many(sample.routers["room"] == 0)


def _host_sends_on_all(sample: Sample) -> int:
    vcs = sample.family.host_vcs
    return how_many(sample.routers["active"] & vcs == vcs) if int(vcs).bit_count() > 1 else 0


HYPERCUBE: Situations = {
    **VCS,
    "most-request-one": _most_request_one,
    **waits_for_credit(_targets),
    "no-adaptive-lane": _no_adaptive_vc,
    "escape-picked": _leader_picks_escape,
    "escape-taken": _escape_taken,
    "three-heads-wait": _many_heads,
    "no-room": _no_room,
    "host-sends-on-all": _host_sends_on_all,
}
