"""The JSON Schema of configurations and the page of reference: complete, correct, and equal to the command's output."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import fastjsonschema
import pytest

from hydranoc import ConfigError, load
from hydranoc.cli import run
from hydranoc.config.reference.examples import EXAMPLES as SECTION_EXAMPLES
from hydranoc.config.reference.page import json_schema, reference_page
from hydranoc.config.schema import Section
from hydranoc.config.yaml_values import YamlValues
from hydranoc.families.registry import FAMILIES
from tests.each import each

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").rglob("*.yaml"))
PAGE = ROOT / "docs" / "look_up" / "configuration.md"
TOPOLOGIES = {
    "Lattice": "{kind: lattice, switches: 4}",
    "Irregular": "{kind: irregular, switches: 4}",
    "Grid": "{kind: torus, shape: [3, 3]}",
    "Hypercube": "{kind: hypercube, dimensions: 2, processors_per_switch: 1}",
    "Tree": "{kind: tree, arity: 2, levels: 3}",
    "Ring": "{kind: ring, switches: 4}",
    "FileTopology": "{file: net.edges}",
    "InlineTopology": "{switches: 2, edges: [[0, 1]]}",
    "Multistage": "{kind: omega, stages: 2}",
    "HexagonalMesh": "{kind: hexmesh, size: 2}",
    "RowsAndColumns": "{kind: torus, rows: 3, columns: 3}",
    "DimensionsTopology": "{kind: hypercube, dimensions: 2}",
}
OTHERS = {"routing_cycles": "2", "link_cycles": "2", "tables": "loadable"}
"""Keys that some families take with their default alone, and a value besides it."""


@pytest.fixture(scope="module")
def schema():
    return json_schema(FAMILIES)


@pytest.fixture(scope="module")
def is_valid(schema):
    validate = fastjsonschema.compile(schema, use_default=False)  # a section that does not fit would add its own

    def check(text: str) -> bool:
        try:
            validate(YamlValues(text).data)
        except fastjsonschema.JsonSchemaException:
            return False
        return True

    return check


def _sections(base: type[Section] = Section):
    for section in base.__subclasses__():
        yield section
        yield from _sections(section)


def _undescribed(section: type[Section]) -> list[str]:
    properties = section.model_json_schema().get("properties", {})
    return [key for key, value in properties.items() if "description" not in value]


def test_every_key_is_described():
    sections = [section for section in _sections() if section.__module__.startswith("hydranoc.")]
    assert len(sections) > 30
    assert {section.__name__: _undescribed(section) for section in sections if _undescribed(section)} == {}


def test_every_key_of_every_section_is_on_the_page(schema):
    """A section that no union names would be missing from schema and page alike."""
    page = reference_page(schema)
    used = set(schema["$defs"]) | {"Configuration"}
    bases = {
        "NetworkSection",
        "Topology",
        "Traffic",
        "NamedTraffic",
        "ProgramTraffic",
        "RoutedSection",
        "VcSection",
        "CollectiveKeys",
    }
    for section in _sections():
        if section.__module__.startswith("hydranoc."):
            assert section.__name__ in used | bases
            assert [key for key in section.model_fields if f"`{key}`" not in page] == []


WHOLE_EXAMPLES = (
    *("ListedMessage", "BlockedReceiver", "CollectiveOperation", "Axi4Region", "Axi4Window"),
    "Axi4Transaction",
)
"""Sections whose examples have no key of their own."""


def test_every_section_has_an_example_that_it_allows(schema):
    assert schema["$defs"].keys() == SECTION_EXAMPLES.keys()
    for name, example in SECTION_EXAMPLES.items():
        value = YamlValues(example).data
        whole = name in WHOLE_EXAMPLES
        section = {"$defs": schema["$defs"], "$ref": f"#/$defs/{name}"}
        fastjsonschema.compile(section)(value if whole else next(iter(value.values())))


def test_the_page_in_the_documents_is_what_the_command_prints(capsys):
    assert run(["schema", "--markdown"]) == 0
    assert capsys.readouterr().out == PAGE.read_text(), "hydranoc schema --markdown -o docs/look_up/configuration.md"


def test_the_command_prints_the_schema_or_writes_it(schema, tmp_path, capsys):
    assert run(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == schema
    assert run(["schema", "-o", str(tmp_path / "s.json")]) == 0
    assert json.loads((tmp_path / "s.json").read_text()) == schema
    (tmp_path / "folder").mkdir()
    assert run(["schema", "-o", str(tmp_path / "folder")]) == 2
    assert capsys.readouterr().err == f"error: {tmp_path}/folder: cannot write results: is a directory\n"


@each("path", EXAMPLES)
def test_editors_find_nothing_wrong_in_examples(path, is_valid):
    assert is_valid(path.read_text())


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("flit_bits: 32", "flit_bitz: 32"),
        ("flit_bits: 32", "flit_bits: 7"),
        ("family: spam", "family: spm"),
        ("kind: lattice", "kind: omega"),
        ("seed: 6", "sed: 6"),
        ("kind: random", "kind: trace"),
        ("flits: 32", ""),
        ("traffic:", "trafic:"),
        ("multicast_fraction: 0.1", "multicast_fraction: 1.1"),
    ],
)
def test_editors_mark_what_is_wrong(right, wrong, is_valid, tmp_path):
    text = (ROOT / "examples" / "demo.yaml").read_text()
    assert right in text
    (tmp_path / "c.yaml").write_text(text.replace(right, wrong))
    assert not is_valid(text.replace(right, wrong))
    with pytest.raises(ConfigError):
        _ = load(tmp_path / "c.yaml").routing


def _network(tmp_path, family: str, topology: str, more: str = "") -> str:
    (tmp_path / "net.edges").write_text("a b\nb c\n")
    text = f"network:\n  family: {family}\n  topology: {topology}\n{more}"
    (tmp_path / "c.yaml").write_text(text)
    return text


def _is_taken(path: Path) -> bool:
    try:
        _ = load(path).routing
    except ConfigError:
        return False
    return True


@each("family", FAMILIES)
@each("topology", TOPOLOGIES)
def test_families_take_the_topologies_that_their_sections_name(family, topology, tmp_path, is_valid):
    """The other way round, a hypercube for SPAM may look like one for hypercubes."""
    text = _network(tmp_path, family, TOPOLOGIES[topology])
    assert _is_taken(tmp_path / "c.yaml") == is_valid(text)
    names = {section.__name__ for section in FAMILIES[family].network_section.TOPOLOGIES}
    assert is_valid(text) or topology not in names


@each("family", FAMILIES)
@each("key", OTHERS)
def test_families_take_some_keys_with_their_default_alone(family, key, tmp_path, is_valid):
    section = FAMILIES[family].network_section
    text = _network(tmp_path, family, TOPOLOGIES[section.TOPOLOGIES[0].__name__], f"  {key}: {OTHERS[key]}\n")
    assert set(section.FIXED_KEYS) <= set(OTHERS)
    assert _is_taken(tmp_path / "c.yaml") == is_valid(text) == (key not in section.FIXED_KEYS)


def _former() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield family, keys by their former names, and the same keys by their present names."""
    for name, family in FAMILIES.items():
        section = family.network_section
        for key, values in section.FORMER_VALUES.items():
            if key in section.model_fields:
                allowed = get_args(section.model_fields[key].annotation)
                for former, present in values.items():
                    if present in str(allowed):
                        keys = [key, *(old for old, new in section.FORMER_KEYS.items() if new == key)]
                        yield from ((name, {one: former}, {key: present}) for one in keys)
        for former, key in section.FORMER_KEYS.items():
            yield name, {former: section.model_fields[key].default}, {key: section.model_fields[key].default}


SMALL = {
    "torus": {"kind": "torus", "rows": 3, "columns": 3},
    "hypercube": {"kind": "hypercube", "dimensions": 2},
    "min": {"kind": "baseline", "radix": 2, "stages": 2},
}


@each("family, former, present", list(_former()))
def test_former_names_give_the_same_network(family, former, present, tmp_path, capsys):
    network = {"family": family, "topology": SMALL[family]}
    old, new = (load({"network": network | keys}) for keys in (former, present))
    assert old.config.network_section == new.config.network_section
    assert old.plan.parameters == new.plan.parameters
    assert set(old.config.source.data["network"]) == set(new.config.source.data["network"])
    accepts = fastjsonschema.compile(json_schema(FAMILIES), use_default=False)
    accepts({"network": network | former})
    path = tmp_path / "c.yaml"
    path.write_text(json.dumps({"network": network | former}))
    run(["check", str(path), "--json"])
    said = capsys.readouterr()
    assert [line.partition(": network.")[0] for line in said.err.splitlines()] == [str(path)]
    assert " is now " in said.err
    json.loads(said.out)
