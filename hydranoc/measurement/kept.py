"""Points of figures from earlier runs, by the digest of the measuring sources."""

import hashlib
from collections.abc import Collection
from pathlib import Path

import hydranoc
from hydranoc.measurement.kept_points import KeptPoints
from sim_model.loops.folders import cache_folder

ROOT = Path(str(hydranoc.__file__)).parents[1]
MEASURING = ("sim_model", "topology", "hydranoc/measurement", "hydranoc/studies", "hydranoc/sweeps")
"""Folders of the sources that determine a point of a figure."""


def sources_digest(without: Collection[str] = (), folders: Collection[str] = MEASURING) -> str:
    """Return the digest of all sources that determine a point, 16 characters.

    Parameters:
        without: Names of folders to ignore, such as those of other families.
        folders: Folders of the relevant sources.
    """
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not set(path.relative_to(ROOT).parts).intersection(without):
                digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def kept_points(
    name: str, quick: bool, other_families: Collection[str], folders: Collection[str] = MEASURING
) -> KeptPoints:
    """Return the points of earlier runs with the same model and the same studies.

    Parameters:
        name: Name of a figure, or of the points that several figures share.
        quick: Coarse points have a file of their own.
        other_families: Families with sources to ignore.
        folders: Folders of the relevant sources.
    """
    file_name = f"{name}{'-quick' if quick else ''}-{sources_digest(other_families, folders)}.jsonl"
    return KeptPoints(cache_folder() / "figures" / file_name)


def kept_text(kept: KeptPoints) -> str:
    """Return a text with the number of kept points and their file."""
    return f"{len(kept)} {'point' if len(kept) == 1 else 'points'} kept in {kept.path}"
