"""Mistakes in documents of lists and mappings, such as configurations: wrong keys, types, values and places."""

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.fuzz.odd_values import odd_text, odd_values

Place = tuple[Any, Any]
"""A list or mapping, and the index or key of a part."""


def _places(value: Any) -> Iterator[Place]:
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield value, key
        yield from _places(part)


class _Mistakes:
    """Mistakes in one document.

    Parameters
    ----------
    draw : DrawFn
    document : dict
        Is changed.
    keys : sequence of str
        Keys that documents of its kind may have.
    """

    def __init__(self, draw: DrawFn, document: Any, keys: Sequence[str]):
        self._draw, self._keys, self._document = draw, keys, document

    def _place(self) -> Place | None:
        places = list(_places(self._document))
        return self._draw(st.sampled_from(places)) if places else None

    def make(self) -> None:
        place = self._place()
        if place is None:
            return
        kinds: tuple[Callable[[Any, Any], None], ...] = (
            *(self._value, self._value, self._value, self._value, self._remove, self._rename, self._add, self._copy),
            *(self._wrap, self._number),
        )
        self._draw(st.sampled_from(kinds))(*place)

    def _value(self, around: Any, key: Any) -> None:
        around[key] = copy.deepcopy(self._draw(odd_values))

    def _remove(self, around: Any, key: Any) -> None:
        del around[key]

    def _rename(self, around: Any, key: Any) -> None:
        if isinstance(around, dict):
            around[self._key()] = around.pop(key)

    def _add(self, around: Any, _key: Any) -> None:
        if isinstance(around, dict):
            around[self._key()] = copy.deepcopy(self._draw(odd_values))
        else:
            around.append(copy.deepcopy(self._draw(odd_values)))

    def _key(self) -> Any:
        return self._draw(st.sampled_from(self._keys) | odd_text)

    def _copy(self, around: Any, key: Any) -> None:
        """One part in two places, which YAML writes with an anchor and an alias."""
        other = self._place()
        if other is not None and id(other[0][other[1]]) not in {id(around), *map(id, _inside(around[key]))}:
            around[key] = (
                copy.deepcopy(other[0][other[1]]) if _holds(other[0][other[1]], around) else other[0][other[1]]
            )

    def _wrap(self, around: Any, key: Any) -> None:
        around[key] = self._draw(st.sampled_from(([around[key]], {"a": around[key]}, str(around[key]))))

    def _number(self, around: Any, key: Any) -> None:
        """A number close to the right one."""
        if isinstance(around[key], int | float) and not isinstance(around[key], bool):
            around[key] = self._draw(
                st.sampled_from((around[key] + 1, around[key] - 1, -around[key], float(around[key])))
            )


def _inside(value: Any) -> Iterator[Any]:
    yield value
    for around, key in _places(value):
        yield around[key]


def _holds(value: Any, part: Any) -> bool:
    return any(inside is part for inside in _inside(value))


@st.composite
def mistaken(draw: DrawFn, documents: SearchStrategy[Any], keys: Sequence[str]) -> Any:
    """A document with none to three mistakes."""
    document = copy.deepcopy(draw(documents))
    mistakes = _Mistakes(draw, document, keys)
    for _ in range(draw(st.sampled_from((0, 1, 1, 1, 2, 3)))):
        mistakes.make()
    return document
