"""Engines that move worms or planes have the results of the one that moves flits, at every stop and in every cycle."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pytest

from sim_model.engines.calendar import (
    WHEEL,
    WHEEL_MASK,
    Calendar,
    cancel,
    make_calendar,
    next_entry_cycle,
    postpone,
    schedule,
)
from sim_model.engines.cycle.state import NEVER, NONE
from sim_model.engines.model import Model
from sim_model.engines.plane.model import MIN_FLITS
from sim_model.engines.results import Results
from sim_model.engines.simulation import Simulation
from sim_model.hypercube.model import HypercubeModel
from sim_model.messages.messages import Message
from sim_model.spam.model import SpamModel
from sim_model.torus.model import TorusModel
from sim_model.torus.multinode import software_sends
from tests.networks import ring
from tests.sim_model.builders import build, random_records, simulate, spam_model
from tests.sim_model.random_runs import CubeShape as Shape
from tests.sim_model.random_runs import Run, differences, random_cube_run, random_run, random_vc_run
from topology.common.graph import Network
from topology.common.host_pattern import HostBehaviour
from topology.common.virtual_channels import ATOMIC, PRIORITY_LOW
from topology.hypercube.routing import ADAPTIVE_ONLY, WRONG_ESCAPE
from topology.hypercube.vc_reallocation import NON_ATOMIC_ESCAPE
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid, Turns
from topology.torus.operations import operation
from topology.torus.routing import TorusRouting

LINE = Network(3, [(0, 1), (1, 2)], [0, 1, 2, 2])
VCS = ((2, 4), (1, 2), (2, 5))
"""VCs of a channel, and flits of their buffers: each pair is compiled by itself."""
MORE_VCS = ((1, 1), (1, 3), (2, 1), (2, 3), (2, 8), (3, 2), (4, 5), (8, 1), (1, 16))
SMALL, LARGE = Shape(3, 1, 1, channels=2, rule=WRONG_ESCAPE), Shape(6, 3, 4)
"""Each is compiled by itself, which takes longer than its runs. The small one can deadlock."""
MORE_SHAPES = (
    Shape(1, 2, 3),
    Shape(2, 3, 2, channels=2),
    Shape(2, 1, 1, rule=ADAPTIVE_ONLY),
    Shape(3, 1, 2, channels=3, rule=ADAPTIVE_ONLY),
    Shape(3, 2, 8, rule=WRONG_ESCAPE),
    Shape(4, 4, 1, channels=4),
    Shape(5, 8, 2),
    Shape(6, 2, 16),
    Shape(6, 3, 4, channels=6),
    Shape(7, 3, 3, channels=7),
    Shape(8, 2, 4),
)
MAX_CYCLES = 2_000


class Runs(NamedTuple):
    """Random runs by cycles and by an engine: the few that are quick, the many, and deadlocks among the few."""

    random: Callable[[int], Run]
    engine: str
    few: int
    many: int
    deadlocks: int = 0


def worm_runs(family: str) -> Runs:
    return Runs(partial(random_run, family), "worm", 100, 5_000, 2)


def vc_runs(vcs: int, buffer_flits: int) -> Runs:
    return Runs(partial(random_vc_run, vcs, buffer_flits), "planes", 40, 600, 2 if vcs == 1 else 0)


def cube_runs(shape: Shape) -> Runs:
    return Runs(partial(random_cube_run, shape), "planes", 40, 120, 3 if shape == SMALL else 0)


QUICK = {
    **{family: worm_runs(family) for family in ("spam", "min")},
    **{f"lanes-{vcs}-{flits}": vc_runs(vcs, flits) for vcs, flits in VCS},
    **{f"cube-{name}": cube_runs(shape) for name, shape in (("small", SMALL), ("large", LARGE))},
}
MORE = {
    **{f"lanes-{vcs}-{flits}": vc_runs(vcs, flits) for vcs, flits in MORE_VCS},
    **{f"cube-{number}": cube_runs(shape) for number, shape in enumerate(MORE_SHAPES)},
}


def compare(runs: Runs, seeds: range) -> tuple[int, int]:
    """Runs that deadlocked, and those that were stopped on their way."""
    deadlocked, stopped = 0, 0
    for seed in seeds:
        run = runs.random(seed)
        _, by_cycles, counted = run.simulate("cycle")
        _, by_engine, again = run.simulate(runs.engine)
        for stop, (one, other) in enumerate(zip(by_cycles, by_engine, strict=True)):
            assert differences(one, other) == [], f"seed {seed}, stop {stop}"
        assert np.array_equal(counted, again), f"seed {seed}, counts of channels"
        deadlocked += by_cycles[-1].deadlocked
        stopped += any(0 < found.flit_hops < by_cycles[-1].flit_hops for found in by_cycles)
    return deadlocked, stopped


SENTINELS = {"spam", "lanes-1-4"}
"""Runs of each engine beside the cycle engine that each ``make check`` repeats."""


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.sentinel] * (n in SENTINELS)) for n in QUICK])
def test_results_are_the_same(name):
    runs = QUICK[name]
    deadlocked, stopped = compare(runs, range(runs.few))
    assert deadlocked >= runs.deadlocks
    assert stopped > runs.few // 5


@pytest.mark.slow
@pytest.mark.parametrize("name", [*QUICK, *MORE])
def test_results_are_the_same_in_many_runs(name):
    runs = {**QUICK, **MORE}[name]
    compare(runs, range(runs.few, runs.few + runs.many))


# Where and how each engine runs.


def tree_model(**parameters) -> SpamModel:
    return spam_model(LINE, **parameters)


def mesh_model(**parameters) -> TorusModel:
    return TorusModel(TorusRouting(TorusNetwork(Grid(3, 4, wraps=False), 2), 32), **parameters)


def cube_model(vc_reallocation: str = ATOMIC) -> HypercubeModel:
    return HypercubeModel(SMALL.model().routing, vc_reallocation=vc_reallocation)


def ring_run(model: Model) -> Run:
    """Every node sends half way round."""
    return Run(model, build(model, [Message(node, [(node + 2) % 5], 60) for node in range(5)]), 0, ())


def stuck_cube() -> Run:
    runs = (replace(random_cube_run(SMALL, seed), stops=()) for seed in range(50))
    return next(run for run in runs if run.simulate("cycle")[0].deadlocked)


STUCK = {
    "worm": lambda: ring_run(spam_model(ring(5), up_after_down=True)),
    "planes": lambda: ring_run(TorusModel(TorusRouting(TorusNetwork(Grid(1, 5), 1), 32), buffer_flits=2)),
    "planes of cubes": stuck_cube,
}


@pytest.mark.parametrize("name", STUCK)
def test_a_deadlock_is_reported_as_by_cycles(name):
    run = STUCK[name]()
    (fast, (ended,), _), (cycles, (again,), _) = (run.simulate(engine) for engine in (name.split()[0], "cycle"))
    assert fast.deadlocked
    assert ended.cycles == again.cycles
    assert fast.deadlock_report() == cycles.deadlock_report()


CROWD = random_records(np.random.default_rng(3), tree_model(), 40, cycles=200, body=40)
CROSSING = [Message(node, [11 - node], 40, start_cycle=3 * node) for node in range(12)]


@pytest.mark.parametrize(
    ("engine", "model", "records"), [("worm", tree_model(), CROWD), ("planes", mesh_model(), CROSSING)]
)
def test_what_looks_at_flits_goes_on_by_cycles(engine, model, records):
    """A run that has begun with another engine is stepped, recorded, copied and looked into like any other."""
    fast, cycles = (simulate(model, records, engine=name) for name in (engine, "cycle"))
    assert differences(fast.run(50), cycles.run(50)) == []
    assert fast.engine == engine
    for _ in range(20):
        one, other = fast.step(), cycles.step()
        assert (one.moved == other.moved).all()
        assert (one.accepted, one.ejected) == (other.accepted, other.ejected)
    assert fast.engine == "cycle"
    for switch in range(model.network.switches):
        assert fast.describe_router(switch) == cycles.describe_router(switch)
    assert differences(fast.run(), cycles.run()) == []


TURNED = Message(0, [11], 8, operation=operation(Turns(True, False)))
PAUSING = {"hosts": HostBehaviour(pause_level=128)}


@pytest.mark.parametrize(
    ("engine", "model", "message", "options", "why"),
    [
        ("worm", tree_model(), Message(0, [2], 8), PAUSING, "for hosts that hold back"),
        ("worm", tree_model(link_cycles=2), Message(0, [2], 8), {}, "for links with register stages"),
        ("worm", tree_model(enqueue="split"), Message(0, [2], 8), {}, "for these routers"),
        ("planes", mesh_model(), Message(0, [11], 8), PAUSING, "for hosts that hold back"),
        ("planes", mesh_model(), TURNED, {}, "for unroutable messages"),
        ("planes", cube_model(), Message(0, [7], 8), PAUSING, "for hosts that hold back"),
        ("planes", cube_model(NON_ATOMIC_ESCAPE), Message(0, [7], 8), {}, "with non-atomic VC reallocation"),
    ],
)
def test_where_flits_alone_are_moved(engine, model, message, options, why):
    messages = build(model, [message])
    assert Simulation(model, messages, **options).engine == "cycle"
    with pytest.raises(ValueError, match=f"Engine is '{engine}'; it must be 'cycle' {why}"):
        Simulation(model, messages, engine=engine, **options)


@pytest.mark.parametrize(("model", "last"), [(mesh_model(buffer_flits=4), 11), (LARGE.model(), 63)])
def test_long_runs_go_by_planes(model, last):
    short, long = (
        build(model, [Message(0, [last], MIN_FLITS // 2), Message(1, [last], MIN_FLITS // 2 - missing)])
        for missing in (1, 0)
    )
    assert Simulation(model, short).engine == "cycle"
    assert Simulation(model, long).engine == "planes"


def test_a_run_can_be_put_back_behind_worms():
    model = spam_model(LINE)
    records = random_records(np.random.default_rng(3), model, 40, cycles=200, body=40)
    simulation = simulate(model, records)
    simulation.run(150)
    kept = simulation.snapshot()
    ended = simulation.run()
    simulation.restore(kept)
    assert simulation.cycle == 150
    assert differences(simulation.run(), ended) == []


def test_an_unknown_engine():
    model = spam_model(LINE)
    with pytest.raises(ValueError, match="Engine is 'flit'; it must be one of worm, planes, cycle"):
        Simulation(model, build(model, [Message(0, [2], 8)]), engine="flit")


# The calendar of the engine that moves worms, against a plain list of events.

ENTRIES, STEPS, FARTHEST = 12, 400, 5 * WHEEL


def due(calendar: Calendar, cycle: int) -> set[int]:
    """Entries of the calendar for a cycle."""
    found, entry = set(), int(calendar.first[cycle & WHEEL_MASK])
    while entry != NONE:
        if calendar.entries[entry].cycle == cycle:
            found.add(entry)
        entry = int(calendar.entries[entry].following)
    return found


@pytest.mark.parametrize("farthest", [3, 40, WHEEL - 1, FARTHEST, 1 << 50])
def test_every_entry_happens_once_and_in_its_cycle(farthest):
    random = np.random.default_rng(farthest)
    calendar, plain, cycle = make_calendar(ENTRIES), {}, 0
    for _ in range(STEPS):
        entry = int(random.integers(ENTRIES))
        if entry in plain and random.random() < 0.3:
            cancel(entry, calendar)
            del plain[entry]
        else:
            plain[entry] = cycle + 1 + int(random.integers(farthest))
            postpone(entry, plain[entry], calendar)
        assert calendar.pending[0] == len(plain)
        if random.random() < 0.5:
            continue
        following = next_entry_cycle(cycle, calendar)
        assert following == min(plain.values(), default=NEVER)
        if following == NEVER:
            continue
        cycle = following
        happening = {entry for entry, when in plain.items() if when == cycle}
        assert due(calendar, cycle) == happening
        for entry in happening:
            cancel(entry, calendar)
            del plain[entry]


def test_a_list_is_found_in_its_last_word_and_behind_the_end_of_the_wheel():
    for begin in (0, 31, 32, WHEEL - 2, WHEEL - 1, 7 * WHEEL + 5):
        for ahead in (1, 2, 31, 32, 33, WHEEL - 1, WHEEL):
            calendar = make_calendar(1)
            schedule(0, begin + ahead, calendar)
            assert next_entry_cycle(begin, calendar) == begin + ahead


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


# Planes move over the links of tori and meshes: each router gets the bit of the one before it, or the one behind.


@pytest.mark.parametrize("faulty", ["input_orders", "key", "highest"])
def test_a_faulty_table_is_noticed(faulty):
    """Orders of another cycle, destinations of another message, escapes as by another rule."""
    assert any(differences(*_by_cycles_and_a_faulty_table(seed, faulty)) for seed in range(QUICK["cube-small"].few))


def _by_cycles_and_a_faulty_table(seed: int, faulty: str) -> tuple[Results, Results]:
    run = random_cube_run(SMALL, seed)
    by_cycles, by_planes = (
        Simulation(run.model, run.messages, run.startup_cycles, engine=engine) for engine in ("cycle", "planes")
    )
    by_planes.run(0)
    state: Any = by_planes._fast_run
    table: np.ndarray = getattr(state.planes, faulty)
    table[:] = ~table if faulty == "highest" else np.roll(table, 1, axis=0)
    return by_cycles.run(MAX_CYCLES), by_planes.run(MAX_CYCLES)
