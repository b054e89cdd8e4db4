"""A head that waits for ever: no bound holds for heads of tori and meshes (docs/understand/liveness_premises.md).

The schedule repeats, and the state of the whole switch comes back: so the head waits in runs of any length.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from amaranth.hdl import Fragment, Module, Value
from amaranth.hdl._mem import MemoryInstance
from amaranth.sim import Simulator

from rtl.torus.network import torus_plan
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.header import RoutingKey
from topology.torus.routing import TorusRouting

WORM_CYCLES = 3
"""Cycles between two heads of the rivals: a head, its tail, a pause."""
PERIOD = 4 * WORM_CYCLES
"""Cycles in which the buffers of two VCs, with places for four flits, store as many."""
HEAD_ARRIVES = 7
CYCLES = 3 * PERIOD + 1
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
    """Record of a run by cycle: a line of the schedule, the state, heads of rivals that leave, and the one that waits.

    left: Cycle in which it leaves the switch.
    """

    lines: list[str] = field(default_factory=list)
    states: list[tuple[int, ...]] = field(default_factory=list)
    rivals: list[int] = field(default_factory=list)
    left: int | None = None


def run(head_arrives: int) -> Record:
    """Run the second of three switches in a row, all of whose worms are for its processor.

    On input 1 worms of two flits come on the two VCs in turn. A head arrives as the tail before it is granted, so it
    requests at once, a cycle before a head that has waited for the tail.
    """
    routing = TorusRouting(TorusNetwork(Grid(1, 3, wraps=False), 2), 10)
    plan = torus_plan(routing, buffer_flits=4, routing_cycles=1)
    instance = plan.routers[1]
    part: Any = plan.shapes[instance.shape]()
    m: Any = Module()
    m.submodules.part = part
    for port, value in instance.constants.items():
        m.d.comb += getattr(part, port).eq(value)
    key = routing.key_format.pack(RoutingKey(1, 0, 0, 0))
    fragment: Any = Fragment.get(m, None)
    state, record, out = list(state_of(fragment)), Record(), part.outputs__2

    async def bench(ctx):
        ctx.set(out.ready, 1)
        for cycle in range(CYCLES):
            worm, flit = divmod(cycle, WORM_CYCLES)
            valid, comes = 1 << worm % 2 if flit < 2 else 0, cycle == head_arrives
            ctx.set(part.inputs__0.valid, int(comes))
            ctx.set(part.inputs__0.payload, {"data": key | FROM_HERE, "head": 1, "tail": 1})
            ctx.set(part.inputs__1.valid, valid)
            ctx.set(part.inputs__1.payload, {"data": key, "head": int(flit == 0), "tail": int(flit == 1)})
            record.states.append(tuple(ctx.get(value) for value in state))
            leaves = ctx.get(out.valid) and ctx.get(out.payload.head)
            mine = leaves and ctx.get(out.payload.data) >= FROM_HERE
            record.left = cycle if mine else record.left
            record.rivals += [cycle] if leaves and not mine else []
            sent = "head" if mine else "rival" if leaves else "-"
            record.lines.append(f"{cycle:5}  {'head' if comes else '-':7}  {('-', 'VC 0', 'VC 1')[valid]:7}  {sent}")
            await ctx.tick()

    simulator = Simulator(fragment)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return record


def test_a_head_waits_for_ever_while_others_pass_it():
    record = run(HEAD_ARRIVES)
    sys.stdout.write("\n".join(["cycle  input 0  input 1  heads that leave", *record.lines, ""]))
    begin = 2 * PERIOD  # the whole memories have been written
    assert record.left is None
    assert record.states[begin] == record.states[begin + PERIOD]
    assert sum(begin <= cycle < begin + PERIOD for cycle in record.rivals) == PERIOD // WORM_CYCLES


def test_a_cycle_later_it_leaves():
    left = run(HEAD_ARRIVES + 1).left
    assert left is not None
    assert left < HEAD_ARRIVES + PERIOD
