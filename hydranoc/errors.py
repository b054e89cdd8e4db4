"""The exception for bad input: a place in a file, and the error there. Environment failures are separate."""

import errno
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from topology.common.errors import MachineTrouble

MAX_VALUE = 80
"""Characters of a wrong value in a message."""

WRONG_PLACES = frozenset(
    {
        *(errno.ENOENT, errno.EEXIST, errno.ENOTDIR, errno.EISDIR, errno.ENOTEMPTY, errno.ENAMETOOLONG),
        *(errno.ELOOP, errno.EINVAL, errno.ENXIO, errno.ENODEV, errno.EXDEV, errno.EBUSY),
    }
)
"""Errors of a wrong file name; all others are environment failures."""


class ConfigError(ValueError):
    """Bad input, for exit code 2.

    Parameters:
        message: The error, with the offending value and its limit or fix; one line.
        file: The file that it is about.
        line: Line in that file, counted from 1.
    """

    def __init__(self, message: str, *, file: Path | str | None = None, line: int | None = None):
        place = "".join(f"{part}:" for part in (file, line) if part is not None)
        super().__init__(f"{place} {' '.join(message.split())}".strip())
        self.file = file
        self.line = line


def reason(error: OSError | ValueError) -> str:
    """Return the reason why a file cannot be used, without number and name; a ValueError is about its name."""
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return "its name holds characters that no file can have"


def file_error(
    doing: str, error: OSError, file: Path | str | None, *, line: int | None = None
) -> ConfigError | MachineTrouble:
    """Return the exception for a file that the user names: a wrong name is bad input, a full disk is not.

    Parameters:
        doing: The failure, such as "cannot write results".
        file: Where to look.
        line: Line of ``file`` that names the file, if it does.
    """
    text = f"{doing}: {reason(error)}"
    if error.errno in WRONG_PLACES:
        return ConfigError(text, file=file, line=line)
    return MachineTrouble(text, file=file if line is None else f"{file}:{line}")


def shown(value: object) -> str:
    """Return a value for a message: null, true and false as in YAML, long values cut off."""
    if value is None:
        return "nothing"
    if isinstance(value, list | dict) and len(value) > MAX_VALUE:  # what is cut off need not be written first
        value = value[:MAX_VALUE] if isinstance(value, list) else dict(islice(value.items(), MAX_VALUE))
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]}..."


def nearest(word: object, known: Iterable[str]) -> str:
    """Return a question with the known word closest to a wrong one, or an empty string.

    >>> nearest("bufer_flits", ["buffer_flits", "flit_bits"])
    "; did you mean 'buffer_flits'?"
    """
    import difflib  # for wrong words alone

    near = difflib.get_close_matches(str(word), list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


class KeyWrong(ValueError):
    """A value of a family's own section that only the network shows to be wrong.

    Parameters:
        key: Key in the section.
        message: The error.
    """

    def __init__(self, key: str, message: str):
        super().__init__(message)
        self.key = key
