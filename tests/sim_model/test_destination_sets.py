"""Destination sets of multicasts, and mixes of lengths."""

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
    near,
    random_subsets,
    same_group,
)
from topology.common.regular import mesh_network, ring_network
from topology.torus.graph import TorusLinks
from topology.torus.grid import Grid

MIN_P = 1e-3


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


def test_local_multicasts_stay_near():
    network = mesh_network([4, 4])
    apart = distances(network)
    for source, part in zip([5] * 300, drawn_sets(RandomSets(near(network, 2), FixedCount(4)), [5] * 300), strict=True):
        assert len(set(part)) == 4
        assert (apart[source, part] <= 2).all()
        assert source not in part


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


def test_groups():
    sets = WholeSets(same_group([[4, 1, 2], [0, 5]], 8))
    assert drawn_sets(sets, [1, 5, 4, 3, 0]) == [[2, 4], [0], [1, 2], [], [5]]
    with pytest.raises(ValueError, match=r"^Members of groups must be processors, 0 to 7, not 8$"):
        same_group([[8]], 8)
    with pytest.raises(ValueError, match=r"^Members of groups must be different processors, not 2 twice$"):
        same_group([[1, 2], [2, 3]], 8)


def test_length_mixes():
    lengths = LengthMix({4: 0.7, 64: 0.1, 16: 0.2}).draw(np.random.default_rng(1), 50_000)
    seen = Counter(lengths.tolist())
    assert set(seen) == {4, 16, 64}
    assert stats.chisquare([seen[4], seen[16], seen[64]], [35_000, 10_000, 5_000]).pvalue > MIN_P
    assert set(FixedLength(9).draw(np.random.default_rng(1), 5).tolist()) == {9}
    for shares, problem in (
        ({4: 0.5, 8: 0.4}, "Shares of lengths must be 1 together, not 0.9"),
        ({4: 1.5, 8: -0.5}, "Share of messages of 4 flits must be greater than 0, at most 1, not 1.5"),
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
