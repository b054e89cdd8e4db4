"""Hypercubes under load, ready to be compared."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.hypercube.network import hypercube_plan
from sim_model.engines.simulation import Simulation
from sim_model.hypercube.model import HypercubeModel
from sim_model.hypercube.multicasts import DOUBLING, software_sends
from sim_model.hypercube.state import HypercubeState
from sim_model.messages.messages import Message, Messages
from topology.common.host_pattern import EAGER, HostBehaviour
from topology.common.virtual_channels import ATOMIC
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import DUATO, HypercubeRouting

MAX_BODY_FLITS = 24
MEAN_FLITS = 13.5
BROADCAST_COPIES = 0.25
"""Copies of broadcasts for each unicast."""


def hypercube_routing(
    dimensions: int, vcs: int, *, flit_bits: int = 16, rule: str = DUATO, injection_channels: int = 1
) -> HypercubeRouting:
    return HypercubeRouting(HypercubeNetwork(dimensions, vcs, injection_channels), flit_bits, rule)


def job(
    routing: HypercubeRouting,
    buffer_flits: int,
    cycles: int = 2_500,
    seed: int = 3,
    hosts: HostBehaviour = EAGER,
    loads: Sequence[float] = (0.1, 0.4, 1.5),
    most_compared: int | None = None,
    broadcasts: bool = False,
    vc_reallocation: str = ATOMIC,
    most_body_flits: int = MAX_BODY_FLITS,
) -> Comparison:
    """Messages of 1 flit and more, one load after the other, in flits per node and cycle, over any injection channel.

    With broadcasts these are a fifth of all copies, sent by recursive doubling. Messages are compared to the end, or
    for so many cycles.
    """
    model, random = HypercubeModel(routing, buffer_flits, vc_reallocation), np.random.default_rng(seed)
    nodes, channels, records = routing.network.switches, routing.network.injection_channels_per_processor, []
    mean_flits = MEAN_FLITS - (MAX_BODY_FLITS - most_body_flits) / 2
    for part, load in enumerate(loads):
        start = part * cycles / len(loads)
        while start < (part + 1) * cycles / len(loads):
            source, destination = map(int, random.choice(nodes, 2, replace=False))
            flits = model.header_flits([destination]) + int(random.integers(0, most_body_flits))
            injection = int(random.integers(channels)) if channels > 1 else 0
            record = Message(source, [destination], flits, start_cycle=int(start), injection=injection)
            if broadcasts and random.random() < BROADCAST_COPIES / (nodes - 1):
                record = replace(record, destinations=range(nodes), injection=0)
            records.append(record)
            copies = nodes - 1 if len(record.destinations) > 1 else 1
            start += random.exponential(copies * mean_flits / load / nodes)
    if broadcasts:
        records = software_sends(routing.network, records, DOUBLING)
    messages = Messages.build(records, processors=nodes, header_flits=model.header_flits, injection_channels=channels)
    results = Simulation(model, messages, hosts=hosts).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    harness = harness_source(hypercube_plan(routing, buffer_flits=buffer_flits, vc_reallocation=vc_reallocation))
    compared = min(results.cycles + 16, most_compared or results.cycles + 16)
    return Comparison(model, messages, 0, compared, harness, hosts=hosts)


@dataclass(frozen=True)
class SentHome(HypercubeModel):
    """Every third message carries the number of its own sender, so it is unroutable."""

    def sent_header(self, messages: Messages, message: int) -> int:
        sound = super().sent_header(messages, message)
        mask = (1 << self.routing.network.dimensions) - 1
        return sound if message % 3 else sound & ~mask | int(messages.source[message])

    def make_state(self, messages: Messages) -> HypercubeState:
        state = super().make_state(messages)
        state.key[::3] = messages.source[::3]
        return state
