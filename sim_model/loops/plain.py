"""Compilation by Numba as it is: with a version that does not have what ``lean.py`` changes."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from numba.core import codegen
from numba.core.compiler import Compiler as Compiler

from sim_model.loops.machine_code import ENTRY


def make_internal(module: Any) -> None:
    """Mark all functions of a module but the entry as called from inside only, so that they go where they are inlined.

    Parameters:
        module: Of LLVM.
    """
    for part in (*module.functions, *module.global_variables):
        if not part.is_declaration and part.name != ENTRY:
            part.linkage = "internal"


class LoopLibrary(codegen.CPUCodeLibrary):
    """A loop with all that it calls, whose code is written and not run."""

    def _optimize_final_module(self) -> None:
        make_internal(self._final_module)
        super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        """Leave the code out of Numba's own engine."""
        self._finalized = True

    def object_file(self) -> bytes:
        """Return the machine code."""
        self.finalize()
        return self._codegen._tm.emit_object(self._final_module)


def loop_context(context: Any) -> Any:
    """Return Numba's target."""
    return context


def remembered_calls(_context: Any) -> AbstractContextManager[None]:
    """Let Numba look up the types of each call."""
    return nullcontext()
