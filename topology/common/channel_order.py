"""An order of channels in which every dependency rises: the evidence of a certificate of deadlock freedom.

It is sufficient evidence: a checker tests each dependency against the order by itself.
"""

from collections.abc import Hashable, Iterable
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


class NoOrder(Exception):
    """The dependencies have a cycle.

    Parameters:
        reason: Reason against an order.
    """

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


def rising_order(nodes: Iterable[Node], dependencies: Iterable[tuple[Node, Node]]) -> list[Node]:
    """Return all nodes in an order in which each comes before those that it waits for; deterministic.

    Parameters:
        nodes: All that are to be in the order; they can be compared.
        dependencies (iterable of (node, node)): Held node, and the node that is waited for.

    Raises:
        NoOrder: If the dependencies have a cycle.
    """
    import networkx as nx  # not for the exception alone

    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(dependencies)
    try:
        return list(nx.lexicographical_topological_sort(graph))
    except nx.NetworkXUnfeasible:
        raise NoOrder("the dependencies have a cycle") from None
