"""The golden model of hypercubes: timing, and invariants."""

import re

import numpy as np
import pytest

from sim_model.engines.simulation import Simulation
from sim_model.hypercube.model import HypercubeModel
from sim_model.messages.messages import Message, Messages
from topology.common.virtual_channels import ATOMIC, NON_ATOMIC
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import ADAPTIVE_ONLY, DUATO, WRONG_ESCAPE, HypercubeRouting
from topology.hypercube.vc_reallocation import NON_ATOMIC_ESCAPE

MAX_FLITS = 24


def cube(
    dimensions: int, vcs: int, depth: int = 4, *, channels: int = 1, rule: str = DUATO, vc_reallocation: str = ATOMIC
) -> HypercubeModel:
    return HypercubeModel(
        HypercubeRouting(HypercubeNetwork(dimensions, vcs, channels), 32, rule), depth, vc_reallocation
    )


def simulation(model: HypercubeModel, records: list[Message]) -> Simulation:
    network = model.network
    messages = Messages.build(
        records,
        processors=network.switches,
        header_flits=model.header_flits,
        injection_channels=network.injection_channels_per_processor,
    )
    return Simulation(model, messages)


def heavy(model: HypercubeModel, count: int, seed: int) -> Simulation:
    """Far more messages than the network can carry, over all injection channels."""
    random, network = np.random.default_rng(seed), model.network
    records = []
    for number in range(count):
        source, destination = map(int, random.choice(network.switches, 2, replace=False))
        injection = int(random.integers(network.injection_channels_per_processor))
        flits = int(random.integers(1, MAX_FLITS))
        records.append(Message(source, [destination], flits, start_cycle=number // 8, injection=injection))
    return simulation(model, records)


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5, 16])
@pytest.mark.parametrize(("dimensions", "vcs"), [(1, 1), (2, 3), (4, 2)])
def test_a_lone_message_takes_what_the_formula_says(dimensions, vcs, depth):
    model = cube(dimensions, vcs, depth)
    for flits in (1, 2, 3, 4, 5, 9, 30):
        for destination in range(1, model.network.switches):
            results = simulation(model, [Message(0, [destination], flits)]).run()
            behind = flits - 1
            expected = 5 * destination.bit_count() + 8 + behind + max(0, 4 - depth) * (behind // depth)
            assert results.latency_cycles.tolist() == [expected]


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize(("vcs", "depth"), [(1, 2), (2, 4), (3, 1), (4, 3)])
def test_every_message_arrives_once_under_heavy_load(vcs, depth, channels):
    results = heavy(cube(3, vcs, depth, channels=channels), 3_000, seed=vcs).run()
    assert not results.deadlocked
    assert (results.lost, results.duplicated, results.disordered, results.stray) == (0, 0, 0, 0)


@pytest.mark.parametrize("vc_reallocation", [NON_ATOMIC_ESCAPE, NON_ATOMIC])
def test_every_message_arrives_once_behind_tails(vc_reallocation):
    """With one flit in a buffer in the same cycles; sooner with several flits, where only the VC is scarce."""
    for vcs, depth in ((1, 1), (2, 1), (1, 4), (2, 4)):
        usual, reused = (
            heavy(cube(3, vcs, depth, vc_reallocation=rule), 2_000, 3) for rule in (ATOMIC, vc_reallocation)
        )
        expected, results = usual.run(), reused.run()
        assert (results.lost, results.duplicated, results.disordered, results.stray) == (0, 0, 0, 0)
        if depth == 1:
            assert (results.arrival_cycle == expected.arrival_cycle).all()
        elif vcs == 1:
            assert results.cycles < expected.cycles


def test_no_such_reuse_of_vcs():
    with pytest.raises(ValueError, match="Reuse of lanes must be empty, escape-tail or tail, not 'head'"):
        cube(2, 2, vc_reallocation="head")


@pytest.mark.slow
@pytest.mark.parametrize("vc_reallocation", [ATOMIC, NON_ATOMIC_ESCAPE])
@pytest.mark.parametrize("vcs", [1, 2, 3, 4])
@pytest.mark.parametrize("dimensions", [2, 3, 4, 5, 6])
def test_no_deadlock_in_a_thousand_heavy_runs(dimensions, vcs, vc_reallocation):
    for seed in range(1_000):
        model = cube(dimensions, vcs, 1 + seed % 5, channels=(1, dimensions)[seed % 2], vc_reallocation=vc_reallocation)
        results = heavy(model, 60 << dimensions, seed).run()
        assert not results.deadlocked, seed
        assert (results.lost, results.duplicated, results.disordered) == (0, 0, 0)


@pytest.mark.parametrize(("rule", "vcs"), [(ADAPTIVE_ONLY, 1), (WRONG_ESCAPE, 1)])
def test_without_an_order_of_escapes_there_are_deadlocks(rule, vcs):
    run = heavy(cube(3, vcs, 2, channels=3, rule=rule), 20_000, seed=1)
    assert run.run().deadlocked
    first, *waits = run.deadlock_report().splitlines()
    assert re.fullmatch(rf"deadlock in cycle \d+: {len(waits)} input channels wait for each other", first)
    assert all(re.fullmatch(r"  \S+->\S+( \(message \d+\))? waits for .+", wait) for wait in waits)
    assert len(waits) >= 4
    assert any(" had by " in wait for wait in waits)
