"""Situations of hexagonal meshes: pages, and the outputs that they wait for."""

import numpy as np

from sim_model.engines.cycle.state import NONE
from topology.harts.graph import HOST_PORT
from verification.campaign.situations.common import HOSTS
from verification.campaign.situations.sample import Sample, Situations, bits, how_many


def _links(sample: Sample, records: np.ndarray) -> np.ndarray:
    """Return the records of links between nodes."""
    return records[sample.shape.between]


def _no_free_page(sample: Sample) -> int:
    return how_many(sample.family.nodes["free"] == 0)


def _no_page_kept(sample: Sample) -> int:
    return how_many(_links(sample, sample.family.receivers)["landing"] == NONE)


def _page_for_urgent(sample: Sample) -> int:
    receivers = _links(sample, sample.family.receivers)
    return how_many((receivers["landing"] != NONE) & (receivers["for_any"] == 0))


def _packet_wishes(sample: Sample) -> int:
    return how_many(_links(sample, sample.family.transmitters)["wish"])


def _cut_through(sample: Sample) -> int:
    return how_many(sample.family.receivers["transmitter"] != NONE)


def _tee(sample: Sample) -> int:
    receivers = sample.family.receivers
    return how_many((receivers["transmitter"] != NONE) & (receivers["page"] != NONE))


def _owned_while_wanted(sample: Sample) -> int:
    owned = sample.family.transmitters["owned"] != 0
    waiting = sample.family.waiting.any(axis=2)
    channels = np.flatnonzero(owned & (sample.shape.source < sample.switches))
    ports = np.array([sample.shape.network.channels[channel].source_port for channel in channels], dtype=np.int64)
    return how_many(waiting[sample.shape.source[channels], ports]) if len(channels) else 0


def _three_wait(sample: Sample) -> int:
    return how_many(bits(sample.family.waiting[:, :HOST_PORT]).sum(axis=2) >= 3)


def _three_wait_for_host(sample: Sample) -> int:
    return how_many(bits(sample.family.waiting[:, HOST_PORT]).sum(axis=1) >= 3)


def _all_outputs_wanted(sample: Sample) -> int:
    return how_many(sample.family.waiting.any(axis=2).all(axis=1))


def _to_three(sample: Sample) -> int:
    packets = sample.family.packets
    return how_many((bits(packets["outputs"]) >= 3) & (packets["sends"] > 0))


def _processor_busy(sample: Sample) -> int:
    return how_many(bits(sample.family.fresh).sum(axis=1) >= 2)


def _all_receive(sample: Sample) -> int:
    arriving = (sample.family.receivers["page"] != NONE) | (sample.family.receivers["transmitter"] != NONE)
    return how_many(sample.by_input(arriving).astype(bool).sum(axis=1) == sample.shape.inputs)


def _spoilt(sample: Sample) -> int:
    return how_many((sample.family.packets["spoilt"] != 0) & (sample.family.packets["sends"] > 0))


def _refused(sample: Sample) -> int:
    return int(sample.family.discards.worms[0])


HARTS: Situations = {
    **HOSTS,
    "no-free-page": _no_free_page,
    "no-page-kept": _no_page_kept,
    "page-for-urgent": _page_for_urgent,
    "packet-wishes": _packet_wishes,
    "cut-through": _cut_through,
    "tee": _tee,
    "owned-while-wanted": _owned_while_wanted,
    "three-wait": _three_wait,
    "three-wait-for-host": _three_wait_for_host,
    "all-outputs-wanted": _all_outputs_wanted,
    "to-three": _to_three,
    "processor-busy": _processor_busy,
    "all-inputs-receive": _all_receive,
    "spoilt": _spoilt,
    "refused": _refused,
}
