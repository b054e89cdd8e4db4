"""Cache folders, and those of compiled loops among them."""

import os
from pathlib import Path

SHIPPED_FOLDER = Path(__file__).parents[2] / "shipped"
"""Loops that come with the package, compiled for a baseline of processors."""


def loop_folder() -> Path:
    """Return the folder of the user's compiled loops: HYDRANOC_LOOPS, or else ``loops`` in the cache folder."""
    chosen = os.environ.get("HYDRANOC_LOOPS")
    return Path(chosen) if chosen else cache_folder() / "loops"


def cache_folder() -> Path:
    """Return the cache folder: HYDRANOC_CACHE, or else one in the user's cache folder."""
    chosen = os.environ.get("HYDRANOC_CACHE")
    return Path(chosen) if chosen else user_cache_folder() / "hydranoc"


def user_cache_folder() -> Path:
    """Return the system's folder for the user's caches."""
    return Path(os.environ.get("XDG_CACHE_HOME") or user_folder() / ".cache")


def user_folder() -> Path:
    """Return the user's home; without one, the folder for temporary files."""
    try:
        return Path.home()
    except RuntimeError:
        import tempfile  # loads modules for compression and random numbers

        return Path(tempfile.gettempdir())
