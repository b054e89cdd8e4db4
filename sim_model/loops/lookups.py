"""What the route unit asks of tables: which outputs a key may take, and which of them lead to a processor.

Tables of switches times keys are arrays. In large networks they would not fit into memory, and a family computes what
they would say from a named tuple of smaller arrays. Which of the two it is, is known when the loop is compiled, so that
small networks pay nothing for it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

Computed = Callable[..., Any]


def computed_by(function: Computed) -> Callable[[type], type]:
    """Decorator of a named tuple that stands in the place of a table, and the compiled function that looks it up.

    The function gets what the table would be looked up by, and then the named tuple.
    """

    def decorate(kind: Any) -> type:
        kind.computed = staticmethod(function)
        return kind

    return decorate


def computed_for(kind: Any) -> Computed:
    """Return the compiled function of a named tuple that stands in the place of a table."""
    return kind.computed


def candidates_of(routes, switch, key, arrival_class):
    """Mask of the outputs of which a header may take one; 0 if a bit string decides, or there is no way."""
    if isinstance(routes, np.ndarray):
        return routes[switch, key, arrival_class]
    return computed_for(type(routes))(switch, key, arrival_class, routes)


def ports_to(reach, switch, processor):
    """Mask of the outputs that lead to a processor."""
    if isinstance(reach, np.ndarray):
        return reach[switch, processor]
    return computed_for(type(reach))(switch, processor, reach)
