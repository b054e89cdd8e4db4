"""``cache``: files kept between runs."""

import math
import shutil
import time
from typing import Any

import click

from hydranoc.lockstep.kept import BYTES_PER_GB, drop, kept_simulators, remove_leftovers
from hydranoc.lockstep.simulator_cache import keep_within_limit, limit_gb, set_limit_gb
from hydranoc.reports.table import table
from hydranoc.verbs.options import json_option, print_summary
from sim_model.loops.folders import cache_folder

OTHER_FOLDERS = {
    "figures": "points of figures",
    "sweeps": "points of interrupted sweeps",
    "loops": "compiled loops of the golden model",
    "logs": "logs of programs that failed",
    "tools": "caches of the tools",
    "commands": "tools for a shell (hydranoc env)",
}
BYTES_PER_MB = 10**6


@click.command()
@click.option("--limit", type=float, metavar="GB", help="Set the limit for the size of simulators.  [default: 5]")
@click.option("--clear", is_flag=True, help="Remove everything that is not in use.")
@json_option
def cache(limit: float | None, clear: bool, as_json: bool) -> int:
    """List the cache folder (HYDRANOC_CACHE): simulators of `compare`, points of `reproduce` and `sweep`, logs. Beyond
    the limit the least recently used simulators are deleted first.

    \b
    Examples:
      hydranoc cache
      hydranoc cache --limit 2
      hydranoc cache --clear
    """
    if limit is not None:
        if not 0 <= limit < math.inf:
            raise click.BadParameter(f"--limit is {limit}; it must be a number of GB, 0 or more")
        set_limit_gb(limit)
    remove_leftovers()
    busy = _clear() if clear else []
    dropped = keep_within_limit()
    print_summary(_figures(dropped, busy), _text(dropped, busy), as_json)
    return 0


def _clear() -> list[str]:
    """Remove all, and return the names of running simulators."""
    busy = [simulator.name for simulator in kept_simulators() if not drop(simulator.name)]
    for name in OTHER_FOLDERS:
        shutil.rmtree(cache_folder() / name, ignore_errors=True)
    return busy


def _figures(dropped: list[str], busy: list[str]) -> dict[str, Any]:
    kept = kept_simulators()
    return {
        "folder": str(cache_folder()),
        "limit_gb": limit_gb(),
        "simulators_gb": round(sum(simulator.size_bytes for simulator in kept) / BYTES_PER_GB, 3),
        "simulators": [
            {"name": simulator.name, "bytes": simulator.size_bytes, "used": _when(simulator.used)} for simulator in kept
        ],
        "other_bytes": {name: _size(name) for name in OTHER_FOLDERS},
        "dropped": dropped,
        "in_use": busy,
    }


def _text(dropped: list[str], busy: list[str]) -> str:
    kept = kept_simulators()
    total = sum(simulator.size_bytes for simulator in kept) / BYTES_PER_GB
    rows: list[tuple[str, object]] = [
        ("folder", cache_folder()),
        ("simulators", f"{len(kept)}, {total:.2f} GB of at most {limit_gb():g}"),
    ]
    rows += [(what, f"{_size(name) / BYTES_PER_MB:.1f} MB") for name, what in OTHER_FOLDERS.items() if _size(name)]
    rows += [(what, ", ".join(names)) for what, names in (("dropped", dropped), ("in use", busy)) if names]
    lines = [f"{item.name}  {item.size_bytes / BYTES_PER_MB:8.1f} MB  {_when(item.used)}" for item in kept]
    return "\n".join([table(rows), *([""] if lines else []), *lines])


def _when(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _size(name: str) -> int:
    return sum(path.lstat().st_size for path in (cache_folder() / name).rglob("*"))
