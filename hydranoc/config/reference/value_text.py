"""Allowed values in words, from a part of a JSON Schema."""

import re
from typing import Any

UNIONS = ("anyOf", "oneOf")
NAMES = {"integer": "whole number", "number": "number", "string": "text", "boolean": "`true` or `false`"}
LEAST, MOST = (
    {"minimum": "at least", "exclusiveMinimum": "more than"},
    {"maximum": "at most", "exclusiveMaximum": "less than"},
)


def value_text(value: dict[str, Any]) -> str:
    """Return a description such as "whole number, 1 to 16"."""
    if "$ref" in value:
        return "mapping"
    for kind in UNIONS:
        if kind in value:
            return " or ".join(dict.fromkeys(value_text(part) for part in value[kind] if part.get("type") != "null"))
    words = value.get("enum", [value["const"]] if "const" in value else [])
    if words:
        return " or ".join(f"`{word}`" for word in words)
    return _typed(value)


def choices_of(value: dict[str, Any]) -> list[str]:
    """Return the names of all sections that a part refers to, in its order."""
    found = [value["$ref"].rpartition("/")[2]] if "$ref" in value else []
    for kind in UNIONS:
        found += [name for part in value.get(kind, ()) for name in choices_of(part)]
    return found + (choices_of(value["items"]) if "items" in value else [])


def _typed(value: dict[str, Any]) -> str:
    kind = value["type"]
    if isinstance(kind, list):
        return " or ".join(NAMES[part] for part in kind if part != "null")
    if kind == "array":
        items = value_text(value["items"])
        items = re.sub("(whole number|mapping)(?!s)", r"\1s", re.sub("^(list|pair) of", r"\1s of", items))
        pair = value.get("minItems") == value.get("maxItems") == 2
        return f"{'pair' if pair else 'list'} of {items}"
    if kind == "object":
        return "mapping"
    return NAMES[kind] + _range(value)


def _range(value: dict[str, Any]) -> str:
    if "minimum" in value and "maximum" in value:
        return f", {value['minimum']} to {_short(value['maximum'])}"
    bounds = [f"{word} {_short(value[key])}" for key, word in (LEAST | MOST).items() if key in value]
    return f", {' and '.join(bounds)}" if bounds else ""


def _short(bound: float) -> str:
    """Return a bound as text, with long powers of two or ten as powers."""
    if isinstance(bound, int) and bound > 10**9:
        exponent = bound.bit_length() - 1
        return f"2^{exponent}" if bound == 1 << exponent else f"{bound:.0e}".replace("e+", "e")
    return str(bound)
