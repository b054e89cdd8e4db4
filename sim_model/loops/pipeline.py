"""Choice of the compilation pipeline: the lean one, or Numba's own where Numba has another version."""

from typing import Any

try:
    from sim_model.loops.lean import Compiler, LoopLibrary, loop_context, remembered_calls
except (ImportError, AttributeError):  # tests/sim_model/test_compiled_loops.py finds the missing part of Numba
    from sim_model.loops.plain import Compiler, LoopLibrary, loop_context, remembered_calls

__all__ = ["INLINED", "OPTIONS", "LoopLibrary", "loop_context", "remembered_calls"]

# Array arguments are not reference counted (_nrt): the cycle functions allocate nothing, and the atomic counters
# cost two thirds of the speed.
OPTIONS: Any = {"error_model": "numpy", "_nrt": False, "nogil": True, "pipeline_class": Compiler}
INLINED: Any = {**OPTIONS, "forceinline": True}
