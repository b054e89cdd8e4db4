"""Exceptions for unusable networks and values, environment failures, and the warning for unused parts of a file."""

import signal
from pathlib import Path


class FieldError(ValueError):
    """A value that breaks a rule.

    Parameters:
        field: Name of the parameter or member that has it, such as ``flits``.
        message: "X is Z; it must be Y".
    """

    def __init__(self, field: str, message: str):
        super().__init__(message)
        self.field = field


class TopologyError(ValueError):
    """A network that breaks a rule.

    Parameters:
        message: The problem, with the offending value and the correct ones.
        line: Line of the input file, counted from 1, where a file was read.
        item: The offending value as written in the input, so that a configuration error can point at its line.
    """

    def __init__(self, message: str, *, line: int | None = None, item: str | None = None):
        super().__init__(message)
        self.line = line
        self.item = item


class FileRemark(UserWarning):
    """Parts of a network file that are read and not used."""


class MachineTrouble(RuntimeError):
    """An environment failure, for exit code 3: no space, no permission, a program that crashed.

    Parameters:
        message: The failure, and its cause.
        file: File or place of the failure.
    """

    def __init__(self, message: str, *, file: Path | str | None = None):
        super().__init__(f"{file}: {message}" if file is not None else message)
        self.file = file


def how_it_ended(return_code: int) -> str:
    """Return a description of a program's return code, as of ``subprocess``: negative for a signal.

    >>> how_it_ended(-9)
    'was killed (SIGKILL)'
    >>> how_it_ended(2)
    'ended with code 2'
    """
    if return_code >= 0:
        return f"ended with code {return_code}"
    try:
        return f"was killed ({signal.Signals(-return_code).name})"
    except ValueError:
        return f"was killed (signal {-return_code})"
