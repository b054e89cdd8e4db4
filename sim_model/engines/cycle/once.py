"""What is the same in all runs on a network is made once, and forgotten with the network."""

import weakref
from collections.abc import Callable
from typing import Any, TypeVar

Made = TypeVar("Made")

_made: dict[int, tuple[weakref.ref, dict[Any, Any]]] = {}


def once_for(owner: Any, key: Any, make: Callable[[], Made]) -> Made:
    """Return what ``make`` gives, for an owner and a key; it must not be changed.

    Parameters
    ----------
    owner
        Told from others by identity. Two threads may both make it, and find the same.
    key
        Of what is made, among all that is made for the owner.
    make : callable
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
