"""Switch of a plane that has barriers alone: a wire per group, and no data path.

A group never waits for another one, and at most a window of barriers of each member is under way, so there are neither
turns nor credits, nor endpoints: a member's request is the wire to its switch, and its end of a barrier is an output
register of the switch.
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.collectives.error_masks import TimeoutMask
from rtl.collectives.parameters import TIMEOUT_BITS, SwitchShape
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat


class BarrierSwitch(Part):
    """A switch of a plane without data words. All outputs are registers. Latency 1 cycle from link to link.

    Parameters:
        shape

    Members:
        taking_part, top, flush: As of ``PlaneSwitch``.
        up_{i} (In(groups)): A barrier of each group arrives from branch i; one beyond the window is ignored.
        up (Out(groups)), parent (In(groups)): Barriers to and from the parent. Absent at the root.
        down (Out(branches * groups)): Barriers that are over, to the branches, branch by branch.
        limit, clear_timeouts, timeouts: As ``limit``, ``clear`` and ``mask`` of ``TimeoutMask``. Absent without
            timeouts.
    """

    def __init__(self, shape: SwitchShape):
        self.shape = shape
        groups, n = shape.plane.groups, shape.branches
        members: dict[str, Any] = {"taking_part": In(n * groups), "top": In(groups)}
        members |= {f"up_{i}": In(groups) for i in range(n)}
        if shape.has_parent:
            members |= {"up": Out(groups), "parent": In(groups)}
        members |= {"down": Out(n * groups), "flush": In(groups)}
        if shape.plane.timeouts:
            members |= {"limit": In(TIMEOUT_BITS), "clear_timeouts": In(n), "timeouts": Out(n)}
        root = "" if shape.has_parent else "_root"
        timeouts = "_t" if shape.plane.timeouts else ""
        super().__init__(f"barrier_switch_{n}_g{groups}_{shape.plane.window}{root}{timeouts}", members)

    def elaborate(self, platform):
        m: Any = Module()
        groups, n = self.shape.plane.groups, self.shape.branches
        flushing: Any = Signal(groups)
        m.d.sync += flushing.eq(self.flush)
        waits, missing = [], []
        combined: Any = Signal(groups)
        for g in range(groups):
            part_of = self.taking_part[g * n : (g + 1) * n]
            here = concat(self._count(m, i, g, combined[g], flushing[g]) for i in range(n))
            lacks = Signal(n, name=f"missing_{g}")
            m.d.comb += [
                lacks.eq(part_of & ~here),
                combined[g].eq(~lacks.any() & part_of.any()),
            ]
            self._pass_on(m, g, part_of, combined[g], flushing[g])
            missing.append(lacks)
            waits.append(lacks.any() & (part_of & here).any())
        if self.shape.plane.timeouts:
            mask = instantiate(m, platform, "timeout", TimeoutMask(groups, n))
            m.d.comb += [
                mask.limit.eq(self.limit),
                mask.waits.eq(concat(waits)),
                mask.missing.eq(concat(missing)),
                mask.combined.eq(combined),
                mask.flush.eq(flushing),
                mask.clear.eq(self.clear_timeouts),
                self.timeouts.eq(mask.mask),
            ]
        return m

    def _count(self, m, i, g, combined, flushing) -> Any:
        """Count the barriers that have arrived from a branch; return whether one has, or arrives now."""
        arrives = getattr(self, f"up_{i}")[g]
        reached = [Signal(name=f"reached_{k + 1}_{i}_{g}") for k in range(self.shape.plane.window)]  # k + 1 or more
        for k, bit in enumerate(reached):
            fewer = reached[k - 1] if k else Const(1)
            more = reached[k + 1] if k + 1 < len(reached) else Const(0)
            # gates in place of multiplexers, of which synthesis would make an enable for each bit
            m.d.sync += bit.eq(bit & (arrives | ~combined) | fewer & arrives & ~combined | more & combined)
            with m.If(flushing):
                m.d.sync += bit.eq(0)
        return reached[0] | arrives

    def _pass_on(self, m, g, part_of, combined, flushing):
        """Send a barrier up, or from the top down; and those of the parent down."""
        n, groups = self.shape.branches, self.shape.plane.groups
        over: Any = combined & self.top[g]
        registers = []
        if self.shape.has_parent:
            m.d.sync += self.up[g].eq(combined & ~self.top[g])
            over = Mux(self.top[g], combined, self.parent[g])
            registers.append(self.up[g])
        for i in range(n):
            m.d.sync += self.down[i * groups + g].eq(over & part_of[i])
            registers.append(self.down[i * groups + g])
        with m.If(flushing):  # a reset of registers, which takes no logic before them
            m.d.sync += [register.eq(0) for register in registers]
