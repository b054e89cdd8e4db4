"""Digest of the sources that a compiled loop is built from: the same in any folder and for any user.

It follows the functions that the loop calls through their globals and closures. The whole files of these functions
count, and the values of the constants that they use.
"""

import hashlib
import os
import sys
import time
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from sim_model.loops.vector_layout import VectorLayout

COMPILER_FILES = tuple(
    str(Path(__file__).with_name(name))
    for name in (
        "arguments.py",
        "compilation.py",
        "extensions.py",
        "lean.py",
        "pipeline.py",
        "plain.py",
        "vector_code.py",
        "vector_types.py",
    )
)
"""Sources that decide how functions become machine code."""


_began = time.time()


def source_digest(function: FunctionType, kinds: Iterable[type] = ()) -> str | None:
    """Return the digest of a function's sources.

    Parameters:
        function (function): The loop, uncompiled.
        kinds: Named tuples among its arguments, which may bring functions of their own (``loops/lookups.py``).

    Returns:
        64 hexadecimal digits; None if a source has changed since this process began, which may run what it was before.
    """
    seen = _Seen()
    seen.add_function(function)
    for kind in kinds:
        seen.add_class(kind)
    digest = hashlib.sha256()
    files = {_file_digest(path) for path in (*COMPILER_FILES, *seen.files)}
    if any(map(_has_changed, (*COMPILER_FILES, *seen.files))):  # after they have been read
        return None
    for text in (*sorted(files), *sorted(seen.constants)):
        digest.update(f"{text}\n".encode())
    return digest.hexdigest()


def note_current_sources() -> None:
    """Note that all loaded sources are as they are in their files."""
    global _began
    _began = time.time()


def _has_changed(path: str) -> bool:
    """Return True if a file has changed since this process began. Times in the future are of another clock."""
    try:
        status = os.stat(path)
    except OSError:
        return False
    return _began < max(status.st_mtime, status.st_ctime) <= time.time()


@cache
def _file_digest(path: str) -> str:
    """Return a digest of a file's name and contents. A missing file, as of typed code, counts by its name alone."""
    try:
        content = Path(path).read_bytes()
    except OSError:
        content = b""
    return f"{Path(path).name} {hashlib.sha256(content).hexdigest()}"


class _Seen:
    """Files and constants that functions depend on."""

    def __init__(self):
        self.files: set[str] = set()
        self.constants: set[str] = set()
        self._functions: dict[int, FunctionType] = {}

    def add_function(self, function: FunctionType) -> None:
        """Add a function and all that it calls."""
        if id(function) in self._functions:
            return
        self._functions[id(function)] = function
        self.files.add(function.__code__.co_filename)
        self._add_value(function.__name__, getattr(function, "vector_code", None))
        for name, value in _used(function):
            self._add_value(name, value)

    def add_class(self, kind: type) -> None:
        """Add a class, and the function that it uses in place of a table."""
        self.files.add(str(getattr(sys.modules.get(kind.__module__), "__file__", kind.__module__)))
        self._add_value(kind.__qualname__, getattr(kind, "computed", None))

    def _add_value(self, name: str, value: Any) -> None:
        value = getattr(value, "py_func", value)
        if isinstance(value, FunctionType):
            self.add_function(value)
        elif isinstance(value, type):
            if issubclass(value, tuple) and value is not tuple:
                self.add_class(value)
        elif isinstance(value, np.ndarray):
            self.constants.add(f"{name} {value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}")
        elif isinstance(value, tuple):
            for position, item in enumerate(value):
                self._add_value(f"{name}.{position}", item)
        elif isinstance(value, bool | int | float | str | np.generic | None):
            self.constants.add(f"{name} {value!r}")
        elif isinstance(value, VectorLayout):
            for attribute, item in vars(value).items():
                self._add_value(f"{name}.{attribute}", item)
        elif isinstance(value, ModuleType):
            self.constants.add(f"{name} {value.__name__}")


def _used(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield names and values of the globals and closure variables that a function uses."""
    names = function.__globals__
    for code in _codes(function.__code__):
        yield from ((name, names[name]) for name in code.co_names if name in names)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
