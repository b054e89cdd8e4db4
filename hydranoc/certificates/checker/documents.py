"""Strict reader of JSON: no key twice, no deep nesting, no huge numbers, and of a given shape."""

import json
import re

from refusal import Refused, demand

MAX_DEPTH = 16
MAX_DIGITS = 12
_STRING = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)', re.S)


def read_document(text, what):
    """Return a mapping from JSON."""
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
    """Compare documents, with 1, 1.0 and true distinct."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def demand_keys(mapping, needed, what, optional=()):
    """Check that a mapping has the needed keys, and no others but optional ones."""
    demand(isinstance(mapping, dict), f"{what} is no mapping")
    for key in needed:
        demand(key in mapping, f"{what} lacks {key!r}")
    for key in mapping:
        demand(key in needed or key in optional, f"{what} has a key that is unknown: {key!r}")


def demand_same(found, right, what):
    """Check that a part of a document has the right value; an error names the first key or item that differs."""
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
    """Check that a value is a whole number of at least 0, and return it."""
    if type(value) is not int or value < 0:
        raise Refused(f"{what} is {value!r}; it must be a number from 0 on")
    return value
