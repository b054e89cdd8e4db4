"""Versions under comparison, as recorded in the ledger."""

import hashlib
from pathlib import Path

from hydranoc.lockstep.tools import find_tool, version_of
from rtl.version import VERSION

SOURCES = (
    *("topology", "rtl", "sim_model", "tb/common", "hydranoc/lockstep"),
    *("hydranoc/families", "hydranoc/config", "hydranoc/design"),
)
"""Folders of hardware, golden model and comparison, and of their making from a configuration."""
SUFFIXES = (".py", ".cpp")
DIGEST_LETTERS = 10


def versions() -> str:
    """Return HydraNoC's version, the digest of the sources, and Verilator's version."""
    verilator = version_of(find_tool("verilator")).removeprefix("Verilator ")
    return f"{VERSION}-{sources_digest(Path(__file__).parents[2])}-{verilator}"


def sources_digest(root: Path) -> str:
    """Return the digest of all Python and C++ files in the relevant folders."""
    digest = hashlib.sha256()
    for folder in SOURCES:
        for path in sorted(path for path in (root / folder).rglob("*") if path.suffix in SUFFIXES):
            digest.update(str(path.relative_to(root)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:DIGEST_LETTERS]
