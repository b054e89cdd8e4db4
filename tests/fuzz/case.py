"""A command with the files that it reads, and the generator of a format's cases."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis.strategies import SearchStrategy

CONFIGURATION = "network.yaml"
RESULTS = "results"


@dataclass(frozen=True)
class Case:
    """A command line, run in a folder that has these files.

    Members
    -------
    files : dict of str to bytes
        Content by name; the names have no folders.
    arguments : tuple of str
        Of the command; results belong into the folder ``RESULTS``.
    """

    files: dict[str, bytes]
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class Format:
    """An input format, and its cases.

    Members
    -------
    name : str
    cases : SearchStrategy of Case
    about : tuple of str
        An error must begin with one of these, the files that can be wrong; empty where input is no file.
    large : callable or None
        Takes the folder and the case, and returns True if it is valid and large: a request that takes its time is no
        hang. It may fail.
    reached : tuple of (object, str)
        Owners and names of functions that start long work; a command that gets there has taken its input.
    first : tuple of Case
        Run before all others, without a limit of time: compiled functions are compiled then.
    keep : dict of str to bytes
        Files that every case finds.
    """

    name: str
    cases: SearchStrategy[Case] = field(repr=False)
    about: tuple[str, ...] = ()
    large: Callable[[Path, Case], bool] | None = None
    reached: tuple[tuple[object, str], ...] = ()
    first: tuple[Case, ...] = ()
    keep: dict[str, bytes] = field(default_factory=dict)
