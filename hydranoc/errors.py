"""The one exception for bad input: a place in a file, and what is wrong there."""

from pathlib import Path

LONGEST_VALUE = 80
"""Letters of a wrong value that a message shows."""


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


def reason(error: OSError | ValueError) -> str:
    """What is said of a file that cannot be used, without number and name; a ValueError is about its name."""
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return "its name holds characters that no file can have"


def shown(value: object) -> str:
    """A value for a message: nothing, true and false as YAML says them, what is long cut off."""
    if value is None:
        return "nothing"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}..."


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
