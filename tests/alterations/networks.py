"""Certified networks, and the checker in a process of its own."""

import hashlib
import json
import subprocess
import sys
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from hydranoc import load
from hydranoc.certificates.writing import CHECKER

DIAMOND = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]
SPAM = {
    "family": "spam",
    "topology": {"switches": 4, "edges": DIAMOND, "processors": [0, 1, 2, 3]},
    "link_cycles": 2,
}
TORUS = {
    "family": "torus",
    "topology": {"kind": "torus", "rows": 3, "columns": 3},
    "virtual_channels": 2,
    "vc_rule": "balanced",
}
HYPERCUBE = {
    "family": "hypercube",
    "topology": {"kind": "hypercube", "dimensions": 2},
    "virtual_channels": 2,
    "injection_channels": 2,
    "vc_reallocation": "non-atomic-escape",
}
MIN = {"family": "min", "topology": {"kind": "baseline", "radix": 2, "stages": 2}, "link_cycles": 2}
HARTS = {"family": "harts", "topology": {"kind": "hexmesh", "size": 2}, "packet_flits": 3}
REGISTERS = {
    "family": "min",
    "topology": {"kind": "bi-butterfly", "radix": 2, "stages": 2},
    "counters": True,
    "tables": "loadable",
    "worm_guard": True,
}
NETWORKS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "spam": (SPAM, {}),
    "torus": (TORUS, {}),
    "hypercube": (HYPERCUBE, {}),
    "min": (MIN, {}),
    "harts": (HARTS, {}),
    "spam-stream": (
        {**SPAM, "link_cycles": 1, "flit_bits": 33},
        {"axi_stream": "tuser", "tkeep": True, "clocks": "separate"},
    ),
    "min-registers": (REGISTERS, {"registers": True}),
}
"""Configuration and export options, by name."""
COLLECTIVES = {"groups": [[0, 1, 2, 3], [1, 2]], "operators": ["sum", "max"], "buffer_words": 3, "result_words": 2}
PLANES: dict[str, dict[str, Any]] = {
    "plane": {**SPAM, "collectives": {**COLLECTIVES, "timeout_cycles": 9}},
    "plane-barriers": {**SPAM, "collectives": {**COLLECTIVES, "operators": []}},
}
"""Configurations whose collective plane is altered, by name."""
ALL = (*NETWORKS, *PLANES)
OTHERS: dict[str, list[dict[str, Any]]] = {
    "spam": [
        {"buffer_flits": 3},
        {"routing_cycles": 2},
        {"pipeline": "fast"},
        {"negative_control": "non-atomic-enqueue"},
        {"worm_guard": True},
    ],
    "torus": [
        {"vc_rule": "dateline"},
        {"buffer_flits": 3},
        {"vc_reallocation": "atomic"},
        {"injection_priority": "low"},
    ],
    "hypercube": [
        {"vc_reallocation": "atomic"},
        {"vc_reallocation": "non-atomic"},
        {"buffer_flits": 2},
        {"injection_channels": 1},
    ],
    "min": [{"buffer_flits": 3}, {"routing_cycles": 2}, {"worm_guard": True}, {"flit_bits": 16}],
    "harts": [{"pages": 12}, {"packet_flits": 4}, {"negative_control": "no-classes"}, {"buffer_flits": 2}],
    "spam-stream": [{"buffer_flits": 3}, {"flit_bits": 17}],
    "min-registers": [{"buffer_flits": 3}, {"watchdog_flits": 30}],
    "plane": [
        {"collectives": {**COLLECTIVES, "timeout_cycles": 9, **other}}
        for other in ({"window": 3}, {"operators": ["sum", "min"]}, {"result_words": 3}, {"timeout_cycles": 0})
    ],
    "plane-barriers": [{"collectives": {**COLLECTIVES, "operators": [], "window": 3}}],
}
"""Changes to the configuration that change modules, by network."""
TOP = "noc"


@dataclass(frozen=True)
class Offer:
    """The files that are offered to the checker."""

    manifest: str
    verilog: str
    tables: str
    certificate: str
    digests: str

    def signed(self) -> "Offer":
        """The offer with the certificate's digests computed again, as an attacker who alters a network would."""
        fields = json.loads(self.certificate)
        fields["verilog_sha256"] = hashlib.sha256((self.verilog + self.tables).encode()).hexdigest()
        fields["manifest_sha256"] = hashlib.sha256(self.manifest.encode()).hexdigest()
        return replace(self, certificate=json.dumps(fields, indent=1) + "\n")


@cache
def offer(name: str) -> Offer:
    """A sound network or plane with its certificate."""
    if name in PLANES:
        return plane_offer(PLANES[name])
    section, options = NETWORKS[name]
    design = load({"network": section})
    generated = design.verilog(TOP, **options)
    certificate = design.certificate(generated)
    assert certificate.text is not None, certificate.verdict
    files, digests = generated.files, getattr(certificate, "digests", "") or ""
    tables = files.get(f"{TOP}_tables.hex", "")
    return Offer(files["manifest.json"], files[f"{TOP}.v"], tables, certificate.text, digests)


def plane_offer(section: dict[str, Any]) -> Offer:
    """The plane of a network with its certificate."""
    design = load({"network": section})
    generated = design.plane_verilog(TOP)
    assert generated is not None
    certificate = design.plane_certificate(generated)
    assert certificate.text is not None, certificate.verdict
    return Offer(
        generated.files[f"{TOP}.json"], generated.files[f"{TOP}.v"], "", certificate.text, certificate.digests or ""
    )


@cache
def other_verilog(name: str, change: int) -> str:
    """Verilog of the network or plane with other parameters, whose modules have the same names or others."""
    if name in PLANES:
        design = load({"network": {**PLANES[name], **OTHERS[name][change]}})
        generated = design.plane_verilog(TOP)
        assert generated is not None
        return generated.files[f"{TOP}.v"]
    section, options = NETWORKS[name]
    design = load({"network": {**section, **OTHERS[name][change]}})
    return design.verilog(TOP, **options).files[f"{TOP}.v"]


DRIVER = Path(__file__).with_name("driver.py")


class Checker:
    """A process around a checker's folder; a context manager."""

    def __init__(self, folder: Path = CHECKER):
        self.folder = folder
        self.process: subprocess.Popen[str] | None = None

    def __enter__(self) -> "Checker":
        return self

    def __exit__(self, *_: Any) -> None:
        if self.process is not None:
            self.process.stdin.close()  # type: ignore[union-attr]
            self.process.wait()

    def judge(self, offered: Offer) -> tuple[int, str]:
        """Exit code and line; -1 if the checker has crashed."""
        if self.process is None:
            command = [sys.executable, "-I", str(DRIVER), str(self.folder)]
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        texts = [offered.manifest, offered.verilog, offered.tables, offered.certificate, offered.digests]
        process.stdin.write(json.dumps(texts) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            self.process = None
            _, said = process.communicate()
            return -1, said.strip().rpartition("\n")[2] or f"it ended with {process.returncode}"
        code, line = json.loads(answer)
        return code, line
