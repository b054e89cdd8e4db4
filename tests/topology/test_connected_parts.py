"""Connected parts, against NetworkX on random graphs."""

import networkx as nx
import numpy as np
import pytest

from topology.common.connected_parts import connected_parts


@pytest.mark.parametrize("seed", range(20))
def test_parts_are_those_of_networkx(seed):
    random = np.random.default_rng(seed)
    vertices = int(random.integers(1, 40))
    edges = random.integers(0, vertices, (int(random.integers(0, vertices + 1)), 2)).tolist()
    graph = nx.Graph()
    graph.add_nodes_from(range(vertices))
    graph.add_edges_from(edges)
    parts = connected_parts(range(vertices), edges)
    assert list(map(set, parts)) == list(nx.connected_components(graph))
    assert all(len(part) == len(set(part)) for part in parts)


def test_names_are_vertices_too():
    assert connected_parts(["a", "b", "c"], [("c", "a")]) == [["a", "c"], ["b"]]
    assert connected_parts([], []) == []
