"""Guarantees of the allocator for heads and lanes in every cycle, by its ports."""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Const, Mux, Value

from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.parts.selection import concat, lowest_one
from tests.proofs.claims import Claims, at_most_one
from topology.hypercube.routing import WRONG_ESCAPE

ONE_HEAD = "a lane goes to one head at most"
ONE_LANE = "a head gets one lane at most"
WANTED = "a head gets a lane only if it waits for that output"
FREE = "only a free lane is got"
TAKEN = "a free lane that a head gets is taken, and no other one"
RIGHT_ESCAPE = "a head gets an escape only where it may"

Condition = tuple[str, Value]
"""A condition, and the name of the property that it belongs to."""


def input_lanes(p: HypercubeRouterParameters) -> list[tuple[int, int]]:
    """Of every input lane its input and its number."""
    return [(port, lane) for port, (low, high) in enumerate(p.spans) for lane in range(low, high)]


def free_outputs(part: Any) -> Value:
    """By output, whether it has a free lane for any head."""
    p = part.parameters
    bits = dict(zip(p.adaptive_outputs, part.free, strict=True))
    return concat(bits.get(output, Const(0)) for output in range(len(p.output_lanes)))


def escape_of(part: Any, wanted: Any) -> Value:
    """The dimension, as an output, whose escape lane a head may have; 0 if there is none."""
    p = part.parameters
    if not p.has_escapes:
        return Value.cast(Const(0, len(wanted)))
    ways = [wanted[d] for d in range(p.dimensions)]
    lowest = lowest_one(concat(ways))
    if p.rule != WRONG_ESCAPE:
        return concat((lowest, Const(0)))
    highest = lowest_one(concat(reversed(ways)))
    return concat((Mux(part.odd, concat(highest[d] for d in reversed(range(p.dimensions))), lowest), Const(0)))


def promises(claims: Claims, part: Any, name: str) -> Iterator[Condition]:
    """Guarantees about heads and lanes.

    Parameters
    ----------
    claims : Claims
    part : HeadAllocator
    name : str
        Prefix of the names of signals.
    """
    for output in range(len(part.parameters.output_lanes)):
        yield from _of_lanes(claims, part, output, f"{name}_{output}")
    for port, lane in input_lanes(part.parameters):
        row, gets, wanted = part.rows[port], part.granted[lane], part.wanted[lane]
        yield ONE_LANE, ~gets | at_most_one(row)
        yield WANTED, ~gets | part.waiting[lane] & (row & wanted).any()
        if part.parameters.has_escapes:
            yield RIGHT_ESCAPE, ~(gets & part.escapes[port]) | (row == escape_of(part, wanted))


def _of_lanes(claims: Claims, part: Any, output: int, name: str) -> Iterator[Condition]:
    """Of an output: the heads that get an adaptive lane there, and the head that gets the escape channel."""
    p = part.parameters
    lanes = input_lanes(p)
    got = [part.granted[lane] & part.rows[port][output] for port, lane in lanes]
    escapes = [part.escapes[port] for port, _ in lanes]
    adaptive = claims.named(concat(g & ~e for g, e in zip(got, escapes, strict=True)), f"{name}_is_got")
    escape = claims.named(concat(g & e for g, e in zip(got, escapes, strict=True)), f"{name}_is_got_as_escape")
    free = taken = free_escape = taken_escape = Value.cast(0)
    if output in p.adaptive_outputs:
        number = p.adaptive_outputs.index(output)
        free, taken = part.free[number], part.taken[number]
    if p.has_escapes and output != p.delivery:
        free_escape, taken_escape = part.free_escapes[output], part.taken_escapes[output]
    yield ONE_HEAD, at_most_one(adaptive)
    yield ONE_HEAD, at_most_one(escape)
    yield FREE, ~adaptive.any() | free
    yield FREE, ~escape.any() | free_escape
    yield TAKEN, (taken & free) == adaptive.any()
    yield TAKEN, (taken_escape & free_escape) == escape.any()
