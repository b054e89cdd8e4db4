"""The JSON Schema of a configuration, and its reference page in Markdown with a table for every section."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import or_
from textwrap import fill
from typing import Any, Literal

from pydantic import BaseModel, Field, create_model

from hydranoc.config import schema
from hydranoc.config.hosts import Hosts
from hydranoc.config.load import ConfiguredFamily
from hydranoc.config.reference.examples import EXAMPLES
from hydranoc.config.schema.pydantic_models import pydantic_model

DIALECT = "https://json-schema.org/draft/2020-12/schema"
TITLE = "HydraNoC configuration"


def json_schema(families: Mapping[str, ConfiguredFamily], *, former: bool = True) -> dict[str, Any]:
    """Return the JSON Schema of the whole file, as plain values.

    Parameters:
        families (mapping of str to ConfiguredFamily): Allowed values of ``family``.
        former: Accept former names of keys and values too, as deprecated ones.
    """
    networks = [_network(name, family) for name, family in families.items()]
    fields: dict[str, Any] = {
        "network": (_any(networks), Field(discriminator="family")),
        "traffic": (
            _any([*map(pydantic_model, dict.fromkeys(schema.TRAFFICS.values())), None]),
            Field(None, discriminator="kind"),
        ),
        "hosts": (_any([pydantic_model(Hosts), None]), None),
        "axi4": (_any([pydantic_model(schema.Axi4), None]), None),
    }
    whole = create_model("Configuration", __base__=pydantic_model(schema.Configuration), **fields)
    content = {"$schema": DIALECT, **whole.model_json_schema(), "title": TITLE}
    if former:
        for definition in content["$defs"].values():
            properties = definition.get("properties", {})
            name = properties.get("family", {}).get("const")
            if name is not None:
                _add_former(properties, families[name].network_section)
    return content


def _add_former(properties: dict[str, Any], section: type[schema.NetworkSection]) -> None:
    """Add former values and keys to a section's properties, marked as deprecated."""
    for key, values in section.FORMER_VALUES.items():
        value = properties.get(key)
        if value is not None:
            about = {name: value.pop(name) for name in ("description", "default") if name in value}
            former = {"enum": list(values), "deprecated": True}
            properties[key] = {"anyOf": [*value.get("anyOf", [value]), former], **about}
    for former, key in section.FORMER_KEYS.items():
        properties[former] = {
            **{name: part for name, part in properties[key].items() if name != "default"},
            "description": f"Former name of ``{key}``.",
            "deprecated": True,
        }


def _network(name: str, family: ConfiguredFamily) -> type[BaseModel]:
    """Return the section of a family with its name and topologies, and with keys fixed at defaults as constants."""
    section = family.network_section
    fields: dict[str, Any] = {
        "family": (Literal[name], ...),
        "topology": (_any(map(pydantic_model, section.TOPOLOGIES)), ...),
    }
    for key in section.FIXED_KEYS:
        default = section.model_fields[key].default
        fields[key] = (Literal[default], default)
    return create_model(section.__name__, __base__=pydantic_model(section), __doc__=family.title, **fields)


def _any(kinds: Iterable[Any]) -> Any:
    return reduce(or_, kinds)


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


COLUMNS = 120
INTRODUCTION = """\
Every key of a configuration. The page is generated from the schema that validates configurations:
`hydranoc schema --markdown` prints it, and `hydranoc schema` prints a JSON Schema for completion and help in editors
(`hydranoc init` sets that up for a first configuration). Unknown keys are refused, with their line.

Required keys must be given; all others may be left out, and then have the default in the table. Topics such as
multicasts or AXI4-Stream ends have pages of their own, listed in features.md. Below each table is an example.
"""
HEAD = ("key", "value", "default", "unit", "meaning")


def reference_page(schema: dict[str, Any]) -> str:
    """Return the page, wrapped at 120 columns but for its tables.

    Parameters:
        schema: From ``json_schema``.
    """
    lines = ["# Reference of the configuration", "", INTRODUCTION, *_Page(schema).lines()]
    return "\n".join(lines).rstrip() + "\n"


