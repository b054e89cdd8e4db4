"""Descriptions of the keys of a configuration, from the docstrings of the classes of ``schema``."""

import inspect
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

MEMBERS = "Members:\n"
UNITS = {
    "bits": "bits",
    "bytes": "bytes",
    "cycle": "cycles",
    "cycles": "cycles",
    "flits": "flits",
    "frames": "frames",
}
"""Unit of a key by the last word of its name."""
RATE, RATE_UNIT = "messages_per_node_per_cycle", "messages per node and cycle"


def unit_of(key: str) -> str | None:
    """Return the unit of a key's value, the last word of its name; None if it has none."""
    return RATE_UNIT if key == RATE else UNITS.get(key.rpartition("_")[2])


def summary_of(model: type) -> str:
    """Return the docstring of a class up to its members, as one line; that of its base class if it has none."""
    texts = (_docstring(part) for part in model.__mro__)
    return " ".join(next(filter(None, texts)).partition(MEMBERS)[0].split())


def descriptions_of(model: type) -> dict[str, str]:
    """Return descriptions by member of a class and its base classes, each as one line."""
    found: dict[str, str] = {}
    for part in reversed(model.__mro__):
        found |= _members(_docstring(part).partition(MEMBERS)[2])
    return found


def described(
    model: "type[BaseModel]", core_schema: "CoreSchema", handler: "GetJsonSchemaHandler"
) -> "JsonSchemaValue":
    """Return pydantic's JSON Schema of a class, with description and ``unit`` of every key, without titles."""
    schema = handler(core_schema)
    content = handler.resolve_ref_schema(schema)
    content["description"] = summary_of(model)
    words = descriptions_of(model)
    for key, value in content.get("properties", {}).items():
        value.pop("title", None)
        value |= _extra(key, words.get(key))
    return schema


def _extra(key: str, description: str | None) -> dict[str, Any]:
    extra = {"description": description, "unit": unit_of(key)}
    return {name: value for name, value in extra.items() if value is not None}


def _docstring(model: type) -> str:
    return inspect.cleandoc(model.__dict__.get("__doc__") or "")


def _members(text: str) -> dict[str, str]:
    """Return the text behind each ``names (type):``, continued in lines that are indented more."""
    found: dict[str, str] = {}
    for head, rest in re.findall(r"^ {4}(\w.*?)(?: \(.*?\))?: (.*(?:\n {8}.*)*)", text, re.M):
        found |= dict.fromkeys(head.split(", "), " ".join(rest.split()))
    return found
