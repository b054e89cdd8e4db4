"""Compilation by Numba with only the work that a loop needs, a fifth of the default (docs/understand/engines.md).

All functions are inlined into the loop that calls them. Numba optimises each of them, generates its machine code, and
wraps it for Python. Here a function is simplified, linked into the loop and optimised there once. Named tuples and
arrays are arguments of one value each: Numba passes every word of them by itself, which makes most instructions.

``HOOKS`` lists the parts of Numba that this changes. Without them ``pipeline.py`` takes Numba's own way.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import binding
from numba.core import analysis, codegen, compiler, ir, lowering, postproc, typed_passes, types, untyped_passes
from numba.core.base import BaseContext
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.datamodel import models
from numba.core.datamodel.manager import DataModelManager
from numba.core.datamodel.registry import default_manager
from numba.core.transforms import canonicalize_cfg
from numba.core.typing.context import BaseContext as TypingContext

from sim_model.loops.plain import make_internal

HOOKS: tuple[Callable[..., Any], ...] = (
    BaseContext.refresh,
    BaseContext.subtarget,
    TypingContext.resolve_function_type,
    codegen.CPUCodeLibrary._optimize_functions,
    codegen.CPUCodeLibrary._get_module_for_linking,
    lowering.Lower._find_singly_assigned_variable,
    models.StructModel.from_argument,
    models.UniTupleModel.from_argument,
    postproc.PostProcessor.run,
    typed_passes.NativeLowering.run_pass,
)
"""Methods of Numba that are replaced or called, beside those that are documented."""
PASSES = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.DeadBranchPrune,
    untyped_passes.GenericRewrites,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
)
"""Passes before the lowering. Numba has more, for closures, array expressions, literals, objects, reference counts."""


class _Whole:
    """A value that is one argument."""

    def get_argument_type(self: Any) -> Any:
        return self.get_value_type()

    def as_argument(self, _builder: Any, value: Any) -> Any:
        return value

    def from_argument(self, _builder: Any, value: Any) -> Any:
        return value


class _WholeTuple(_Whole, models.TupleModel): ...


class _WholeUniTuple(_Whole, models.UniTupleModel): ...


class _WholeArray(_Whole, models.ArrayModel): ...


DATA_MODELS = DataModelManager(
    {types.NamedTuple: _WholeTuple, types.NamedUniTuple: _WholeUniTuple, types.Array: _WholeArray}
).chain(default_manager)


def loop_context(context: Any) -> Any:
    """Return Numba's target with the arguments of this module."""
    found = context.subtarget(data_model_manager=DATA_MODELS)
    found.refresh = lambda: None  # done before the lowering, and by Numba for each operation
    found.mangler = _short_name
    return found


def _short_name(name: str, _types: Any, *, uid: int, **_: Any) -> str:
    """Return the symbol of a function. Numba's symbols hold all argument types, most of the text that LLVM reads."""
    return f"{name}.{uid}"


def _pass_builder(target: Any, *, unroll: bool) -> Any:
    """Return LLVM's passes for a target, without those for long loops over arrays: loops here are short."""
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.loop_interleaving = False
    options.loop_unrolling = unroll
    return binding.create_pass_builder(target, options)


class PartLibrary(codegen.CPUCodeLibrary):
    """A function without machine code, for linking into loops."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Simplify each function: loops of functions that are inlined as they were written are up to 14 % slower."""
        ll_module.data_layout = self._codegen._data_layout
        for function in ll_module.functions:
            if not function.is_declaration:
                builder = _pass_builder(self._codegen._tm, unroll=True)
                builder.getFunctionPassManager().run(function, builder)

    def finalize(self) -> None:
        self._finalized = True

    def parts(self) -> Iterator[Any]:
        """Yield the modules of all libraries that it needs, each once."""
        seen, left = set(), list(self._linking_libraries)
        while left:
            library = left.pop()
            if library in seen:
                continue
            seen.add(library)
            if isinstance(library, PartLibrary):
                left.extend(library._linking_libraries)
                yield library._final_module
            else:
                yield library._get_module_for_linking()


class LoopLibrary(PartLibrary):
    """A loop with all functions that it calls."""

    def object_file(self) -> bytes:
        """Return the machine code."""
        module: Any = self._final_module
        for part in self.parts():
            module.link_in(part, preserve=True)
        make_internal(module)
        builder = _pass_builder(self._codegen._tm, unroll=False)
        builder.getModulePassManager().run(module, builder)
        return self._codegen._tm.emit_object(module)


class _Lower(lowering.Lower):
    """Lowering that keeps variables assigned once as values; Numba stores those of several blocks in memory."""

    def _find_singly_assigned_variable(self) -> None:
        blocks = self.func_ir.blocks
        homes = [(assign.target.name, offset) for offset in blocks for assign in blocks[offset].find_insts(ir.Assign)]
        times, home = Counter(name for name, _ in homes), dict(homes)
        dominators = analysis.compute_cfg_from_blocks(blocks).dominators()
        values = {name for name in times if times[name] == 1}
        for offset, used in analysis.compute_use_defs(blocks).usemap.items():  # not those assigned before in the block
            values -= {name for name in used & values if home[name] not in dominators[offset] or home[name] >= offset}
        self._singly_assigned_vars, self._blk_local_varmap = values, {}


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(typed_passes.NativeLowering):
    _name = "lean_lowering"

    @property
    def lowering_class(self) -> Any:
        return _Lower

    def run_pass(self, state: Any) -> bool:
        flags, is_part = state.flags, state.library is None
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        if is_part:
            state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        type(state.targetctx).refresh(state.targetctx)
        super().run_pass(state)
        if is_part:
            key: Any = [].sort  # what Numba looks the function up by: a built-in method, each equal to itself alone
            state.targetctx.insert_user_function(key, state["cr"].fndesc, [state.library])
            state["cr"] = state["cr"]._replace(cfunc=key)
        return True


class Compiler(compiler.CompilerBase):
    """Passes from a function to a library."""

    def define_pipelines(self) -> list[PassManager]:
        """Return the passes."""
        self.state.targetctx = loop_context(self.state.targetctx)
        manager = PassManager("lean")
        for one in (*PASSES, _Lowering, typed_passes.NoPythonBackend):
            manager.add_pass(one, one.__name__)
        manager.finalize()
        return [manager]


class _PostProcessor(postproc.PostProcessor):
    """Computes lifetimes of variables where a pass reads them; Numba does after each pass."""

    def run(self, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        if emit_dels or self.func_ir.is_generator:
            super().run(emit_dels, extend_lifetimes)
        else:
            self.func_ir.blocks = canonicalize_cfg(self.func_ir.blocks)
            self.func_ir.variable_lifetime = postproc.VariableLifetime(self.func_ir.blocks)


@contextmanager
def remembered_calls(context: Any) -> Iterator[None]:
    """Look up the type of a call with the same types of arguments once.

    Parameters:
        context: Numba's typing context.
    """
    look_up, known = context.resolve_function_type, {}

    def resolve(function: Any, arguments: Any, keywords: Any) -> Any:
        key = function, tuple(arguments), tuple(dict(keywords).items())
        if key not in known:
            found = look_up(function, arguments, keywords)
            if found is None:
                return None
            known[key] = found
        return known[key]

    context.resolve_function_type, postproc.PostProcessor = resolve, _PostProcessor
    try:
        yield
    finally:
        del context.resolve_function_type
        postproc.PostProcessor = _PostProcessor.__base__
