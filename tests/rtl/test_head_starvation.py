"""A head that waits for ever: heads of tori and hypercubes have no bound (docs/understand/liveness_premises.md).

The schedule repeats, and the state of the whole switch comes back: so the head waits in runs of any length.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from amaranth.hdl import Fragment, Module, Value
from amaranth.hdl._mem import MemoryInstance
from amaranth.sim import Simulator

from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.hypercube.router import HypercubeRouter
from rtl.torus.network import torus_plan
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.header import RoutingKey
from topology.torus.routing import TorusRouting

PERIOD = 12
"""Cycles in which all pointers come back: two or four worms of two flits, in buffers of four flits."""
CYCLES = 4 * PERIOD + 1
DEPTH, WORM_FLITS = 4, 2
FROM_HERE = 1 << 6
"""Mark in the data of the head that waits."""


def state_of(fragment: Any) -> Iterator[Any]:
    """Yield the registers of a circuit, at any depth, and the rows of its memories."""
    if isinstance(fragment, MemoryInstance):
        yield from (Value.cast(fragment._data[row]) for row in range(fragment._data.depth))
    lines = fragment.statements.get("sync", ())
    yield from {id(signal): signal for line in lines for signal in line._lhs_signals()}.values()
    for sub, _, _ in fragment.subfragments:
        yield from state_of(sub)


@dataclass
class Record:
    """Record of a run by cycle.

    lines: What came in, and the head that left.
    states: All registers and memories.
    rivals: Cycles in which heads of other worms have left.
    left: Cycle in which the head that waits has left.
    """

    lines: list[str] = field(default_factory=list)
    states: list[tuple[int, ...]] = field(default_factory=list)
    rivals: list[int] = field(default_factory=list)
    left: int | None = None

    def print(self) -> None:
        """Print the schedule."""
        sys.stdout.write("\n".join(["cycle  the head  rivals  heads that leave", *self.lines, ""]))

    def starves(self, head_arrives: int) -> bool:
        """Return whether the head never leaves while others do."""
        begin = CYCLES - PERIOD - 1  # the whole memories have been written
        assert begin >= head_arrives + PERIOD
        recurs = self.states[begin] == self.states[begin + PERIOD]
        passed = sum(begin <= cycle < begin + PERIOD for cycle in self.rivals)
        return self.left is None and recurs and passed >= 2


def record_of(part: Any, out: Any, drive: Callable[[Any, int], tuple[bool, str]], constants: dict[str, int]) -> Record:
    """Run a switch, whose heads leave by ``out``; ``drive`` sets its inputs, and returns what comes."""
    m: Any = Module()
    m.submodules.part = part
    m.d.comb += [getattr(part, port).eq(value) for port, value in constants.items()]
    fragment: Any = Fragment.get(m, None)
    state, record = list(state_of(fragment)), Record()

    async def bench(ctx):
        for cycle in range(CYCLES):
            record.states.append(tuple(ctx.get(value) for value in state))
            leaves = ctx.get(out.valid) and ctx.get(out.payload.head)
            mine = leaves and ctx.get(out.payload.data) >= FROM_HERE
            record.left = cycle if mine else record.left
            record.rivals += [cycle] if leaves and not mine else []
            comes, rival = drive(ctx, cycle)
            sent = "head" if mine else "rival" if leaves else "-"
            record.lines.append(f"{cycle:5}  {'arrives' if comes else '-':8}  {rival:6}  {sent}")
            await ctx.tick()

    simulator = Simulator(fragment)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return record


def flit(data: int, position: int) -> dict[str, int]:
    """Return a flit of a worm of the rivals."""
    return {"data": data, "head": int(position == 0), "tail": int(position == WORM_FLITS - 1)}


def torus(head_arrives: int) -> Record:
    """Run the second of three switches in a row, all of whose worms are for its processor.

    On input 1 worms of two flits come on the two VCs in turn, with a pause behind each. A head arrives as the tail
    before it is granted, so it requests at once, a cycle before a head that has waited for the tail.
    """
    routing = TorusRouting(TorusNetwork(Grid(1, 3, wraps=False), 2), 10)
    plan = torus_plan(routing, buffer_flits=DEPTH, routing_cycles=1)
    instance = plan.routers[1]
    part: Any = plan.shapes[instance.shape]()
    key = routing.key_format.pack(RoutingKey(1, 0, 0, 0))

    def drive(ctx: Any, cycle: int) -> tuple[bool, str]:
        worm, position = divmod(cycle, WORM_FLITS + 1)
        valid, comes = 1 << worm % 2 if position < WORM_FLITS else 0, cycle == head_arrives
        ctx.set(part.outputs__2.ready, 1)
        ctx.set(part.inputs__0.valid, int(comes))
        ctx.set(part.inputs__0.payload, {"data": key | FROM_HERE, "head": 1, "tail": 1})
        ctx.set(part.inputs__1.valid, valid)
        ctx.set(part.inputs__1.payload, flit(key, position))
        return comes, ("-", "VC 0", "VC 1")[valid]

    return record_of(part, part.outputs__2, drive, dict(instance.constants))


def hypercube(head_arrives: int, credit_cycles: int) -> Record:
    """Run a switch of a square with one VC, whose processor sends worms without a pause that go where the head does.

    The VC is free again after a number of cycles that is a multiple of those after which the same input leads.
    """
    part: Any = HypercubeRouter(HypercubeRouterParameters(10, 2, 1, DEPTH))
    back: list[tuple[int, int]] = []
    position = 0

    def drive(ctx: Any, cycle: int) -> tuple[bool, str]:
        nonlocal position
        if ctx.get(part.outputs__1.valid):
            back.append((cycle + credit_cycles, ctx.get(part.outputs__1.payload.tail)))
        credited = [tail for due, tail in back if due == cycle]
        ctx.set(part.credited_1, len(credited))
        ctx.set(part.released_1, sum(credited))
        comes = cycle == head_arrives
        ctx.set(part.inputs__0.valid, int(comes))
        ctx.set(part.inputs__0.payload, {"data": 2 | FROM_HERE, "head": 1, "tail": 1})
        ctx.set(part.inputs__2.valid, 1)
        ctx.set(part.inputs__2.payload, flit(2, position))
        moves = ctx.get(part.inputs__2.ready)
        position = (position + moves) % WORM_FLITS
        return comes, "host" if moves else "-"

    return record_of(part, part.outputs__1, drive, {"node": 0})


TORUS_HEAD_ARRIVES = 7
CUBE_HEAD_ARRIVES = 20


def test_a_head_waits_for_ever_in_a_row():
    record = torus(TORUS_HEAD_ARRIVES)
    record.print()
    assert record.starves(TORUS_HEAD_ARRIVES)


def test_a_cycle_later_it_leaves():
    left = torus(TORUS_HEAD_ARRIVES + 1).left
    assert left is not None
    assert left < TORUS_HEAD_ARRIVES + PERIOD


def test_a_head_waits_for_ever_in_a_hypercube():
    record = hypercube(CUBE_HEAD_ARRIVES, 1)
    record.print()
    assert record.starves(CUBE_HEAD_ARRIVES)


def test_with_credits_a_cycle_later_it_leaves():
    left = hypercube(CUBE_HEAD_ARRIVES, 2).left
    assert left is not None
    assert left < CUBE_HEAD_ARRIVES + 2 * PERIOD
