"""Functions and modules from outside, which may fail in any way: custom patterns, topologies and routings."""

FAILURES = (Exception, SystemExit)
"""Exceptions that they may raise. A module that exits when it is imported must not end this program."""


def failure_text(error: BaseException) -> str:
    """Return type and message of an error from outside; reading its message may fail as well."""
    try:
        return f"{type(error).__name__}: {error}"
    except FAILURES:
        return type(error).__name__
