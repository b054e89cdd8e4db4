"""Hypercubes by planes have the results of those by flits, at every stop and in every cycle."""

from typing import Any

import numpy as np
import pytest

from sim_model.engines.plane.model import MIN_FLITS
from sim_model.engines.results import Results
from sim_model.engines.simulation import Simulation
from sim_model.hypercube.model import HypercubeModel
from sim_model.hypercube.orders import first_in_order, make_orders
from sim_model.hypercube.planes.orders import input_orders, vc_orders
from sim_model.messages.messages import Message, Messages
from tests.sim_model.hypercube_runs import Shape, random_cube_run
from tests.sim_model.random_runs import Run, differences
from topology.common.host_pattern import HostBehaviour
from topology.hypercube.diagonals import input_codes
from topology.hypercube.routing import ADAPTIVE_ONLY, WRONG_ESCAPE
from topology.hypercube.vc_reallocation import NON_ATOMIC_ESCAPE

SMALL, LARGE = Shape(3, 1, 1, channels=2, rule=WRONG_ESCAPE), Shape(6, 3, 4)
"""Each is compiled by itself, which takes longer than its runs. The small one can deadlock."""
MORE_SHAPES = (
    Shape(1, 1, 1),
    Shape(1, 2, 3),
    Shape(2, 1, 4),
    Shape(2, 3, 2, channels=2),
    Shape(2, 1, 1, rule=ADAPTIVE_ONLY),
    Shape(2, 2, 3, rule=WRONG_ESCAPE),
    Shape(3, 1, 2, rule=WRONG_ESCAPE),
    Shape(3, 1, 2, channels=3, rule=ADAPTIVE_ONLY),
    Shape(3, 2, 8, rule=ADAPTIVE_ONLY),
    Shape(3, 2, 2, channels=3),
    Shape(4, 2, 4),
    Shape(4, 4, 1, channels=4),
    Shape(4, 3, 3, channels=2, rule=WRONG_ESCAPE),
    Shape(5, 2, 8),
    Shape(5, 1, 3, channels=5),
    Shape(5, 8, 2),
    Shape(6, 2, 1),
    Shape(6, 2, 16),
    Shape(6, 3, 4, channels=6),
    Shape(6, 3, 2, rule=ADAPTIVE_ONLY),
    Shape(7, 2, 4),
    Shape(7, 3, 3, channels=7),
    Shape(8, 2, 4),
)
FEW_RUNS, MANY_RUNS = 50, 120
FEWEST_DEADLOCKS, MAX_CYCLES = 3, 2_000


def compare(shape: Shape, seeds: range) -> tuple[int, int]:
    """Runs that deadlocked, and those that were stopped on their way."""
    deadlocked, stopped = 0, 0
    for seed in seeds:
        run = random_cube_run(shape, seed)
        _, by_cycles, counted = run.simulate("cycle")
        _, by_planes, again = run.simulate("planes")
        for stop, (one, other) in enumerate(zip(by_cycles, by_planes, strict=True)):
            assert differences(one, other) == [], f"seed {seed}, stop {stop}"
        assert np.array_equal(counted, again), f"seed {seed}, counts of channels"
        deadlocked += by_cycles[-1].deadlocked
        stopped += any(0 < found.flit_hops < by_cycles[-1].flit_hops for found in by_cycles)
    return deadlocked, stopped


@pytest.mark.parametrize("shape", [SMALL, LARGE], ids=str)
def test_results_are_the_same(shape):
    deadlocked, stopped = compare(shape, range(FEW_RUNS))
    assert deadlocked >= (FEWEST_DEADLOCKS if shape == SMALL else 0)
    assert stopped > FEW_RUNS // 5


@pytest.mark.slow
@pytest.mark.parametrize("shape", [SMALL, LARGE, *MORE_SHAPES], ids=str)
def test_results_are_the_same_in_many_runs(shape):
    compare(shape, range(FEW_RUNS, FEW_RUNS + MANY_RUNS))


def messages_for(model: HypercubeModel, records: list[Message]) -> Messages:
    network = model.network
    return Messages.build(
        records,
        processors=network.switches,
        header_flits=model.header_flits,
        injection_channels=network.injection_channels_per_processor,
    )


@pytest.mark.parametrize("faulty", ["input_orders", "key", "highest"])
def test_a_faulty_table_is_noticed(faulty):
    """Orders of another cycle, destinations of another message, escapes as by another rule."""
    assert any(differences(*_by_cycles_and_a_faulty_table(seed, faulty)) for seed in range(FEW_RUNS))


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


@pytest.mark.parametrize(("dimensions", "vcs", "channels"), [(3, 1, 1), (3, 2, 2), (4, 3, 4), (6, 3, 1), (5, 8, 3)])
def test_orders_are_those_of_the_other_engine(dimensions, vcs, channels):
    inputs, codes = dimensions + channels, input_codes(dimensions, channels)
    masks = [(1 << vcs) - 1 << d * vcs for d in range(dimensions)]
    masks += [1 << dimensions * vcs + channel for channel in range(channels)]
    orders, width = make_orders(masks, vcs), 16
    before, in_a_row = input_orders(dimensions, inputs, width), vc_orders(inputs, vcs)
    for step, order in enumerate(orders):
        table = before[step % len(before)].reshape(width, width)[np.ix_(codes, codes)]
        rank = (table != 0).sum(axis=0)  # how many come before each input
        left = (1 << inputs) - 1
        for place in range(inputs):
            first = first_in_order(left, order.input, order)
            assert rank[first] == place
            left ^= 1 << first
        left = (1 << vcs) - 1
        for vc in in_a_row[step % len(in_a_row)]:
            assert vc == first_in_order(left, order.vc, order)
            left ^= 1 << vc


def test_a_deadlock_is_reported_as_by_cycles():
    run = next(run for seed in range(50) if (run := random_cube_run(SMALL, seed)).simulate("cycle")[0].deadlocked)
    planes, cycles = (Run(run.model, run.messages, 0, ()).simulate(engine)[0] for engine in ("planes", "cycle"))
    assert planes.deadlocked
    assert planes.deadlock_report() == cycles.deadlock_report()


def test_long_runs_go_by_planes():
    model = LARGE.model()
    assert Simulation(model, messages_for(model, [Message(0, [63], 100)])).engine == "cycle"
    long = [Message(0, [63], MIN_FLITS // 2), Message(1, [63], MIN_FLITS // 2)]
    assert Simulation(model, messages_for(model, long)).engine == "planes"


@pytest.mark.parametrize(
    ("message", "vc_reallocation", "options", "why"),
    [
        (Message(0, [7], 8), "empty", {"hosts": HostBehaviour(pause_level=128)}, "for hosts that hold back"),
        (Message(0, [7], 8), NON_ATOMIC_ESCAPE, {}, "for lanes that are given again behind a tail"),
    ],
)
def test_where_planes_cannot_be_moved(message, vc_reallocation, options, why):
    model = HypercubeModel(SMALL.model().routing, vc_reallocation=vc_reallocation)
    messages = messages_for(model, [message])
    assert Simulation(model, messages, **options).engine == "cycle"
    with pytest.raises(ValueError, match=f"Engine must be 'cycle' {why}, not 'planes'"):
        Simulation(model, messages, engine="planes", **options)
