"""Generated networks with certificates, and the program that checks them."""

import json
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx

from hydranoc import Design, load
from hydranoc.certificates.writing import certificate_text, digests_text
from tests.alterations.networks import Checker, Offer

EXAMPLES = Path(__file__).parents[3] / "examples"
MIN = {"family": "min", "topology": {"kind": "baseline", "radix": 2, "stages": 3}}
HARTS = {"family": "harts", "topology": {"kind": "hexmesh", "size": 2}, "packet_flits": 3}
CUBE = {"family": "hypercube", "topology": {"kind": "hypercube", "dimensions": 3}}
SHARED = {"virtual_channels": 3, "injection_channels": 2, "vc_reallocation": "non-atomic-escape"}
PRIVATE = {"kind": "bi-butterfly", "radix": 2, "stages": 3, "consumption_channels": 2}
LATTICE = {"kind": "lattice", "switches": 8, "ports": 8, "seed": 6}


def grid(kind: str, rows: int, columns: int, vcs: int, **more: str) -> dict[str, Any]:
    topology = {"kind": kind, "rows": rows, "columns": columns}
    return {"family": "torus", "topology": topology, "virtual_channels": vcs, **more}


NETWORKS: dict[str, dict[str, Any]] = {
    "dateline": grid("torus", 3, 4, 2, vc_rule="dateline"),
    "balanced": grid("torus", 2, 5, 3, vc_rule="balanced"),
    "rectangle": grid("mesh", 3, 2, 1),
    "dimension-order": {**CUBE, "virtual_channels": 1},
    "shared-escapes": {**CUBE, **SHARED},
    "baseline": {**MIN, "link_cycles": 2},
    "private": {"family": "min", "topology": PRIVATE},
    "published-release": {**MIN, "buffer_flits": 1, "negative_control": "published-release"},
    "algorithm-a": {**HARTS, "algorithm_a": True},
    "fast-pipeline": {"family": "spam", "topology": LATTICE, "pipeline": "fast"},
    "total-order": {"family": "spam", "topology": LATTICE, "ordering": "total"},
    "ages": {"family": "spam", "topology": LATTICE, "arbitration": "age"},
    "reception": {**HARTS, "reception": "vote"},
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


@cache
def generated(section: str, **options: Any) -> Certified:
    """The files of a network with other ends or parameters; ``section`` is JSON."""
    design = load({"network": json.loads(section)})
    files = design.verilog(**options).files
    evidence = design.family.evidence(design.config.network_section, design.routing)
    return Certified(files, evidence, digests=digests_text(files, "noc"))


def best_order(names: list[str], path: nx.DiGraph) -> list[str]:
    """A pseudo-order of a cyclic graph: members of a cycle are adjacent."""
    components = nx.condensation(path)
    return [names[node] for one in nx.topological_sort(components) for node in sorted(components.nodes[one]["members"])]


@cache
def checker() -> Checker:
    return Checker()


def verdict(network: Certified) -> tuple[int, str]:
    """Exit code of the checker, and its one line."""
    manifest, verilog, tables = (network.files.get(name, "") for name in ("manifest.json", "noc.v", "noc_tables.hex"))
    return checker().judge(Offer(manifest, verilog, tables, network.certificate(), network.trusted()))
