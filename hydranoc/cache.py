"""What is kept between runs, under HYDRANOC_CACHE; by default in the user's cache folder."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """Where built simulators and points of unfinished figures are kept."""
    chosen = os.environ.get("HYDRANOC_CACHE")
    base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return Path(chosen) if chosen else base / "hydranoc"
