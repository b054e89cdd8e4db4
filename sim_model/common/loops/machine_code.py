"""Machine code of a compiled loop: loaded by LLVM, called without Numba."""

import ctypes
from collections.abc import Sequence
from typing import Any

from sim_model.common.loops.processors import llvm, triple

ENTRY = "hydranoc_loop"
"""Symbol of the function in an object file: ``int32 hydranoc_loop(const int64 **blocks, int64 *result)``."""
VALUE, NOTHING, FAILED = range(3)
"""What it returns: the loop has a result, has none, or has raised an exception."""


class MachineCode:
    """A loop in memory.

    Parameters
    ----------
    name : str
        Of the loop, for messages.
    object_file : bytes

    Raises
    ------
    RuntimeError
        If LLVM cannot load it.
    """

    def __init__(self, name: str, object_file: bytes):
        binding = llvm()
        target = binding.Target.from_triple(triple())
        machine = target.create_target_machine(codemodel="jitdefault", jit=True)
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
        self._engine.add_object_file(binding.object_file.ObjectFileRef.from_data(object_file))
        self._engine.finalize_object()
        self._name = name
        address = self._engine.get_function_address(ENTRY)
        self._call: Any = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(address)

    def __call__(self, addresses: Sequence[int]) -> int | None:
        """Run the loop; other threads run meanwhile.

        Parameters
        ----------
        addresses : sequence of int
            Of the block of each argument.

        Returns
        -------
        int or None
            The result of the loop.

        Raises
        ------
        RuntimeError
            If the loop has raised an exception.
        """
        result = ctypes.c_int64()
        outcome = self._call((ctypes.c_void_p * len(addresses))(*addresses), ctypes.byref(result))
        if outcome == FAILED:
            raise RuntimeError(f"{self._name} has failed; NUMBA_DISABLE_JIT=1 shows where")
        return result.value if outcome == VALUE else None
