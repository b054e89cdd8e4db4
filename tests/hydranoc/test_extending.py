"""Patterns, topologies, routings and families from a package outside, found by its entry points."""

import importlib
import json
import os
import pickle
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from hydranoc import load
from hydranoc.config import extensions
from hydranoc.config.reference.page import json_schema
from hydranoc.errors import ConfigError
from hydranoc.families.registry import FAMILIES, OWN_FAMILIES
from tests.each import each
from tests.hydranoc.shells import python

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "do" / "extending.md").read_text()
(EXAMPLE,) = re.findall(r"```yaml\n(.*?)```", PAGE, flags=re.DOTALL)
(MINE,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
(ENTRY_POINTS,) = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
FAMILY = """
from hydranoc.families.spam.family import SpamFamily

class MyFamily(SpamFamily):
    name = "my-family"
    title = "SPAM from outside"

FAMILY = MyFamily()
WRONG = 7
"""
MORE = """
broken = "my_package.missing:anything"
"""
CONFIGURATION = (
    EXAMPLE.replace("family: spam", "family: my-family")
    .replace("mine.py:wheel", "wheel")
    .replace("mine.py:lowest_port", "lowest-port")
    .replace("mine.py:next_spoke", "next-spoke")
)


@pytest.fixture(name="package")
def installed_package(tmp_path, monkeypatch):
    """A folder on the path with a package, as an installer leaves it there."""
    site = tmp_path / "site"
    info = site / "my_package-1.0.dist-info"
    (site / "my_package").mkdir(parents=True)
    info.mkdir()
    (site / "my_package" / "__init__.py").write_text("")
    (site / "my_package" / "mine.py").write_text(MINE)
    (site / "my_package" / "family.py").write_text(FAMILY)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    points = re.sub(r'\[project.entry-points."(.*)"\]', r"[\1]", ENTRY_POINTS).replace('"', "")
    (info / "entry_points.txt").write_text(points + "wrong = my_package.family:WRONG\n" + MORE.replace('"', ""))
    monkeypatch.syspath_prepend(site)
    importlib.invalidate_caches()
    extensions.found.cache_clear()
    yield site
    extensions.found.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "my_package"]:
        del sys.modules[name]


def configured(folder, text):
    path = folder / "outside.yaml"
    path.write_text(text)
    return load(path)


def assert_all_from_outside(design):
    assert design.network.switches == 9
    assert len(design.network.processors) == 8
    assert type(design.routing).__name__ == "LowestPort"
    assert (np.bitwise_count(design.routing.routes.astype(np.uint64)) <= 1).all()
    assert design.check().right
    unicasts = design.messages.destination_counts == 1
    source, destination = design.messages.source[unicasts], design.messages.destinations[design.messages.offsets[:-1]]
    assert set(((destination[unicasts] - source) % 8).tolist()) == {1, 2}
    assert design.simulate().right
    assert len(design.verilog().files) > 0


@pytest.mark.usefixtures("package")
def test_a_package_adds_a_pattern_a_topology_a_routing_and_a_family(tmp_path):
    design = configured(tmp_path, CONFIGURATION)
    assert design.family.title == "SPAM from outside"
    assert_all_from_outside(design)
    assert {"my-family", *OWN_FAMILIES} <= set(FAMILIES)


