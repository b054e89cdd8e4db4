"""Files that a configuration names: where they lie, and what was in them when they were asked for."""

import hashlib
from collections.abc import Mapping
from pathlib import Path


class NamedFiles:
    """The files that a configuration names.

    Every part of a configuration that reads a file asks here where it lies, so that what was measured can be told to
    depend on its content.

    Parameters
    ----------
    folder : Path
        Names are relative to it.

    Members
    -------
    digests : dict of str to (str or None)
        Digest of the content by name, as it was when the file was first asked for; None where there is no such file.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.digests: dict[str, str | None] = {}

    def path(self, name: str) -> Path:
        """Return where a file lies that is about to be read."""
        path = self.folder / name
        if name not in self.digests:
            self.digests[name] = content_digest(path)
        return path

    def are_still(self, digests: Mapping[str, str | None]) -> bool:
        """Return whether files have the content that they had when these digests were taken."""
        return all(content_digest(self.folder / name) == digest for name, digest in digests.items())


def content_digest(path: Path) -> str | None:
    """Return of a file's content, 16 letters; None if it is no file that can be read twice."""
    try:
        if not path.is_file():  # a pipe would be empty then, and a device may have no end
            return None
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except (OSError, ValueError):  # whoever reads it says what is wrong
        return None
