"""Situations of all families."""

import numpy as np

from verification.campaign.situations.sample import Sample, Situations, how_many


def _injector_waits(sample: Sample) -> int:
    return how_many(sample.vertices["blocked"][sample.switches :])


def _source_pauses(sample: Sample) -> int:
    sources = sample.state.endpoints.sources
    return how_many(sources["waiting"]) if len(sources) else 0


def _blocked_receiver(sample: Sample) -> int:
    """Count receivers with a full ejector and a flit in the register before it."""
    receivers = sample.state.endpoints.receivers
    if not len(receivers):
        return 0
    channels = sample.channels[receivers["channel"]]
    source_bits = 1 << channels["source_port"].astype(np.int64)
    held = sample.vertices["occupied"][channels["source"]] & source_bits != 0
    return how_many((receivers["blocked_until"] > sample.cycle) & (channels["count"] >= sample.depth) & held)


def _tail_then_head(sample: Sample) -> int:
    between = sample.shape.between
    return how_many(sample.tails[:-1, between] & sample.heads[1:, between])


def _one_flit(sample: Sample) -> int:
    return how_many(sample.heads & sample.tails)


def _all_outputs(sample: Sample) -> int:
    moving = (sample.recorded != -1).astype(np.float32) @ sample.shape.leaves
    return how_many((moving >= sample.shape.outputs) & (sample.shape.outputs > 2))


def _buffer_full(sample: Sample) -> int:
    return how_many(sample.full)


HOSTS: Situations = {
    "injector-waits": _injector_waits,
    "source-pauses": _source_pauses,
    "receiver-blocked": _blocked_receiver,
    "one-flit": _one_flit,
}
BUFFER_FULL: Situations = {
    "buffer-full": _buffer_full,
}
COMMON: Situations = {
    **HOSTS,
    **BUFFER_FULL,
    "tail-then-head": _tail_then_head,
}
WORM_SWITCHES: Situations = {
    "all-outputs-move": _all_outputs,
}
