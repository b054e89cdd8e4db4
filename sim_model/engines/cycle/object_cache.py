"""Cache of objects per network: they are shared by all runs, and dropped with the network."""

import weakref
from collections.abc import Callable
from typing import Any, TypeVar

Made = TypeVar("Made")

_made: dict[int, tuple[weakref.ref, dict[Any, Any]]] = {}


def cached_per_object(owner: Any, key: Any, make: Callable[[], Made]) -> Made:
    """Return the object that ``make`` builds, cached per owner and key; it must not be changed.

    Parameters:
        owner: Told from others by identity. Two threads may both make it, and find the same.
        key: Of what is made, among all that is made for the owner.
    """
    number = id(owner)
    found = _made.get(number)
    if found is None or found[0]() is not owner:
        found = (weakref.ref(owner, lambda _: _made.pop(number, None)), {})
        _made[number] = found
    things = found[1]
    if key not in things:
        things[key] = make()
    return things[key]
