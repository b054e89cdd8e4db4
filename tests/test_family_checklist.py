"""Pieces of a family besides its class in the registry: docs/do/adding_a_family.md as a test, one line per piece."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from benchmarks.router_rows import ROWS
from benchmarks.workload import NETWORKS
from hydranoc.families.registry import FAMILIES
from hydranoc.studies.registry import REPRODUCTIONS

ROOT = Path(__file__).parent.parent

FILES = {
    "tables": "topology/{f}/routing.py",
    "static check for deadlock": "topology/{f}/deadlock.py",
    "check that everyone is reached": "topology/{f}/reachability.py",
    "state of the router in the model": "sim_model/{f}/state.py",
    "model": "sim_model/{f}/model.py",
    "description of a router for reports": "sim_model/{f}/describe.py",
    "closed forms": "hydranoc/studies/{f}/analytical.py",
    "shape of the router": "rtl/{f}/parameters.py",
    "router": "rtl/{f}/router.py",
    "hardware plan": "rtl/{f}/network.py",
    "family": "hydranoc/families/{f}/family.py",
    "tests of the tables": "tests/topology/test_{f}*.py",
    "tests of the model": "tests/sim_model/test_{f}*.py",
    "lock-step": "tests/tb/test_{f}_lockstep.py",
    "proofs": "tests/proofs/{f}*.py",
}
"""Pieces that are files; a pattern must match at least one."""


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("piece", FILES)
def test_piece_is_there(family, piece):
    pattern = FILES[piece].format(f=family)
    assert list(ROOT.glob(pattern)), f"{family} has no {piece}: {pattern} is missing"


def examples(family: str) -> Iterator[dict]:
    for path in sorted((ROOT / "examples").glob("*.yaml")):
        config = yaml.safe_load(path.read_text())
        if config["network"]["family"] == family:
            yield config["network"]


@pytest.mark.parametrize("family", FAMILIES)
def test_examples_show_the_family_and_how_it_deadlocks_without_its_rule(family):
    controls = ["negative_control" in network for network in examples(family)]
    assert False in controls, f"{family} has no example: examples/*.yaml"
    assert True in controls, f"{family} has no negative control: examples/deadlock-*.yaml"


@pytest.mark.parametrize("family", FAMILIES)
def test_benchmarks_have_a_network_and_routers_of_the_family(family):
    assert family in NETWORKS, f"{family} has no network in benchmarks/networks.yaml"
    assert family in ROWS, f"{family} has no rows in benchmarks/router_rows.py"
    entries = json.loads((ROOT / "benchmarks" / "baseline_fpga.json").read_text())["entries"]
    assert any(entry["family"] == family for entry in entries), f"{family} has no row in benchmarks/baseline_fpga.json"


@pytest.mark.parametrize("family", FAMILIES)
def test_documents_speak_of_the_family(family):
    title = FAMILIES[family].title.split(":")[0]
    assert f"| {title} |" in (ROOT / "README.md").read_text(), f"README's table of families has no row {title}"
    figures = "".join(path.read_text() for path in (ROOT / "docs" / "understand").glob("figures*.md"))
    for name in REPRODUCTIONS[family]:
        assert f"`{name}`" in figures, f"docs/understand/figures*.md do not speak of {name}"
