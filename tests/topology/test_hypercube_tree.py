"""Broadcast trees of hypercubes: one by hand, and properties of all."""

from collections import Counter

import pytest

from topology.common.errors import TopologyError
from topology.hypercube.binomial_tree import TreeEdge, binomial_tree, dimension_order, sends_over


def test_worked_case():
    """From node 5 with base 1: dimensions 1, 2, 0."""
    assert dimension_order(3, 1) == (1, 2, 0)
    assert binomial_tree(3, 5, 1) == [
        TreeEdge(5, 7, 1, 1),
        TreeEdge(5, 1, 2, 1),
        TreeEdge(5, 4, 0, 1),
        TreeEdge(7, 3, 2, 2),
        TreeEdge(7, 6, 0, 2),
        TreeEdge(1, 0, 0, 2),
        TreeEdge(3, 2, 0, 3),
    ]


def test_one_dimension():
    assert binomial_tree(1, 1, 0) == [TreeEdge(1, 0, 0, 1)]


@pytest.mark.parametrize("dimensions", range(1, 8))
def test_every_node_receives_once(dimensions):
    nodes = 1 << dimensions
    for source in {0, 1, nodes - 1, nodes // 2}:
        for base in range(dimensions):
            edges = binomial_tree(dimensions, source, base)
            assert len(edges) == nodes - 1
            assert sorted(edge.receiver for edge in edges) == [node for node in range(nodes) if node != source]
            level = {source: 0}
            for edge in edges:  # a sender has received before
                assert edge.sender ^ edge.receiver == 1 << edge.dimension
                assert edge.step == level[edge.sender] + 1 <= dimensions
                level[edge.receiver] = edge.step
            assert [edge.step for edge in edges] == sorted(edge.step for edge in edges)
            assert level == {node: (node ^ source).bit_count() for node in range(nodes)}


@pytest.mark.parametrize("dimensions", range(1, 8))
def test_dimensions_carry_the_same_over_all_bases(dimensions):
    carried = Counter()
    for base in range(dimensions):
        found = Counter(edge.dimension for edge in binomial_tree(dimensions, 0, base))
        assert found == {(base + k) % dimensions: 1 << k for k in range(dimensions)}
        carried += found
    assert carried == dict.fromkeys(range(dimensions), (1 << dimensions) - 1)  # of n broadcasts


def test_who_sends_over_what():
    assert sends_over(4, 2, None) == (2, 3, 0, 1)
    assert sends_over(4, 2, 3) == (0, 1)
    assert sends_over(4, 2, 1) == ()
    for base in range(4):
        edges = binomial_tree(4, 6, base)
        arrivals = {6: None, **{edge.receiver: edge.dimension for edge in edges}}
        for node, arrival in arrivals.items():
            sent = tuple(edge.dimension for edge in edges if edge.sender == node)
            assert sent == sends_over(4, base, arrival)


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: binomial_tree(3, 0, 3), "Base must be 0 to 2, not 3"),
        (lambda: dimension_order(3, -1), "Base must be 0 to 2, not -1"),
        (lambda: dimension_order(3, True), "Base must be 0 to 2, not True"),
        (lambda: binomial_tree(3, 8, 0), "Source must be 0 to 7, not 8"),
        (lambda: sends_over(3, 0, 3), "Dimension must be 0 to 2, not 3"),
    ],
)
def test_broken_rules(attempt, message):
    with pytest.raises(TopologyError, match=message):
        attempt()
