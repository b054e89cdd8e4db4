"""Environment failures of a trial, which no mutant causes: they are no verdict."""

import errno
import os
import signal

from hydranoc.errors import WRONG_PLACES
from topology.common.errors import MachineTrouble, how_it_ended

SIGNALS = signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP
"""Signals from outside: a user, or a machine without memory. A crash or the CPU limit sends others."""
_ERRORS = errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EIO
SIGNS = (*(how_it_ended(-number) for number in SIGNALS), *(os.strerror(number).lower() for number in _ERRORS))
"""Words in the error of a tool that could not do its work."""


def is_environment_failure(error: BaseException) -> bool:
    """Return True for an error that no mutant causes.

    A missing tool is one. A tool that ends with an error may have met wrong hardware, unless its error is of the
    machine.
    """
    from hydranoc.lockstep.tools import ToolMissing  # loads more than a process that starts others needs

    if isinstance(error, OSError):
        return error.errno not in WRONG_PLACES
    return type(error) in (MachineTrouble, ToolMissing) or has_signs(str(error))


def has_signs(text: str) -> bool:
    """Return True if the output of a tool has any of ``SIGNS``."""
    return any(sign.lower() in text.lower() for sign in SIGNS)
