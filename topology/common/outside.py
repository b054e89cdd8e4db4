"""Functions and modules from outside, which may fail in any way: a user's own patterns, topologies and routings."""

FAILURES = (Exception, SystemExit)
"""What they may raise. A module that ends the program when it is imported is no reason to end this one."""


def failure_text(error: BaseException) -> str:
    """Return type and message of an error from outside; its message may fail as well."""
    try:
        return f"{type(error).__name__}: {error}"
    except FAILURES:
        return type(error).__name__
