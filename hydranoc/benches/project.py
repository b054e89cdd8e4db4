"""The files of a bench project: a network with AXI4-Stream ports, tests in cocotb around it, and a bench in Verilog."""

import hashlib
import json
from collections.abc import Iterable
from importlib import resources
from pathlib import Path
from typing import Any

from hydranoc.benches.plain_verilog import plain_bench
from hydranoc.design import Design

TEMPLATE = ("Makefile", "README.md", "noc_tests.py", "registers.py", "streams.py", "test_noc.py")
DIGESTS = "generated.json"
"""File with the digests of all written files: a file with another digest was changed by hand."""


def bench_project(design: Design, axi_stream: str | None = None, **options: Any) -> dict[str, str]:
    """Return names and texts of all files.

    Parameters:
        design: The network.
        axi_stream: The way to name destinations; the first one of the network by default.
        options: Others of ``Design.verilog``.

    Raises:
        ConfigError: If its family has no AXI4-Stream ends.
    """
    folder = resources.files("hydranoc.benches").joinpath("template")
    files = {name: folder.joinpath(name).read_text(encoding="utf-8") for name in TEMPLATE}
    generated = design.verilog("noc", axi_stream or design.destination_modes[0], **options)
    files["noc_bench.v"] = plain_bench(generated.manifest)
    files |= {f"noc/{name}": text for name, text in generated.files.items()}
    digests = {name: _digest(text.encode()) for name, text in files.items()}
    return files | {DIGESTS: json.dumps(digests, indent=1) + "\n"}


def changed_files(folder: Path, files: Iterable[str]) -> list[str]:
    """Return the files of a project that were changed since they were written.

    Parameters:
        folder (pathlib.Path): Of the project.
        files: Names of the files that are about to be written.
    """
    try:
        known = json.loads((folder / DIGESTS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    there = [name for name in files if name != DIGESTS and (folder / name).is_file()]
    return [name for name in there if known.get(name) != _digest((folder / name).read_bytes())]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
