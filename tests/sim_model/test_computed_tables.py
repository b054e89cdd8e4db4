"""Values that large networks compute in place of tables: equal to the tables, row by row, and so is every run."""

import numpy as np
import pytest

from sim_model.engines.cycle import tables
from sim_model.engines.engine import CYCLE_ENGINE, WORM
from sim_model.engines.simulation import Simulation
from sim_model.loops.compiled import compiled_loop
from sim_model.loops.lookups import candidates_of, ports_to
from sim_model.min.computed import MinRoutes, min_reach, min_routes
from sim_model.min.model import MinModel
from sim_model.spam.computed import SpamRoutes, spam_reach, spam_routes
from sim_model.spam.model import SpamModel
from tests.networks import random_irregular, with_parallel_links
from tests.sim_model.builders import build, random_records
from tests.sim_model.random_runs import COMPARED
from topology.common.lattice import irregular_network, lattice_network
from topology.common.total_order import NO_ORDER, ORDERINGS, TOTAL
from topology.min.graph import BIDIRECTIONAL, KINDS, MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

SPAM_NETWORKS = {
    "lattice": lambda: lattice_network(60, seed=1),
    "three on a switch": lambda: lattice_network(33, seed=2, processors_per_switch=3),
    "few links": lambda: lattice_network(50, seed=3, max_switch_links=3),
    "irregular": lambda: irregular_network(77, seed=3),
    "one switch": lambda: lattice_network(1, processors_per_switch=2),
    "parallel links": lambda: with_parallel_links(random_irregular(3), np.random.default_rng(1)),
    **{f"small {seed}": lambda seed=seed: random_irregular(seed) for seed in range(6)},
}
MIN_SHAPES = ((2, 1), (2, 4), (3, 3), (4, 2), (8, 2))


@compiled_loop
def _compute_rows(routes, reach, candidates, ports):
    """Compute what tables have, for all switches, keys, classes and processors."""
    switches, keys, classes = candidates.shape
    processors = ports.shape[1]
    for switch in range(switches):
        for key in range(keys):
            for arrival in range(classes):
                candidates[switch, key, arrival] = candidates_of(routes, switch, key, arrival)
        for processor in range(processors):
            ports[switch, processor] = ports_to(reach, switch, processor)


def assert_same_tables(routing, routes, reach):
    made = tables._whole_tables(routing)
    candidates, ports = np.zeros_like(made.routes), np.zeros_like(made.reach_ports)
    _compute_rows(routes, reach, candidates, ports)
    np.testing.assert_array_equal(candidates, made.routes)
    np.testing.assert_array_equal(ports, made.reach_ports)


@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("root", [None, 0])
@pytest.mark.parametrize("name", SPAM_NETWORKS)
def test_spam_is_computed_as_its_tables_say(name, root, ordering):
    routing = SpamRouting(SpamLabels(SPAM_NETWORKS[name](), root), 32, ordering=ordering)
    assert_same_tables(routing, spam_routes(routing), spam_reach(routing))


@pytest.mark.parametrize("shape", MIN_SHAPES)
@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize(("kind", "ordering"), [*((kind, NO_ORDER) for kind in KINDS), (BIDIRECTIONAL, TOTAL)])
def test_multistage_networks_are_computed_as_their_tables_say(kind, ordering, private, shape):
    radix, stages = shape
    routing = MinRouting(MinNetwork(kind, radix, stages, radix if private else 1), 32, ordering=ordering)
    random = np.random.default_rng(1)
    processors = len(routing.network.processors)
    several = [random.choice(processors, 2, replace=False).tolist() for _ in range(20)]
    keys = [routing.routing_key(first, [first, second]) for first, second in several]
    assert_same_tables(routing, min_routes(routing), min_reach(routing))
    assert keys == [routing.routing_key(first, [first, second]) for first, second in several]


def test_a_wrong_interval_is_noticed():
    routing = SpamRouting(SpamLabels(lattice_network(20, seed=1)), 32)
    reach = spam_reach(routing)
    reach.end[reach.end.argmax()] -= 1
    with pytest.raises(AssertionError):
        assert_same_tables(routing, spam_routes(routing), reach)


def _models():
    yield SpamModel(SpamRouting(SpamLabels(lattice_network(40, seed=5)), 16)), SpamRoutes
    yield SpamModel(SpamRouting(SpamLabels(irregular_network(30, seed=6)), 64), routing_cycles=3), SpamRoutes
    yield MinModel(MinRouting(MinNetwork("bi-butterfly", 2, 4), 32)), MinRoutes
    yield MinModel(MinRouting(MinNetwork("omega", 3, 3), 16), buffer_flits=1), MinRoutes


@pytest.mark.parametrize(
    ("number", "engine"),
    [
        (0, WORM),
        (1, WORM),
        *(pytest.param(number, WORM, marks=pytest.mark.slow) for number in (2, 3)),  # each kind is compiled anew
        *(pytest.param(number, CYCLE_ENGINE, marks=pytest.mark.slow) for number in range(4)),
    ],
)
def test_runs_are_the_same(number, engine, monkeypatch):
    (model, kind), (again, _) = list(_models())[number], list(_models())[number]
    random = np.random.default_rng(number)
    messages = build(model, random_records(random, model, 150, cycles=300, body=20))
    by_tables = Simulation(model, messages, engine=engine).run()
    monkeypatch.setattr(tables, "MAX_TABLE_ROWS", 0)
    computed = Simulation(again, messages, engine=engine)
    assert isinstance(computed._router_state.tables.routes, kind)
    results = computed.run()
    for name in COMPARED:
        np.testing.assert_array_equal(getattr(results, name), getattr(by_tables, name), name)


def test_given_tables_are_looked_up_however_large(monkeypatch):
    monkeypatch.setattr(tables, "MAX_TABLE_ROWS", 0)
    routing = SpamRouting(SpamLabels(lattice_network(9, seed=1)), 32)
    routing.routes[0] = 0
    simulation = Simulation(SpamModel(routing), build(SpamModel(routing), []))
    assert (simulation.router_state.tables.routes[0] == 0).all()
