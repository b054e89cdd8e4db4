"""Generated networks with certificates, and the program that checks them, run as a user runs it."""

import json
import subprocess
import sys
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx

from hydranoc import Design, load
from hydranoc.certificates.writing import CHECKER, certificate_text, digests_text

EXAMPLES = Path(__file__).parents[3] / "examples"
NETWORKS: dict[str, dict[str, Any]] = {
    "dateline": {
        "family": "torus",
        "topology": {"kind": "torus", "rows": 3, "columns": 4},
        "virtual_channels": 2,
        "vc_rule": "dateline",
    },
    "balanced": {
        "family": "torus",
        "topology": {"kind": "torus", "rows": 2, "columns": 5},
        "virtual_channels": 3,
        "vc_rule": "balanced",
    },
    "rectangle": {"family": "torus", "topology": {"kind": "mesh", "rows": 3, "columns": 2}, "virtual_channels": 1},
    "dimension-order": {
        "family": "hypercube",
        "topology": {"kind": "hypercube", "dimensions": 3},
        "virtual_channels": 1,
    },
    "shared-escapes": {
        "family": "hypercube",
        "topology": {"kind": "hypercube", "dimensions": 3},
        "virtual_channels": 3,
        "injection_channels": 2,
        "vc_reallocation": "non-atomic-escape",
    },
    "baseline": {"family": "min", "topology": {"kind": "baseline", "radix": 2, "stages": 3}, "link_cycles": 2},
    "private": {
        "family": "min",
        "topology": {"kind": "bi-butterfly", "radix": 2, "stages": 3, "consumption_channels": 2},
    },
    "published-release": {
        "family": "min",
        "topology": {"kind": "baseline", "radix": 2, "stages": 3},
        "buffer_flits": 1,
        "negative_control": "published-release",
    },
    "algorithm-a": {
        "family": "harts",
        "topology": {"kind": "hexmesh", "size": 2},
        "packet_flits": 3,
        "algorithm_a": True,
    },
    "total-order": {
        "family": "spam",
        "topology": {"kind": "lattice", "switches": 8, "ports": 8, "seed": 6},
        "ordering": "total",
    },
    "reception": {
        "family": "harts",
        "topology": {"kind": "hexmesh", "size": 2},
        "packet_flits": 3,
        "reception": "vote",
    },
}
"""Networks that no example has, by name."""


def named(name: str) -> Design:
    """The network of an example, or of ``NETWORKS``."""
    return load({"network": NETWORKS[name]}) if name in NETWORKS else load(EXAMPLES / f"{name}.yaml")


@dataclass(frozen=True)
class Certified:
    """Files of a network, and the checker's verdict on them."""

    files: dict[str, str]
    evidence: dict[str, Any] = field(default_factory=dict)
    text: str | None = None  # by default made of the files as they are
    digests: str | None = None  # what the reader trusts; by default those of the modules as they are

    @property
    def manifest(self) -> dict[str, Any]:
        return json.loads(self.files["manifest.json"])

    def certificate(self) -> str:
        return self.text or certificate_text(self.manifest["family"], self.evidence, self.files, "noc")

    def trusted(self) -> str:
        return self.digests or digests_text(self.files, "noc")

    def believed(self) -> "Certified":
        """With digests of the altered files, as after a fault of the generator."""
        return replace(self, digests=None)

    def with_file(self, name: str, text: str) -> "Certified":
        assert text != self.files[name]
        return replace(self, files={**self.files, name: text})

    def with_verilog(self, old: str, new: str) -> "Certified":
        assert old in self.files["noc.v"]
        return self.with_file("noc.v", self.files["noc.v"].replace(old, new))

    def with_manifest(self, **fields: Any) -> "Certified":
        return self.with_file("manifest.json", json.dumps({**self.manifest, **fields}))

    def with_evidence(self, **fields: Any) -> "Certified":
        return replace(self, evidence={**self.evidence, **fields})

    def with_fields(self, **fields: Any) -> "Certified":
        """With replaced fields of the certificate; None removes one."""
        changed = {**json.loads(self.certificate()), **fields}
        return replace(self, text=json.dumps({name: value for name, value in changed.items() if value is not None}))


@cache
def certified(name: str) -> Certified:
    """A sound network with the certificate that the project writes."""
    design = named(name)
    files = design.verilog().files
    evidence = design.family.evidence(design.config.network_section, design.routing)
    return Certified(files, evidence, digests=digests_text(files, "noc"))


def best_order(names: list[str], path: nx.DiGraph) -> list[str]:
    """A pseudo-order of a cyclic graph: members of a cycle are adjacent."""
    components = nx.condensation(path)
    return [names[node] for one in nx.topological_sort(components) for node in sorted(components.nodes[one]["members"])]


def verdict(network: Certified, folder: Path) -> tuple[int, str]:
    """Exit code of the checker, and its one line."""
    for name, text in {
        **network.files,
        "certificate.json": network.certificate(),
        "digests.json": network.trusted(),
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-I", str(CHECKER), "manifest.json", "noc.v", "certificate.json", "digests.json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    (line,) = done.stdout.splitlines()
    return done.returncode, line