class _Page:
    def __init__(self, schema: dict[str, Any]):
        self.schema = schema
        self.sections: dict[str, Any] = schema["$defs"]
        self.networks = self._choices("network", "family")
        self.traffics = self._choices("traffic", "kind")

    def _choices(self, key: str, tag: str) -> dict[str, Any]:
        """Return the sections of a key by the value of their own key ``tag``, in the order of the schema."""
        found = [self.sections[name] for name in choices_of(self.schema["properties"][key])]
        return {section["properties"][tag]["const"]: section for section in found}

    def lines(self) -> Iterator[str]:
        yield from self._section("The file", self.schema, "")
        yield from self._networks()
        yield from self._topologies()
        for kind, section in self.traffics.items():
            yield from self._section(f"`traffic` of kind `{kind}`", section, section["description"])
        yield from self._parts("traffic", self.traffics.values())
        for key, name in (("hosts", "Hosts"), ("axi4", "Axi4")):
            section = self.sections[name]
            yield from self._section(f"`{key}`", section, section["description"])
            yield from self._parts(key, [section])

    def _section(self, title: str, section: dict[str, Any], text: str) -> Iterator[str]:
        yield from _heading(title, text)
        required = section.get("required", ())
        keys = sorted(section["properties"], key=lambda key: (key != "kind", key not in required))
        yield from _table(HEAD, ((_code(key), *_cells(section, key)) for key in keys))
        yield from self._examples([section])

    def _examples(self, sections: Iterable[dict[str, Any]]) -> Iterator[str]:
        """Yield the examples of sections; those of families from outside have none."""
        names = [name for section in sections for name, one in self.sections.items() if one is section]
        examples = [EXAMPLES[name] for name in names if name in EXAMPLES]
        if examples:
            yield from ("```yaml", *examples, "```", "")

    def _networks(self) -> Iterator[str]:
        """Yield the keys of all families in one table, with a row for each meaning of a key."""
        rows: dict[tuple[str, ...], list[str]] = {}
        for family, section in self.networks.items():
            for key in section["properties"].keys() - {"family", "topology"}:
                rows.setdefault((key, *_cells(section, key)), []).append(family)
        first = {row: self._place(row[0], families) for row, families in rows.items()}
        yield from _heading("`network`", "`family` and `topology` are needed; all other keys have a default.")
        yield from _table(("`family`", "what it is"), ((_code(f), s["description"]) for f, s in self.networks.items()))
        yield from _table(
            (HEAD[0], "families", *HEAD[1:]),
            ((_code(row[0]), self._families(rows[row]), *row[1:]) for row in sorted(rows, key=lambda row: first[row])),
        )
        yield from self._examples(self.networks.values())
        yield from self._parts("network", self.networks.values(), besides="topology")

    def _place(self, key: str, families: list[str]) -> tuple[int, int]:
        """Return the sort key of a row: key in the order of the schema, then family."""
        keys = list(dict.fromkeys(key for section in self.networks.values() for key in section["properties"]))
        return keys.index(key), list(self.networks).index(families[0])

    def _families(self, names: list[str]) -> str:
        return "all" if len(names) == len(self.networks) else ", ".join(names)

    def _topologies(self) -> Iterator[str]:
        families: dict[str, list[str]] = {}
        for family, section in self.networks.items():
            for name in choices_of(section["properties"]["topology"]):
                families.setdefault(name, []).append(family)
        for name, takers in families.items():
            section = self.sections[name]
            kinds = section["properties"].get("kind")
            which = f"of kind {value_text(kinds)}" if kinds else f"with `{section['required'][-1]}`"
            text = f"{section['description']} Family {', '.join(takers)}."
            yield from self._section(f"`network.topology` {which}", section, text)

    def _parts(self, path: str, sections: Iterable[dict[str, Any]], besides: str = "") -> Iterator[str]:
        """Yield tables of the mappings inside sections, each once."""
        parts: dict[tuple[str, str], dict[str, Any]] = {}
        for section in sections:
            for key, value in section["properties"].items():
                for name in choices_of(value) if key != besides else ():
                    parts.setdefault((key, name), value)
        for (key, name), value in parts.items():
            part = self.sections[name]
            yield from self._section(f"`{path}.{key}`{_which(value, part)}", part, part["description"])


def _which(value: dict[str, Any], part: dict[str, Any]) -> str:
    """Return which value of a key a part describes."""
    if any(one.get("type") == "array" for one in (value, *value.get("anyOf", ()))):
        return ", each"
    kind = part["properties"].get("kind", {}).get("const")
    return f" of kind `{kind}`" if kind else " as a mapping"


def _cells(section: dict[str, Any], key: str) -> tuple[str, str, str, str]:
    """Return value, default, unit and meaning of a key."""
    value = section["properties"][key]
    default = "**needed**" if key in section.get("required", ()) else _default(value.get("default"))
    return value_text(value), default, value.get("unit", ""), value["description"]


def _default(value: Any) -> str:
    empty = value is None or value == [] or (isinstance(value, dict) and not any(value.values()))
    return "nothing" if empty else _code(value if isinstance(value, str) else json.dumps(value))


def _code(text: str) -> str:
    return f"`{text}`"


def _heading(title: str, text: str) -> Iterator[str]:
    yield from (f"## {title}", "")
    if text:
        yield from (fill(text.replace("``", "`"), COLUMNS), "")


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    head = list(head)
    yield from (_row(head), _row("---" for _ in head))
    yield from map(_row, rows)
    yield ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |".replace("``", "`")
