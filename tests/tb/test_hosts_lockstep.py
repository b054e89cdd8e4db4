"""Host back-pressure and links of several cycles, in lock-step."""

import numpy as np
import pytest

from tests.networks import five_port_network, with_own_lengths, with_parallel_links
from tests.sampled import sampled
from tests.tb.comparisons import assert_delivered, assert_equal
from tests.tb.workloads import (
    BEHAVIOURS,
    BLOCKED_CYCLES,
    FAULTS,
    SMALL,
    Shape,
    holding_back,
    loaded,
    min_job,
    small_spam,
    staged_traffic,
)
from tests.tb.workloads import spam_comparison as comparison
from topology.common.host_pattern import Blockade, HostBehaviour

# Sources that pause and receivers that stall: hardware against golden model, every cycle.

SAMPLE = [(family, behaviour) for family in SMALL for behaviour in BEHAVIOURS]


@pytest.mark.parametrize(
    ("family", "behaviour"),
    [
        pytest.param(
            *names, marks=() if names in (("spam", "0.9"), ("min", "0.3"), ("harts", "0.3")) else pytest.mark.slow
        )
        for names in SAMPLE
    ],
)
def test_small_networks_under_icarus(family, behaviour, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(holding_back(SMALL[family](), BEHAVIOURS[behaviour]), "icarus", tmp_path)


@pytest.mark.parametrize("family", ["spam", *(pytest.param(name, marks=pytest.mark.slow) for name in ("min", "harts"))])
def test_receivers_that_take_nothing_for_thousands_of_cycles(family, tmp_path, require_tool):
    require_tool("icarus")
    blocked = (Blockade(1, 100, BLOCKED_CYCLES), Blockade(3, 1_500, 200))
    job = holding_back(SMALL[family](), HostBehaviour(50, 50, seed=6, blocked=blocked))
    assert job.cycles > BLOCKED_CYCLES
    assert_equal(job, "icarus", tmp_path)


def test_the_simulator_is_the_same_for_all_behaviours():
    job = small_spam()
    assert holding_back(job, BEHAVIOURS["0.9"]).harness == job.harness == small_spam().harness


# Networks whose links take several cycles, in lock-step with their golden model, and faults of their stages.

MIN_SHAPE = ("bi-butterfly", 2, 3, 1, 16, 2, 1)
SPAM, MIN, HARTS = "spam", "min", "harts"


def spam_job(link_cycles: int, cycles: int = 400, **settings):
    """Below, at and past saturation, with stages that fill up."""
    shape = Shape(flit_bits=16, link_cycles=link_cycles, **settings)
    routing = shape.routing(five_port_network(), root=0)
    return comparison(routing, shape, staged_traffic(routing, cycles, seed=link_cycles, flits=12))


def mesh_job(link_cycles: int, cycles: int = 120):
    """A mesh with faults, and gaps as long as its links need."""
    return loaded(2, cycles, faults=FAULTS[2], link_cycles=link_cycles, gap_frames=1 if link_cycles <= 3 else 2)


@pytest.mark.parametrize("link_cycles", sampled([2, 3, 5, 16], [3]))
@pytest.mark.parametrize("settings", sampled([{}, {"buffer_flits": 1, "routing_cycles": 3}], [{}]), ids=str)
def test_spam(link_cycles, settings, tmp_path, require_tool):
    require_tool("icarus")
    job = spam_job(link_cycles, **settings)
    assert_delivered(job)
    assert_equal(job, "icarus", tmp_path)


@pytest.mark.parametrize("seed", sampled([1, 2, 3, 4], [1]))
def test_links_of_different_lengths(seed, tmp_path, require_tool):
    require_tool("icarus")
    shape = Shape(flit_bits=16, link_cycles=1 + seed % 2)
    routing = shape.routing(with_own_lengths(five_port_network(), np.random.default_rng(seed)), root=0)
    job = comparison(routing, shape, staged_traffic(routing, 200, seed=seed, flits=12))
    assert_delivered(job)
    assert_equal(job, "icarus", tmp_path)


@pytest.mark.parametrize("seed", sampled([1, 2, 3, 4], [1]))
def test_parallel_links(seed, tmp_path, require_tool):
    require_tool("icarus")
    shape = Shape(flit_bits=16)
    routing = shape.routing(with_parallel_links(five_port_network(), np.random.default_rng(seed)), root=0)
    job = comparison(routing, shape, staged_traffic(routing, 200, seed=seed, flits=12))
    assert_delivered(job)
    assert_equal(job, "icarus", tmp_path)


@pytest.mark.parametrize("link_cycles", sampled([2, 3, 5], [2]))
@pytest.mark.parametrize("buffer_flits", sampled([1, 2], [2]))
def test_multistage(link_cycles, buffer_flits, tmp_path, require_tool):
    require_tool("icarus")
    shape = (*MIN_SHAPE[:5], buffer_flits, 1)
    assert_equal(min_job(*shape, cycles=400, link_cycles=link_cycles), "icarus", tmp_path)


@pytest.mark.parametrize("link_cycles", sampled([2, 3, 5, 6], [3]))
def test_mesh(link_cycles, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(mesh_job(link_cycles), "icarus", tmp_path)
