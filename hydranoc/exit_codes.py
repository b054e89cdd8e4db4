"""Exit codes of the command."""

RIGHT = 0
"""Done and right."""
WRONG = 1
"""Done and wrong: mismatch, deadlock, lost message."""
BAD_INPUT = 2
"""A configuration, file or option that cannot be used; told in one line on stderr."""
TROUBLE = 3
"""The machine could not do it: no space, no permission, a program that is missing, crashed or was killed."""
INTERRUPTED = 130
"""The user or the signal TERM ended it."""
