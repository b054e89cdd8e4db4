"""Claims about switches of a plane that has barriers alone."""

from typing import Any

from amaranth.hdl import Mux, Signal

from rtl.collectives.barriers import BarrierSwitch
from rtl.collectives.parameters import PlaneParameters, SwitchShape
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, Inside


def _plane(groups: int, window: int) -> PlaneParameters:
    return PlaneParameters(groups, operators=(), window=window, timeouts=False)


def barrier_switch(groups: int, branches: int, window: int, *, has_parent: bool = True) -> Describe:
    """Claims about a switch of some branches."""

    def describe(claims: Claims) -> None:
        part: Any = BarrierSwitch(SwitchShape(_plane(groups, window), (2,) * branches, has_parent))
        claims.free_inputs(part)
        claims.never_changes(part.taking_part)
        claims.never_changes(part.top)
        inside = Inside(claims, part)
        flushing = claims.was(part.flush, "flush")
        claims.invariant("a flush is registered", inside.register("flushing") == flushing)
        for g in range(groups):
            part_of = part.taking_part[g * branches : (g + 1) * branches]
            held = [Signal(window.bit_length(), name=f"held_{i}_{g}") for i in range(branches)]
            there = concat((count != 0) | getattr(part, f"up_{i}")[g] for i, count in enumerate(held))
            goes = claims.named((there | ~part_of).all() & part_of.any(), f"goes_{g}")
            for i, count in enumerate(held):
                arrives = getattr(part, f"up_{i}")[g]
                counts = arrives & ((count != window) | goes & part_of[i])  # those beyond the window are ignored
                claims.m.d.sync += count.eq(Mux(flushing[g], 0, count + counts - goes * part_of[i]))
                claims.invariant("barriers are at most a window", count <= window)
                for k in range(window):
                    reached = inside.register(f"reached_{k + 1}_{i}_{g}")
                    claims.invariant("registers count barriers", ~part_of[i] | (reached == (count > k)))
            _prove_outputs(claims, part, g, goes & ~flushing[g])
            claims.possible("a branch is a window ahead", concat(count == window for count in held).any())
            claims.possible("a barrier goes as the next one arrives", goes & part.up_0[g])

    return describe


def _prove_outputs(claims: Claims, part: Any, g: int, goes: Any) -> None:
    branches, groups = part.shape.branches, part.shape.plane.groups
    part_of = part.taking_part[g * branches : (g + 1) * branches]
    over: Any = goes & part.top[g]
    flushing = claims.was(part.flush, f"flush_{g}")[g]
    if part.shape.has_parent:
        up = claims.was(goes & ~part.top[g], f"went_up_{g}")
        claims.always("a barrier goes up in the cycle in which all branches have sent it", part.up[g] == up)
        over = Mux(part.top[g], over, part.parent[g] & ~flushing)
    down = concat(part.down[i * groups + g] for i in range(branches))
    sent = claims.was(Mux(over, part_of, 0), f"went_down_{g}")
    claims.always("a barrier of the top or the parent goes down once to all branches that take part", down == sent)
