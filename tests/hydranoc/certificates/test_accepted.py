"""Certificates of sound networks are accepted, those of negative controls are refused or cannot be made."""

import ast
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from hydranoc import Design, load
from hydranoc.certificates.checker.theorems import THEOREMS
from hydranoc.certificates.writing import CHECKER, Certificate
from hydranoc.cli import run
from hydranoc.families.registry import FAMILIES
from tests.each import each
from tests.hydranoc.certificates.networks import EXAMPLES, NETWORKS, Certified, best_order, certified, named, verdict
from tests.sampled import sampled
from topology.common.channel_order import NoOrder
from topology.hypercube.deadlock import Waiting
from topology.hypercube.header_paths import HypercubePaths
from topology.min.deadlock import min_dependencies, min_evidence
from topology.spam.deadlock import spam_dependencies, spam_evidence
from topology.torus.deadlock import torus_dependencies

SOUND = [path.stem for path in sorted(EXAMPLES.glob("*.yaml")) if not path.name.startswith("deadlock-")]
MORE = [name for name in NETWORKS if "negative_control" not in NETWORKS[name]]


QUICK = ("harts", "parts", "registers", "balanced", "shared-escapes", "private")


@pytest.mark.parametrize("name", sampled([*SOUND, *MORE], QUICK))
def test_the_certificate_of_a_sound_network_is_accepted(name):
    code, line = verdict(certified(name))
    assert (code, line.partition(":")[0]) == (0, "accepted"), line


def test_every_family_has_a_theorem():
    assert set(THEOREMS) == set(FAMILIES)


def test_the_checker_imports_the_standard_library_and_itself_alone():
    own = {path.stem for path in CHECKER.glob("*.py")}
    for path in CHECKER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
                assert {name.split(".")[0] for name in names} <= own | set(sys.stdlib_module_names), path


