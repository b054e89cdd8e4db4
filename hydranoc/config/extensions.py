"""Extensions that external packages register by entry points, and functions that a configuration names."""

import atexit
import hashlib
import importlib
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from hydranoc.config.named_files import NamedFiles, content_digest
from hydranoc.errors import ConfigError, nearest, shown
from topology.common.outside import FAILURES, failure_text

PATTERNS, TOPOLOGIES, ROUTINGS, FAMILIES = (
    f"hydranoc.{part}" for part in ("patterns", "topologies", "routings", "families")
)
"""Groups of entry points (docs/do/extending.md)."""
RUN_FILE = """\
from pathlib import Path

__file__ = {file!r}
exec(compile(Path(__file__).read_bytes(), __file__, "exec"))
"""
AddedT = TypeVar("AddedT")


class ExtensionError(ConfigError):
    """An extension that cannot be loaded; one clear line."""


class WithAdded(Mapping[str, AddedT]):
    """The project's own items by name, followed by those that packages add to a group, each loaded on first use.

    Parameters:
        own: Items of the project; their names take precedence.
        kind (type): Type of each item.

    Raises:
        ExtensionError: When an item does not load, or has another type.
    """

    def __init__(self, own: Mapping[str, AddedT], group: str, kind: type[AddedT]):
        self.own, self.group, self.kind = own, group, kind

    def __getitem__(self, name: str) -> AddedT:
        if name in self.own:
            return self.own[name]
        if name not in added_names(self.group):
            raise KeyError(name)
        added = load_added(self.group, name)
        if not isinstance(added, self.kind):
            raise ExtensionError(f"{name!r} in group {self.group} is {added!r}; it must be a {self.kind.__name__}")
        return added

    def __iter__(self) -> Iterator[str]:
        yield from self.own
        yield from (name for name in added_names(self.group) if name not in self.own)  # reads all packages' metadata

    def __len__(self) -> int:
        return len(list(iter(self)))


def added_names(group: str) -> tuple[str, ...]:
    """Return the names that packages add to a group, sorted."""
    return tuple(sorted(found(group)))


def load_added(group: str, name: str) -> Any:
    """Return the item that a package adds under a name.

    Raises:
        ExtensionError: If it does not load.
    """
    point = found(group)[name]
    try:
        return point.load()
    except FAILURES as error:  # an external package may fail in any way
        package = point.dist.name if point.dist is not None else point.value
        raise ExtensionError(f"{name!r} of package {package!r} cannot be loaded: {failure_text(error)}") from error


@cache
def found(group: str) -> dict[str, Any]:
    """Return the entry points by name; of two with one name the first on ``sys.path``."""
    from importlib.metadata import entry_points

    points: dict[str, Any] = {}
    for point in entry_points(group=group):
        points.setdefault(point.name, point)
    return points


def is_function_name(text: str) -> bool:
    """Return True for a text of the form ``MODULE:FUNCTION`` or ``FILE.py:FUNCTION``."""
    return ":" in text


def load_function(text: str, files: NamedFiles) -> Any:
    """Return the function that a configuration names as ``MODULE:FUNCTION`` or ``FILE.py:FUNCTION``.

    Parameters:
        files: Records the file or module.

    Raises:
        ExtensionError: If there is no such module, file or function.
    """
    where, _, name = text.rpartition(":")
    try:
        module = _file_module(files.path(where)) if where.endswith(".py") else importlib.import_module(where)
        function = getattr(module, name, None)
    except FAILURES as error:  # an external module may fail in any way
        raise ExtensionError(f"{where!r} cannot be imported: {failure_text(error)}") from error
    if not callable(function):
        raise ExtensionError(f"{where!r} must have a function {name!r}")
    if not where.endswith(".py"):
        _tell_of_module(where, files)
    return function


def find_function(what: str, text: str, group: str, files: NamedFiles, own: Sequence[str] = ()) -> Any:
    """Return the function that a configuration names, or that a package adds under a name.

    Parameters:
        what: The key with the name, for errors.
        text: A name, or as for ``load_function``.
        group: Group of entry points to search.
        files: Records the file or module.
        own: The project's own names, for the error.

    Raises:
        ExtensionError: If there is no such name, or its function cannot be loaded.
    """
    try:
        if is_function_name(text):
            return load_function(text, files)
        if text in added_names(group):
            function = load_added(group, text)
            _tell_of_module(found(group)[text].module, files)
            return function
    except ExtensionError as error:
        raise ExtensionError(f"{what}: {error}") from error
    names = (*own, *added_names(group))
    choice = either((*names, "MODULE:FUNCTION"))
    raise ExtensionError(f"{what} is {shown(text)}; it must be {choice}{nearest(text, names)}")


def either(names: Iterable[str]) -> str:
    """Return names as a choice in words."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _file_module(path: Path) -> Any:
    """Return a module from a file, under a name unique to this file and its content.

    Processes that are started later, simulators among them, find it by that name as well, so that what it makes can be
    sent to them: a module of that name, which runs the file, lies in a folder at the end of ``sys.path``.
    """
    whole = str(path.resolve())
    told = f"{whole} {content_digest(path)}"
    name = f"_hydranoc_{path.stem}_{hashlib.sha256(told.encode()).hexdigest()[:8]}"
    if name not in sys.modules:
        folder = _folder_of_modules()
        (folder / f"{name}.py").write_text(RUN_FILE.format(file=whole), encoding="utf-8")
        importlib.invalidate_caches()
    return importlib.import_module(name)


def _tell_of_module(name: str, files: NamedFiles) -> None:
    """Record a module as a file of the configuration, with the content that Python has run."""
    path, digest = _module_file(name)
    if path is not None:
        files.digests.setdefault(path, digest)


@cache
def _module_file(name: str) -> tuple[str | None, str | None]:
    """Return path and digest of an imported module, computed once: Python does not reload a changed module."""
    path = getattr(sys.modules[name], "__file__", None)
    return path, content_digest(Path(path)) if path else None


@cache
def _folder_of_modules() -> Path:
    """Return a folder for modules that run files; it is deleted when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="hydranoc-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    sys.path.append(str(folder))
    return folder
