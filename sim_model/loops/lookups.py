"""Lookups of the route unit: the outputs that a key may take, and those of them that lead to a processor.

Tables of switches times keys are arrays. In large networks they would not fit into memory, and a family computes their
entries from a named tuple of smaller arrays. The choice is made when the loop is compiled, so that it costs small
networks nothing.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Computed = Callable[..., Any]


def computed_by(function: Computed) -> Callable[[type], type]:
    """Decorate a named tuple that replaces a table, with the compiled function that looks it up.

    The function gets the indices of the table, and then the named tuple.
    """

    def decorate(kind: Any) -> type:
        kind.computed = staticmethod(function)
        return kind

    return decorate


def computed_for(kind: Any) -> Computed:
    """Return the compiled function of a named tuple that replaces a table."""
    return kind.computed


def candidates_of(routes, switch, key, arrival_class):
    """Return the mask of the route candidates of a header; 0 if a bit string decides, or the header is unroutable."""
    if isinstance(routes, np.ndarray):
        return routes[switch, key, arrival_class]
    return computed_for(type(routes))(switch, key, arrival_class, routes)


def ports_to(reach, switch, processor):
    """Return the mask of the outputs that lead to a processor."""
    if isinstance(reach, np.ndarray):
        return reach[switch, processor]
    return computed_for(type(reach))(switch, processor, reach)
