"""Reports of routers with tables: the lines of a worm across two switches, and the input that an owner waits for."""

import pytest

from sim_model.engines.model import Wait
from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message
from sim_model.min.model import MinModel
from tests.sim_model.builders import simulate, spam_model
from topology.common.graph import Network
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting


def spam() -> Simulation:
    return simulate(spam_model(Network(2, [(0, 1)], [0, 1]), buffer_flits=1), [Message(0, [1], 8, start_cycle=0)])


def multistage() -> Simulation:
    model = MinModel(MinRouting(MinNetwork("baseline", 2, 2, 1), 32), buffer_flits=1)
    return simulate(model, [Message(0, [1], 8, start_cycle=0)])


def test_report_of_a_spam_router():
    simulation = spam()
    simulation.run(6)
    assert simulation.describe_router(1).splitlines() == [
        "router s1: route unit turn 1, age order []",
        "  input 0 s0->s1 (tree): [m0.1] scanned 1 delay 0 request {1} active",
        "  input 1 p1->s1 (up): [empty] scanned 0 delay 0 request {}",
        "  output 0 s1->s0: empty, free",
        "  output 1 s1->p1: empty, owned by input 0",
    ]


def test_report_of_a_switch():
    simulation = multistage()
    simulation.run(7)
    assert simulation.describe_router(0).splitlines() == [
        "router s0_0: route unit turn 1, token of group 0 free at place 1, this is 0",
        "  input 0 p0->s0_0 (forward): [empty] scanned 1 delay 0 request {0} owed {0} copied {} queued standing",
        "  input 1 p1->s0_0 (forward): [empty] scanned 0 delay 0 request {} owed {} copied {}",
        "  output 0 s0_0->s1_0: m0.2, owned by input 0",
        "  output 1 s0_0->s1_1: empty, free",
    ]


@pytest.mark.parametrize(
    ("make", "sink", "feeder"), [(spam, "s0->s1", "p0->s0"), (multistage, "s0_0->s1_0", "p0->s0_0")]
)
def test_an_owner_without_flits_waits_for_the_input_that_feeds_it_and_nobody_for_a_host(make, sink, feeder):
    simulation = make()
    simulation.run(5)  # the buffers of one flit are empty in every second cycle
    number = {channel.name: channel.index for channel in simulation.model.network.channels}
    waits = simulation.model.waits(simulation.state, simulation.router_state)
    assert waits == [Wait(number[sink], -1, (number[feeder],), f"for more flits from {feeder}")]
