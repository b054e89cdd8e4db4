"""Software multicast schedules."""

import pytest

from sim_model.messages.messages import Message, MessageError
from sim_model.messages.software import binomial_chain, software_multicasts, software_steps
from tests.networks import random_irregular
from tests.sim_model.builders import simulate, spam_model
from topology.common.graph import Network


def test_chain_of_eight_worked_by_hand():
    # Chain 2 3 4 5 6 7 0 1; 2 sends to 6, then 4, then 3; 6 to 0, then 7; and so on.
    chain = binomial_chain(2, [0, 1, 3, 4, 5, 6, 7], flits=5)
    sends = [(message.source, message.destinations[0], message.parents) for message in chain]
    wanted = [(2, 6, ()), (2, 4, ()), (6, 0, (0,)), (2, 3, ()), (4, 5, (1,)), (6, 7, (0,)), (0, 1, (2,))]
    assert sends == wanted


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 8, 15, 16, 100, 255])
def test_everyone_is_reached_once_in_the_least_number_of_steps(count):
    destinations = list(range(1, count + 1))
    chain = binomial_chain(0, destinations, flits=5, first_number=10, group=3)
    assert sorted(message.destinations[0] for message in chain) == destinations
    assert {message.group for message in chain} == {3}
    step = {}
    sent: dict[int, int] = {}
    reached = {0: 0}
    for number, message in enumerate(chain, start=10):
        assert all(parent < number for parent in message.parents)
        step[number] = max(reached[message.source], sent.get(message.source, 0)) + 1
        sent[message.source] = step[number]
        reached[message.destinations[0]] = step[number]
    assert max(step.values()) == software_steps(count)


def test_steps():
    assert [software_steps(d) for d in (1, 2, 3, 4, 7, 8, 255, 256)] == [1, 2, 2, 3, 3, 4, 8, 9]


def test_simulated_latency_is_steps_of_startup_and_message():
    # One switch: a step is start-up, link, routing, link, and 19 more flits. The source's second send starts up one
    # cycle before the first has arrived, the relay's in the cycle of the arrival.
    network = Network(1, [], [0] * 4)
    records = software_multicasts([Message(0, range(1, 4), 20, start_cycle=100)])
    results = simulate(spam_model(network), records, startup_cycles=1000).run()
    assert results.lost == 0
    assert results.group_destinations.tolist() == [3]
    unicast = 1000 + 1 + 2 + 19
    assert results.group_latency_cycles[0] == 2 * unicast


def test_unicasts_stay_and_groups_are_the_records():
    model = spam_model(random_irregular(5, switches=8))
    records = software_multicasts([Message(0, [1], 5), Message(1, [0, 2, 3], 5, start_cycle=9), Message(2, [2, 0], 5)])
    assert [message.group for message in records] == [0, 1, 1, 1, 2]
    results = simulate(model, records).run()
    assert results.groups.tolist() == [0, 1, 2]


def test_what_waits_for_a_multicast_waits_for_its_unicasts_worked_by_hand():
    # 0 sends to 2 and 1, 2 to 3. Messages 3 to 5: the answer of 3, what 0 sends behind both, what 3 sends behind that.
    records = [
        Message(0, [1, 2, 3], 5, start_cycle=7),
        Message(3, [0], 4, parents=(0,), delay_cycles=30),
        Message(0, [1], 4, parents=(0, 1), delay_cycles=(2, 1)),
        Message(3, [1, 2], 6, start_cycle=9, parents=(1,)),
    ]
    assert software_multicasts(records) == [
        Message(0, (2,), 5, start_cycle=7, group=0),
        Message(0, (1,), 5, start_cycle=7, group=0),
        Message(2, (3,), 5, parents=(0,), group=0),
        Message(3, (0,), 4, parents=(2,), delay_cycles=(30,), group=1),
        Message(0, (1,), 4, parents=(0, 1, 3), delay_cycles=(2, 2, 1), group=2),
        Message(3, (1,), 6, start_cycle=9, parents=(3,), delay_cycles=(0,), group=3),
        Message(1, (2,), 6, parents=(5,), group=3),
    ]


@pytest.mark.parametrize(
    ("source", "parent", "problem"),
    [
        (1, 1, "Message 1: Parent must be an earlier message, not 1"),
        (1, -1, "Message 1: Parent must be an earlier message, not -1"),
        (3, 0, "Message 1: Parent must be a message that processor 3 gets or sends, not 0"),
    ],
)
def test_waits_for_what_is_not_there(source, parent, problem):
    with pytest.raises(MessageError, match=problem):
        software_multicasts([Message(0, [1, 2], 5), Message(source, [4], 5, parents=(parent,))])


def test_separate_unicasts_worked_by_hand():
    record = Message(2, [0, 1, 2, 3, 3, 5], 5, start_cycle=7)
    assert software_multicasts([Message(4, [1], 9), record], "separate") == [
        Message(4, (1,), 9, group=0),
        *(Message(2, (node,), 5, start_cycle=7, group=1) for node in (3, 5, 0, 1)),
    ]


def test_separate_unicasts_take_as_many_startups_as_destinations():
    network = Network(1, [], [0] * 4)
    records = software_multicasts([Message(0, range(1, 4), 20, start_cycle=100)], "separate")
    results = simulate(spam_model(network), records, startup_cycles=1000).run()
    assert (results.lost, results.group_destinations.tolist()) == (0, [3])
    # link, routing, link and 19 more flits; a start-up begins when the tail before it has left, 21 cycles after its end
    assert results.group_latency_cycles[0] == 2 * (1000 + 21) + 1000 + 1 + 2 + 19
