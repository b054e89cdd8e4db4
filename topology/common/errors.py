"""Exceptions for unusable networks and values, and the warning for unused parts of a file."""


class FieldError(ValueError):
    """A value that breaks a rule.

    Parameters
    ----------
    field : str
        Name of the parameter or member that has it, such as ``flits``.
    message : str
        "X must be Y, not Z".
    """

    def __init__(self, field: str, message: str):
        super().__init__(message)
        self.field = field


class TopologyError(ValueError):
    """A network that breaks a rule.

    Parameters
    ----------
    message : str
        The problem, with the offending value and the correct ones.
    line : int or None
        Line of the input file, counted from 1, where a file was read.
    item : str or None
        The offending value as written in the input, so that a configuration error can point at its line.
    """

    def __init__(self, message: str, *, line: int | None = None, item: str | None = None):
        super().__init__(message)
        self.line = line
        self.item = item


class FileRemark(UserWarning):
    """Parts of a network file that are read and not used."""
