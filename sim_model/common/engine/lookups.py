"""What the route unit asks of tables: which outputs a key may take, and which of them lead to a processor.

Tables of switches times keys are arrays. In large networks they would not fit into memory, and a family computes what
they would say from a named tuple of smaller arrays. Which of the two it is, is known when the loop is compiled, so that
small networks pay nothing for it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from sim_model.common.engine.compiled import INLINED

Computed = Callable[..., Any]
INLINED_OVERLOAD: Any = INLINED
_COMPUTED: dict[type, Computed] = {}


def computed_by(function: Computed) -> Callable[[type], type]:
    """Decorator of a named tuple that stands in the place of a table, and the compiled function that looks it up.

    The function gets what the table would be looked up by, and then the named tuple.
    """

    def decorate(kind: type) -> type:
        _COMPUTED[kind] = function
        return kind

    return decorate


def candidates_of(routes, switch, key, arrival_class):
    """Mask of the outputs of which a header may take one; 0 if a bit string decides, or there is no way."""
    if isinstance(routes, np.ndarray):
        return routes[switch, key, arrival_class]
    return _COMPUTED[type(routes)](switch, key, arrival_class, routes)


def ports_to(reach, switch, processor):
    """Mask of the outputs that lead to a processor."""
    if isinstance(reach, np.ndarray):
        return reach[switch, processor]
    return _COMPUTED[type(reach)](switch, processor, reach)


@overload(candidates_of, jit_options=INLINED_OVERLOAD)
def _candidates_of(routes, _switch, _key, _arrival):
    if isinstance(routes, types.Array):
        return lambda routes, _switch, _key, _arrival: routes[_switch, _key, _arrival]
    function = _COMPUTED[routes.instance_class]
    return lambda routes, _switch, _key, _arrival: function(_switch, _key, _arrival, routes)


@overload(ports_to, jit_options=INLINED_OVERLOAD)
def _ports_to(reach, _switch, _processor):
    if isinstance(reach, types.Array):
        return lambda reach, _switch, _processor: reach[_switch, _processor]
    function = _COMPUTED[reach.instance_class]
    return lambda reach, _switch, _processor: function(_switch, _processor, reach)
