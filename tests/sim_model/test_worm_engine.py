"""The engine that moves worms has the results of the one that moves flits, at every stop and in every cycle."""

import numpy as np
import pytest

from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message
from tests.networks import ring
from tests.sim_model.builders import build, random_records, simulate, spam_model
from tests.sim_model.random_runs import Run, differences, random_run
from topology.common.graph import Network
from topology.common.host_pattern import HostBehaviour

FAMILIES = ("spam", "min")
FEW_RUNS, MANY_RUNS = 250, 5000
FEWEST_DEADLOCKS = 3
LINE = Network(3, [(0, 1), (1, 2)], [0, 1, 2, 2])


def compare(family: str, seeds: range) -> tuple[int, int]:
    """Runs that deadlocked, and those in which worms were stopped on their way."""
    deadlocked, stopped = 0, 0
    for seed in seeds:
        run = random_run(family, seed)
        _, by_cycles, counted = run.simulate("cycle")
        _, by_worms, again = run.simulate("worm")
        for stop, (one, other) in enumerate(zip(by_cycles, by_worms, strict=True)):
            assert differences(one, other) == [], f"{family}, seed {seed}, stop {stop}"
        assert np.array_equal(counted, again), f"{family}, seed {seed}, counts of channels"
        deadlocked += by_cycles[-1].deadlocked
        stopped += any(0 < found.flit_hops < by_cycles[-1].flit_hops for found in by_cycles)
    return deadlocked, stopped


@pytest.mark.parametrize("family", FAMILIES)
def test_results_are_the_same(family):
    deadlocked, stopped = compare(family, range(FEW_RUNS))
    assert deadlocked >= FEWEST_DEADLOCKS
    assert stopped > FEW_RUNS // 4


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_results_are_the_same_in_many_runs(family):
    compare(family, range(FEW_RUNS, FEW_RUNS + MANY_RUNS))


def test_a_deadlock_is_reported_as_without_worms():
    network = ring(5)
    model = spam_model(network, up_after_down=True)
    messages = build(model, [Message(node, [(node + 2) % 5], 60) for node in range(5)])
    (worms, (ended,), _), (cycles, (again,), _) = (
        Run(model, messages, 0, ()).simulate(engine) for engine in ("worm", "cycle")
    )
    assert worms.deadlocked
    assert ended.cycles == again.cycles
    assert worms.deadlock_report() == cycles.deadlock_report()


def test_what_looks_at_flits_goes_on_by_cycles():
    """A run that has begun with worms is stepped, recorded, copied and looked into like any other."""
    model = spam_model(LINE)
    records = random_records(np.random.default_rng(3), model, 40, cycles=200, body=40)
    worms, cycles = simulate(model, records), Simulation(model, build(model, records), engine="cycle")
    assert (worms.engine, cycles.engine) == ("worm", "cycle")
    assert differences(worms.run(150), cycles.run(150)) == []
    assert worms.engine == "worm"
    for _ in range(20):
        one, other = worms.step(), cycles.step()
        assert (one.moved == other.moved).all()
        assert (one.accepted, one.ejected) == (other.accepted, other.ejected)
    assert worms.engine == "cycle"
    assert [worms.describe_router(switch) for switch in range(3)] == [
        cycles.describe_router(switch) for switch in range(3)
    ]
    assert differences(worms.run(), cycles.run()) == []


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


@pytest.mark.parametrize(
    ("options", "parameters", "why"),
    [
        ({"hosts": HostBehaviour(pause_level=128)}, {}, "for hosts that hold back"),
        ({}, {"link_cycles": 2}, "for links with register stages"),
        ({}, {"enqueue": "split"}, "for these routers"),
    ],
)
def test_where_worms_cannot_be_moved_flits_are(options, parameters, why):
    model = spam_model(LINE, **parameters)
    messages = build(model, [Message(0, [2], 8)])
    assert Simulation(model, messages, **options).engine == "cycle"
    with pytest.raises(ValueError, match=f"Engine must be 'cycle' {why}, not 'worm'"):
        Simulation(model, messages, engine="worm", **options)


def test_an_unknown_engine():
    model = spam_model(LINE)
    with pytest.raises(ValueError, match="Engine must be one of worm, planes, cycle, not 'flit'"):
        Simulation(model, build(model, [Message(0, [2], 8)]), engine="flit")
