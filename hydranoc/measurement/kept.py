"""Points of a figure that an interrupted run has measured, by the sources that measured them."""

import hashlib
from pathlib import Path

import hydranoc
from hydranoc.cache import cache_folder
from hydranoc.measurement.kept_points import KeptPoints

ROOT = Path(str(hydranoc.__file__)).parents[1]
MEASURING = ("sim_model", "topology", "hydranoc/measurement", "hydranoc/studies", "hydranoc/sweeps")
"""Folders of the sources that decide about a point."""


def sources_digest() -> str:
    """Of everything that decides about a point, 16 letters."""
    digest = hashlib.sha256()
    for folder in MEASURING:
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def kept_points(figure: str, quick: bool) -> KeptPoints:
    """Points of a figure that an earlier run began with the same model and the same study."""
    name = f"{figure}{'-quick' if quick else ''}-{sources_digest()}.jsonl"
    return KeptPoints(cache_folder() / "figures" / name)


def kept_text(kept: KeptPoints) -> str:
    """How many points are kept, and where."""
    return f"{len(kept)} {'point' if len(kept) == 1 else 'points'} kept in {kept.path}"
