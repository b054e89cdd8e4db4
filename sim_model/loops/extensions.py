"""Functions of the engines that Numba compiles to an instruction, or by the types of their arguments."""

from typing import Any

from numba import types
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, models, overload, register_model

from sim_model.loops.bits import count_bits, enter, highest_bit, lowest_bit
from sim_model.loops.lookups import candidates_of, computed_for, ports_to
from sim_model.loops.pipeline import INLINED
from sim_model.loops.vector_layout import VectorLayout


def _zeros_counter(name: str) -> Any:
    """Return ``cttz`` or ``ctlz``: one instruction of the processor, for which Numba has no name.

    As a loop it took a third of the time of multistage networks.
    """

    def type_zeros(_context, mask):
        def generate(context, builder, _signature, values):
            not_for_zero = context.get_constant(types.boolean, 1)
            return getattr(builder, name)(values[0], not_for_zero)

        return types.int64(mask), generate

    return intrinsic(type_zeros)


_trailing_zeros, _leading_zeros = _zeros_counter("cttz"), _zeros_counter("ctlz")


@overload(lowest_bit, jit_options=INLINED)
def _lowest_bit(mask):
    return (lambda mask: _trailing_zeros(mask)) if isinstance(mask, types.Integer) else None


@overload(highest_bit, jit_options=INLINED)
def _highest_bit(mask):
    return (lambda mask: 63 - _leading_zeros(mask)) if isinstance(mask, types.Integer) else None


def _type_population(_context, word):
    def generate(_context, builder, _signature, values):
        return builder.ctpop(values[0])

    return types.int64(word), generate


_population: Any = intrinsic(_type_population)


@overload(count_bits, jit_options=INLINED)
def _count_bits(word):
    return (lambda word: _population(word)) if isinstance(word, types.Integer) else None


def _type_enter(_context, numbers, position, number):
    def generate(context, builder, signature, values):
        array = context.make_array(signature.args[0])(context, builder, values[0])
        narrow = context.cast(builder, values[2], signature.args[2], signature.args[0].dtype)
        builder.store(narrow, builder.gep(array.data, [values[1]]))
        return context.get_dummy_value()

    return types.none(numbers, position, number), generate


_write: Any = intrinsic(_type_enter)


@overload(enter, jit_options=INLINED)
def _enter(numbers, position, number):  # noqa: ARG001 (named as those of ``enter``)
    if not isinstance(numbers, types.Array):
        return None
    return lambda numbers, position, number: _write(numbers, position, number)


@overload(candidates_of, jit_options=INLINED)
def _candidates_of(routes, _switch, _key, _arrival):
    if isinstance(routes, types.Array):
        return lambda routes, _switch, _key, _arrival: routes[_switch, _key, _arrival]
    function = computed_for(routes.instance_class)
    return lambda routes, _switch, _key, _arrival: function(_switch, _key, _arrival, routes)


@overload(ports_to, jit_options=INLINED)
def _ports_to(reach, _switch, _processor):
    if isinstance(reach, types.Array):
        return lambda reach, _switch, _processor: reach[_switch, _processor]
    function = computed_for(reach.instance_class)
    return lambda reach, _switch, _processor: function(_switch, _processor, reach)


class LayoutType(types.Opaque):
    """Type of a layout, whose attributes are part of it."""

    def __init__(self, layout: VectorLayout):
        self.layout = layout
        super().__init__(name=f"{type(layout).__name__}({id(layout)})")


register_model(LayoutType)(models.OpaqueModel)


def _constant_type(context: Any, kind: Any, name: str) -> Any:
    return context.resolve_value_type_prefer_literal(getattr(kind.layout, name))


@infer_getattr
class _LayoutAttributes(AttributeTemplate):
    key = LayoutType

    def generic_resolve(self, kind, name):
        return _constant_type(self.context, kind, name)


@lower_getattr_generic(LayoutType)
def _layout_attribute(context, builder, kind, _value, name):
    found = _constant_type(context.typing_context, kind, name)
    return context.get_constant_generic(builder, found, getattr(kind.layout, name))
