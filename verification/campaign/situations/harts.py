"""Situations of hexagonal meshes: pages, and the outputs that they wait for."""

import numpy as np

from sim_model.engines.cycle.state import NONE
from topology.harts.graph import HOST_PORT
from verification.campaign.situations.common import HOSTS
from verification.campaign.situations.sample import Sample, Situation, bits, how_many


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


HARTS = (
    *HOSTS,
    Situation("no-free-page", "No page of a node is free.", _no_free_page),
    Situation("no-page-kept", "A node keeps no page for what comes over one of its links.", _no_page_kept),
    Situation(
        "page-for-urgent",
        "A node keeps a page for packets that have come far enough, and not for any.",
        _page_for_urgent,
    ),
    Situation("packet-wishes", "A packet waits for a page of the next node, which is told its level.", _packet_wishes),
    Situation("cut-through", "A packet goes on to an output while it arrives.", _cut_through),
    Situation("tee", "The same, and it is stored as well.", _tee),
    Situation(
        "owned-while-wanted", "A receiver sends on an output for which stored packets wait.", _owned_while_wanted
    ),
    Situation("three-wait", "Three stored packets of a node wait for one link.", _three_wait),
    Situation("three-wait-for-host", "Three stored packets of a node wait for its host.", _three_wait_for_host),
    Situation(
        "all-outputs-wanted", "Packets wait for every output of a node, its host's included.", _all_outputs_wanted
    ),
    Situation("to-three", "A stored packet is still to be sent to three outputs.", _to_three),
    Situation("processor-busy", "Two whole packets of a node have not yet been looked at.", _processor_busy),
    Situation("all-inputs-receive", "Packets arrive at all inputs of a node at the same time.", _all_receive),
    Situation("spoilt", "A stored packet has been spoilt by a faulty node.", _spoilt),
    Situation("refused", "A packet has been dropped that no guard lets in, or that has no way.", _refused),
)
