"""The paper's contention-free latencies, simulated with its times: 500 ns start-up, 60 ns routing, 20 ns per flit.

Flits are wide enough for the header to be one of them, because the paper counts one routing delay per switch whatever
the length of the header.
"""

from dataclasses import dataclass

import numpy as np

from sim_model.common.messages import Message, Messages
from sim_model.common.simulation import Simulation
from sim_model.min.analytical import FLIT_NS, ROUTING_NS, STARTUP_NS
from sim_model.min.model import MinModel
from topology.common.flits import MAX_FLIT_BITS
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting

FLITS = 64
NORMAL_95 = 1.96


@dataclass(frozen=True)
class SimulatedLatency:
    """Latencies in an empty network.

    Members
    -------
    unicast_ns : float
        To the most distant node.
    multicast_ns, half_width_ns : float
        Broadcast with the tokens anywhere; mean and its 95 % confidence interval.
    fastest_multicast_ns, slowest_multicast_ns : float
        With the tokens at the best and at the worst place that was tried.
    rings : int
        Token rings of more than one switch on the way.
    """

    unicast_ns: float
    multicast_ns: float
    half_width_ns: float
    fastest_multicast_ns: float
    slowest_multicast_ns: float
    rings: int


def simulated_latency(network: MinNetwork, samples: int = 400) -> SimulatedLatency:
    """Unicast and broadcast of processor 0, one message at a time.

    All rings of one size have their tokens at the same place, which is drawn anew for each sample: so a broadcast waits
    for one token per stage, as the closed form has it, and not for the slowest of many.
    """
    model = MinModel(MinRouting(network, MAX_FLIT_BITS), routing_cycles=ROUTING_NS // FLIT_NS)
    others = tuple(range(1, len(network.processors)))
    random = np.random.default_rng(1)
    sizes = [network.radix**level for level in range(network.stages)]
    unicast = _latency_ns(model, (others[-1],), {})
    draws = [{size: int(random.integers(size)) for size in sizes} for _ in range(samples)]
    multicast = np.array([_latency_ns(model, others, places) for places in draws])
    return SimulatedLatency(
        unicast,
        float(multicast.mean()),
        float(NORMAL_95 * multicast.std() / np.sqrt(samples)),
        float(multicast.min()),
        float(multicast.max()),
        len(sizes) - 1,
    )


def _latency_ns(model: MinModel, destinations: tuple[int, ...], places: dict[int, int]) -> float:
    """One message in an empty network; ``places`` says by size of a ring where its token begins."""
    record = Message(0, destinations, FLITS)
    messages = Messages.build([record], processors=len(model.network.processors), header_flits=model.header_flits)
    simulation = Simulation(model, messages, startup_cycles=STARTUP_NS // FLIT_NS)
    groups = simulation.router_state.groups
    groups.free_place[:] = [places.get(int(size), 0) for size in groups.switches]
    return float(int(simulation.run().arrival_cycle.max()) * FLIT_NS)
