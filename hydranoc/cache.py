"""What is kept between runs, under HYDRANOC_CACHE; by default in the user's cache folder."""

import hashlib
import os
from pathlib import Path

import sim_model
import topology
from sim_model.common.points import KeptPoints


def cache_folder() -> Path:
    """Where built simulators and points of unfinished figures are kept."""
    chosen = os.environ.get("HYDRANOC_CACHE")
    base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return Path(chosen) if chosen else base / "hydranoc"


def kept_points(figure: str, quick: bool) -> KeptPoints:
    """Points of a figure that an earlier run began with the same model."""
    digest = hashlib.sha256()
    for package in (sim_model, topology):
        for path in sorted(Path(str(package.__file__)).parent.rglob("*.py")):
            digest.update(path.read_bytes())
    name = f"{figure}{'-quick' if quick else ''}-{digest.hexdigest()[:16]}.jsonl"
    return KeptPoints(cache_folder() / "figures" / name)
