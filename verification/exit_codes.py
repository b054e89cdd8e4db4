"""Exit codes of campaigns."""

from collections.abc import Callable, Collection

from hydranoc.command import exit_code_of
from hydranoc.exit_codes import INTERRUPTED, RIGHT, WRONG
from hydranoc.exit_codes import TROUBLE as TROUBLE_CODE
from verification.campaign.run import MISMATCH, TROUBLE


def exit_code_of_command(work: Callable[[], int]) -> int:
    """Return the exit code of some work of a command, which returns one; an error is one line on stderr."""
    try:
        return exit_code_of(work)
    except KeyboardInterrupt:
        return INTERRUPTED


def exit_code_of_verdicts(verdicts: Collection[str]) -> int:
    """Return the exit code of the verdicts on some cases; a mismatch outweighs an environment failure."""
    return WRONG if MISMATCH in verdicts else TROUBLE_CODE if TROUBLE in verdicts else RIGHT
