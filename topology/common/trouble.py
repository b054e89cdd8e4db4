"""Environment failures: errors of neither input nor network."""

import signal
from pathlib import Path


class MachineTrouble(RuntimeError):
    """An environment failure, for exit code 3: no space, no permission, a program that crashed.

    Parameters
    ----------
    message : str
        The failure, and its cause.
    file : Path, str or None
        File or place of the failure.
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
