"""Broadcasts in a hypercube, in several ways, in the golden models: what one takes, and many at once.

``python -m benchmarks.hypercube_broadcasts`` prints tables in Markdown. The same figures come out on any machine.

Adaptive routers have two lanes of 4 flits for each channel, and hosts one injection channel or one for every dimension;
software sends the copies. SPAM's routers have input buffers of 4 flits and the rest of a header, and multicast in
hardware over a tree of the same hypercube. A load is in flits that a node receives per cycle, of the one that its
delivery channel carries at most: so a share of broadcasts counts as what it brings to hosts.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from hydranoc.measurement.whole_runs import finish, prepare
from sim_model.engines.simulation import Simulation
from sim_model.hypercube.model import HypercubeModel
from sim_model.hypercube.multicasts import DOUBLING, ONE_BASE, software_sends
from sim_model.messages.messages import Message
from sim_model.messages.software import BINOMIAL, COMMON_SOFTWARE, SEPARATE, software_multicasts
from sim_model.messages.spread import spread_unicasts
from sim_model.spam.model import SpamModel
from sim_model.traffic import random_traffic
from topology.common.regular import hypercube_network
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

DIMENSIONS, LANES, BUFFER_FLITS, FLIT_BITS = 6, 2, 4, 32
FLITS = 32
SEED = 1
SOFTWARE = {
    DOUBLING: "recursive doubling, base goes round",
    ONE_BASE: "recursive doubling, one base",
    BINOMIAL: "common binomial chain",
    SEPARATE: "separate unicasts",
}
LOADS = (0.2, 0.4, 0.6, 0.8)
SHARES = {1.0: ("broadcasts alone", 2400), 0.02: ("2 % broadcasts among unicasts", 600)}
"""Shares of broadcasts, and how many of them are sent; those of hosts that are busy most of the time need many."""
QUICK = 4
"""A quick run has so many times fewer of them."""
CARRIED = 0.95
"""Share of what is to be received that has to arrive while messages start, or else the network is saturated."""


@dataclass(frozen=True)
class Way:
    """A way to broadcast, with its network.

    Members
    -------
    name : str
    injection_channels : int
        Of each host.
    simulation : callable
        From messages and start-up cycles to a run about to begin.
    """

    name: str
    injection_channels: int
    simulation: Callable[[Sequence[Message], int], Simulation]


def ways(dimensions: int = DIMENSIONS) -> list[Way]:
    """Return all ways in a hypercube."""
    found = []
    for channels in (dimensions, 1):
        network = HypercubeNetwork(dimensions, LANES, channels)
        model = HypercubeModel(HypercubeRouting(network, FLIT_BITS), BUFFER_FLITS)
        found += [Way(name, channels, _by_software(model, network, software)) for software, name in SOFTWARE.items()]
    spam = SpamModel(SpamRouting(SpamLabels(hypercube_network(dimensions)), FLIT_BITS), buffer_flits=BUFFER_FLITS)
    found.append(Way("SPAM's tree", 1, lambda records, startup_cycles: prepare(spam, records, startup_cycles)))
    return found


def _by_software(model: HypercubeModel, network: HypercubeNetwork, software: str):
    def simulation(records: Sequence[Message], startup_cycles: int) -> Simulation:
        if software in COMMON_SOFTWARE:
            sends = software_multicasts(records, software)
        else:
            sends = software_sends(network, records, software)
        return prepare(model, spread_unicasts(sends, network.injection_channels_per_processor, SEED), startup_cycles)

    return simulation


def at_once(way: Way, nodes: int, sources: int, rounds: int = 1, startup_cycles: int = 0) -> np.ndarray:
    """Return latency of every broadcast, if some sources begin so many broadcasts each in cycle 0. int64."""
    senders = np.random.default_rng(SEED).permutation(nodes)[:sources].tolist() if sources > 1 else [0]
    records = [Message(source, range(nodes), FLITS) for _ in range(rounds) for source in senders]
    return finish(way.simulation(records, startup_cycles)).group_latency_cycles


def under_load(way: Way, nodes: int, load: float, share: float, broadcasts: int) -> float | None:
    """Return mean latency of broadcasts that nodes generate as Poisson processes.

    Parameters
    ----------
    way : Way
    nodes : int
    load : float
        Flits that a node receives per cycle.
    share : float
        Of broadcasts; the other messages are unicasts.
    broadcasts : int
        How many start, about; the first fifth of the run is left out of the mean.

    Returns
    -------
    float or None
        Cycles; None if the network is saturated.
    """
    rate = load / FLITS / (1 + share * (nodes - 2))
    cycles = round(broadcasts / (nodes * rate * share))
    records = random_traffic(
        processors=nodes,
        cycles=cycles,
        seed=SEED,
        messages_per_node_per_cycle=rate,
        multicast_fraction=0,
        destinations=1,
        flits=FLITS,
        broadcast_fraction=share,
    )
    simulation, warmup_cycles = way.simulation(records, 0), cycles // 5
    offered = sum(len(record.destinations) for record in records if record.start_cycle >= warmup_cycles)
    if np.count_nonzero(simulation.run(cycles).arrival_cycle >= warmup_cycles) < CARRIED * offered:
        return None
    results = finish(simulation)
    measured = (results.group_destinations == nodes - 1) & (results.group_start_cycle >= warmup_cycles)
    return float(results.group_latency_cycles[measured].mean())


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _latencies(way: Way, nodes: int, startup_cycles: int) -> Iterator[str]:
    yield str(at_once(way, nodes, 1, startup_cycles=startup_cycles)[0])
    for sources, rounds in ((16, 1), (nodes, 1), (nodes, DIMENSIONS)):
        latencies = at_once(way, nodes, sources, rounds, startup_cycles)
        yield f"{latencies.mean():.0f}, {latencies.max()}"


def _loads(way: Way, nodes: int, share: float, broadcasts: int) -> Iterator[str]:
    for load in LOADS:
        latency = under_load(way, nodes, load, share, broadcasts)
        yield "saturated" if latency is None else f"{latency:.0f}"


def _table(title: str, columns: Sequence[str], cells: Callable[[Way], Iterator[str]]) -> None:
    print(f"\n{title}\n")
    print(_row("broadcast by", "injection channels", *columns))
    print("|" + "---|" * (len(columns) + 2))
    for way in ways():
        print(_row(way.name, way.injection_channels, *cells(way)), flush=True)


def main(*, quick: bool, startup_cycles: Sequence[int] = (0, 100)) -> None:
    """Measure and print."""
    nodes = 1 << DIMENSIONS
    columns = ("alone", f"16 of {nodes} nodes", f"all {nodes}", f"all {nodes}, {DIMENSIONS} each")
    for startup in startup_cycles:
        title = f"Cycles of broadcasts of {FLITS} flits that begin together (mean, last), start-up {startup}"
        _table(title, columns, partial(_latencies, nodes=nodes, startup_cycles=startup))
    for share, (kind, most) in SHARES.items():
        broadcasts = most // QUICK if quick else most
        title = f"Mean cycles of a broadcast by load, {kind}"
        _table(title, tuple(map(str, LOADS)), partial(_loads, nodes=nodes, share=share, broadcasts=broadcasts))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hypercube_broadcasts", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a quarter of the broadcasts under load")
    main(quick=parser.parse_args().quick)
