"""Baseline: the digest of every reference of the unmodified hardware, and the lines of ``rtl/`` that it runs."""

import hashlib
import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from verification.mutation.line_map import LineTracer
from verification.mutation.mutants import Mutant
from verification.mutation.separate import separately

WALL_SECONDS = 900.0
_SOURCE = re.compile(r"^\s*attribute \\src .*\n", re.MULTILINE)
"""Attributes in RTLIL with the line of Python that a cell comes from."""


def digest(text: str) -> str:
    """Return the digest of a text without its references to lines of Python."""
    return hashlib.sha256(_SOURCE.sub("", text).encode()).hexdigest()[:16]


@dataclass
class KnownReference:
    """A reference as generated from the unmodified hardware.

    Members:
        name, kind (str)
        digest
        lines: File to a number in hexadecimal; bit n: line n runs.
    """

    name: str
    kind: str
    digest: str
    lines: dict[str, str]

    def touches(self, mutant: Mutant) -> bool:
        """Return whether the statement of a mutant runs when this is generated."""
        mask = int(self.lines.get(mutant.file.removeprefix("rtl/"), "0"), 16)
        if mutant.at_import:
            return bool(mask)
        return bool(mask >> mutant.first_line & (1 << mutant.last_line - mutant.first_line + 1) - 1)


@dataclass
class Baseline:
    """All references, and the cost of their detectors.

    Members:
        references
        tree: Digest of the measured tree.
        cpu_seconds: By detector: of its last run.
    """

    references: list[KnownReference]
    tree: str = ""
    cpu_seconds: dict[str, float] = field(default_factory=dict)

    def touched_by(self, mutant: Mutant) -> list[str]:
        """Return the references that run a mutant's statement; all, if it runs at import in a file without code."""
        touched = [known.name for known in self.references if known.touches(mutant)]
        return touched or [known.name for known in self.references if mutant.at_import]

    def save(self, file: Path) -> None:
        partial = file.with_suffix(".part")
        partial.write_text(json.dumps(asdict(self)))
        partial.rename(file)

    @classmethod
    def read(cls, file: Path) -> "Baseline":
        stored = json.loads(file.read_text())
        return cls(**{**stored, "references": [KnownReference(**row) for row in stored["references"]]})


def tree_digest(root: Path) -> str:
    """Return the digest of all files that references are made from."""
    whole = hashlib.sha256()
    for folder in ("rtl", "topology", "sim_model", "tb", "hydranoc", "tests", "examples"):
        for path in sorted(path for path in (root / folder).rglob("*") if path.is_file()):
            if path.suffix != ".pyc":
                whole.update(str(path.relative_to(root)).encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()[:16]


def measure(root: Path, folder: Path, make: Callable[[], Sequence[Any]]) -> Baseline:
    """Generate every reference of the unmodified hardware, each in a process of its own.

    Parameters:
        root: Folder with ``rtl``.
        folder: Working folder.
        make: Returns the references; it imports ``rtl``, so it is called in another process.
    """

    def all_of_them() -> list[dict[str, Any]]:
        return [_measured(root, folder, reference) for reference in make()]

    answer = separately(all_of_them, folder / "references", WALL_SECONDS * 4)
    if answer.error:
        raise RuntimeError(f"the unmodified hardware gave no references: {answer.error}; see {folder / 'references'}")
    return Baseline([KnownReference(**row) for row in answer.value])


def _measured(root: Path, folder: Path, reference: Any) -> dict[str, Any]:
    def generate() -> dict[str, Any]:
        tracer = LineTracer(root / "rtl")
        sys.settrace(tracer)
        text = reference.text
        sys.settrace(None)
        lines = {file: f"{sum(1 << line for line in seen):x}" for file, seen in tracer.lines.items()}
        return {"name": reference.name, "kind": reference.kind, "digest": digest(text), "lines": lines}

    answer = separately(generate, folder / "reference", WALL_SECONDS)
    if answer.error:
        raise RuntimeError(f"{reference.name}: {answer.error}")
    return answer.value
