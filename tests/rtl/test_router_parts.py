"""Virtual channels: fairness, and the size of their memories."""

from typing import Any

import pytest
from amaranth.hdl import Module
from amaranth.sim import Simulator

from rtl.torus.network import torus_plan
from rtl.vc.parameters import InputShape
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.header import RoutingKey
from topology.torus.routing import TorusRouting

# Fairness for a head at an output VC that worms of another input take one after the other.

DEPTH = 4
FAIRNESS_CYCLES = 400
CREDIT_CYCLES = 2
HOST_STARTS = 20
FROM_HOST = 1 << 6


def heads_out(worm_flits: int, vcs: int, routing_cycles: int, **settings: str) -> tuple[int, int]:
    """Heads that leave the second of three switches in a row, of worms from the first one and of those from its host.

    Both inputs have worms for the third switch without a pause, and its credits come back as soon as they can.
    """
    routing = TorusRouting(TorusNetwork(Grid(1, 3, wraps=False), vcs), 10)
    plan = torus_plan(routing, buffer_flits=DEPTH, routing_cycles=routing_cycles, **settings)
    instance = plan.routers[1]
    part: Any = plan.shapes[instance.shape]()
    m: Any = Module()
    m.submodules.part = part
    for port, value in instance.constants.items():
        m.d.comb += getattr(part, port).eq(value)
    key = routing.key_format.pack(RoutingKey(2, 0, 0, 0))
    counts = [0, 0]

    def flit(position: int, mark: int) -> dict[str, int]:
        return {"data": key | mark, "head": int(position == 0), "tail": int(position == worm_flits - 1)}

    async def bench(ctx):
        room, position, host_position, turn = [DEPTH] * vcs, [0] * vcs, 0, 0
        behind: list[list[int]] = [[] for _ in range(vcs)]
        for cycle in range(FAIRNESS_CYCLES):
            out = part.outputs__0
            valid = ctx.get(out.valid)
            if valid and ctx.get(out.payload.head):
                counts[int(ctx.get(out.payload.data) >= FROM_HOST)] += 1
            credited = sum(1 << w for w in range(vcs) if behind[w] and behind[w][0] <= cycle)
            ctx.set(part.credited_0, credited)
            for w in range(vcs):
                del behind[w][: credited >> w & 1]
                behind[w] += [cycle + CREDIT_CYCLES] * (valid >> w & 1)
            sent = next((w for w in ((turn + k) % vcs for k in range(vcs)) if room[w]), None)
            ctx.set(part.inputs__0.valid, 0 if sent is None else 1 << sent)
            if sent is not None:
                ctx.set(part.inputs__0.payload, flit(position[sent], 0))
                position[sent] = (position[sent] + 1) % worm_flits
                room[sent] -= 1
                turn = sent + 1
            credits = ctx.get(part.credits_0)
            room = [room[w] + (credits >> w & 1) for w in range(vcs)]
            if cycle >= HOST_STARTS:
                ctx.set(part.inputs__2.valid, 1)
                ctx.set(part.inputs__2.payload, flit(host_position, FROM_HOST))
                host_position = (host_position + ctx.get(part.inputs__2.ready)) % worm_flits
            await ctx.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return counts[0], counts[1]


def test_worms_of_one_flit_share_a_vc():
    """A head is ready in every cycle in which the VC is free."""
    there, here = heads_out(worm_flits=1, vcs=1, routing_cycles=1)
    assert abs(there - here) <= HOST_STARTS


@pytest.mark.parametrize(("worm_flits", "vcs", "routing_cycles"), [(2, 1, 1), (4, 1, 1), (4, 2, 1), (4, 1, 2)])
def test_worms_of_two_inputs_share_a_vc(worm_flits, vcs, routing_cycles):
    """A head that waits for a VC requests in the same cycle as one right behind the tail that leaves it."""
    there, here = heads_out(worm_flits, vcs, routing_cycles)
    assert min(there, here) >= max(there, here) // 4


@pytest.mark.parametrize("worm_flits", [1, 4])
def test_flits_from_a_processor_come_last_if_so_wanted(worm_flits):
    """The other input leaves no gap, so they wait for ever."""
    there, here = heads_out(worm_flits, 2, 1, injection_priority="low")
    assert there >= FAIRNESS_CYCLES // worm_flits - 2
    assert here == 0


def test_a_memory_has_no_more_places_than_it_needs():
    """More would change nothing that a comparison sees; they cost RAM."""
    slots = [InputShape(8, 2, depth, 1, False, False, (2,)).slots for depth in range(1, 17)]
    assert slots == [1, 2, 4, 4, *[8] * 4, *[16] * 8]
