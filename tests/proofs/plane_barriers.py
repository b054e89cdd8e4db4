"""Claims about switches and endpoints of a plane that has barriers alone."""

from typing import Any

from amaranth.hdl import Mux, Signal

from rtl.collectives.barriers import BarrierEndpoint, BarrierSwitch
from rtl.collectives.parameters import PlaneParameters, SwitchShape
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, Inside


def _plane(groups: int, window: int) -> PlaneParameters:
    return PlaneParameters(groups, operators=(), window=window, timeouts=False)


# BarrierEndpoint: each request goes once, with at most a window under way.


def barrier_endpoint(groups: int, window: int) -> Describe:
    """Claims about the barrier wires of a member."""

    def describe(claims: Claims) -> None:
        part: Any = BarrierEndpoint(_plane(groups, window))
        claims.free_inputs(part)
        inside = Inside(claims, part)
        flushing = claims.was(part.flush, "flush")
        claims.invariant("a flush is registered", inside.register("flushing") == flushing)
        over = claims.was(part.down & ~flushing, "down")
        claims.always("each barrier that is over is done", part.barrier_done == over)
        for g in range(groups):
            bits = window.bit_length()
            requests, under_way = (Signal(bits, name=f"{name}_of_{g}") for name in ("requested", "sent"))
            goes = claims.named((requests != 0) & (under_way != window) & ~flushing[g], f"goes_{g}")
            counts = part.barrier_request[g] & ((requests != window) | goes)
            claims.assume(flushing[g] | ~part.barrier_done[g] | (under_way != 0))
            claims.m.d.sync += [
                requests.eq(Mux(flushing[g], 0, requests + counts - goes)),
                under_way.eq(Mux(flushing[g], 0, under_way + goes - part.barrier_done[g])),
            ]
            claims.always("a request waits for the window alone", part.up[g] == claims.was(goes, f"went_{g}"))
            outside = Signal(bits + 1, name=f"outside_{g}")
            claims.m.d.sync += outside.eq(Mux(flushing[g], 0, outside + part.up[g] - part.barrier_done[g]))
            claims.always("no more barriers than the window are under way", outside <= window)
            claims.invariant("barriers under way are outside, or on the link", outside + part.up[g] == under_way)
            claims.invariant("no more barriers than the window are sent", under_way <= window)
            claims.invariant("requests are at most a window", requests <= window)
            claims.invariant("requests are counted", inside.register(f"requests_{g}") == requests)
            claims.invariant("barriers under way are counted", inside.register(f"under_way_{g}") == under_way)
            claims.possible("a request waits for the window", (under_way == window) & (requests == window))

    return describe


# BarrierSwitch: a barrier goes on when all branches have sent it, once.


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
            there = concat(count != 0 for count in held)
            goes = claims.named((there | ~part_of).all() & part_of.any(), f"goes_{g}")
            for i, count in enumerate(held):
                arrives = getattr(part, f"up_{i}")[g]
                claims.assume(~arrives | part_of[i] & ((count != window) | goes))
                claims.m.d.sync += count.eq(Mux(flushing[g], 0, count + arrives - goes * part_of[i]))
                claims.invariant("barriers are at most a window", count <= window)
                for k in range(window):
                    reached = inside.register(f"reached_{k + 1}_{i}_{g}")
                    claims.invariant("registers count barriers", ~part_of[i] | (reached == (count > k)))
            _prove_outputs(claims, inside, part, g, goes & ~flushing[g])
            claims.possible("a branch is a window ahead", concat(count == window for count in held).any())
            claims.possible("a barrier goes as the next one arrives", goes & part.up_0[g])

    return describe


def _prove_outputs(claims: Claims, inside: Inside, part: Any, g: int, goes: Any) -> None:
    branches, groups = part.shape.branches, part.shape.plane.groups
    part_of = part.taking_part[g * branches : (g + 1) * branches]
    over: Any = goes & part.top[g]
    flushing = claims.was(part.flush, f"flush_{g}")[g]
    if part.shape.has_parent:
        up = claims.was(goes & ~part.top[g], f"went_up_{g}")
        claims.always("a barrier goes up in the cycle in which all branches have sent it", part.up[g] == up)
        arrived = claims.was(part.parent[g] & ~flushing, f"from_the_parent_{g}")
        claims.invariant("a barrier of the parent is held", inside.register(f"from_parent_{g}") == arrived)
        over = Mux(part.top[g], over, arrived & ~flushing)
    down = concat(part.down[i * groups + g] for i in range(branches))
    sent = claims.was(Mux(over, part_of, 0), f"went_down_{g}")
    claims.always("a barrier of the top or the parent goes down once to all branches that take part", down == sent)
