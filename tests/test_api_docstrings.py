"""Docstrings of the API page: parameters by name, what is returned, and the errors that are raised."""

import inspect
import re
from functools import cached_property
from typing import Any

import numpy as np
import pytest

from tests.api_page import Shown, described, is_protocol, overridden, own_docstring, parameters, raised, sections, shown

SHOWN = shown()
GIVES = ("Return ", "Yield ")
"""First words that tell a result; any other first sentence needs a section for it."""


DTYPE = re.compile(r"\b(bool|u?int\d*|float\d*|structured)(\[| array|\b)")


def told(one: Shown) -> dict[str, str]:
    """Sections of its docstring; a property without one is a member of its class, whose docstring speaks for it."""
    by_class = one.parent is not None and not own_docstring(one.called) and not parameters(one.called)
    return sections(own_docstring(one.parent if by_class else one.called))


def told_before(one: Shown) -> list[dict[str, str]]:
    """Its sections, and those of what it overrides."""
    return [told(one), *(sections(own_docstring(function)) for function in overridden(one))]


def wrong_parameters(one: Shown) -> str:
    """Return the fault of the names of its parameters, or an empty string."""
    wanted, own = parameters(one.called), told(one)
    if is_protocol(one.called) or not (wanted or (own_docstring(one.called) and "Parameters" in own)):
        return ""
    if inspect.isclass(one.called) and "Parameters" not in own:  # a record: its members are what it is made of
        found = described(own.get("Members", ""))
    elif "Parameters" in own:
        found = described(own["Parameters"])
    else:
        return "" if any(same_parameters(one.called, function) for function in overridden(one)) else "no Parameters"
    return "" if found == wanted else f"Parameters are {wanted}, not {found}"


def same_parameters(own: Any, other: Any) -> bool:
    """Return whether another function describes the same parameters; unused ones have an underscore."""
    names, others = parameters(own), parameters(other)
    positional = all(one.kind is one.POSITIONAL_ONLY for one in list(inspect.signature(other).parameters.values())[1:])
    alike = len(names) == len(others) if positional else [name.lstrip("_") for name in names] == others
    return alike and described(sections(own_docstring(other)).get("Parameters", "")) == others


def wrong_result(one: Shown) -> str:
    """Return the fault of the description of its result, or an empty string."""
    result = None if inspect.isclass(one.called) else inspect.signature(one.called).return_annotation
    if result in (None, "None"):
        return ""
    whole = "".join(own_docstring(function) for function in overridden(one) or [one.called])
    if not whole:  # a member of its class
        return ""
    said = whole.replace(sections(whole).get("Parameters", ""), "")
    if result in (np.ndarray, np.ndarray | None) and not DTYPE.search(said):
        return "an array without dtype"
    member = inspect.getattr_static(one.parent, one.name.rpartition(".")[2], None)  # of a base class as well
    is_member = isinstance(member, property | cached_property)
    if is_member or whole.startswith(GIVES) or any({"Returns", "Yields"} & found.keys() for found in told_before(one)):
        return ""
    return f"no Returns, and the first sentence does not tell the result: {whole.splitlines()[0]}"


def wrong_errors(one: Shown) -> list[str]:
    """Errors that it raises and does not tell of."""
    if not inspect.isclass(one.called):
        errors = raised(one.called)
    else:
        errors = set().union(*(raised(vars(one.called).get(name)) for name in ("__init__", "__post_init__")))
    text = "".join(found.get("Raises", "") for found in told_before(one))
    return sorted(error for error in errors if not (error in text if error[0].isupper() else text))


@pytest.mark.parametrize("check", [wrong_parameters, wrong_result, wrong_errors])
def test_docstrings_of_the_page_are_right(check):
    assert {one.name: wrong for one in SHOWN if (wrong := check(one))} == {}


class Base:
    """Something with a method that is described."""

    def moved(self, places: int) -> int:
        """A place.

        Parameters:
            places
        """
        return places


class Sloppy(Base):
    """Faults that the checks have to find.

    Parameters:
        other
    """

    def __init__(self, size: int):
        if size < 0:
            raise ValueError(size)

    def partial(self, size: int, shape: int) -> None:
        """Something is done.

        Parameters:
            size
        """

    def surplus(self) -> np.ndarray:
        """Places.

        Parameters:
            size
        """
        return np.zeros(0)

    def done(self) -> int:
        """Run it."""
        return 1

    def failing(self) -> None:
        """Something is done.

        Raises:
            ValueError
        """
        raise KeyError

    def moved(self, _places: int) -> int:
        return _places


def sloppy(method: str) -> Shown:
    return Shown(f"Sloppy.{method}", vars(Sloppy)[method], Sloppy)


def test_sloppy_docstrings_are_found():
    assert wrong_parameters(Shown("Sloppy", Sloppy, None)) == "Parameters are ['size'], not ['other']"
    assert wrong_errors(Shown("Sloppy", Sloppy, None)) == ["ValueError"]
    assert wrong_parameters(sloppy("partial")) == "Parameters are ['size', 'shape'], not ['size']"
    assert wrong_parameters(sloppy("surplus")) == "Parameters are [], not ['size']"
    assert wrong_result(sloppy("surplus")) == "an array without dtype"
    assert wrong_result(sloppy("done")).endswith("tell the result: Run it.")
    assert wrong_errors(sloppy("failing")) == ["KeyError"]
    assert wrong_parameters(sloppy("moved")) == ""
