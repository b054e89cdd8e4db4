"""Checks of values against annotations: they accept right values, and leave all others to pydantic."""

import math
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from hydranoc.config.schema.fields import Discriminator, Field, Tag, WithJsonSchema

Check = Callable[[Any], Any]
"""Check of a value, which returns the stored value. Raises NotSureError."""
EXACT_FLOAT = 2**53


class NotSureError(ValueError):
    """A value that is wrong, or that only pydantic can judge."""


def check_of(annotation: Any) -> Check:
    """Return the check of an annotation; for unsupported types, one that accepts nothing."""
    marks: tuple[Any, ...] = ()
    if get_origin(annotation) is Annotated:
        annotation, *found = get_args(annotation)
        marks = tuple(found)
    if not all(isinstance(mark, Field | Tag | Discriminator | WithJsonSchema) for mark in marks):
        return _refuse
    choice = next((mark for mark in marks if isinstance(mark, Discriminator)), None)
    check = _check_of_type(annotation) if choice is None else _tagged(annotation, choice)
    limits = next((mark for mark in marks if isinstance(mark, Field)), None)
    return check if limits is None else _limited(check, limits)


def _check_of_type(kind: Any) -> Check:
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return lambda value: value
    if kind is float:
        return _float
    if kind in (int, str, bool, NoneType):
        return _exactly(kind)
    if origin is Literal:
        return _one_of(arguments)
    if origin in (Union, UnionType):
        return _any_of([check_of(argument) for argument in arguments])
    if origin is list:
        return _list_of(check_of(arguments[0]))
    if origin is dict:
        return _mapping_of(check_of(arguments[0]), check_of(arguments[1]))
    return getattr(kind, "check_part", _refuse)


def _refuse(_value: Any) -> Any:
    raise NotSureError


def _exactly(kind: type) -> Check:
    def check(value: Any) -> Any:
        if type(value) is not kind:
            raise NotSureError
        return value

    return check


def _float(value: Any) -> float:
    if type(value) is int and -EXACT_FLOAT <= value <= EXACT_FLOAT:
        return float(value)
    if type(value) is not float or not math.isfinite(value):
        raise NotSureError
    return value


def _one_of(choices: tuple[Any, ...]) -> Check:
    def check(value: Any) -> Any:
        if type(value) not in (int, str) or value not in choices:
            raise NotSureError
        return value

    return check


def _any_of(checks: list[Check]) -> Check:
    """Return a check that accepts a value if exactly one of several checks accepts it."""

    def check(value: Any) -> Any:
        found = []
        for one in checks:
            try:
                found.append(one(value))
            except NotSureError:
                continue
        if len(found) != 1:
            raise NotSureError
        return found[0]

    return check


def _tagged(union: Any, choice: Discriminator) -> Check:
    checks = {}
    for member in get_args(union):
        tag = next(mark for mark in get_args(member)[1:] if isinstance(mark, Tag))
        checks[tag.name] = check_of(member)

    def check(value: Any) -> Any:
        return checks.get(choice.tag_of(value), _refuse)(value)

    return check


def _list_of(item: Check) -> Check:
    def check(value: Any) -> Any:
        if type(value) is not list:
            raise NotSureError
        return [item(part) for part in value]

    return check


def _mapping_of(key: Check, item: Check) -> Check:
    def check(value: Any) -> Any:
        if type(value) is not dict:
            raise NotSureError
        return {key(name): item(part) for name, part in value.items()}

    return check


def _limited(check: Check, limits: Field) -> Check:
    def limited(value: Any) -> Any:
        value = check(value)
        if isinstance(value, list | dict | str):
            right = (limits.min_length is None or len(value) >= limits.min_length) and (
                limits.max_length is None or len(value) <= limits.max_length
            )
        else:
            right = (
                (limits.ge is None or value >= limits.ge)
                and (limits.gt is None or value > limits.gt)
                and (limits.le is None or value <= limits.le)
                and (limits.lt is None or value < limits.lt)
            )
        if not right:
            raise NotSureError
        return value

    return limited
