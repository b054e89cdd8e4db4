"""Instructions of the operations of ``loops/vector_operations.py``.

Each function takes the parameters of an operation and returns the type of its result and the generator of its
instructions, as ``vector_types.register`` takes them.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from sim_model.loops.vector_operations import OPERATIONS
from sim_model.loops.vector_types import (
    WORD,
    WordVector,
    call_on_vector,
    constant,
    merged,
    register,
    shuffled,
)
from sim_model.loops.vector_types import splat as splat_of

Code = tuple[types.Type, Callable[..., Any]]
_registered = 0


def register_operations() -> None:
    """Register all operations that were defined since the last call."""
    global _registered
    while _registered < len(OPERATIONS):
        operation: Any = OPERATIONS[_registered]
        code, *parameters = operation.vector_code
        register(operation, *globals()[code](*parameters))
        _registered += 1


def load(width: int) -> Code:
    """Return ``vector_at``."""
    return WordVector(width), _loader(width)


def store(width: int) -> Code:
    """Return ``put``."""

    def generate(context, builder, signature, values):
        builder.store(values[2], _pointer(width, context, builder, signature, values)).align = 8
        return context.get_dummy_value()

    return types.none, generate


def splat(width: int) -> Code:
    """Return ``splat``."""

    def generate(_context, builder, _signature, values):
        return splat_of(builder, values[0], width)

    return WordVector(width), generate


def place_alone(width: int) -> Code:
    """Return ``alone``."""

    def generate(_context, builder, _signature, values):
        return builder.insert_element(constant([0] * width), *values)

    return WordVector(width), generate


def gather(width: int, rows: int) -> Code:
    """Return ``gathered``."""
    load_at = _loader(width)

    def generate(context, builder, signature, values):
        places = [builder.add(values[1], WORD(number * width)) for number in range(rows)]
        vectors = [load_at(context, builder, signature, (values[0], place)) for place in places]
        return merged(builder, vectors + [constant([0] * width)] * (width - rows))

    return WordVector(width), generate


def _loader(width: int) -> Callable[..., Any]:
    def generate(context, builder, signature, values):
        found = builder.load(_pointer(width, context, builder, signature, values))
        found.align = 8
        return found

    return generate


def _pointer(width: int, context: Any, builder: Any, signature: Any, values: Any) -> Any:
    data = context.make_array(signature.args[0])(context, builder, values[0]).data
    return builder.bitcast(builder.gep(data, [values[1]]), WordVector(width).words.as_pointer())


def reduce_or(width: int) -> Code:
    """Return ``any_of``."""

    def generate(_context, builder, _signature, values):
        assert values[0].type.count == width
        return call_on_vector("llvm.vector.reduce.or", values[0], WORD, builder)

    return types.int64, generate


def find(width: int) -> Code:
    """Return ``places_of``."""

    def generate(_context, builder, _signature, values):
        found = builder.icmp_signed("!=", values[0], constant([0] * width))
        return builder.zext(builder.bitcast(found, ir.IntType(width)), WORD)

    return types.int64, generate


def count(width: int) -> Code:
    """Return ``count_all``."""

    def generate(_context, builder, _signature, values):
        counts = call_on_vector("llvm.ctpop", values[0], WordVector(width).words, builder)
        return call_on_vector("llvm.vector.reduce.add", counts, WORD, builder)

    return types.int64, generate


def fill(width: int) -> Code:
    """Return ``filled``."""

    def generate(_context, builder, _signature, values):
        return builder.sext(builder.icmp_signed("!=", values[0], constant([0] * width)), WordVector(width).words)

    return WordVector(width), generate


def isolate(width: int) -> Code:
    """Return ``lowest_of``."""

    def generate(_context, builder, _signature, values):
        return builder.and_(values[0], builder.neg(values[0]))

    return WordVector(width), generate


def find_above(width: int) -> Code:
    """Return ``above``."""

    def generate(_context, builder, _signature, values):
        return builder.neg(builder.add(values[0], values[0]))

    return WordVector(width), generate


def cross(width: int) -> Code:
    """Return ``crossed``."""

    def generate(_context, builder, _signature, values):
        found = values[0]
        for stage in _stages(width):
            moved = shuffled(builder, found, found, [place ^ stage for place in range(width)])
            wanted = builder.icmp_signed("!=", builder.and_(values[1], WORD(stage)), WORD(0))
            found = builder.select(wanted, moved, found)
        return found

    return WordVector(width), generate


def put_together(width: int, way: int) -> Code:
    """Return ``before`` (way -1) and ``behind`` (way 1)."""

    def moved(builder, vector, steps):
        places = [place + steps if 0 <= place + steps < width else width for place in range(width)]
        return shuffled(builder, vector, constant([0] * width), places)

    def generate(_context, builder, _signature, values):
        found = moved(builder, values[0], way)
        for stage in _stages(width):
            found = builder.or_(found, moved(builder, found, way * stage))
        return found

    return WordVector(width), generate


def _stages(width: int) -> list[int]:
    return [1 << stage for stage in range(width.bit_length() - 1)]


def rotate(width: int) -> Code:
    """Return ``rotated``."""
    words = WordVector(width).words

    def generate(_context, builder, _signature, values):
        kind = ir.FunctionType(words, [words] * 3)
        function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fshl.v{width}i64")
        return builder.call(function, [values[0], *values])

    return WordVector(width), generate


def exchange(width: int, dimensions: int) -> Code:
    """Return ``exchanged``."""
    shifts = [1 << d if d < dimensions else 0 for d in range(width)]
    kept = [sum(1 << bit for bit in range(64) if not bit >> d & 1) if d < dimensions else 0 for d in range(width)]

    def generate(_context, builder, _signature, values):
        amounts, masks = constant(shifts), constant(kept)
        down = builder.and_(builder.lshr(values[0], amounts), masks)
        return builder.or_(down, builder.shl(builder.and_(values[0], masks), amounts))

    return WordVector(width), generate
