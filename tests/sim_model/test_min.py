"""Golden model of multistage networks: exactly-once delivery, deadlock without tokens, and latency in closed form."""

import numpy as np
import pytest

from sim_model.common.messages import Message, Messages
from sim_model.common.simulation import Simulation
from sim_model.min.analytical import FLIT_NS, paper_latency
from sim_model.min.model import MinModel
from sim_model.min.reproduce import FLITS, simulated_latency
from topology.min.deadlock import check_min_deadlock
from topology.min.graph import BIDIRECTIONAL, KINDS, MinNetwork
from topology.min.groups import EXACT, NO_TOKEN
from topology.min.routing import MinRouting

RUNS = 150


def simulate(model: MinModel, records: list[Message]) -> Simulation:
    messages = Messages.build(records, processors=len(model.network.processors), header_flits=model.header_flits)
    simulation = Simulation(model, messages)
    simulation.run()
    return simulation


def heavy_jobs(random: np.random.Generator, nodes: int) -> list[Message]:
    """Three to seven multicasts of 24 flits that start nearly together."""
    records = []
    for _ in range(int(random.integers(3, 8))):
        source = int(random.integers(nodes))
        others = random.choice(nodes - 1, int(random.integers(2, nodes)), replace=False)
        destinations = [int(other) + int(other >= source) for other in others]
        records.append(Message(source, destinations, 24, start_cycle=int(random.integers(6))))
    return records


@pytest.mark.parametrize("buffer_flits", [1, 2, 16])
@pytest.mark.parametrize("channels", ["1", "b"])
@pytest.mark.parametrize(("kind", "radix", "stages"), [(kind, 2, 3) for kind in KINDS] + [(BIDIRECTIONAL, 4, 2)])
def test_tokens_prevent_deadlock(kind, radix, stages, channels, buffer_flits):
    network = MinNetwork(kind, radix, stages, radix if channels == "b" else 1)
    routing, nodes = MinRouting(network, 64), radix**stages
    deadlocked = {}
    for token in (NO_TOKEN, EXACT):
        model, random = MinModel(routing, buffer_flits=buffer_flits, token=token), np.random.default_rng(1)
        runs = [simulate(model, heavy_jobs(random, nodes)) for _ in range(RUNS)]
        deadlocked[token] = sum(run.deadlocked for run in runs)
        for run in runs:
            results = run.results()
            assert run.finished or token == NO_TOKEN
            assert (results.duplicated, results.disordered) == (0, 0)
            assert results.lost == 0 or run.deadlocked
        assert check_min_deadlock(routing, model.buffer_depth_flits, token).free or deadlocked[token] > 0
    assert deadlocked[EXACT] == 0


def test_deadlock_report_names_the_circle():
    network = MinNetwork("baseline", 2, 3)
    model, random = MinModel(MinRouting(network, 64), token=NO_TOKEN), np.random.default_rng(1)
    stuck = next(run for run in (simulate(model, heavy_jobs(random, 8)) for _ in range(RUNS)) if run.deadlocked)
    report = stuck.deadlock_report()
    assert "owned by" in report
    assert "wait for each other" in report


@pytest.mark.parametrize(("kind", "radix", "stages"), [("baseline", 4, 3), (BIDIRECTIONAL, 8, 2)])
def test_closed_form_latency(kind, radix, stages):
    network = MinNetwork(kind, radix, stages)
    paper, found = paper_latency(network, FLITS), simulated_latency(network, 100)
    assert found.unicast_ns == paper.unicast_ns - FLIT_NS  # the paper counts one flit time twice
    expected = paper.multicast_ns - FLIT_NS - FLIT_NS / 2 * found.rings
    assert abs(found.multicast_ns - expected) < 2.5 * found.half_width_ns
    assert found.fastest_multicast_ns <= paper.multicast_ns - FLIT_NS <= found.slowest_multicast_ns


def test_the_paper_s_example_is_one_of_the_places_of_the_token():
    """2.12 us for 64 nodes, 8 x 8 switches, bidirectional: the token four switches away, and one flit time less."""
    paper = paper_latency(MinNetwork(BIDIRECTIONAL, 8, 2), FLITS)
    assert (paper.unicast_ns, paper.multicast_ns) == (2040, 2120)


def test_bad_parameters():
    routing = MinRouting(MinNetwork("omega", 2, 2), 16)
    for name, value, message in (
        ("buffer_flits", 0, "Buffer must hold at least 1 flit, not 0"),
        ("routing_cycles", 0, "Routing must take at least 1 cycle, not 0"),
        ("token", "two", "Token must be one of exact, printed, none, not 'two'"),
    ):
        with pytest.raises(ValueError, match=message):
            MinModel(routing, **{name: value})
