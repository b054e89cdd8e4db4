"""The bench's own rules of hosts against the model's hosts, and against messages with other dependencies."""

from dataclasses import replace

import numpy as np
import pytest

from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Messages
from tb.common.host_rules import HostRules
from tests.sim_model.builders import build, random_records
from tests.sim_model.harts_traffic import built, harts_model, mixed_traffic
from tests.sim_model.test_dependencies import MODELS, random_dependent_records
from topology.common.host_pattern import EAGER, HostBehaviour

CHUNK = 97
BEHAVIOURS = {"eager": EAGER, "pausing": HostBehaviour(140, 90, seed=3)}


def dependent(family):
    model = MODELS[family]()
    messages = Messages.build(
        random_dependent_records(model, 250, seed=6),
        processors=len(model.network.processors),
        header_flits=model.header_flits,
        injection_channels=model.network.injection_channels_per_processor,
    )
    return model, messages


def multicasts():
    model = MODELS["spam"]()
    return model, build(model, random_records(np.random.default_rng(2), model, 150, cycles=900, body=12))


def broadcasts():
    """Several copies of each broadcast come to every node."""
    model = harts_model(2)
    return model, built(model, mixed_traffic(model, 900, 0.004, seed=3))


JOBS = {
    "spam": lambda: dependent("spam"),
    "torus": lambda: dependent("torus"),
    "multicasts": multicasts,
    "broadcasts": broadcasts,
}


def offers_of(model, messages, ruled, startup_cycles, hosts):
    """Offers of the model's hosts, and of rules for other messages that see the same tails."""
    simulation = Simulation(model, messages, startup_cycles, hosts=hosts)
    rules = HostRules(model.network, ruled, startup_cycles, hosts)
    modelled, worked_out = [], []
    while not simulation.finished:
        first = simulation.cycle
        recording = simulation.record(CHUNK)
        rows, injectors = np.nonzero(recording.accepted_message >= 0)
        for row, injector in zip(rows.tolist(), injectors.tolist(), strict=True):
            modelled.append((first + row, injector, int(recording.accepted_message[row, injector])))
        for row, offers in rules.offers(first, recording).items():
            worked_out += [(first + row, injector, message) for injector, message in offers]
    return modelled, sorted(worked_out)


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("startup_cycles", [0, 7])
@pytest.mark.parametrize("job", JOBS)
def test_rules_and_model_offer_the_same_in_the_same_cycles(job, startup_cycles, behaviour):
    model, messages = JOBS[job]()
    modelled, worked_out = offers_of(model, messages, messages, startup_cycles, BEHAVIOURS[behaviour])
    assert len(modelled) == len(messages)
    assert worked_out == modelled


def longest_wait(messages):
    """Position of the longest delay, which some start is sure to follow from."""
    return int(messages.delay_cycles.argmax())


FAULTS = {
    "a delay": lambda m: replace(m, delay_cycles=m.delay_cycles + (np.arange(len(m.parents)) == longest_wait(m)) * 500),
    "all starts": lambda m: replace(m, start_cycle=m.start_cycle + 1),
    "all parents": lambda m: replace(
        m, parent_offsets=m.parent_offsets * 0, parents=m.parents[:0], delay_cycles=m.delay_cycles[:0]
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_host_that_waits_for_something_else_is_seen(fault):
    model, messages = dependent("spam")
    modelled, worked_out = offers_of(model, messages, FAULTS[fault](messages), 3, EAGER)
    assert worked_out != modelled
