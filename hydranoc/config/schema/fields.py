"""Annotations of sections beyond a type: the terms of pydantic, which takes 0.1 s to load."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class Field(NamedTuple):
    """Limits of a number, or of the length of a list or mapping.

    Members:
        ge, gt, le, lt (float or None): Smallest value, value below, largest value, value above.
        min_length, max_length (int or None)
        allow_inf_nan: A number may be infinite, or none.
    """

    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    allow_inf_nan: bool = True


class Tag(NamedTuple):
    """Name of one of several types.

    Members:
        name
    """

    name: str


class Discriminator(NamedTuple):
    """Choice of one of several types that have tags.

    Members:
        tag_of: Value -> tag.
    """

    tag_of: Callable[[Any], str]


class WithJsonSchema(NamedTuple):
    """JSON Schema of a value of any type.

    Members:
        schema
    """

    schema: Mapping[str, Any]
