"""A commented configuration: every key that a family takes, with its meaning; those left out as comments."""

import json
from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any

from hydranoc.config.first import FirstConfiguration
from hydranoc.config.reference.page import value_text

COLUMNS = 100
INDENT = "  "
HEAD = """\
# yaml-language-server: $schema={schema}
#
# A network for HydraNoC, and its traffic. Try:
#   hydranoc check {name}      proves reachability and freedom from deadlock
#   hydranoc draw {name}       a picture of it
#   hydranoc model {name}      simulates the traffic
#   hydranoc verilog {name}    the network as Verilog
#   hydranoc compare {name}    Verilog and simulation side by side, in every cycle
#
# Keys behind a # without a blank are at their defaults, which are shown.
# Editors with the language server for YAML complete keys from {schema}.
"""


def commented_configuration(
    schema: Mapping[str, Any], family: str, first: FirstConfiguration, names: Mapping[str, str]
) -> str:
    """Return the YAML text of a first configuration.

    Parameters:
        schema: From ``json_schema``.
        first: Keys with values.
        names (mapping of str to str): Names of the files: ``name`` of this one, ``schema`` of the JSON Schema.
    """
    sections = schema["$defs"].values()
    network = _section(sections, "family", family)
    traffic = _section(sections, "kind", first.traffic["kind"])
    given = {"family": family, "topology": first.topology}
    lines = [HEAD.format(**names)]
    lines += _mapping("network", schema, network, given)
    lines += ["", *_mapping("traffic", schema, traffic, first.traffic)]
    lines += ["", *_mapping("hosts", schema, schema["$defs"]["Hosts"], {})]
    return "\n".join(lines) + "\n"


def _section(sections: Any, key: str, value: str) -> dict[str, Any]:
    return next(section for section in sections if section["properties"].get(key, {}).get("const") == value)


def _mapping(key: str, schema: Mapping[str, Any], section: dict[str, Any], given: Mapping[str, Any]) -> Iterator[str]:
    yield from _comment(schema["properties"][key]["description"], "")
    yield f"{key}:" if given else f"#{key}:"
    for name in (*given, *(name for name in section["properties"] if name not in given)):
        value = section["properties"][name]
        yield from _comment(f"{value['description']} ({_kind(name, value)})", INDENT)
        yield (
            _entry(name, value.get("default"), INDENT + "#") if name not in given else _entry(name, given[name], INDENT)
        )


def _kind(name: str, value: dict[str, Any]) -> str:
    """Return the allowed values; mappings refer to the page of reference."""
    text = value_text(value)
    return "a mapping" if name == "topology" else text.replace("`", "")


def _comment(text: str, indent: str) -> Iterator[str]:
    for line in wrap(text.replace("``", ""), COLUMNS - len(indent) - 2, break_on_hyphens=False):
        yield f"{indent}# {line}"


def _entry(name: str, value: Any, start: str) -> str:
    return f"{start}{name}:" if value is None else f"{start}{name}: {_flow(value)}"


def _flow(value: Any) -> str:
    """Return a value as YAML on one line; words need no quotes."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(part)}" for key, part in value.items()) + "}"
    return value if isinstance(value, str) else json.dumps(value)
