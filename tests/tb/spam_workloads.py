"""Networks under load, ready to be compared."""

from dataclasses import dataclass, replace

import numpy as np

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.spam.network import spam_plan
from sim_model.engines.results import Results
from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message, Messages
from sim_model.spam.model import SpamModel
from sim_model.traffic import random_traffic
from topology.common.graph import Network
from topology.common.part_headers import BIT_STRING
from topology.common.total_order import NO_ORDER
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

# Flits per node and cycle that are offered, in three equal parts of a run: light, busy, and more than any network here
# can carry.
STAGED_LOADS = (0.05, 0.25, 0.9)
QUIET_CYCLES = 16


@dataclass(frozen=True)
class Shape:
    """Parameters that a test varies besides the network."""

    flit_bits: int = 32
    buffer_flits: int = 2
    routing_cycles: int = 1
    enqueue: str = "atomic"
    up_after_down: bool = False
    link_cycles: int = 1
    header_kind: str = BIT_STRING
    ordering: str = NO_ORDER

    @property
    def name(self) -> str:
        return f"flit{self.flit_bits}-buffer{self.buffer_flits}-routing{self.routing_cycles}"

    @property
    def settings(self) -> dict[str, object]:
        """Parameters of plans and models besides the routing."""
        return {
            "buffer_flits": self.buffer_flits,
            "routing_cycles": self.routing_cycles,
            "enqueue": self.enqueue,
            "link_cycles": self.link_cycles,
        }

    def routing(self, network: Network, root: int | None = None) -> SpamRouting:
        labels = SpamLabels(network, root)
        return SpamRouting(labels, self.flit_bits, self.up_after_down, self.header_kind, self.ordering)


def comparison(routing: SpamRouting, shape: Shape, records: list[Message], cycles: int | None = None) -> Comparison:
    """Messages on a network; by default compared until everything is delivered (or deadlocked), and a little longer."""
    model = SpamModel(routing, **shape.settings)
    processors = len(routing.network.processors)
    messages = Messages.build(records, processors=processors, header_flits=model.header_flits)
    if cycles is None:
        cycles = Simulation(model, messages).run().cycles + QUIET_CYCLES
    return Comparison(model, messages, 0, cycles, harness_source(spam_plan(routing, **shape.settings)))


def model_results(job: Comparison) -> Results:
    """The golden model's own account of a job, run to the end."""
    return Simulation(job.model, job.messages, job.startup_cycles).run()


def staged_traffic(
    routing: SpamRouting, cycles: int, seed: int, *, loads=STAGED_LOADS, flits: int = 24
) -> list[Message]:
    """Unicasts and multicasts at three loads one after the other; the last is past saturation.

    The messages are as many as the loads ask for, so after ``cycles`` cycles the hosts still have a queue.
    """
    processors = len(routing.network.processors)
    if processors < 2:
        return []
    destinations = max(1, min(processors - 1, (processors + 1) // 2))
    flits = max(flits, routing.header.multicast_flits)
    stage = cycles // len(loads)
    messages = []
    for position, load in enumerate(loads):
        part = random_traffic(
            processors=processors,
            cycles=stage,
            seed=seed + position,
            messages_per_node_per_cycle=load / flits,
            multicast_fraction=0.2,
            destinations=destinations,
            flits=flits,
        )
        messages += [replace(message, start_cycle=message.start_cycle + position * stage) for message in part]
    return _of_all_lengths(routing, messages, np.random.default_rng(seed))


def _of_all_lengths(routing: SpamRouting, messages: list[Message], random: np.random.Generator) -> list[Message]:
    """From the header alone to twice the given length."""
    shortest = routing.header.multicast_flits
    return [replace(message, flits=int(random.integers(shortest, 2 * message.flits))) for message in messages]
