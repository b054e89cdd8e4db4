"""The engine that moves planes has the results of the one that moves flit by flit, at every stop and in every cycle."""

import numpy as np
import pytest

from sim_model.engines.counts import KINDS
from sim_model.engines.plane.counts import COUNT_BITS, add_to_planes, counts_by_planes
from sim_model.engines.plane.model import MIN_FLITS
from sim_model.engines.plane.state import plane_of
from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message
from sim_model.torus.model import TorusModel
from sim_model.torus.multinode import software_sends
from tests.sim_model.builders import build
from tests.sim_model.random_runs import Run, differences, random_vc_run
from topology.common.host_pattern import HostBehaviour
from topology.common.virtual_channels import ATOMIC, PRIORITY_LOW
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid, Turns
from topology.torus.operations import operation
from topology.torus.routing import TorusRouting

VCS = ((2, 4), (1, 2), (2, 5))
"""VCs of a channel, and flits of their buffers: each pair is compiled by itself."""
MORE_VCS = ((1, 1), (1, 3), (2, 1), (2, 3), (2, 8), (3, 2), (4, 5), (8, 1), (1, 16))
FEW_RUNS, MANY_RUNS = 60, 600
FEWEST_DEADLOCKS = 3


def compare(vcs: int, buffer_flits: int, seeds: range) -> tuple[int, int]:
    """Runs that deadlocked, and those that were stopped on their way."""
    deadlocked, stopped = 0, 0
    for seed in seeds:
        run = random_vc_run(vcs, buffer_flits, seed)
        _, by_cycles, counted = run.simulate("cycle")
        _, by_planes, again = run.simulate("planes")
        for stop, (one, other) in enumerate(zip(by_cycles, by_planes, strict=True)):
            assert differences(one, other) == [], f"seed {seed}, stop {stop}"
        assert np.array_equal(counted, again), f"seed {seed}, counts of channels"
        deadlocked += by_cycles[-1].deadlocked
        stopped += any(0 < found.flit_hops < by_cycles[-1].flit_hops for found in by_cycles)
    return deadlocked, stopped


@pytest.mark.parametrize(("vcs", "buffer_flits"), VCS)
def test_results_are_the_same(vcs, buffer_flits):
    deadlocked, stopped = compare(vcs, buffer_flits, range(FEW_RUNS))
    assert deadlocked >= (FEWEST_DEADLOCKS if vcs == 1 else 0)
    assert stopped > FEW_RUNS // 4


@pytest.mark.slow
@pytest.mark.parametrize(("vcs", "buffer_flits"), [*VCS, *MORE_VCS])
def test_results_are_the_same_in_many_runs(vcs, buffer_flits):
    compare(vcs, buffer_flits, range(FEW_RUNS, FEW_RUNS + MANY_RUNS))


def mesh_model(**parameters) -> TorusModel:
    return TorusModel(TorusRouting(TorusNetwork(Grid(3, 4, wraps=False), 2), 32), **parameters)


def test_a_deadlock_is_reported_as_by_cycles():
    """One VC in a ring: every node sends half way round."""
    model = TorusModel(TorusRouting(TorusNetwork(Grid(1, 5), 1), 32), buffer_flits=2)
    messages = build(model, [Message(node, [(node + 2) % 5], 60) for node in range(5)])
    (planes, (ended,), _), (cycles, (again,), _) = (
        Run(model, messages, 0, ()).simulate(engine) for engine in ("planes", "cycle")
    )
    assert planes.deadlocked
    assert ended.cycles == again.cycles
    assert planes.deadlock_report() == cycles.deadlock_report()


def test_what_looks_at_flits_goes_on_by_cycles():
    model = mesh_model()
    messages = build(model, [Message(node, [11 - node], 40, start_cycle=3 * node) for node in range(12)])
    planes, cycles = (Simulation(model, messages, engine=engine) for engine in ("planes", "cycle"))
    assert differences(planes.run(50), cycles.run(50)) == []
    assert planes.engine == "planes"
    one, other = planes.step(), cycles.step()
    assert (one.moved == other.moved).all()
    assert planes.engine == "cycle"
    assert planes.describe_router(5) == cycles.describe_router(5)
    assert differences(planes.run(), cycles.run()) == []


