"""An order of channels in which every dependency goes up: what a certificate of freedom from deadlock shows.

Nothing else has to be believed: whoever has the order checks each dependency by itself.
"""

from collections.abc import Hashable, Iterable
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)


class NoOrder(Exception):
    """The dependencies have a cycle.

    Parameters
    ----------
    reason : str
        What stands against an order.
    """

    def __init__(self, reason: str):
        super().__init__(reason)
        self.reason = reason


def rising_order(nodes: Iterable[Node], dependencies: Iterable[tuple[Node, Node]]) -> list[Node]:
    """Return all nodes, so that each comes before what it waits for; of several orders always the same.

    Parameters
    ----------
    nodes : iterable
        All that are to be in the order; they can be compared.
    dependencies : iterable of (node, node)
        What is held, and what is waited for.

    Raises
    ------
    NoOrder
        If the dependencies have a cycle.
    """
    import networkx as nx  # not for the exception alone

    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(dependencies)
    try:
        return list(nx.lexicographical_topological_sort(graph))
    except nx.NetworkXUnfeasible:
        raise NoOrder("the dependencies have a cycle") from None
