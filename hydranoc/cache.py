"""What is kept between runs, under HYDRANOC_CACHE; by default in the user's cache folder."""

import os
import tempfile
from pathlib import Path


def cache_folder() -> Path:
    """Where built simulators and points of figures are kept."""
    chosen = os.environ.get("HYDRANOC_CACHE")
    return Path(chosen) if chosen else user_cache_folder() / "hydranoc"


def user_cache_folder() -> Path:
    """Where the user's programs keep what they can make again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or user_folder() / ".cache")


def user_folder() -> Path:
    """The user's home; where there is none, the folder for temporary files."""
    try:
        return Path.home()
    except RuntimeError:
        return Path(tempfile.gettempdir())
