"""Counts per channel against what single steps show, in runs that jump over idle time and in a deadlock."""

import numpy as np
import pytest

from sim_model.engines.simulation import Simulation
from sim_model.loops.bits import TAIL
from sim_model.messages.messages import Message
from tests.counted import events_of
from tests.networks import random_irregular
from tests.sim_model.builders import build, random_records, spam_model
from topology.common.counter_bus import COUNTED
from topology.common.graph import Network

IDLE_CYCLES = 5_000


def contended():
    """Messages in two bursts with much idle time between them."""
    model = spam_model(random_irregular(5, switches=8), flit_bits=16, routing_cycles=3)
    random = np.random.default_rng(1)
    records = random_records(random, model, 60, cycles=200, body=12)
    records += [Message(r.source, r.destinations, r.flits, start_cycle=r.start_cycle + IDLE_CYCLES) for r in records]
    return model, build(model, records)


def counted_by_steps(simulation, cycles):
    """The counts, from the registers before each single step."""
    network, state = simulation.model.network, simulation.state
    counts = np.zeros((len(COUNTED), len(network.channels)), dtype=np.int64)
    in_message = np.zeros(len(network.channels), dtype=bool)
    source_bits = 1 << state.channels.source_port.astype(np.int64)
    for _ in range(cycles):
        valid = state.vertices.occupied[state.channels.source] & source_bits != 0
        tail = state.channels.register & TAIL != 0
        moved = simulation.step().moved
        assert not (moved & ~valid).any()
        counts += np.array(events_of(valid, moved, in_message))
        in_message = np.where(moved, ~tail, in_message)
    return counts


def test_counts_equal_those_of_single_steps():
    model, messages = contended()
    ran = Simulation(model, messages, count_channels=True)
    results = ran.run()
    counts = np.array(ran.channel_counts())
    assert results.cycles > IDLE_CYCLES
    assert counts[0].sum() == results.flit_hops
    assert (counts.sum(axis=1) > 100).all(), "the traffic must show stalls and bubbles"
    assert (counted_by_steps(Simulation(model, messages), results.cycles) == counts).all()
    recorded = Simulation(model, messages, count_channels=True)
    recorded.record(results.cycles + 70)
    assert (np.array(recorded.channel_counts()) == counts).all()


def test_stuck_flits_stall_for_ever():
    star = Network(1, [], [0, 0, 0, 0])
    model = spam_model(star, enqueue="split")
    messages = build(model, [Message(0, (1, 3), 12), Message(2, (1, 3), 12)])
    recorded = Simulation(model, messages, count_channels=True)
    recorded.record(300)
    assert recorded.deadlocked
    assert (np.array(recorded.channel_counts()) == counted_by_steps(Simulation(model, messages), 300)).all()
    assert recorded.channel_counts().stalled_cycles.max() > 200


def test_nothing_is_counted_unasked():
    model, messages = contended()
    simulation = Simulation(model, messages)
    simulation.run(10)
    with pytest.raises(ValueError, match="Channels are counted only in a simulation with count_channels=True"):
        simulation.channel_counts()
