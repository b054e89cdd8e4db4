"""Hypercubes in lock-step with their golden model, with atomic and non-atomic VC reallocation."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hydranoc import load
from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.hypercube.network import hypercube_plan
from sim_model.engines.simulation import Simulation
from sim_model.hypercube.model import HypercubeModel
from sim_model.messages.messages import Message, Messages
from tests.sampled import sampled
from tests.tb.comparisons import assert_equal
from tests.tb.workloads import SentHome, hypercube_routing
from tests.tb.workloads import hypercube_job as job
from topology.common.host_pattern import HostBehaviour, level_of
from topology.common.virtual_channels import NON_ATOMIC
from topology.hypercube.routing import ADAPTIVE_ONLY, DUATO, WRONG_ESCAPE
from topology.hypercube.vc_reallocation import NON_ATOMIC_ESCAPE

# Hypercubes in lock-step with their golden model, and one-line faults that it must report.

# dimensions, VCs, buffer flits, flit bits, rule, injection channels
SMALL = (
    (1, 1, 4, 16, DUATO, 1),
    (1, 3, 2, 16, DUATO, 1),
    (2, 1, 3, 16, DUATO, 1),
    (2, 2, 1, 16, DUATO, 2),
    (3, 2, 4, 64, DUATO, 3),
    (2, 4, 2, 16, DUATO, 1),
    (3, 8, 16, 16, DUATO, 1),
)
HOSTS = (HostBehaviour(), HostBehaviour(pause_level=level_of(0.3), stall_level=level_of(0.4), seed=5))
FAULTY = {  # workload that shows a fault
    "fast": ((2, 2, 4, 16, DUATO, 1), HOSTS[0], 400),
    "wide": ((3, 3, 2, 16, DUATO, 1), HOSTS[0], 600),
    "stalled": ((2, 2, 4, 16, DUATO, 1), HOSTS[1], 600),
    "home": ((2, 2, 4, 16, DUATO, 1), HOSTS[0], 300),
    "channels": ((3, 3, 2, 16, DUATO, 3), HOSTS[0], 300),
}


def name(shape) -> str:
    dimensions, vcs, buffer_flits, flit_bits, rule, channels = shape
    return f"{dimensions}-cube-{vcs}x{buffer_flits}-flit{flit_bits}-{rule}-{channels}"


def job_of(shape, **more) -> Comparison:
    dimensions, vcs, buffer_flits, flit_bits, rule, channels = shape
    routing = hypercube_routing(dimensions, vcs, flit_bits=flit_bits, rule=rule, injection_channels=channels)
    return job(routing, buffer_flits, **more)


@pytest.mark.parametrize("shape", sampled(SMALL, (SMALL[2], SMALL[4])), ids=name)
def test_small_networks_under_icarus(shape, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(job_of(shape, cycles=500, most_compared=2_000), "icarus", tmp_path)


@pytest.mark.sentinel
def test_pauses_and_stalls(tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(job_of(SMALL[3], cycles=500, hosts=HOSTS[1], most_compared=2_000), "icarus", tmp_path, anew=True)


@pytest.mark.parametrize("channels", sampled([1, 3], [3]))
def test_broadcasts_among_unicasts(channels, tmp_path, require_tool):
    """Relays send on when they have the tail, over the injection channel of the dimension if it exists."""
    require_tool("icarus")
    shape = (3, 2, 2, 16, DUATO, channels)
    comparison = job_of(shape, cycles=2_000, hosts=HOSTS[1], most_compared=1_500, broadcasts=True)
    assert (comparison.messages.parent_counts > 0).sum() > 90
    assert_equal(comparison, "icarus", tmp_path)


@pytest.mark.parametrize("hosts", sampled(HOSTS, HOSTS[1:]), ids=["eager", "pausing"])
def test_what_is_sent_to_its_own_sender_is_drained(hosts, tmp_path, require_tool):
    require_tool("icarus")
    sound = job_of(SMALL[3], cycles=500, hosts=hosts)
    model = SentHome(sound.model.routing, sound.model.buffer_flits)
    simulation = Simulation(model, sound.messages, hosts=hosts)
    results = simulation.run()
    wrong = len(range(0, len(sound.messages), 3))
    assert (results.discarded, results.lost, results.disordered) == (wrong, wrong, 0)
    forged = replace(sound, model=model, cycles=min(2_000, results.cycles))
    assert_equal(forged, "icarus", tmp_path)


@pytest.mark.parametrize(("rule", "vcs"), [(WRONG_ESCAPE, 1), (ADAPTIVE_ONLY, 1)])
def test_without_an_order_of_escapes_hardware_and_model_deadlock_alike(rule, vcs, tmp_path, require_tool):
    require_tool("icarus")
    routing = hypercube_routing(2, vcs, rule=rule)
    model = HypercubeModel(routing, buffer_flits=2)
    random = np.random.default_rng(1)
    pairs = [map(int, random.choice(4, 2, replace=False)) for _ in range(2_000)]
    records = [Message(source, [destination], 24, start_cycle=2 * k) for k, (source, destination) in enumerate(pairs)]
    messages = Messages.build(records, processors=4, header_flits=model.header_flits)
    results = Simulation(model, messages).run()
    assert results.deadlocked
    harness = harness_source(hypercube_plan(routing, buffer_flits=2))
    assert_equal(Comparison(model, messages, 0, results.cycles + 200, harness), "icarus", tmp_path)


# Hypercubes with non-atomic VC reallocation, in lock-step with their golden model; and faults of theirs.

EXAMPLES = Path(__file__).parents[2] / "examples"
SHORT_BODY_FLITS = 3
"""So that a buffer of 4 flits holds several worms."""

# dimensions, VCs, buffer flits, VC reallocation
REUSE_SMALL = (
    (1, 2, 2, NON_ATOMIC),
    (2, 1, 4, NON_ATOMIC_ESCAPE),
    (2, 2, 1, NON_ATOMIC_ESCAPE),
    (2, 2, 4, NON_ATOMIC_ESCAPE),
    (2, 3, 3, NON_ATOMIC),
    (3, 2, 4, NON_ATOMIC),
)
REUSE_FAULTY = {  # workload that shows a fault
    "tail": ((2, 2, 4, NON_ATOMIC), HOSTS[0]),
    "escape": ((2, 2, 4, NON_ATOMIC_ESCAPE), HOSTS[0]),
    "stalled": ((2, 3, 2, NON_ATOMIC), HOSTS[1]),
}


def reuse_name(shape) -> str:
    dimensions, vcs, buffer_flits, vc_reallocation = shape
    return f"{dimensions}-cube-{vcs}x{buffer_flits}-{vc_reallocation}"


def reuse_job(shape, **more) -> Comparison:
    dimensions, vcs, buffer_flits, vc_reallocation = shape
    routing = hypercube_routing(dimensions, vcs, injection_channels=more.pop("channels", 1))
    return job(routing, buffer_flits, vc_reallocation=vc_reallocation, **more)


@pytest.mark.parametrize(
    "number", sampled(range(len(REUSE_SMALL)), (1, 4)), ids=lambda number: reuse_name(REUSE_SMALL[number])
)
def test_small_networks_behind_tails_under_icarus(number, tmp_path, require_tool):
    require_tool("icarus")
    more = {
        "hosts": HOSTS[number % 2],
        "channels": 1 + (number > 2),
        "most_body_flits": (SHORT_BODY_FLITS, 24)[number % 2],
    }
    assert_equal(
        reuse_job(REUSE_SMALL[number], cycles=500, most_compared=1_500, **more),
        "icarus",
        tmp_path,
    )


@pytest.mark.parametrize("vc_reallocation", sampled([NON_ATOMIC_ESCAPE, NON_ATOMIC], [NON_ATOMIC]))
def test_worms_without_a_way_are_drained_one_behind_the_other(vc_reallocation, tmp_path, require_tool):
    require_tool("icarus")
    sound = reuse_job((2, 2, 4, vc_reallocation), cycles=500, most_compared=1_500, most_body_flits=SHORT_BODY_FLITS)
    model = SentHome(sound.model.routing, sound.model.buffer_flits, vc_reallocation)
    assert_equal(replace(sound, model=model), "icarus", tmp_path)


def test_hardware_and_model_deadlock_alike_behind_tails(tmp_path, require_tool):
    require_tool("icarus")
    cube = load(EXAMPLES / "deadlock-hypercube-tail.yaml")
    results = Simulation(cube.model, cube.messages).run()
    assert results.deadlocked
    harness = harness_source(cube.plan)
    assert_equal(Comparison(cube.model, cube.messages, 0, results.cycles + 60, harness), "icarus", tmp_path)
