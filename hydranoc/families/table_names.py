"""How a table file names what routing tables have numbers for."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TableNames:
    """Names of a family's keys and classes of arrival channels.

    Members
    -------
    keys : tuple of str
        By routing key: the vertex that a header looks for, or whatever else the key says.
    arrivals : tuple of str
        By class of the channel on which a header came.
    """

    keys: tuple[str, ...]
    arrivals: tuple[str, ...]