def test_a_file_beside_the_configuration_does_as_well(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    design = configured(tmp_path, EXAMPLE)
    assert design.family is FAMILIES["spam"]
    assert_all_from_outside(design)


def test_what_a_file_makes_can_be_sent_to_other_processes(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    design = configured(tmp_path, EXAMPLE)
    (tmp_path / "routing.pickle").write_bytes(pickle.dumps(design.routing))
    command = f"import pickle; r = pickle.load(open({str(tmp_path / 'routing.pickle')!r}, 'rb')); print(r.routes.sum())"
    done = python("-c", command, PYTHONPATH=os.pathsep.join(sys.path))
    assert int(done.stdout) == design.routing.routes.sum()


def test_hardware_and_model_agree_on_tables_from_outside(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    compared = configured(tmp_path, EXAMPLE).compare("icarus", tmp_path)
    assert compared.outcome.figures["mismatches"] == 0
    assert compared.outcome.right


def test_the_command_finds_what_a_package_adds(package, tmp_path):
    (tmp_path / "outside.yaml").write_text(CONFIGURATION)
    path = os.pathsep.join([str(package), str(ROOT)])
    done = python("-m", "hydranoc", "check", tmp_path / "outside.yaml", folder=tmp_path, PYTHONPATH=path)
    assert done.returncode == 0, done.stderr  # although a family of that package does not load


MINE_MODULE = "my_package.mine"
WRONG = [
    ("kind: wheel", "kind: whel", r"3: network.topology.kind is 'whel'; it must be .*, hexmesh or wheel; did you mean"),
    ("spokes: 8", "spikes: 8", "3: unknown key 'spikes' in network.topology; did you mean 'spokes'?"),
    (", spokes: 8", "", "3: key 'spokes' is missing in network.topology"),
    ("spokes: 8", "spokes: 0", "3: A network must have at least 1 processor, not 0"),
    ("spokes: 8", "spokes: x", "3: network.topology.kind: 'wheel' fails: TypeError: "),
    (
        "lowest-port",
        "lowest",
        "4: network.routing is 'lowest'; it must be lowest-port or MODULE:FUNCTION; did you mean",
    ),
    ("lowest-port", f"{MINE_MODULE}:none", f"4: network.routing: '{MINE_MODULE}' must have a function 'none'"),
    ("lowest-port", "builtins:max", "4: network.routing: 'builtins:max' fails: TypeError"),
    ("lowest-port", "operator:is_", "4: network.routing: 'operator:is_' must give tables with network, header, header"),
    (
        "kind: wheel, spokes: 8",
        "kind: 'builtins:dict'",
        "3: network.topology.kind: 'builtins:dict' must give a Channel",
    ),
    ("my-family", "broken", "2: network.family: 'broken' of package 'my-package' cannot be loaded: ModuleNotFoundErr"),
    ("my-family", "wrong", "2: network.family: 'wrong' in group hydranoc.families is 7; it must be a Family"),
    (
        "next-spoke",
        "next-spokes",
        "9: traffic.pattern is 'next-spokes'; it must be uniform, .*, next-spoke or MODULE:FUNCTION",
    ),
]


@pytest.mark.usefixtures("package")
@each("old, new, problem", WRONG)
def test_what_is_wrong_from_outside_is_one_line(tmp_path, old, new, problem):
    with pytest.raises(ConfigError) as caught:
        _ = configured(tmp_path, CONFIGURATION.replace(old, new)).messages
    assert re.match(rf"{re.escape(str(tmp_path))}/outside.yaml:{problem}", str(caught.value)), str(caught.value)


def test_names_of_the_project_keep_their_meaning(package, tmp_path):
    info = package / "my_package-1.0.dist-info" / "entry_points.txt"
    info.write_text(info.read_text().replace("my-family =", "spam =").replace("wheel =", "mesh ="))
    extensions.found.cache_clear()
    assert FAMILIES["spam"] is OWN_FAMILIES["spam"]
    network = "network: {family: spam, topology: {kind: mesh, shape: [2, 2]}}\n"
    assert configured(tmp_path, network).network.switches == 4


def test_the_schema_has_families_from_outside_too(package):
    info = package / "my_package-1.0.dist-info" / "entry_points.txt"
    with pytest.raises(ConfigError, match="'broken' of package 'my-package' cannot be loaded"):
        json_schema(FAMILIES)
    info.write_text("".join(line for line in info.read_text().splitlines(True) if not re.match("broken|wrong", line)))
    extensions.found.cache_clear()
    words = json.dumps(json_schema(FAMILIES))
    assert '"const": "my-family"' in words
    assert '"const": "spam"' in words
