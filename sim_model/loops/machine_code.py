"""Machine code of a compiled loop, called without Numba."""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

from sim_model.loops.object_code import Code, load_code
from sim_model.loops.processors import llvm

ENTRY = "hydranoc_loop"
"""Symbol of the function in an object file: ``int32 hydranoc_loop(const int64 **blocks, int64 *result)``."""
VALUE, NOTHING, FAILED = range(3)
"""Results of the entry: the loop has a result, has none, or has raised an exception."""


class MachineCode:
    """A loop in memory.

    Parameters:
        name: Of the loop, for messages.

    Raises:
        RuntimeError: If LLVM cannot load it.
    """

    def __init__(self, name: str, object_file: bytes):
        self._name = name
        self._code = load_code(object_file, ENTRY) or load_by_llvm(object_file, ENTRY)
        self._call: Any = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)(self._code.address)

    def __call__(self, addresses: Sequence[int]) -> int | None:
        """Run the loop; other threads run meanwhile.

        Parameters:
            addresses: Of the block of each argument.

        Returns:
            The result of the loop.

        Raises:
            RuntimeError: If the loop has raised an exception.
        """
        return self.bind(addresses)()

    def bind(self, addresses: Sequence[int]) -> Callable[[], int | None]:
        """Return the loop with its arguments, to be run as ``__call__`` does.

        Parameters:
            addresses: Of the block of each argument; its content is read by each run.
        """
        result = ctypes.c_int64()
        blocks, answer = (ctypes.c_void_p * len(addresses))(*addresses), ctypes.byref(result)

        def run() -> int | None:
            outcome = self._call(blocks, answer)
            if outcome == FAILED:
                raise RuntimeError(f"{self._name} has failed; NUMBA_DISABLE_JIT=1 shows where")
            return result.value if outcome == VALUE else None

        return run


def load_by_llvm(object_file: bytes, entry: str) -> Code:
    """Load an object file of any kind, for any processor and system.

    Parameters:
        entry: Symbol of the function to be called.

    Raises:
        RuntimeError: If LLVM cannot load it.
    """
    binding = llvm()
    target = binding.Target.from_triple(binding.get_process_triple())
    machine = target.create_target_machine(codemodel="jitdefault", jit=True)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
    engine.add_object_file(binding.object_file.ObjectFileRef.from_data(object_file))
    engine.finalize_object()
    return Code(engine, engine.get_function_address(entry))
