"""Route candidates of heads at a node, possible and impossible ones."""

import random

import pytest
from amaranth.sim import Simulator

from rtl.harts.network import harts_plan
from rtl.harts.route_decoder import RouteDecoder
from tests.sim_model.harts_traffic import harts_model
from topology.harts.broadcast import ALGORITHM_A, SFBCAST, algorithm_number
from topology.harts.graph import DIRECTIONS
from topology.harts.header import HOST

HEADS = 600


def expected(fields: dict[str, int], port: int, dead: int, levels: int) -> tuple[int, int]:
    """Mask of ways, and whether the packet is kept."""
    alive = (1 << DIRECTIONS) - 1 & ~dead
    at_end = port != HOST and fields["hops"] + 1 >= levels
    if not fields["broadcast"]:
        steps = [fields["m0"], fields["m1"], fields["m2"]]
        wanted = sum(1 << axis + 3 * (count < 0) for axis, count in enumerate(steps) if count)
        return 0 if at_end else wanted & alive, int(wanted == 0)
    if port == HOST:
        first = 1 if fields["algorithm"] == algorithm_number(ALGORITHM_A) else (1 << DIRECTIONS) - 1
        return 0, int(first & alive != 0)
    if fields["stage"] == 0 or (at_end and fields["distance"] != 1):
        return 0, 0
    return 0 if fields["distance"] == 1 else 1 << port & alive, 1


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("port", [0, 4, HOST])
def test_ways_of_heads(size, port):
    routing = harts_model(size).routing
    part = next(iter(harts_plan(routing, packet_flits=4).shapes.values()))()
    decoder, numbers = RouteDecoder(part.parameters), random.Random(size)
    layout = part.parameters.header_layout

    async def bench(ctx):
        for _ in range(HEADS):
            fields = {name: numbers.getrandbits(layout[name].width) for name in dict(layout)}
            dead = numbers.choice([0, 0, numbers.getrandbits(DIRECTIONS)])
            ctx.set(decoder.way, 0 if port == HOST else 1 << port)
            ctx.set(decoder.dead, dead)
            for name, value in fields.items():
                width = layout[name].width
                signed = name in ("m0", "m1", "m2")
                fields[name] = value - (1 << width) if signed and value >> width - 1 else value
                ctx.set(decoder.header[name], fields[name])
            await ctx.delay(1e-9)
            found = ctx.get(decoder.decoded.ways), ctx.get(decoder.decoded.kept)
            assert found == expected(fields, port, dead, routing.levels), fields
            if fields["broadcast"]:
                assert ctx.get(decoder.decoded.cuts) == (fields["algorithm"] != algorithm_number(SFBCAST))

    simulator = Simulator(decoder)
    simulator.add_testbench(bench)
    simulator.run()
