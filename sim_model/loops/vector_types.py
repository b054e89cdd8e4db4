"""Vectors of words (``loops/vector_operations.py``) as a type of Numba, and their instructions."""

import operator
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model, type_callable

_infer: Any = infer_global
WORD = ir.IntType(64)


class WordVector(types.Type):
    """The type of vectors with ``width`` words, a power of 2."""

    def __init__(self, width: int):
        self.width = width
        super().__init__(name=f"WordVector({width})")

    @property
    def words(self) -> ir.VectorType:
        """LLVM's type of the vector."""
        return ir.VectorType(WORD, self.width)


@register_model(WordVector)
class _WordVectorModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, kind.words)


def register(plain: Callable[..., Any], result: types.Type, generate: Callable[..., Any]) -> None:
    """Register a Python function for compiled functions.

    Parameters:
        plain: The function, which has the same results without Numba.
        result (type): Of Numba.
        generate: Gets Numba's context, the builder of instructions, the signature and the arguments; returns the
            result.
    """

    class Template(AbstractTemplate):
        key = plain

        def generic(self, args, kws):
            return None if kws else signature(result, *args)

    infer_global(plain, types.Function(Template))
    lower_builtin(plain, types.VarArg(types.Any))(generate)


def _define_operator(function: Callable[..., Any], emit: str) -> None:
    @type_callable(function)
    def _choose(_context):
        def result_of(one, other):
            return one if isinstance(one, WordVector) and one == other else None

        return result_of

    @lower_builtin(function, WordVector, WordVector)
    def _generate(_context, builder, _signature, vectors):
        return getattr(builder, emit)(*vectors)


for _function, _emit in ((operator.and_, "and_"), (operator.or_, "or_"), (operator.xor, "xor")):
    _define_operator(_function, _emit)


@type_callable(operator.invert)
def _choose_invert(_context):
    def result_of(vector):
        return vector if isinstance(vector, WordVector) else None

    return result_of


@lower_builtin(operator.invert, WordVector)
def _invert(_context, builder, _signature, vectors):
    return builder.not_(vectors[0])


def splat(builder: Any, word: Any, width: int) -> Any:
    """Return a vector of equal words."""
    first = builder.insert_element(ir.Constant(ir.VectorType(WORD, width), ir.Undefined), word, ir.IntType(32)(0))
    return shuffled(builder, first, first, [0] * width)


def constant(words: Sequence[int]) -> Any:
    """Return a vector of known words."""
    return ir.Constant(ir.VectorType(WORD, len(words)), [int(word) for word in words])


def shuffled(builder: Any, one: Any, other: Any, places: Sequence[int]) -> Any:
    """Return words of two vectors by their places, those of the second after those of the first."""
    return builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(ir.IntType(32), len(places)), list(places)))


def call_on_vector(name: str, vector: Any, result: Any, builder: Any) -> Any:
    """Return the result of a function of the compiler for a vector."""
    kind = ir.FunctionType(result, [vector.type])
    full_name = f"{name}.v{vector.type.count}i64"
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, full_name), [vector])


def merged(builder: Any, vectors: list[Any]) -> Any:
    """Return a vector with the bitwise or of each of as many vectors as they have words.

    In every step two vectors become one: half of the words of each are put together with the other half.
    """
    width = block = len(vectors)
    owners = [[number] * width for number in range(width)]
    while len(vectors) > 1:
        block //= 2
        half = len(vectors) // 2
        low = [
            first + place
            for start in range(0, width, 2 * block)
            for first in (start, width + start)
            for place in range(block)
        ]
        high = [place + block for place in low]
        pairs = list(zip(vectors[:half], vectors[half:], strict=True))
        vectors = [builder.or_(shuffled(builder, *pair, low), shuffled(builder, *pair, high)) for pair in pairs]
        both = [[*one, *other] for one, other in zip(owners[:half], owners[half:], strict=True)]
        owners = [[names[place] for place in low] for names in both]
    order = [owners[0].index(number) for number in range(width)]
    return shuffled(builder, vectors[0], vectors[0], order)
