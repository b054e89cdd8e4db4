"""Sources that pause and receivers that stall: hardware against golden model, every cycle.

Pieces of the campaign have names such as ``spam-3-0.9`` and ``demo-blocked``.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from hydranoc import Design, load
from hydranoc.lockstep.compare import compare_network
from tests.tb.comparisons import assert_equal
from tests.tb.host_workloads import BEHAVIOURS, BLOCKED_CYCLES, RANDOM, SMALL, holding_back, small_spam
from tests.tb.spam_workloads import Shape, comparison, staged_traffic
from topology.common.host_pattern import Blockade, HostBehaviour
from topology.common.lattice import irregular_network

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
