"""Situations of hypercubes."""

import numpy as np

from sim_model.engines.cycle.state import NONE
from verification.campaign.situations.sample import Sample, Situation, bits, how_many
from verification.campaign.situations.virtual_channels import VCS, active_inputs, filled, without_credit


def _targets(sample: Sample) -> np.ndarray:
    """Return masks of the output VC of each input VC's worm."""
    target = sample.family.vcs["target"]
    return np.where(target == NONE, 0, np.int64(1) << np.maximum(target, 0))


def _without_credit(sample: Sample) -> np.ndarray:
    delivery = sample.family.delivery_vcs
    return without_credit(sample, _targets(sample) & ~delivery)


def _worm_without_credit(sample: Sample) -> int:
    return how_many(_without_credit(sample))


def _tail_without_credit(sample: Sample) -> int:
    return how_many(_without_credit(sample) & sample.by_input(sample.front_is_tail).astype(bool))


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


def _three_request_one(sample: Sample) -> int:
    return how_many(bits(sample.family.output_requests) >= 3)


def _no_room(sample: Sample) -> int:
    return how_many(sample.routers["room"] == 0)


def _host_sends_on_all(sample: Sample) -> int:
    vcs = sample.family.host_vcs
    return how_many(sample.routers["active"] & vcs == vcs) if int(vcs).bit_count() > 1 else 0


HYPERCUBE = (
    *VCS,
    Situation(
        "most-request-one",
        "All inputs of a switch with three or more from which worms can go to an output request it.",
        _most_request_one,
    ),
    Situation("three-request-one", "Three inputs of a switch request one output.", _three_request_one),
    Situation("worm-without-credit", "A worm has flits and its output VC, and no credit.", _worm_without_credit),
    Situation("tail-without-credit", "The same, and the flit that waits is its tail.", _tail_without_credit),
    Situation("no-adaptive-lane", "A head waits, and no VC that any head may have is free for it.", _no_adaptive_vc),
    Situation("escape-picked", "The leader finds no such VC and picks its escape.", _leader_picks_escape),
    Situation("escape-taken", "The same, and that escape is another worm's.", _escape_taken),
    Situation("three-heads-wait", "Three heads wait in a switch.", _many_heads),
    Situation("no-room", "The delivery buffer of a switch says that it has no room.", _no_room),
    Situation(
        "host-sends-on-all", "All of a host's several injection channels have a worm with a VC.", _host_sends_on_all
    ),
)
