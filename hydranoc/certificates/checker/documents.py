"""Reads JSON strictly: no key twice, no deep nesting, no huge numbers, and of a shape that is given."""

import json
import re

from refusal import Refused, demand

MAX_DEPTH = 16
MAX_DIGITS = 12
_STRING = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)', re.S)


def read_document(text, what):
    """A mapping from JSON."""
    depth = 0
    for bracket in re.findall(r"[\[\]{}]", _STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        demand(depth <= MAX_DEPTH, f"{what} nests more than {MAX_DEPTH} brackets")
    try:
        document = json.loads(
            text, object_pairs_hook=_mapping, parse_int=_integer, parse_float=_no_number, parse_constant=_no_number
        )
    except ValueError as error:
        raise Refused(f"{what} is no JSON: {error}") from None
    demand(isinstance(document, dict), f"{what} is no mapping")
    return document


def _mapping(pairs):
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for place, key in enumerate(keys) if key in keys[:place])
        raise Refused(f"{twice} is twice in a mapping")
    return mapping


def _integer(digits):
    demand(len(digits) <= MAX_DIGITS, f"a number has {len(digits)} digits; at most {MAX_DIGITS} are read")
    return int(digits)


def _no_number(text):
    raise Refused(f"{text[:40]} is no integer")


def same(one, other):
    """Equality of documents in which 1, 1.0 and true differ."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def demand_keys(mapping, needed, what, optional=()):
    """A mapping has the needed keys, and besides them optional ones alone."""
    demand(isinstance(mapping, dict), f"{what} is no mapping")
    for key in needed:
        demand(key in mapping, f"{what} lacks {key!r}")
    for key in mapping:
        demand(key in needed or key in optional, f"{what} has a key that is unknown: {key!r}")


def demand_same(found, right, what):
    """A part of a document is what it must be; the first key or item that differs is named."""
    if same(found, right):
        return
    if isinstance(found, dict) and isinstance(right, dict):
        demand_keys(found, right, what)
        for key in right:
            demand_same(found[key], right[key], f"{key} of {what}")
    elif isinstance(found, list) and isinstance(right, list) and len(found) == len(right):
        for place, (one, other) in enumerate(zip(found, right, strict=True)):
            demand_same(one, other, f"item {place} of {what}")
    else:
        raise Refused(f"{what} is {json.dumps(found)[:120]}; it must be {json.dumps(right)[:120]}")


def natural(value, what):
    """A number from 0 on."""
    if type(value) is not int or value < 0:
        raise Refused(f"{what} is {value!r}; it must be a number from 0 on")
    return value
