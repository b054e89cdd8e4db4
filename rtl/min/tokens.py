# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Token rings: the station of a switch, and a monitor that each ring has one token."""

from collections.abc import Sequence
from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.min.parameters import MinRouterParameters
from rtl.parts.arbiter import RoundRobinArbiter
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat


class TokenStation(Part):
    """Acquires the token for tree operations, one at a time, and passes it on.

    A complete tree operation is granted the token in the same cycle if it is here and free.

    Parameters:
        parameters: Of a switch with at least two inputs.

    Members:
        starts_here (In(1)): Constant: the token is here in the second cycle after reset, the first in which anything is
            ready.
        release_flits (In(release_bits)): Constant: flits after which the token is passed on.
        token_in (In(1)): The token arrives from the switch before this one, for this cycle.
        token_out (Out(1)): The token is passed to the next switch. A register.
        here (Out(1)): The token was here in the cycle before: from registers. High at one switch of the ring.
        tree (In(inputs)): The input, at most one, whose tree operation has become complete in this cycle.
        popped, tail (In(inputs)): Whether all branches of an input have copied its first flit, and whether that is a
            tail.
        granted (Out(inputs)): The input that is granted the token in this cycle. Combinational.
        waited (Out(inputs - 1)): Likewise, without the last input, if it has waited and is not granted the token for a
            request of this cycle. Combinational from registers.
    """

    def __init__(self, parameters: MinRouterParameters):
        p = self.parameters = parameters
        if not p.has_token:
            raise ValueError("A token station must be in a switch with a token")
        super().__init__(
            f"token_station_{p.inputs}",
            {
                "starts_here": In(1),
                "release_flits": In(p.release_bits),
                "token_in": In(1),
                "token_out": Out(1),
                "here": Out(1),
                **{name: In(p.inputs) for name in ("tree", "popped", "tail")},
                "granted": Out(p.inputs),
                "waited": Out(p.inputs - 1),
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        inputs = self.parameters.inputs
        holder = Signal(inputs)
        seeking = Signal(inputs)
        after_reset = Signal(init=1)
        starting = Signal()
        held = Signal()
        idle = Signal()
        release = Signal()
        m.d.comb += [
            held.eq(holder.any()),
            idle.eq((self.token_in | starting & self.starts_here) & ~held),
            self.here.eq(self.token_out | held),
        ]
        m.d.sync += [after_reset.eq(0), starting.eq(after_reset)]
        # a request becomes complete late in the cycle: it is the last input of every gate chain
        sought = Signal()
        chosen = Signal(inputs)
        arbiter = instantiate(m, platform, "arbiter", RoundRobinArbiter(inputs))
        m.d.comb += [
            sought.eq(seeking.any()),
            arbiter.eligible.eq(Mux(idle, seeking, 0)),
            chosen.eq(arbiter.chosen),
            self.waited.eq(chosen[:-1]),
            self.granted.eq(chosen | Mux(idle & ~sought, self.tree, 0)),
        ]
        m.d.sync += [
            seeking.eq(seeking & ~chosen | Mux(idle & ~sought, 0, self.tree)),
            holder.eq(Mux(held, Mux(release, 0, holder), self.granted)),
            self.token_out.eq(Mux(idle & ~sought, ~self.tree.any(), release)),
        ]
        self._count(m, holder, held, release)
        return m

    def _count(self, m, holder, held, release):
        """Count the flits until the release."""
        left = Signal(self.parameters.release_bits)
        popped = Signal()
        tail = Signal()
        m.d.comb += [
            popped.eq((holder & self.popped).any()),
            tail.eq((holder & self.popped & self.tail).any()),
            release.eq(tail | popped & (left == 1)),
        ]
        with m.If(~held):
            m.d.sync += left.eq(self.release_flits)
        with m.Elif(popped):
            m.d.sync += left.eq(left - 1)


class TokenMonitor(Part):
    """Reports rings that have lost their token or have two, from two cycles after the fault up to the next reset.

    With ``clearable``: up to the next clear, and longer if the ring is still faulty.

    Parameters:
        sizes: Switches of each ring, and register stages of its wires.
        clearable: Whether its marks can be cleared.

    Members:
        here (In(sum of sizes)): Whether the token is at a switch (``TokenStation.here``) or in a stage, ring by ring.
        clear_lost, clear_duplicated (In(rings)): Rings whose reports are cleared. Only if clearable.
        lost, duplicated (Out(rings)): Whether a ring had no token, or more than one. Registers.
    """

    def __init__(self, sizes: Sequence[int], *, clearable: bool = False):
        self.sizes = tuple(sizes)
        self.clearable = clearable
        rings = len(self.sizes)
        members = {"here": In(sum(self.sizes)), "lost": Out(rings), "duplicated": Out(rings)}
        if clearable:
            members |= {"clear_lost": In(rings), "clear_duplicated": In(rings)}
        super().__init__("token_monitor", members)

    def elaborate(self, _platform):
        m: Any = Module()
        settling = Signal(2, init=3)  # after reset no station reports for two cycles
        m.d.sync += settling.eq(settling >> 1)
        none, many, first = [], [], 0
        for ring, size in enumerate(self.sizes):
            places = Signal(size, name=f"ring_{ring}")
            m.d.comb += places.eq(self.here[first : first + size])
            none.append(~places.any())
            many.append((places & (places - 1)).any())
            first += size
        lost, duplicated = self.lost, self.duplicated
        if self.clearable:
            lost, duplicated = lost & ~self.clear_lost, duplicated & ~self.clear_duplicated
        with m.If(~settling.any()):
            m.d.sync += [self.lost.eq(lost | concat(none)), self.duplicated.eq(duplicated | concat(many))]
        return m
