"""Patterns of unicasts and destination sets of multicasts against independent definitions, and mixes of lengths."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from sim_model.traffic.counts import FixedCount, FixedLength, LengthMix
from sim_model.traffic.destination_sets import (
    Broadcasts,
    EveryOther,
    RandomSets,
    WholeSets,
    all_others,
    distances,
    line,
    random_subsets,
)
from sim_model.traffic.patterns import (
    FunctionPattern,
    HotSpotPattern,
    UniformPattern,
)
from sim_model.traffic.permutations import PERMUTATIONS
from topology.common.regular import hypercube_network, mesh_network, ring_network, torus_network
from topology.hypercube.graph import HypercubeNetwork
from topology.min.graph import MinNetwork
from topology.torus.graph import TorusLinks, TorusNetwork
from topology.torus.grid import Grid

MIN_P = 1e-3
SIXTY_FOUR = TorusLinks(Grid(8, 8, wraps=False))


def draws(pattern, source, seed=1):
    return pattern.draw(np.random.Generator(np.random.PCG64(seed)), np.asarray(source))


def _shape_or_class(value: object) -> str:
    """Name of a case; that of an object with its address would be another one in every process."""
    return "x".join(map(str, value)) if isinstance(value, tuple) else type(value).__name__


@pytest.mark.parametrize(
    ("network", "shape"),
    [
        (SIXTY_FOUR, (8, 8)),
        (TorusNetwork(Grid(3, 7), 2), (7, 3)),
        (mesh_network([5, 4, 3]), (5, 4, 3)),
        (torus_network([4, 4], processors_per_switch=3), (4, 4)),
        (ring_network(9), (9,)),
        (hypercube_network(3), (2, 2, 2)),
        (HypercubeNetwork(3, 2), (2, 2, 2)),
    ],
    ids=_shape_or_class,
)
@pytest.mark.parametrize("name", ["tornado", "neighbour"])
def test_permutations_of_digits(network, shape, name):
    assert network.shape == shape
    if max(shape) == 2 and name == "tornado":
        with pytest.raises(ValueError, match="no node would send"):
            PERMUTATIONS[name](network)
        return
    sent = PERMUTATIONS[name](network)
    per_switch = len(network.processors) // network.switches
    for node, switch in enumerate(network.processors):
        stride, destination = 1, 0
        for side in shape:
            place = switch // stride % side
            moved = place + ((side + 1) // 2 - 1 if name == "tornado" else 1)
            destination += moved % side * stride
            stride *= side
        assert network.processors[sent[node]] == destination
        assert sent[node] % per_switch == node % per_switch
    assert sorted(sent.tolist()) == list(range(len(network.processors)))


def test_coordinates_are_those_of_the_links():
    for network in (mesh_network([4, 3]), TorusLinks(Grid(3, 4, wraps=False)), hypercube_network(4)):
        assert network.shape is not None
        places = np.stack(np.unravel_index(np.arange(network.switches), network.shape, order="F"), axis=1)
        apart = np.abs(places[:, np.newaxis] - places[np.newaxis]).sum(axis=2)
        assert (distances(network) == apart).all()


def test_uniform_is_any_other_node():
    source = np.tile(np.arange(8), 20_000)
    drawn = draws(UniformPattern(8), source)
    pairs = np.bincount(source * 8 + drawn, minlength=64).reshape(8, 8)
    assert (np.diag(pairs) == 0).all()
    assert stats.chisquare(pairs[~np.eye(8, dtype=bool)]).pvalue > MIN_P


def test_hot_spots_get_their_share_from_everyone():
    source = np.tile(np.arange(8), 20_000)
    drawn = draws(HotSpotPattern(8, [2, 5], 0.3), source)
    for node in range(8):
        seen = np.bincount(drawn[source == node], minlength=8)
        expected = np.array([0.7 / 7 if other != node else 0.0 for other in range(8)])
        expected[[2, 5]] += 0.15  # messages to the source itself are not sent
        assert seen[expected == 0].sum() == 0
        assert stats.chisquare(seen[expected > 0], 20_000 * expected[expected > 0]).pvalue > MIN_P


def test_distances_count_links_between_switches():
    assert distances(torus_network([4, 4], processors_per_switch=2))[0, :6].tolist() == [0, 0, 1, 1, 2, 2]
    one_way = distances(MinNetwork("omega", 2, 3))
    assert (one_way == 2).all()  # through three stages for any destination


def test_a_function_of_somebody_elses_is_held_to_what_it_should_give():
    network = mesh_network([2, 2])
    drawn = draws(FunctionPattern("opposite", lambda net, source, _: len(net.processors) - 1 - source, network), [0, 1])
    assert drawn.tolist() == [3, 2]
    for function, problem in (
        (lambda _n, source, _g: source + 3, "must give processors, 0 to 3, not 4"),
        (lambda _n, source, _g: source - 1, "must give processors, 0 to 3, not -1"),
        (lambda _n, _s, _g: np.array([1]), r"must give a whole number for each of 2 messages, not int64 \[1\]"),
        (lambda _n, source, _g: source / 2, r"must give a whole number for each of 2 messages, not float64 \[2\]"),
    ):
        with pytest.raises(ValueError, match=f"^Pattern 'own' {problem}$"):
            draws(FunctionPattern("own", function, network), [0, 1])


@pytest.mark.parametrize(
    ("hot_nodes", "share", "problem"),
    [
        ([8], 0.5, "Hot node is 8; it must be a processor, 0 to 7"),
        ([], 0.5, r"Hot nodes are \[\]; they must be different processors, at least 1"),
        ([1, 1], 0.5, r"Hot nodes are \[1, 1\]; they must be different processors, at least 1"),
        ([1], 0, "Share of hot nodes is 0; it must be greater than 0, at most 1"),
    ],
)
def test_hot_spots_are_checked(hot_nodes, share, problem):
    with pytest.raises(ValueError, match=f"^{problem}$"):
        HotSpotPattern(8, hot_nodes, share)


# Destination sets of multicasts, and mixes of lengths.


def drawn_sets(sets, source, seed=1):
    flat, counts = sets.draw(np.random.Generator(np.random.PCG64(seed)), np.asarray(source))
    return [part.tolist() for part in np.split(flat, np.cumsum(counts)[:-1])]


def test_all_sets_of_a_size_are_equally_likely():
    drawn = Counter(map(tuple, drawn_sets(RandomSets(all_others(7), FixedCount(3)), [2] * 20_000)))
    assert set(drawn) == set(combinations([0, 1, 3, 4, 5, 6], 3))
    assert stats.chisquare(list(drawn.values())).pvalue > MIN_P


def test_subsets_of_many_rows_of_many_sizes():
    random = np.random.default_rng(3)
    candidates = random.random((5_000, 300)) < 0.5
    candidates[:, :20] = True
    counts = random.integers(1, 21, size=5_000)  # more rows than are drawn at a time
    flat = random_subsets(np.random.default_rng(1), candidates, counts)
    for row, part in enumerate(np.split(flat, np.cumsum(counts)[:-1])):
        assert len(part) == counts[row]
        assert (np.diff(part) > 0).all()
        assert candidates[row, part].all()


def test_rows_and_columns():
    for network in (mesh_network([4, 3]), TorusLinks(Grid(3, 4))):
        assert drawn_sets(WholeSets(line(network, 0)), [5, 0]) == [[4, 6, 7], [1, 2, 3]]
        assert drawn_sets(WholeSets(line(network, 1)), [5, 8]) == [[1, 9], [0, 4]]
    with pytest.raises(ValueError, match=r"^needs a network with at least 2 dimensions, not 1$"):
        line(ring_network(5), 1)


def test_several_processors_of_a_switch_are_in_its_row_and_column():
    network = mesh_network([2, 2], processors_per_switch=2)
    assert drawn_sets(WholeSets(line(network, 0)), [0]) == [[1, 2, 3]]
    assert drawn_sets(WholeSets(line(network, 1)), [0]) == [[1, 4, 5]]


def test_length_mixes():
    lengths = LengthMix({4: 0.7, 64: 0.1, 16: 0.2}).draw(np.random.default_rng(1), 50_000)
    seen = Counter(lengths.tolist())
    assert set(seen) == {4, 16, 64}
    assert stats.chisquare([seen[4], seen[16], seen[64]], [35_000, 10_000, 5_000]).pvalue > MIN_P
    assert set(FixedLength(9).draw(np.random.default_rng(1), 5).tolist()) == {9}
    for shares, problem in (
        ({4: 0.5, 8: 0.4}, "Shares of lengths are 0.9; they must be 1 together"),
        ({4: 1.5, 8: -0.5}, "Share of messages of 4 flits is 1.5; it must be greater than 0, at most 1"),
    ):
        with pytest.raises(ValueError, match=f"^{problem}$"):
            LengthMix(shares)


def test_sets_of_every_other_node_need_no_table_of_all_pairs():
    sources = np.random.default_rng(2).integers(9, size=500)
    for made, table in (
        (Broadcasts(9), WholeSets(all_others(9))),
        (RandomSets(EveryOther(9), FixedCount(4)), RandomSets(all_others(9), FixedCount(4))),
    ):
        drawn, wanted = (sets.draw(np.random.default_rng(1), sources) for sets in (made, table))
        np.testing.assert_array_equal(drawn[0], wanted[0])
        np.testing.assert_array_equal(drawn[1], wanted[1])
