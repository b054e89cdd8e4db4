"""What packages from outside add to the project, by entry points; and functions that a configuration names."""

import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

PATTERNS, TOPOLOGIES, FAMILIES = GROUPS = ("hydranoc.patterns", "hydranoc.topologies", "hydranoc.families")
"""Groups of entry points (docs/extending.md)."""


class ExtensionError(ValueError):
    """Something from outside that cannot be loaded; one clear line."""


def added_names(group: str) -> tuple[str, ...]:
    """Names that packages add to a group, sorted."""
    return tuple(sorted(_found(group)))


def load_added(group: str, name: str) -> Any:
    """What a package adds under a name.

    Raises
    ------
    ExtensionError
        If it does not load.
    """
    point = _found(group)[name]
    try:
        return point.load()
    except Exception as error:  # a package from outside may fail in any way
        package = point.dist.name if point.dist is not None else point.value
        raise ExtensionError(f"{name!r} of package {package!r} cannot be loaded: {_said(error)}") from error


@cache
def _found(group: str) -> dict[str, Any]:
    """Entry points by name; of two with one name the first on ``sys.path``."""
    points: dict[str, Any] = {}
    for point in entry_points(group=group):
        points.setdefault(point.name, point)
    return points


def is_function_name(text: str) -> bool:
    """Whether a text is of the form ``MODULE:FUNCTION`` or ``FILE.py:FUNCTION``."""
    return ":" in text


def load_function(text: str, folder: Path) -> Any:
    """A function that a configuration names as ``MODULE:FUNCTION`` or ``FILE.py:FUNCTION``.

    Parameters
    ----------
    text : str
    folder : Path
        Files are relative to it.

    Raises
    ------
    ExtensionError
        If there is no such module, file or function.
    """
    where, _, name = text.rpartition(":")
    try:
        module = _file_module(folder / where) if where.endswith(".py") else importlib.import_module(where)
    except Exception as error:  # a module from outside may fail in any way
        raise ExtensionError(f"{where!r} cannot be imported: {_said(error)}") from error
    function = getattr(module, name, None)
    if not callable(function):
        raise ExtensionError(f"{where!r} must have a function {name!r}")
    return function


def either(names: Iterable[str]) -> str:
    """Names as a choice in words."""
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last


def _file_module(path: Path) -> Any:
    """A module from a file, under a name that no other file has: what it makes can then be pickled by its name."""
    name = f"_hydranoc_{path.stem}_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
