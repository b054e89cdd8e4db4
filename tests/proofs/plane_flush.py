"""Claims about flushes of the collective plane: no register keeps anything of a flushed group."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Value
from amaranth.lib import data

from rtl.collectives.barriers import BarrierSwitch
from rtl.collectives.contribution import beat_layout
from rtl.collectives.endpoint import PlaneEndpoint
from rtl.collectives.parameters import PlaneParameters, SwitchShape
from rtl.collectives.switch import PlaneSwitch
from rtl.parts.part import Part
from tests.proofs.claims import Claims, Describe, Inside
from topology.collectives.operators import SIGNED_MAX, SUM

GROUPS, BRANCHES = 3, 2
"""Different, so a mask of branches is not taken for one of groups."""
PLANE = PlaneParameters(GROUPS, 8, (SUM, SIGNED_MAX), buffer_words=2, result_words=2)
BARRIERS = PlaneParameters(GROUPS, operators=())

# Every register with a value after reset is back at it behind a flush, or is listed here.

PASSES_ON = "moving_0", "moving_1", "moving_2", "up__valid", "down__valid"
"""Words that were combined before run on, and are dropped where they arrive."""
OF_ONE_GROUP = "valid_0", "valid_1", "link__valid", "tvalid", "tid"
"""Beats, words and results of one group at a time, with claims of their own."""
TURNS = "later", "stream_had", "denied", "active", "active_down"
"""Order of groups, and numbers that count with a grant alone."""
OTHERS = "flushing", "mismatches", "mask", "tready"
STAY = {*PASSES_ON, *OF_ONE_GROUP, *TURNS, *OTHERS}
PARTS: dict[str, Callable[[], Part]] = {
    "switch": lambda: PlaneSwitch(SwitchShape(PLANE, (2,) * BRANCHES)),
    "endpoint": lambda: PlaneEndpoint(PLANE),
    "barrier-switch": lambda: BarrierSwitch(SwitchShape(BARRIERS, (2,) * BRANCHES)),
}
FORGETS = "behind a flush each register of the group has its first value"


def flushed(name: str) -> Describe:
    """Claims about a part with flushes.

    name: Key of ``PARTS``.
    """

    def describe(claims: Claims) -> None:
        part: Any = PARTS[name]()
        claims.free_inputs(part)
        inside = Inside(claims, part)
        flushing = inside.register("flushing")
        was_flushed = claims.was(flushing, "flushed")
        for register in inside.registers():
            if register.name not in STAY:
                for g, (now, first) in enumerate(_of_groups(register)):
                    claims.always(FORGETS, ~was_flushed[g] | (now == first))
        if name == "switch":
            scheduler = inside.placed["scheduler"]
            claims.invariant("no flushed group is granted", ~(flushing & (scheduler.combine | scheduler.down)).any())
        if name == "endpoint":
            _forgets_streams(claims, inside, part, was_flushed)
        claims.possible("a flush ends", was_flushed.all() & ~flushing.any())

    return describe


def _of_groups(register: Any) -> list[tuple[Any, int]]:
    """Return bits and first value of each group: of ``name_{g}``, or a bit per group, once or repeated."""
    number = register.name.rpartition("_")[2]
    if number.isdigit():
        rest = Value.cast(0), 0
        return [(register, register.init) if g == int(number) else rest for g in range(GROUPS)]
    bits = len(register)
    if bits % GROUPS:
        raise ValueError(f"{register.name} has {bits} bits: is it back at its first value behind a flush?")
    init = [register.init >> i & 1 for i in range(bits)]
    return [(register[g::GROUPS], sum(bit << k for k, bit in enumerate(init[g::GROUPS]))) for g in range(GROUPS)]


def _forgets_streams(claims: Claims, inside: Inside, part: Any, was_flushed: Any) -> None:
    """Claim that nothing of a flushed group waits for the link or for the user, nor is on the link."""
    claims.assume(part.s_axis_tdest < GROUPS)
    layout = beat_layout(PLANE)
    for k in range(2):
        beat: Any = data.View(layout, inside.register(f"beat_{k}", "contribution"))
        valid = inside.register(f"valid_{k}", "contribution")
        claims.invariant("the group is one", ~valid | (beat.group < GROUPS))
        claims.always(FORGETS, ~(valid & was_flushed.bit_select(beat.group, 1)))
    claims.always(FORGETS, ~(part.up.valid & was_flushed.bit_select(part.up.payload.group, 1)))
    claims.always(FORGETS, ~(part.m_axis_tvalid & was_flushed.bit_select(part.m_axis_tid, 1)))
