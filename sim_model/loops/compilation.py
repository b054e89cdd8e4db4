"""Compilation of a loop by Numba: the one place of the golden model where Numba is entered."""

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any

from llvmlite import ir
from numba import njit, typeof, types
from numba.core import compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.np.arrayobj import populate_array

import sim_model.loops.extensions  # noqa: F401 (what it registers is compiled into loops)
from sim_model.loops.machine_code import ENTRY, FAILED, NOTHING, VALUE
from sim_model.loops.pipeline import INLINED, OPTIONS, LoopLibrary, loop_context, remembered_calls
from sim_model.loops.vector_code import register_operations

WORD, INT32 = ir.IntType(64), ir.IntType(32)


def type_of_part(part: Any) -> Any:
    """Return Numba's type of a function that is compiled into loops.

    Parameters:
        part (Part): It keeps the type.
    """
    if not hasattr(part, "dispatcher"):
        part.dispatcher = njit(**(INLINED if part.inlined else OPTIONS))(part.py_func)
    return part.dispatcher._numba_type_


def compile_loop(function: Callable[..., Any], arguments: Sequence[Any]) -> bytes:
    """Compile a loop for the types of some arguments.

    Parameters:
        function: The loop and, by its globals, the functions that it calls.
        arguments: Arguments of the types that it is compiled for.

    Returns:
        An object file with the function ``machine_code.ENTRY``.
    """
    with global_compiler_lock:
        register_operations()
        dispatcher: Any = njit(**OPTIONS)(function)
        flags: Any = compiler.Flags()
        cpu_target.options.parse_as_flags(flags, dispatcher.targetoptions)
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        context: Any = cpu_target.target_context
        typing: Any = cpu_target.typing_context
        library = LoopLibrary(context.codegen(), function.__qualname__)
        kinds = tuple(map(typeof, arguments))
        with remembered_calls(typing):
            found = compiler.compile_extra(
                typing, context, function, kinds, None, flags, {}, library, OPTIONS["pipeline_class"]
            )
        library.add_ir_module(_entry(loop_context(context), found.fndesc))
        return library.object_file()


def _entry(context: Any, described: Any) -> ir.Module:
    """Return the function that reads the argument words (``arguments.py``) and calls the loop."""
    module = context.create_module("entry")
    loop_type = context.call_conv.get_function_type(described.restype, described.argtypes)
    loop = ir.Function(module, loop_type, described.llvm_func_name)
    word_pointer = WORD.as_pointer()
    entry = ir.Function(module, ir.FunctionType(INT32, [word_pointer.as_pointer(), word_pointer]), ENTRY)
    builder = ir.IRBuilder(entry.append_basic_block("entry"))
    blocks = [builder.load(builder.gep(entry.args[0], [WORD(number)])) for number in range(len(described.argtypes))]
    values = [
        _read(context, builder, kind, _words(builder, block))
        for kind, block in zip(described.argtypes, blocks, strict=True)
    ]
    status, result = context.call_conv.call_function(
        builder, loop, described.restype, described.argtypes, values, attrs=("noinline",)
    )
    with builder.if_then(status.is_error):
        builder.ret(INT32(FAILED))
    if described.restype == types.none:
        builder.ret(INT32(NOTHING))
    else:
        builder.store(context.cast(builder, result, described.restype, types.int64), entry.args[1])
        builder.ret(INT32(VALUE))
    return module


def _words(builder: Any, block: Any) -> Iterator[Any]:
    """Yield one word of a block after the other."""
    return (builder.load(builder.gep(block, [WORD(position)])) for position in count())


def _read(context: Any, builder: Any, kind: Any, words: Iterator[Any]) -> Any:
    """Return a value of a type from its words."""
    if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
        return context.make_tuple(builder, kind, [_read(context, builder, item, words) for item in kind.types])
    if isinstance(kind, types.Array):
        return _read_array(context, builder, kind, words)
    word, value = next(words), context.get_value_type(kind)
    if kind == types.none:
        return context.get_dummy_value()
    if kind == types.boolean:
        return builder.icmp_unsigned("!=", word, WORD(0))
    if isinstance(kind, types.Integer):
        return word if value == WORD else builder.trunc(word, value)
    assert kind == types.float64, kind
    return builder.bitcast(word, value)


def _read_array(context: Any, builder: Any, kind: Any, words: Iterator[Any]) -> Any:
    array = context.make_array(kind)(context, builder)
    itemsize, data = next(words), next(words)
    shape, strides = ([next(words) for _ in range(kind.ndim)] for _ in range(2))
    populate_array(array, builder.inttoptr(data, array.data.type), shape, strides, itemsize, meminfo=None)
    return array._getvalue()