def test_long_runs_go_by_planes():
    model = mesh_model(buffer_flits=4)
    short = build(model, [Message(0, [11], MIN_FLITS // 2), Message(1, [11], MIN_FLITS // 2 - 1)])
    long = build(model, [Message(0, [11], MIN_FLITS // 2), Message(1, [11], MIN_FLITS // 2)])
    assert Simulation(model, short).engine == "cycle"
    assert Simulation(model, long).engine == "planes"


@pytest.mark.parametrize(
    ("message", "options", "why"),
    [
        (Message(0, [11], 8), {"hosts": HostBehaviour(pause_level=128)}, "for hosts that hold back"),
        (Message(0, [11], 8, operation=operation(Turns(True, False))), {}, "for unroutable messages"),
    ],
)
def test_where_planes_cannot_be_moved(message, options, why):
    model = mesh_model()
    messages = build(model, [message])
    assert Simulation(model, messages, **options).engine == "cycle"
    with pytest.raises(ValueError, match=f"Engine must be 'cycle' {why}, not 'planes'"):
        Simulation(model, messages, engine="planes", **options)


def test_numbers_in_planes():
    """Additions of random amounts for random routers."""
    random = np.random.default_rng(5)
    words, slots = 2, 3
    counts = np.zeros((words, KINDS, slots, COUNT_BITS), dtype=np.int64)
    expected = np.zeros((KINDS, slots, words * 64), dtype=np.int64)
    for _ in range(300):
        kind, slot, word = random.integers(KINDS), random.integers(slots), int(random.integers(words))
        chosen, amount = random.random(64) < 0.3, int(random.choice([1, 1, 1, 7, 1000, 123_456_789]))
        add_to_planes(counts[word, kind, slot], plane_of(chosen)[0], amount)
        expected[kind, slot, 64 * word : 64 * word + 64] += amount * chosen
    channels = np.arange(words * 64)
    for slot in range(slots):
        assert np.array_equal(counts_by_planes(counts, np.full_like(channels, slot), channels), expected[:, slot])


WIDE_GRIDS = [Grid(16, 16), Grid(13, 17, wraps=False), Grid(5, 48), Grid(20, 25), Grid(30, 16, wraps=False)]
"""Tori and meshes of 4 and 8 words, the last of them full or not."""


@pytest.mark.parametrize("grid", WIDE_GRIDS, ids=str)
@pytest.mark.parametrize(
    ("vcs", "options"),
    [
        (2, {"buffer_flits": 8, "injection_priority": PRIORITY_LOW}),
        (2, {"buffer_flits": 8, "routing_cycles": 2, "vc_reallocation": ATOMIC}),
        (1, {"buffer_flits": 2}),
    ],
)
def test_networks_of_several_words(grid, vcs, options):
    """Multicasts by software, which wait for each other, on networks of more than 64 routers."""
    model = TorusModel(TorusRouting(TorusNetwork(grid, vcs), 32), **options)
    random = np.random.default_rng(grid.nodes + vcs)
    records = [
        Message(int(source), sorted(random.permutation(grid.nodes)[:12].tolist()), int(random.integers(1, 40)))
        for source in random.permutation(grid.nodes)[:40]
    ]
    software = "spu" if vcs > 1 or not grid.wraps else "u-mesh"
    messages = build(model, list(software_sends(grid, records, software)))
    planes, cycles = (Simulation(model, messages, 20, engine=engine) for engine in ("planes", "cycle"))
    for stop in (150, 300, None):
        assert differences(planes.run(stop), cycles.run(stop)) == []
    assert planes.finished
    assert planes.results().lost == 0