def test_the_verb_writes_a_certificate_that_a_copy_of_the_checker_accepts(tmp_path, capsys):
    config, proof, digests = str(EXAMPLES / "harts.yaml"), tmp_path / "proof.json", tmp_path / "digests.json"
    assert run(["check", config, "--certificate", str(proof), "--digests", str(digests), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["certificate"]
    assert told["file"] == str(proof)
    assert told["verdict"].startswith("accepted: pages by levels; 152 channels")
    assert run(["verilog", config, "-o", str(tmp_path)]) == 0
    shutil.copytree(CHECKER, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-I", "copy", "manifest.json", "noc.v", "proof.json", "digests.json"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, told["verdict"])


STREAMS = [
    ("demo", {"axi_stream": "tuser", "clocks": "shared"}),
    ("ages", {"axi_stream": "tuser"}),
    ("min", {"axi_stream": "leading-word", "moved": False}),
    ("torus-lanes", {"axi_stream": "tdest", "clocks": "separate"}),
    ("shared-escapes", {"axi_stream": "tdest", "registers": True}),
    ("algorithm-a", {"axi_stream": "tuser", "top": "mesh"}),
    ("reception", {"axi_stream": "tuser", "clocks": "shared", "arrays": True}),
]


@pytest.mark.parametrize(
    ("name", "options"), [*STREAMS[:2], *(pytest.param(*case, marks=pytest.mark.slow) for case in STREAMS[2:])]
)
def test_certificates_for_other_ends_are_accepted(name, options):
    design = named(name)
    certificate = design.certificate(design.verilog(**options))
    assert certificate.text is not None, certificate.verdict


def test_the_verb_says_why_there_is_no_certificate(tmp_path, capsys):
    proof = tmp_path / "proof.json"
    assert run(["check", str(EXAMPLES / "deadlock-torus-one-lane.yaml"), "--certificate", str(proof)]) == 1
    said = capsys.readouterr().out
    assert f"certificate: NONE, and {proof} is not written: the dependencies between VCs have a cycle" in said
    assert not proof.exists()


def test_a_family_from_outside_has_no_theorem(monkeypatch):
    monkeypatch.delitem(THEOREMS, "harts")
    assert named("harts").certificate() == Certificate(None, "there is no theorem for family 'harts'")


@each(
    "arguments",
    ["", "manifest.json noc.v", "none noc.v noc.v noc.v", ". noc.v noc.v noc.v", "binary noc.v noc.v noc.v"],
)
def test_what_cannot_be_read_is_bad_input(arguments, tmp_path):
    (tmp_path / "binary").write_bytes(b"\xff\xfe\0")
    (tmp_path / "noc.v").write_text("")
    done = subprocess.run(
        [sys.executable, "-I", str(CHECKER), *arguments.split()],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(("usage: ", "cannot read: "))


def test_a_certificate_of_parallel_links_is_accepted(tmp_path):
    edges = "".join(f'<edge source="{a}" target="{b}"/>' for a, b in ("ab", "ab", "bc"))
    nodes = "".join(f'<node id="{name}"/>' for name in "abc")
    graph = f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">{nodes}{edges}'
    (tmp_path / "parallel.graphml").write_text(f"{graph}</graph></graphml>", encoding="utf-8")
    topology = {"file": str(tmp_path / "parallel.graphml"), "parallel_links": "channels"}
    certificate = load({"network": {"family": "spam", "topology": topology}}).certificate()
    assert certificate.text is not None, certificate.verdict


def vc_names(design: Design) -> list[str]:
    return [channel.name for channel in design.network.channels]


def torus(design: Design) -> dict[str, Any]:
    return {"order": best_order(vc_names(design), torus_dependencies(design.routing)[0])}


def hypercube(design: Design) -> dict[str, Any]:
    """Equivalent VCs side by side, and the existing escape channels."""
    paths = HypercubePaths(design.routing)
    waiting = Waiting(paths, design.model.vc_reallocation)
    names = vc_names(design)

    def alike(vcs):
        return [names[paths.shifted(vc, shift)] for vc in vcs for shift in paths.shifts]

    return {"escapes": alike(waiting.escape_vcs), "order": alike(waiting.graph)}


def spam_routing(design: Design) -> dict[str, Any]:
    """Certainly the branches are those of the tree; up links follow down links."""
    network, path = design.network, spam_dependencies(design.routing).path
    branches = [c.index for c in network.channels if design.routing.labels.channel_class[c.index] == 2]
    names = vc_names(design)
    into = {network.channels[branch].sink: names[branch] for branch in branches}
    nesting = {names[branch]: into.get(network.channels[branch].source) for branch in branches}
    return {"order": best_order(names, path), "nesting": nesting}


def without_tokens(design: Design) -> dict[str, Any]:
    return {"order": best_order(vc_names(design), min_dependencies(design.routing)[0]), "tokens": []}


def pages(design: Design) -> dict[str, Any]:
    sound = design.config.network_section.model_copy(update={"negative_control": None})
    return FAMILIES["harts"].evidence(sound, design.routing)


CONTROLS: list[tuple[str, Callable[[Design], dict[str, Any]], str]] = [
    ("deadlock-torus-one-lane", torus, "waits for s.*, which does not come later in the order"),
    ("deadlock-hypercube-adaptive-only", hypercube, "behind s.* a header may wait for s.*, which is not later"),
    ("deadlock-hypercube-wrong-escape", hypercube, "behind s.* a header may wait for s.*, which is not later"),
    ("deadlock-hypercube-tail", hypercube, "behind s.* a header may wait for s.*, which is not later"),
    ("deadlock-routing", spam_routing, "waits for s.*, which does not come later in the order"),
    (
        "deadlock-enqueue",
        lambda design: spam_evidence(design.routing),
        "noc_spam_router_p4 enters the requests of a header one by one, and not all at once",
    ),
    ("deadlock-token", without_tokens, "worms of several inputs may branch at s0_0 at a time: it has no token"),
    (
        "published-release",
        lambda design: min_evidence(design.routing, 1),
        "s0_0 gives the token on after 4 flits, and 5 are needed",
    ),
    ("deadlock-pages", pages, "router_s0 gives any page to packets of any level, which wait for each other's pages"),
]


@pytest.mark.parametrize(("name", "forged", "why"), CONTROLS, ids=[name for name, _, _ in CONTROLS])
def test_what_may_deadlock_gets_no_certificate(name, forged, why):
    design = named(name)
    with pytest.raises(NoOrder):
        design.family.evidence(design.config.network_section, design.routing)
    code, line = verdict(Certified(design.verilog().files, forged(design)))
    assert code == 1
    assert line.startswith("refused: ")
    assert re.search(why, line), line


def test_a_mesh_with_faults_gets_none():
    design = load({"network": {**NETWORKS["reception"], "faults": {"dead_links": [[0, 1]]}}})
    with pytest.raises(NoOrder, match="failed"):
        design.family.evidence(design.config.network_section, design.routing)
    forged = {"order": [f"level {level}" for level in range(design.routing.levels + 1)]}
    code, line = verdict(Certified(design.verilog().files, forged))
    assert (code, line) == (1, "refused: router_s0 has faults, so not everything can be delivered")
