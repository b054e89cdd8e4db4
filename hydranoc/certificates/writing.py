"""Writer of certificates: a family's evidence of its network, with the digests of the generated files."""

import hashlib
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hydranoc.certificates.checker.theorems import ALL_THEOREMS, FORMAT

CHECKER = Path(__file__).parent / "checker"
"""The program that checks certificates: a folder that Python runs, ``python -I CHECKER ...``. It imports nothing but
the standard library, and can be copied."""
MANIFEST = "manifest.json"
DIGESTS_FORMAT = "hydranoc digests 2"
PARAMETERS = ("top", "family", "parameters", "flit", "header")
PLANE_PARAMETERS = ("top", "parameters", "groups")
MODULE = re.compile(r"^module (\S+?) ?\(.*?^endmodule\n", re.MULTILINE | re.DOTALL)
"""A module in generated Verilog, and its name."""


@dataclass(frozen=True)
class Certificate:
    """A certificate, or the reason why there is none.

    Members:
        text: JSON; None if there is none.
        verdict: Result of the checker, or the reason why there is no certificate: one line.
        digests: JSON, see ``digests_text``; None if there is no certificate.
    """

    text: str | None
    verdict: str
    digests: str | None = None


def certificate_text(family: str, evidence: Mapping[str, Any], files: Mapping[str, str], top: str) -> str:
    """Return the certificate as JSON.

    Parameters:
        family: Name of the family, or ``PLANE``.
        evidence: Result of the family's ``evidence``, or order and bounds of a plane.
        files (mapping of str to str): Texts of the generated files by name.
        top: Name of the top module, the stem of the file names.
    """
    theorem, premises = ALL_THEOREMS[family]
    certificate = {
        "format": FORMAT,
        "family": family,
        "theorem": theorem,
        "premises": premises,
        "verilog_sha256": _digest(files[f"{top}.v"] + files.get(f"{top}_tables.hex", "")),
        "manifest_sha256": _digest(files[MANIFEST]),
        **evidence,
    }
    return json.dumps(certificate, indent=1) + "\n"


def digests_text(files: Mapping[str, str], top: str) -> str:
    """Return the digests of all modules whose texts a checker of certificates has to believe, as JSON.

    Parameters:
        files (mapping of str to str): Texts of the generated files by name.
        top: Name of the top module, the stem of the file names.

    Returns:
        SHA-256 by name of every module but the one with the routers, or the switches of a plane, which has no logic
            and is checked wire by wire; that one's name; and the parameters that they were generated for, with the tree
            by which AXI4-Stream ports make routing keys, if there is one.
    """
    manifest = json.loads(files[MANIFEST])
    modules = {found[1]: found[0] for found in MODULE.finditer(files[f"{top}.v"])}
    placed, parameters = (
        (manifest["routers"], PARAMETERS) if "routers" in manifest else (manifest["switches"], PLANE_PARAMETERS)
    )
    first = f" {placed[0]['instance']} (\n"
    (wired,) = (name for name, text in modules.items() if first in text)
    tree = manifest.get("axi_stream", {}).get("tree")
    document = {
        "format": DIGESTS_FORMAT,
        **{key: manifest[key] for key in parameters},
        **({} if tree is None else {"tree": tree}),
        "wired_module": wired,
        "modules": {name: _digest(text) for name, text in modules.items() if name != wired},
    }
    return json.dumps(document, indent=1) + "\n"


def checked_certificate(text: str, files: Mapping[str, str], top: str) -> Certificate:
    """Return a certificate that its checker has accepted, or none with the reason.

    Parameters:
        text: The certificate.
        files (mapping of str to str): Texts of the generated files by name.
        top: Name of the top module, the stem of the file names.
    """
    with tempfile.TemporaryDirectory() as folder:
        needed = {name: files[name] for name in (MANIFEST, f"{top}.v", f"{top}_tables.hex") if name in files}
        digests = digests_text(files, top)
        for name, content in {**needed, "certificate.json": text, "digests.json": digests}.items():
            (Path(folder) / name).write_text(content, encoding="utf-8")
        command = [sys.executable, "-I", str(CHECKER), MANIFEST, f"{top}.v", "certificate.json", "digests.json"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    said = (done.stdout + done.stderr).strip()
    accepted = done.returncode == 0
    verdict = said.splitlines()[-1] if said else "it says nothing"
    return Certificate(text if accepted else None, verdict, digests if accepted else None)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
