"""Points that an interrupted sweep has kept count only with the files that its configuration named then."""

import importlib
import re
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import yaml

from hydranoc.sweeps.axes import parse_axis
from hydranoc.sweeps.measure import SweepSettings, measure
from hydranoc.sweeps.run import Sweep
from hydranoc.sweeps.workers import on_processes

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples"
OVER = "network.buffer_flits=2,4"
RANDOM = {"kind": "random", "cycles": 20_000, "messages_per_node_per_cycle": 0.002, "flits": 8}
LIST = {"kind": "list", "messages": [{"source": 0, "destinations": [3], "flits": 8}]}
RING = {"switches": 4, "edges": [[0, 1], [1, 2], [2, 3], [3, 0]], "processors": [0, 1, 2, 3]}
MESH = {"kind": "mesh", "shape": [2, 2]}
EDGES = "router 0 node 0 router 1\nrouter 1 node 1 router 2\nrouter 2 node 2 router 3\nrouter 3 node 3{}\n"
PATTERN = """
def chosen(network, source, generator):
    return (source + {}) % len(network.processors)
"""
ROUTING = """
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

def chosen(section, network):
    return SpamRouting(SpamLabels(network, {}), section.flit_bits)
"""
TABLES = "routing tables; made by the command"
NAMED = {
    "anynet": ({"topology": {"file": "it"}}, LIST, "it.anynet", EDGES.format(""), EDGES.format(" router 0")),
    "trace": ({"topology": MESH}, {"kind": "trace", "file": "it"}, "it.csv", "0,0,3,8\n", "0,0,3,9\n"),
    "tables": ({"topology": RING, "routing": "it"}, LIST, "it.csv", TABLES, TABLES),
    "pattern": ({"topology": MESH}, RANDOM | {"pattern": "it:chosen"}, "it.py", PATTERN.format(1), PATTERN.format(2)),
    "routing": (
        *({"topology": MESH, "routing": "it:chosen"}, LIST, "it.py"),
        *(ROUTING.format(root) for root in (0, 3)),
    ),
    "module": (
        *({"topology": MESH}, RANDOM | {"pattern": "{own}:chosen"}, "{own}.py"),
        *(PATTERN.format(step) for step in (1, 2)),
    ),
}
"""Network, traffic, name of a file, and its content: at first and later."""


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch, tmp_path):
    """Each test has caches of its own; modules of the test's own folder are found."""
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "cache"))
    sys.path.append(str(tmp_path))  # files that are put there meanwhile stay
    importlib.invalidate_caches()
    yield
    sys.path.remove(str(tmp_path))


@pytest.fixture(name="named", params=NAMED)
def _named(request, tmp_path):
    """A configuration, the file that it names, and another content of that."""
    network, traffic, name, first, later = NAMED[request.param]
    file = tmp_path / name.replace("{own}", f"own_{tmp_path.name}")
    text = yaml.safe_dump({"network": {"family": "spam", "flit_bits": 32} | network, "traffic": traffic})
    text = re.sub(r"\bit\b", file.name, text).replace("{own}", file.stem)
    config = tmp_path / "given.yaml"
    config.write_text(text)
    if first == TABLES:
        first, later = _two_tables(text, tmp_path)
    heading = "cycle,source,destinations,flits\n" if request.param == "trace" else ""
    file.write_text(heading + first)
    return config, file, heading + later


def _two_tables(text: str, folder: Path) -> tuple[str, str]:
    """The family's tables, and those with their rows in another order."""
    load = importlib.import_module("hydranoc").load
    content = yaml.safe_load(text)
    del content["network"]["routing"]
    load(content).write_tables(folder / "family.csv")
    heading, *rows = (folder / "family.csv").read_text().splitlines()
    return "\n".join([heading, *rows, ""]), "\n".join([heading, *reversed(rows), ""])


def _planned(config: Path) -> Sweep:
    return Sweep(config, [parse_axis(OVER)], SweepSettings(doublings=0))


def _run(planned: Sweep, points: int) -> None:
    """As far as some points."""

    def some(measure, tasks):
        return islice(on_processes(measure, tasks, processes=1), points)

    if points == len(planned.points):
        planned.run(some, lambda *_: None)
    else:
        with pytest.raises(KeyError):  # the table misses the others
            planned.run(some, lambda *_: None)


def test_kept_points_are_those_of_the_same_files(named):
    config, file, later = named
    first = file.read_text()
    _run(_planned(config), 1)
    assert len(_planned(config).kept) == 1
    file.write_text(later)
    assert len(_planned(config).kept) == 0, "what was measured with another file does not count"
    file.write_text(first)
    assert len(_planned(config).kept) == 0, "and is forgotten"


def test_a_changed_file_is_read_in_the_same_process(named, request):
    """Networks that a process keeps are those of the files as they are now, and so are modules from files."""
    config, file, later = named
    planned, kind = _planned(config), request.node.callspec.params["named"]
    before, mean = _routing(planned), _unicast_mean(planned)
    assert _routing(planned) is before
    file.write_text(later)
    if kind in ("anynet", "tables", "routing"):
        assert _routing(planned) is not before
    elif kind != "module":  # modules that Python itself caches
        assert _unicast_mean(planned) != mean


def _routing(planned: Sweep) -> Any:
    return planned.task(planned.points[0]).design().routing


def _unicast_mean(planned: Sweep) -> float:
    return measure(planned.task(planned.points[0]), planned.effort)["unicast_mean"]


def test_a_copy_of_the_configuration_elsewhere_has_its_own_files(tmp_path):
    for folder, flits in (("one", 8), ("two", 9)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "given.yaml").write_text((EXAMPLES / "trace.yaml").read_text())
        (tmp_path / folder / "trace.csv").write_text(f"cycle,source,destinations,flits\n0,0,3,{flits}\n")
    _run(_planned(tmp_path / "one" / "given.yaml"), 1)
    assert len(_planned(tmp_path / "two" / "given.yaml").kept) == 0


@pytest.mark.parametrize("folder", ["hydranoc/config", "hydranoc/families"])
def test_files_are_named_in_one_place(folder):
    """Code that looks up files beside the configuration on its own would be invisible to sweeps."""
    for path in (ROOT / folder).rglob("*.py"):
        if path.name != "source.py":
            assert "path.parent" not in path.read_text(), f"{path} must ask Source.files for the file"
