"""Messages that wait for several others: for messages to their source, and for messages from it."""

import numpy as np
import pytest

from sim_model.engines.simulation import Simulation
from sim_model.loops.bits import MESSAGE_SHIFT
from sim_model.messages.messages import Message, Messages
from sim_model.torus.model import TorusModel
from tests.networks import InjectingTorus, random_irregular
from tests.sim_model.builders import build, simulate, spam_model
from topology.common.graph import Network
from topology.common.host_pattern import EAGER, HostBehaviour
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

MODELS = {
    "spam": lambda: spam_model(random_irregular(5, switches=8)),
    "torus": lambda: TorusModel(TorusRouting(InjectingTorus(Grid(2, 4, True), 2, 3), 16)),
}


def random_dependent_records(model, count, seed, most_destinations=1):
    """Messages of which most wait for up to four earlier ones."""
    random = np.random.default_rng(seed)
    processors = len(model.network.processors)
    ports = model.network.injection_channels_per_processor
    records: list[Message] = []
    for number in range(count):
        wanted = 2 if most_destinations == 1 else int(random.integers(2, most_destinations + 2))
        source, *destinations = map(int, random.choice(processors, wanted, replace=False))
        known = [k for k in range(number) if records[k].source == source or source in records[k].destinations]
        parents = [int(k) for k in random.permutation(known)[: random.integers(5)]]
        records.append(
            Message(
                source,
                destinations,
                model.header_flits(destinations) + int(random.integers(12)),
                start_cycle=int(random.integers(400)),
                parents=parents,
                delay_cycles=random.integers(30, size=len(parents)).tolist(),
                injection=int(random.integers(ports)),
            )
        )
    return records


def tails_out(model, messages, hosts, cycles):
    """Cycle in which each message's tail moves out of its injector, from a recording."""
    trace = Simulation(model, messages, 3, hosts=hosts).record(cycles)
    flits = trace.flits[:, list(model.network.injection_channels)]
    cycle, injector = np.nonzero(flits >= 0)
    out = np.full(len(messages), -1)
    out[flits[cycle, injector] >> MESSAGE_SHIFT] = cycle
    return out


@pytest.mark.parametrize("hosts", [EAGER, HostBehaviour(120, 120, seed=3)], ids=["eager", "pausing"])
@pytest.mark.parametrize("family", MODELS)
def test_every_start_is_the_latest_of_all_that_it_waits_for(family, hosts):
    model = MODELS[family]()
    records = random_dependent_records(model, 300, seed=4)
    messages = Messages.build(
        records,
        processors=len(model.network.processors),
        header_flits=model.header_flits,
        injection_channels=model.network.injection_channels_per_processor,
    )
    results = Simulation(model, messages, 3, hosts=hosts).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    out = tails_out(model, messages, hosts, results.cycles)
    arrived = results.last_arrival_cycle
    kinds = set()
    for number, record in enumerate(records):
        events = [record.start_cycle]
        for parent, delay in zip(record.parents, record.delays, strict=True):
            own = records[parent].source == record.source
            kinds.add(own)
            events.append((out if own else arrived)[parent] + delay)
        assert results.start_cycle[number] == max(events)
    assert kinds == {False, True}


def test_worked_by_hand():
    # One switch, one-flit messages: injection the cycle after acceptance, delivery three cycles after that.
    network = Network(1, [], [0] * 3)
    records = [
        Message(0, [1], 1),
        Message(2, [1], 1, start_cycle=20),
        Message(1, [0], 1, parents=(0, 1), delay_cycles=(100, 3)),
        Message(0, [2], 1, parents=(0,), delay_cycles=7),
        Message(0, [2], 1, parents=(3,), start_cycle=60),
    ]
    results = simulate(spam_model(network, routing_cycles=2), records).run()
    first, second = results.arrival_cycle[:2].tolist()
    assert (first, second) == (4, 24)
    assert results.start_cycle.tolist() == [0, 20, 104, 1 + 7, 60]


def test_a_message_does_not_start_before_the_last_of_its_parents_has_arrived():
    model = spam_model(Network(1, [], [0] * 3))
    records = [Message(0, [1], 40), Message(2, [1], 5), Message(1, [2], 5, parents=(0, 1))]
    simulation = Simulation(model, build(model, records))
    some = simulation.run(until_cycle=44)
    assert (some.arrival_cycle[0] > 0, some.arrival_cycle[1], some.start_cycle[2]) == (True, -1, -1)
    results = simulation.run()
    assert results.start_cycle[2] == results.arrival_cycle[1] > results.arrival_cycle[0]
