"""Names in a table file for the numbers of routing tables."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TableNames:
    """Names of a family's keys and classes of arrival channels.

    Members
    -------
    keys : tuple of str
        Name of each routing key: a header's target vertex, or the family's other keys.
    arrivals : tuple of str
        Name of each class of arrival channel.
    """

    keys: tuple[str, ...]
    arrivals: tuple[str, ...]
