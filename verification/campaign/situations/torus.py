"""Situations of tori and meshes."""

import numpy as np

from sim_model.vc.state import DRAIN
from verification.campaign.situations.sample import Sample, Situation, bits, how_many
from verification.campaign.situations.virtual_channels import VCS, active_inputs, filled, without_credit


def _ways(sample: Sample) -> np.ndarray:
    return sample.family.vc_candidates & ~(1 << DRAIN)


def _without_credit(sample: Sample) -> np.ndarray:
    return without_credit(sample, _ways(sample))


def _worm_without_credit(sample: Sample) -> int:
    return how_many(_without_credit(sample))


def _tail_without_credit(sample: Sample) -> int:
    return how_many(_without_credit(sample) & sample.by_input(sample.front_is_tail).astype(bool))


def _heads(sample: Sample) -> np.ndarray:
    """Return input VCs with a head at the front that has no output VC yet."""
    return ~active_inputs(sample) & filled(sample) & sample.input_bits(sample.routers["looked_up"])


def _head_without_vc(sample: Sample) -> int:
    return how_many(_heads(sample) & (_ways(sample) & sample.routers["free"][:, np.newaxis] == 0))


def _vc_without_credit(sample: Sample) -> int:
    free = _ways(sample) & sample.routers["free"][:, np.newaxis]
    return how_many(_heads(sample) & (free != 0) & (free & sample.routers["credited"][:, np.newaxis] == 0))


def _requests(sample: Sample) -> np.ndarray:
    return bits(sample.family.output_requests)


def _most_request_one(sample: Sample) -> int:
    inputs = np.array([len(links) for links in sample.network.links.input_channel[: sample.switches]])
    return how_many((_requests(sample) == inputs[:, np.newaxis] - 1) & (inputs > 2)[:, np.newaxis])


def _three_request_one(sample: Sample) -> int:
    return how_many(_requests(sample) >= 3)


def _injection_yields(sample: Sample) -> int:
    asked, yielding = sample.family.output_requests, sample.routers["yielding"][:, np.newaxis]
    return how_many((asked & yielding != 0) & (asked & ~yielding != 0))


def _rings_closed(sample: Sample) -> int:
    closing = np.array(sample.network.closes_ring, dtype=bool)
    return how_many(sample.recorded[:, : len(closing)][:, closing] != -1)


TORUS = (
    *VCS,
    Situation(
        "most-request-one",
        "All inputs of a switch with three or more from which worms can go to an output request it.",
        _most_request_one,
    ),
    Situation("three-request-one", "Three inputs of a switch request one output.", _three_request_one),
    Situation("worm-without-credit", "A worm has flits and its output VC, and no credit.", _worm_without_credit),
    Situation("tail-without-credit", "The same, and the flit that waits is its tail.", _tail_without_credit),
    Situation("head-without-lane", "A head waits, and no VC that it could have is free.", _head_without_vc),
    Situation("lane-without-credit", "A head waits for a VC that is free and has no credit.", _vc_without_credit),
    Situation("injection-yields", "A processor of low priority and a channel request one output.", _injection_yields),
    Situation("ring-closed", "A flit moves over a channel that closes a ring.", _rings_closed),
)
