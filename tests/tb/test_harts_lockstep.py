"""Hexagonal meshes in lock-step with their golden model, and one-line faults that it must report."""

import pytest

from hydranoc.lockstep.compare import Comparison
from sim_model.engines.simulation import Simulation
from tests.sampled import sampled
from tests.sim_model.builders import PAPER_ALGORITHMS, broadcast, harts_model, mixed_traffic
from tests.tb.comparisons import assert_equal
from tests.tb.workloads import FAULTS, every_broadcast, loaded
from tests.tb.workloads import harts_comparison as comparison
from topology.harts.faults import NO_FAULTS, Faults


@pytest.mark.sentinel
@pytest.mark.parametrize(
    "settings",
    sampled(
        [
            {},
            {"faults": FAULTS[2]},
            {"buffer_flits": 2, "gap_frames": 3},
            {"relay_frames": 3, "pages": 19},
            *({"guard": True, "gap_frames": 3, "link_cycles": cycles} for cycles in (1, 2, 3, 4)),
        ],
        [{"faults": FAULTS[2]}],
    ),
    ids=str,
)
def test_small_mesh_under_icarus(settings, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(loaded(2, 500, **settings), "icarus", tmp_path, anew=True)


@pytest.mark.slow
@pytest.mark.parametrize("faults", [NO_FAULTS, FAULTS[3]], ids=["sound", "faulty"])
def test_loaded_mesh(faults, tmp_path, require_tool):
    require_tool("verilator")
    assert_equal(loaded(3, 6_000, faults=faults), "verilator", tmp_path)


@pytest.mark.slow
def test_hardware_and_model_deadlock_alike_without_classes(tmp_path, require_tool):
    require_tool("verilator")
    model = harts_model(3, classed=False)
    records = mixed_traffic(model, 12_000, 0.004, seed=1, broadcasts=0.2)
    job = comparison(model, records)
    assert Simulation(model, job.messages).run().deadlocked
    assert_equal(job, "verilator", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 7])
def test_broadcasts_one_by_one(size, tmp_path, require_tool):
    """Copies and latencies of every procedure in an idle mesh."""
    require_tool("verilator")
    model = harts_model(size)
    records = [
        broadcast(model, algorithm, source, flits, 6_000 * (3 * i + j))
        for i, algorithm in enumerate(PAPER_ALGORITHMS)
        for j, (source, flits) in enumerate(((0, 2), (1, 9), (model.network.nodes - 1, 20)))
    ]
    assert_equal(comparison(model, records), "verilator", tmp_path)


def forgers(size: int, *, guard: bool) -> Comparison:
    """A broadcast by every procedure, some of nodes that claim to be others."""
    model = harts_model(size, faults=Faults(forging_nodes=((3, 0), (5, 1))), guard=guard)
    sources = (3, 0, 5, 4, 2, 6)
    records = [
        broadcast(model, algorithm, source, 3, 60 * i)
        for i, (algorithm, source) in enumerate(zip(PAPER_ALGORITHMS, sources, strict=True))
    ]
    return comparison(model, records)


@pytest.mark.slow
@pytest.mark.parametrize("guard", [False, True], ids=["open", "guarded"])
def test_forged_broadcasts_go_everywhere_or_nowhere(guard, tmp_path, require_tool):
    require_tool("icarus")
    job = forgers(2, guard=guard)
    copies = Simulation(job.model, job.messages).run().copies.tolist()
    forged = [sum(copies[job.messages.offsets[i] : job.messages.offsets[i + 1]]) for i in (0, 2)]
    assert forged == ([0, 0] if guard else [6, 18])
    assert_equal(job, "icarus", tmp_path)


def short_run() -> Comparison:
    """Every procedure, and packets between them."""
    model = harts_model(3, faults=FAULTS[3])
    records = [
        broadcast(model, algorithm, source, 2, 40 * i)
        for i, (algorithm, source) in enumerate(zip(PAPER_ALGORITHMS[::-1], (0, 3, 14, 9, 1, 18), strict=True))
    ]
    records += mixed_traffic(model, 300, 0.006, seed=2, broadcasts=0, flits=(1, 4))
    return comparison(model, records)


SHORT_RUNS = {
    "every-procedure-and-packets": short_run,
    "legs-of-two-steps": lambda: every_broadcast(3),  # in a mesh of size 2 no leg is longer than a step
    "algorithm-a": lambda: every_broadcast(2, algorithm_a=True),  # needs nodes that are made for it
}


@pytest.mark.parametrize("name", sampled(SHORT_RUNS, ("every-procedure-and-packets", "algorithm-a")))
def test_short_runs(name, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(SHORT_RUNS[name](), "icarus", tmp_path)
