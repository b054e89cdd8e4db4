"""The one exception for bad input: a place in a file, and what is wrong there."""

from pathlib import Path


class ConfigError(ValueError):
    """Bad input, for exit code 2.

    Parameters
    ----------
    message : str
        What is wrong, with the offending value and what would be right; one line.
    file : Path, str or None
        The file that it is about.
    line : int or None
        Line in that file, counted from 1.
    """

    def __init__(self, message: str, *, file: Path | str | None = None, line: int | None = None):
        place = "".join(f"{part}:" for part in (file, line) if part is not None)
        super().__init__(f"{place} {' '.join(message.split())}".strip())
        self.file = file
        self.line = line


def reason(error: OSError) -> str:
    """What the system says of a file that cannot be used, without number and name."""
    return (error.strerror or str(error)).lower()


class KeyWrong(ValueError):
    """A value of a family's own section that only the network shows to be wrong.

    Parameters
    ----------
    key : str
        Key in the section.
    message : str
        What is wrong.
    """

    def __init__(self, key: str, message: str):
        super().__init__(message)
        self.key = key
