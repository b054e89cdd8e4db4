"""Files that a configuration names: their paths, and digests of their contents at first use."""

import hashlib
from collections.abc import Mapping
from pathlib import Path


class NamedFiles:
    """The files that a configuration names.

    Every part of a configuration that reads a file gets its path here, so that measured values are linked to the
    file's content.

    Parameters:
        folder: Names are relative to it.

    Members:
        digests (dict of str to (str or None)): Digest of the content by name, at first use of the file; None where
            there is no such file.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.digests: dict[str, str | None] = {}

    def path(self, name: str) -> Path:
        """Return the path of a file that is about to be read."""
        path = self.folder / name
        if name not in self.digests:
            self.digests[name] = content_digest(path)
        return path

    def are_still(self, digests: Mapping[str, str | None]) -> bool:
        """Return True if files still have the content of these digests."""
        return all(content_digest(self.folder / name) == digest for name, digest in digests.items())


def content_digest(path: Path) -> str | None:
    """Return the digest of a file's content, 16 characters; None for a file that cannot be read twice."""
    try:
        if not path.is_file():  # a pipe would be empty then, and a device may have no end
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except (OSError, ValueError):  # the reader of the file reports the error
        return None
