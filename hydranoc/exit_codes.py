"""Exit codes of the command."""

RIGHT = 0
"""Done and right."""
WRONG = 1
"""Done and wrong: mismatch, deadlock, lost message."""
BAD_INPUT = 2
"""Bad configuration, file or option; the error is one line on stderr."""
TROUBLE = 3
"""Environment failure: no space, no permission, a program that is missing, crashed or was killed."""
INTERRUPTED = 130
"""Ended by the user or the signal TERM."""
