"""Points of a figure that an interrupted run has measured, by the sources that measured them."""

import hashlib
from pathlib import Path

import hydranoc.measurement
import hydranoc.studies
import hydranoc.sweeps
import sim_model
import topology
from hydranoc.cache import cache_folder
from hydranoc.studies.common.points import KeptPoints

MEASURING = (sim_model, topology, hydranoc.measurement, hydranoc.studies, hydranoc.sweeps)
"""Packages whose sources decide about a point."""


def sources_digest() -> str:
    """Of everything that decides about a point, 16 letters."""
    digest = hashlib.sha256()
    for package in MEASURING:
        for path in sorted(Path(str(package.__file__)).parent.rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def kept_points(figure: str, quick: bool) -> KeptPoints:
    """Points of a figure that an earlier run began with the same model and the same study."""
    name = f"{figure}{'-quick' if quick else ''}-{sources_digest()}.jsonl"
    return KeptPoints(cache_folder() / "figures" / name)


def kept_text(kept: KeptPoints) -> str:
    """How many points are kept, and where."""
    return f"{len(kept)} {'point' if len(kept) == 1 else 'points'} kept in {kept.path}"
