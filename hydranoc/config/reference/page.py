"""The reference page of the configuration, in Markdown: a table for every section, from the JSON Schema."""

import json
from collections.abc import Iterable, Iterator
from textwrap import fill
from typing import Any

from hydranoc.config.reference.examples import EXAMPLES
from hydranoc.config.reference.value_text import choices_of, value_text

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

    Parameters
    ----------
    schema : dict
        From ``json_schema``.
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
        hosts = self.sections["Hosts"]
        yield from self._section("`hosts`", hosts, hosts["description"])
        yield from self._parts("hosts", [hosts])

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
        """Yield tables of the mappings inside sections."""
        for section in sections:
            for key, value in section["properties"].items():
                for name in choices_of(value) if key != besides else ():
                    part = self.sections[name]
                    yield from self._section(f"`{path}.{key}`{_which(value, part)}", part, part["description"])


def _which(value: dict[str, Any], part: dict[str, Any]) -> str:
    """Return which value of a key a part describes."""
    if value.get("type") == "array":
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
