"""Networks whose links take several cycles, in lock-step with their golden model, and faults of their stages.

The comparison covers every stage: a bit of ``moved`` shows that a flit left it.
"""

import re
from collections.abc import Callable

import numpy as np
import pytest

from hydranoc.lockstep.compare import Comparison
from sim_model.engines.simulation import Simulation
from tests.networks import five_port_network, with_own_lengths, with_parallel_links
from tests.tb.comparisons import assert_delivered, assert_equal, compare_verilog
from tests.tb.harts_workloads import FAULTS, loaded
from tests.tb.min_workloads import job as min_job
from tests.tb.mutations import Mutation
from tests.tb.spam_workloads import Shape, comparison, staged_traffic
from topology.common.lattice import irregular_network

MIN_SHAPE = ("bi-butterfly", 2, 3, 1, 16, 2, 1)
STAGE = "parts/link_stage.py"
SPAM, MIN, HARTS = "spam", "min", "harts"
REPORT = re.compile(r"first difference in cycle \d+\n  (channel|side wire|delivered to) ")


def sampled(values, unmarked):
    """All values, all but a sample of them only in the long run."""
    return [value if value in unmarked else pytest.param(value, marks=pytest.mark.slow) for value in values]


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


MUTATIONS = [
    Mutation(name, file, text, replacement, workload)
    for name, file, text, replacement, workload in (
        ("is always ready", STAGE, "self.link.ready.eq(~fills)", "self.link.ready.eq(1)", SPAM),
        ("loses what comes while it is stalled", STAGE, "fills.eq(stalled & (full | arriving))", "fills.eq(0)", SPAM),
        (
            "sends a flit twice",
            STAGE,
            "fills.eq(stalled & (full | arriving))",
            "fills.eq(stalled & full | arriving)",
            SPAM,
        ),
        (
            "waits for ready with valid",
            STAGE,
            "valid.eq(full | arriving)",
            "valid.eq((full | arriving) & self.onward.ready)",
            SPAM,
        ),
        ("has short wires in its token rings", STAGE, "self.underway[-self.bits :]", "self.underway[: self.bits]", MIN),
        (
            "counts no stages before it passes the token on",
            "min/network.py",
            "self.depth_flits, self.link_cycles, self.token",
            "self.depth_flits, 1, self.token",
            MIN,
        ),
    )
]
WORKLOADS: dict[str, Callable[[], tuple[Comparison, dict[str, object]]]] = {
    SPAM: lambda: (spam_job(3, 160), {"link_cycles": 3}),
    MIN: lambda: (min_job(*MIN_SHAPE, cycles=400, link_cycles=3), {"buffer_flits": 2, "link_cycles": 3}),
}


@pytest.mark.parametrize(
    "mutation",
    [
        pytest.param(
            mutation, id=mutation.name.replace(" ", "-"), marks=[pytest.mark.slow] if number not in (1, 2, 5) else []
        )
        for number, mutation in enumerate(MUTATIONS)
    ],
)
def test_mutation_is_reported(mutation, tmp_path, require_tool):
    require_tool("icarus")
    job, settings = WORKLOADS[mutation.workload]()
    result = compare_verilog(job, mutation, tmp_path, settings, mutation.workload)
    assert result.mismatches == 1, f"the comparison did not see hardware that {mutation.name}"
    assert REPORT.match(result.report or ""), result.report


def test_a_difference_in_a_stage_is_named(tmp_path, require_tool):
    """Stalls of the buffer behind show first in the last stage, not in the channel."""
    require_tool("icarus")
    job, settings = WORKLOADS[SPAM]()
    mutation = Mutation("is always ready", STAGE, "self.link.ready.eq(~fills)", "self.link.ready.eq(1)")
    result = compare_verilog(job, mutation, tmp_path, settings, SPAM)
    assert " stage " in (result.report or "")
    assert "stages [" in (result.report or "")
    assert not Simulation(job.model, job.messages).run().deadlocked
