"""Limit on the size of built simulators: 5 GB unless the user sets another."""

import json
import os

from hydranoc.cache import cache_folder
from hydranoc.lockstep.kept import BYTES_PER_GB, drop_beyond

DEFAULT_GB = 5.0
LIMIT = "limit.json"
VARIABLE = "HYDRANOC_CACHE_GB"


def limit_gb() -> float:
    """Return the limit from the environment, or the stored one, or the default; invalid numbers are ignored."""
    for text in (os.environ.get(VARIABLE), _set_before()):
        try:
            if text is not None and float(text) >= 0:
                return float(text)
        except (TypeError, ValueError):
            continue
    return DEFAULT_GB


def set_limit_gb(limit: float) -> None:
    """Store a limit for this cache folder."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    (cache_folder() / LIMIT).write_text(json.dumps(limit) + "\n")


def keep_within_limit() -> list[str]:
    """Drop the least recently used simulators beyond the limit, and return their names."""
    return drop_beyond(limit_gb() * BYTES_PER_GB)


def _set_before() -> str | None:
    try:
        return (cache_folder() / LIMIT).read_text()
    except (OSError, ValueError):
        return None
