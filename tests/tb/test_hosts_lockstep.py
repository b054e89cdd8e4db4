"""Host back-pressure, several injection channels and links of several cycles, in lock-step."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hydranoc import Design, load
from hydranoc.lockstep.compare import compare_network
from tests.networks import five_port_network, with_own_lengths, with_parallel_links
from tests.sampled import sampled
from tests.tb.comparisons import assert_delivered, assert_equal
from tests.tb.workloads import (
    BEHAVIOURS,
    BLOCKED_CYCLES,
    FAULTS,
    RANDOM,
    SMALL,
    Shape,
    holding_back,
    injecting_job,
    injecting_routing,
    loaded,
    min_job,
    small_spam,
    staged_traffic,
)
from tests.tb.workloads import spam_comparison as comparison
from topology.common.host_pattern import EAGER, Blockade, HostBehaviour
from topology.common.lattice import irregular_network

# Sources that pause and receivers that stall: hardware against golden model, every cycle.

EXAMPLES = Path(__file__).parents[2] / "examples"
CAMPAIGN_CYCLES = 52_000
NETWORKS_PER_FAMILY = 10


SAMPLE = [(family, behaviour) for family in SMALL for behaviour in ("0.3", "0.9")]


@pytest.mark.parametrize(
    ("family", "behaviour"),
    [
        pytest.param(*names, marks=[pytest.mark.slow] if names == ("harts", "0.3") else [], id="-".join(names))
        for names in SAMPLE
    ],
)
def test_small_networks_under_icarus(family, behaviour, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(holding_back(SMALL[family](), BEHAVIOURS[behaviour]), "icarus", tmp_path)


@pytest.mark.parametrize("family", ["spam", *(pytest.param(name, marks=pytest.mark.slow) for name in ("min", "harts"))])
def test_receivers_that_take_nothing_for_thousands_of_cycles(family, tmp_path, require_tool):
    require_tool("icarus")
    blocked = (Blockade(1, 100, BLOCKED_CYCLES), Blockade(3, 5_000, 200))
    job = holding_back(SMALL[family](), HostBehaviour(50, 50, seed=6, blocked=blocked))
    assert job.cycles > BLOCKED_CYCLES
    assert_equal(job, "icarus", tmp_path)


def test_irregular_network_under_verilator(tmp_path, require_tool):
    """On a simulator that other tests build as well: host behaviour is not part of the hardware."""
    require_tool("verilator")
    shape = Shape(flit_bits=16, buffer_flits=1, routing_cycles=2)
    routing = shape.routing(irregular_network(10, seed=11))
    job = comparison(routing, shape, staged_traffic(routing, 6_000, seed=2), cycles=20_000)
    assert_equal(replace(job, hosts=HostBehaviour(60, 60, 8, (Blockade(2, 2_000, 3_000),))), "verilator", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("family", SMALL)
def test_small_networks_under_verilator(family, tmp_path, require_tool):
    require_tool("verilator")
    for hosts in BEHAVIOURS.values():
        assert_equal(holding_back(SMALL[family](), hosts), "verilator", tmp_path)


def test_the_simulator_is_the_same_for_all_behaviours():
    job = small_spam()
    assert holding_back(job, BEHAVIOURS["0.9"]).harness == job.harness == small_spam().harness


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("example", ["min", "demo", "harts"])
def test_campaign_of_examples(example, behaviour, tmp_path, require_tool):
    require_tool("verilator")
    config = load(EXAMPLES / f"{example}.yaml").config
    assert config.traffic is not None
    traffic = config.traffic.model_copy(update={"cycles": CAMPAIGN_CYCLES})
    design = Design(replace(config, traffic=traffic, hosts=BEHAVIOURS[behaviour]))
    compared = design.compare("verilator", tmp_path)
    assert compared.mismatch_report == ""
    assert compared.outcome.right
    assert compared.outcome.figures["compared_cycles"] >= CAMPAIGN_CYCLES - 2_000


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", BEHAVIOURS)
@pytest.mark.parametrize("number", range(NETWORKS_PER_FAMILY))
@pytest.mark.parametrize("family", RANDOM)
def test_campaign_of_random_networks(family, number, behaviour, tmp_path, require_tool):
    require_tool("verilator")
    job = holding_back(RANDOM[family](number, CAMPAIGN_CYCLES), BEHAVIOURS[behaviour], CAMPAIGN_CYCLES)
    assert job.cycles >= CAMPAIGN_CYCLES - 2_000
    outcome = compare_network(job, "verilator", tmp_path)
    assert outcome.result.report is None
    assert outcome.result.compared_cycles == job.cycles


# Networks whose processors have several injection channels in lock-step with their golden model.

PAUSING = HostBehaviour(pause_level=90, stall_level=70, seed=9)


@pytest.mark.parametrize(
    ("rows", "columns", "wraps", "channels", "hosts", "settings"),
    [
        (1, 4, True, 2, EAGER, {}),
        (1, 4, True, 2, PAUSING, {"injection_priority": "low"}),
        (2, 2, False, 3, PAUSING, {"buffer_flits": 2, "routing_cycles": 2}),
    ],
    ids=["ring-of-4-with-2", "ring-of-4-with-2-pausing", "mesh-of-4-with-3-pausing"],
)
def test_several_injection_channels(rows, columns, wraps, channels, hosts, settings, tmp_path, require_tool):
    require_tool("icarus")
    routing = injecting_routing(rows, columns, channels, wraps=wraps)
    assert_equal(injecting_job(routing, 150, hosts, **settings), "icarus", tmp_path)


# Networks whose links take several cycles, in lock-step with their golden model, and faults of their stages.

MIN_SHAPE = ("bi-butterfly", 2, 3, 1, 16, 2, 1)
SPAM, MIN, HARTS = "spam", "min", "harts"


def spam_job(link_cycles: int, cycles: int = 400, **settings):
    """Below, at and past saturation, with stages that fill up."""
    shape = Shape(flit_bits=16, link_cycles=link_cycles, **settings)
    routing = shape.routing(five_port_network(), root=0)
    return comparison(routing, shape, staged_traffic(routing, cycles, seed=link_cycles, flits=12))


def mesh_job(link_cycles: int, cycles: int = 250):
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
    job = comparison(routing, shape, staged_traffic(routing, 400, seed=seed, flits=12))
    assert_delivered(job)
    assert_equal(job, "icarus", tmp_path)


@pytest.mark.parametrize("seed", sampled([1, 2, 3, 4], [1]))
def test_parallel_links(seed, tmp_path, require_tool):
    require_tool("icarus")
    shape = Shape(flit_bits=16)
    routing = shape.routing(with_parallel_links(five_port_network(), np.random.default_rng(seed)), root=0)
    job = comparison(routing, shape, staged_traffic(routing, 400, seed=seed, flits=12))
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


@pytest.mark.slow
@pytest.mark.parametrize("link_cycles", [2, 3, 5])
def test_campaign(link_cycles, tmp_path, require_tool):
    require_tool("verilator")
    shape = Shape(flit_bits=32, link_cycles=link_cycles)
    routing = shape.routing(irregular_network(16, seed=link_cycles, extra_links=6))
    job = comparison(routing, shape, staged_traffic(routing, 60_000, seed=link_cycles), cycles=100_000)
    assert_equal(job, "verilator", tmp_path / SPAM)
    assert_equal(min_job("baseline", 2, 4, 1, 16, 2, 1, cycles=50_000, link_cycles=link_cycles), "verilator", tmp_path)
    mesh = loaded(3, 20_000, link_cycles=link_cycles, gap_frames=1 if link_cycles <= 3 else 2)
    assert_equal(mesh, "verilator", tmp_path / HARTS)
