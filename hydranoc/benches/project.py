"""The files of a bench project: a network with AXI4-Stream or AXI4 ports, and tests in cocotb around it."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydranoc.benches.own_manager import own_manager_files
from hydranoc.benches.plain_verilog import plain_bench
from hydranoc.design import Design

if TYPE_CHECKING:
    from rtl.generator.network import GeneratedDesign

COMMON = ("Makefile", "test_noc.py")
STREAMS = ("README.md", "noc_tests.py", "project.mk", "registers.py", "streams.py")
AXI4 = ("README.md", "ends.py", "noc_tests.py")
MIN_PROCESSORS = 2
"""Of a bench with AXI4-Stream ports: a sender and a receiver."""
DIGESTS = "generated.json"
"""File with the digests of all written files: a file with another digest was changed by hand."""


def bench_project(design: Design, axi_stream: str | None = None, **options: Any) -> dict[str, str]:
    """Return names and texts of all files of a bench with AXI4-Stream ports, also of one in plain Verilog.

    Parameters:
        design: The network.
        axi_stream: The way to name destinations; the first one of the network by default.
        options: Others of ``Design.verilog``.

    Raises:
        ConfigError: If its family has no AXI4-Stream ends, or it has a single processor.
    """
    if len(design.network.processors) < MIN_PROCESSORS:
        text = f"network has {len(design.network.processors)} processor; it must have at least {MIN_PROCESSORS}"
        raise design.config.source.error(("network",), f"{text}, for a bench with AXI4-Stream ports")
    generated = design.verilog("noc", axi_stream or design.destination_modes[0], **options)
    return _project(generated, "streams", STREAMS, {"noc_bench.v": plain_bench(generated.manifest)})


def axi4_bench_project(design: Design, own_managers: Sequence[int] = (), *, arrays: bool = False) -> dict[str, str]:
    """Return names and texts of all files of a bench with cocotbext-axi's masters and memories.

    Parameters:
        design: The network.
        own_managers: Processors whose manager is a module of the user's own; each has a manager.
        arrays: As for ``Design.axi4_verilog``.

    Raises:
        ConfigError: If it has no AXI4 ends, or ports without IDs, which cocotbext-axi's masters need; or if an own
            manager reaches no region.
    """
    if design.axi4 and design.axi4.format.id_bits == 0:
        text = "axi4.id_bits is 0; it must be at least 1, for masters of cocotbext-axi"
        raise design.config.source.error(("axi4", "id_bits"), text)
    if design.axi4 and design.axi4.section.lite:
        text = f"axi4.lite is {design.axi4.section.lite}; it must be empty for this bench, which has AXI4 ends only"
        raise design.config.source.error(("axi4", "lite"), text)
    for processor in own_managers:
        if design.axi4 and design.axi4.areas.subordinates == (processor,):
            text = f"axi4.regions has processor {processor} only; it must have another one, for a manager of your own"
            raise design.config.source.error(("axi4", "regions"), f"{text} at processor {processor}")
    generated = design.axi4_verilog("noc", arrays=arrays)
    own = own_manager_files(generated.manifest, sorted(set(own_managers))) if own_managers else {}
    return _project(generated, "axi4", AXI4, {f"own/{name}": text for name, text in own.items()})


def _project(generated: "GeneratedDesign", kind: str, names: Iterable[str], more: dict[str, str]) -> dict[str, str]:
    """Return files of the template, further ones, the network's, and the digests of all."""
    template = resources.files("hydranoc.benches").joinpath("template")
    files = {name: template.joinpath(name).read_text(encoding="utf-8") for name in COMMON}
    files |= {name: template.joinpath(kind, name).read_text(encoding="utf-8") for name in names}
    files |= more | {f"noc/{name}": text for name, text in generated.files.items()}
    digests = {name: _digest(text.encode()) for name, text in files.items()}
    return files | {DIGESTS: json.dumps(digests, indent=1) + "\n"}


def changed_files(folder: Path, files: Iterable[str]) -> list[str]:
    """Return the files of a project that were changed since they were written.

    Parameters:
        folder (pathlib.Path): Of the project.
        files: Names of the files that are about to be written or deleted.
    """
    known = _known_digests(folder)
    there = [name for name in files if name != DIGESTS and (folder / name).is_file()]
    return [name for name in there if known.get(name) != _digest((folder / name).read_bytes())]


def stale_files(folder: Path, files: Iterable[str]) -> list[str]:
    """Return the names of files that were written for a former project in the folder, and that a new one lacks.

    Parameters:
        folder (pathlib.Path): Of both projects.
        files: Names of the new one's files.
    """
    inside = [name for name in _known_digests(folder) if not Path(name).is_absolute() and ".." not in Path(name).parts]
    return sorted({*inside} - {*files})


def _known_digests(folder: Path) -> dict[str, str]:
    """Return the digests of all files as they were written last; none where there is no project."""
    try:
        known = json.loads((folder / DIGESTS).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
