"""Situations of tori and meshes."""

import numpy as np

from sim_model.vc.state import DRAIN
from verification.campaign.situations.sample import Sample, Situations, bits, how_many
from verification.campaign.situations.virtual_channels import VCS, active_inputs, filled, waits_for_credit


def _ways(sample: Sample) -> np.ndarray:
    return sample.family.vc_candidates & ~(1 << DRAIN)


def _heads(sample: Sample) -> np.ndarray:
    """Return input VCs with a head at the front that has no output VC yet."""
    return ~active_inputs(sample) & filled(sample) & sample.input_bits(sample.routers["looked_up"])


def _head_without_vc(sample: Sample) -> int:
    return how_many(_heads(sample) & (_ways(sample) & sample.routers["free"][:, np.newaxis] == 0))


def _vc_without_credit(sample: Sample) -> int:
    free = _ways(sample) & sample.routers["free"][:, np.newaxis]
    return how_many(_heads(sample) & (free != 0) & (free & sample.routers["credited"][:, np.newaxis] == 0))


def _most_request_one(sample: Sample) -> int:
    inputs = np.array([len(links) for links in sample.network.links.input_channel[: sample.switches]])
    return how_many((bits(sample.family.output_requests) == inputs[:, np.newaxis] - 1) & (inputs > 2)[:, np.newaxis])


def _injection_yields(sample: Sample) -> int:
    asked, yielding = sample.family.output_requests, sample.routers["yielding"][:, np.newaxis]
    return how_many((asked & yielding != 0) & (asked & ~yielding != 0))


def _rings_closed(sample: Sample) -> int:
    closing = np.array(sample.network.closes_ring, dtype=bool)
    return how_many(sample.recorded[:, : len(closing)][:, closing] != -1)


TORUS: Situations = {
    **VCS,
    "most-request-one": _most_request_one,
    **waits_for_credit(_ways),
    "head-without-lane": _head_without_vc,
    "lane-without-credit": _vc_without_credit,
    "injection-yields": _injection_yields,
    "ring-closed": _rings_closed,
}
