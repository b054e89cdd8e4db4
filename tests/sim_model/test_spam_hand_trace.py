"""Cycles worked out by hand from docs/look_up/timing_spam.md."""

import pytest

from sim_model.messages.messages import Message
from tests.sim_model.builders import simulate, spam_model
from topology.common.graph import Network

# Processor 0 on switch 0, processor 1 on switch 1.
TWO_SWITCHES = Network(2, [(0, 1)], [0, 1])


def moved_names(simulation, cycles):
    """Names of the channels that moved, by cycle."""
    trace = simulation.record(cycles)
    names = [channel.name for channel in simulation.model.network.channels]
    return [{name for name, moved in zip(names, row, strict=True) if moved} for row in trace.moved]


def test_a_unicast_of_three_flits_with_look_ahead():
    # Accepted in 0, flits on the injection link in 1, 2, 3. The header is decoded while it moves (1), granted and
    # copied in 2, on the link in 3; again two cycles later on the delivery link.
    simulation = simulate(spam_model(TWO_SWITCHES, routing_cycles=1), [Message(0, [1], 3)])
    assert moved_names(simulation, 9) == [
        set(),
        {"p0->s0"},
        {"p0->s0"},
        {"p0->s0", "s0->s1"},
        {"s0->s1"},
        {"s0->s1", "s1->p1"},
        {"s1->p1"},
        {"s1->p1"},
        set(),
    ]


def test_a_unicast_of_three_flits_with_two_routing_cycles():
    # No look-ahead: moved in 1, decoded in 2, copied in 3, on the link in 4.
    simulation = simulate(spam_model(TWO_SWITCHES, routing_cycles=2), [Message(0, [1], 3)])
    assert moved_names(simulation, 11) == [
        set(),
        {"p0->s0"},
        {"p0->s0"},
        set(),  # the buffer of 2 was full at the start of the cycle in which the header is copied
        {"p0->s0", "s0->s1"},
        {"s0->s1"},
        set(),  # the same at the second switch
        {"s0->s1", "s1->p1"},
        {"s1->p1"},
        {"s1->p1"},
        set(),
    ]


def test_a_buffer_of_one_flit_works_at_half_rate():
    # A flit leaves the buffer in the cycle after it came, and ready is high again one cycle later.
    simulation = simulate(
        spam_model(TWO_SWITCHES, flit_bits=64, buffer_flits=1, routing_cycles=1), [Message(0, [1], 3)]
    )
    assert moved_names(simulation, 11) == [
        set(),
        {"p0->s0"},
        set(),
        {"p0->s0", "s0->s1"},
        set(),
        {"p0->s0", "s0->s1", "s1->p1"},
        set(),
        {"s0->s1", "s1->p1"},
        set(),
        {"s1->p1"},
        set(),
    ]


def test_two_headers_for_one_output_go_in_turn():
    # One switch, processors 0, 1 and 2 on ports 0, 1, 2. Both headers arrive in 1; the route unit takes input 0 in
    # 1 and input 1 in 2. Message 0 (2 flits) copies its tail in 3 and releases; message 1 is granted in 4 and is on
    # the link in 5.
    network = Network(1, [], [0, 0, 0])
    simulation = simulate(spam_model(network), [Message(0, [2], 2), Message(1, [2], 2)])
    steps = [simulation.step() for _ in range(8)]
    assert [step.ejected for step in steps] == [[], [], [], [(2, 0, 0)], [(2, 0, 1)], [(2, 1, 0)], [(2, 1, 1)], []]
    assert steps[0].accepted == [(0, 0), (1, 1)]


def test_a_multicast_waits_for_all_its_outputs():
    # Message 0 holds the output to processor 2; message 1 requests 2 and 3 and must not send to 3 before 2 is released.
    network = Network(1, [], [0, 0, 0, 0])
    model = spam_model(network, flit_bits=64)
    simulation = simulate(model, [Message(0, [2], 4), Message(1, [2, 3], 2, start_cycle=1)])
    steps = [simulation.step() for _ in range(10)]
    ejected = [step.ejected for step in steps]
    # Message 0 is on the delivery link in 3 to 6; its tail is copied in 5, so message 1 is granted in 6.
    assert ejected[3:7] == [[(2, 0, 0)], [(2, 0, 1)], [(2, 0, 2)], [(2, 0, 3)]]
    assert ejected[7:9] == [[(2, 1, 0), (3, 1, 0)], [(2, 1, 1), (3, 1, 1)]]


def test_the_next_message_starts_up_when_the_injector_is_idle():
    # The tail of message 0 leaves the injector in 5 + 2 = 7; start-up of message 1 from 8, offer in 13, on the link
    # in 14.
    simulation = simulate(spam_model(TWO_SWITCHES), [Message(0, [1], 2), Message(0, [1], 2)], startup_cycles=5)
    steps = [simulation.step() for _ in range(20)]
    assert [(cycle, step.accepted) for cycle, step in enumerate(steps) if step.accepted] == [
        (5, [(0, 0)]),
        (13, [(0, 1)]),
    ]


def test_without_start_up_messages_of_a_node_are_one_cycle_apart():
    simulation = simulate(spam_model(TWO_SWITCHES), [Message(0, [1], 2), Message(0, [1], 2)])
    injection = [step.moved[TWO_SWITCHES.injection_channel(0)] for step in (simulation.step() for _ in range(7))]
    assert injection == [False, True, True, False, True, True, False]


@pytest.mark.parametrize(("delay_cycles", "accepted_cycle"), [(0, 5), (1, 6), (10, 15)])
def test_a_dependent_message_starts_when_its_parent_has_arrived(delay_cycles, accepted_cycle):
    # One flit over one switch: injection in 1, delivery in 3 with 2 routing cycles on a one-switch network in 4.
    network = Network(1, [], [0, 0])
    records = [Message(0, [1], 1, start_cycle=1), Message(1, [0], 1, parents=(0,), delay_cycles=delay_cycles)]
    simulation = simulate(spam_model(network, routing_cycles=2), records)
    results = simulation.run()
    assert results.arrival_cycle[0] == 5
    assert results.start_cycle[1] == 5 + delay_cycles
    assert results.accepted_cycle[1] == accepted_cycle


def test_hosts_take_messages_in_order_of_start_then_number():
    network = Network(1, [], [0, 0, 0])
    records = [
        Message(0, [2], 2, start_cycle=30),
        Message(0, [1], 2, start_cycle=0),
        Message(1, [0], 2, start_cycle=0),
        Message(0, [1], 2, start_cycle=0),
        Message(0, [2], 2, parents=(2,)),
    ]
    results = simulate(spam_model(network), records, startup_cycles=10).run()
    # Message 4 starts when message 2 arrives, before message 0.
    assert list(results.accepted_cycle.argsort(kind="stable")) == [1, 2, 3, 4, 0]
