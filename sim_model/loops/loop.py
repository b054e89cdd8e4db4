"""A family's outermost loop as Python calls it: its machine code is found, or else compiled, by the first call."""

import ctypes
import threading
from collections.abc import Callable
from functools import update_wrapper
from typing import Any
from weakref import WeakValueDictionary

from sim_model.loops.arguments import Block, Layout
from sim_model.loops.kept import find_object_file
from sim_model.loops.machine_code import MachineCode

_compiling = threading.RLock()
_loops: WeakValueDictionary[str, "Loop"] = WeakValueDictionary()
newly_found: list[tuple[str, tuple[Layout, ...]]] = []
"""Names of loops whose machine code a call in this process has found or compiled, and layouts of their arguments."""


class Loop:
    """A compiled loop.

    Parameters:
        function: Takes numbers, arrays and named tuples of both (``arguments.py``); returns an int or None. Its
            qualified name is that of the loop.
    """

    def __init__(self, function: Callable[..., Any]):
        update_wrapper(self, function)
        self.py_func: Any = function
        self.name = function.__qualname__
        self._layouts: list[list[Layout]] = [[] for _ in range(self.py_func.__code__.co_argcount)]
        self._codes: dict[tuple[Layout, ...], MachineCode] = {}
        _loops[self.name] = self

    def __call__(self, *arguments: Any) -> int | None:
        """Run the loop, as the function would; index errors are not noticed."""
        found = [self._place(position, value) for position, value in enumerate(arguments)]
        layouts = tuple([layout for layout, _ in found])
        code = self._codes.get(layouts) or self._find(layouts, arguments)
        return code([address for _, (address, _) in found])

    def bind(self, *arguments: Any) -> Callable[[int], int | None]:
        """Return the loop with all arguments but the last one, which is an int."""
        last = ctypes.c_int64()
        everything = (*arguments, 0)
        found = [self._place(position, value) for position, value in enumerate(everything)]
        layouts = tuple([layout for layout, _ in found])
        code = self._codes.get(layouts) or self._find(layouts, everything)
        run = code.bind([*(address for _, (address, _) in found[:-1]), ctypes.addressof(last)])

        def call(value: int, _kept: Any = (everything, found)) -> int | None:
            last.value = value
            return run()

        return call

    def _place(self, position: int, value: Any) -> tuple[Layout, Block]:
        """Return layout and block of an argument."""
        for layout in self._layouts[position]:
            block = layout.block(value)
            if block is not None:
                return layout, block
        layout = Layout(value)
        self._layouts[position].insert(0, layout)
        block = layout.block(value)
        assert block is not None
        return layout, block

    def _find(self, layouts: tuple[Layout, ...], arguments: tuple[Any, ...]) -> MachineCode:
        with _compiling:
            if layouts not in self._codes:
                object_file = find_object_file(self, layouts, arguments)
                assert object_file is not None
                self._codes[layouts] = MachineCode(self.name, object_file)
                newly_found.append((self.name, layouts))
            return self._codes[layouts]

    def _load(self, layouts: tuple[Layout, ...]) -> None:
        object_file = find_object_file(self, layouts)
        if object_file is not None:
            self._codes[layouts] = MachineCode(self.name, object_file)
            for known, layout in zip(self._layouts, layouts, strict=True):
                known.insert(0, layout)


def load_found(name: str, layouts: tuple[Layout, ...]) -> None:
    """Load machine code that another process has found; nothing if it is not kept, or this process has no such loop.

    Parameters:
        layouts: As in ``newly_found`` of the other process.
    """
    loop = _loops.get(name)
    if loop is not None:
        loop._load(layouts)
