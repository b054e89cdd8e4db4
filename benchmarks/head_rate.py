# amaranth: UnusedElaboratable=no
"""Heads that a switch of a hypercube gives lanes to, per cycle: ``python -m benchmarks.head_rate``.

The switch alone, in Amaranth's simulator, with all that its neighbours could send: every lane of every input gets a new
message as soon as it is released, for a random node that it can be on its way to, and the processor offers one message
after the other. Whatever leaves is taken at once: its credit comes back after as many cycles as a switch takes at
least.
"""

import argparse
import random
from dataclasses import dataclass, field
from typing import Any

from amaranth.sim import Simulator

from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.hypercube.router import HypercubeRouter
from topology.common.flits import FlitFormat

NODE = 0
CREDIT_CYCLES = 3
"""From a flit on a link to its credit on the wire, if it meets no contention in the next switch."""
LANE_CYCLES = 4
"""From a release on the wire to the next head on the link: the least that the switch before takes."""
WARMUP_CYCLES = 100


@dataclass
class Source:
    """What is sent on one input.

    Members
    -------
    flits_left, credits : list of int
        Of the message on each lane.
    free_cycle : list of int or None
        From when on each lane may have a new message.
    """

    lanes: int
    depth: int
    flits_left: list[int] = field(init=False)
    credits: list[int] = field(init=False)
    free_cycle: list[int | None] = field(init=False)
    turn: int = 0

    def __post_init__(self):
        self.flits_left, self.credits = [0] * self.lanes, [self.depth] * self.lanes
        self.free_cycle = [0] * self.lanes

    def next_lane(self, cycle: int) -> int | None:
        """Lane that has something to send, in turn."""
        for k in range(self.lanes):
            lane = (self.turn + k) % self.lanes
            free_cycle = self.free_cycle[lane]
            may_begin = free_cycle is not None and free_cycle <= cycle
            if may_begin or (self.flits_left[lane] and self.credits[lane]):
                self.turn = lane + 1
                return lane
        return None


def head_rate(lanes: int, message_flits: int, cycles: int, dimensions: int = 6, depth: int = 4) -> float:
    """Heads per cycle that leave the switch.

    Parameters
    ----------
    lanes, message_flits : int
    cycles : int
        Of measurement.
    dimensions, depth : int
        n, and flits that the buffer of a lane holds.
    """
    part: Any = HypercubeRouter(HypercubeRouterParameters(32, dimensions, lanes, depth))
    pack, numbers = FlitFormat(32).pack, random.Random(1)
    sources = [Source(lanes, depth) for _ in range(dimensions)]
    due: dict[int, list[tuple[int, int, bool]]] = {}
    heads = host_left = 0

    def flit_for(port: int, left: int) -> int:
        """A flit with so many behind it, and itself, to be sent."""
        is_head = left == message_flits
        key = numbers.randrange(1 << dimensions)
        if port < dimensions:
            key &= ~(1 << port)  # the message has come over this dimension
        elif key == NODE:
            key = 1
        return pack(data=key if is_head else 0, head=is_head, tail=left == 1)

    async def testbench(ctx):
        nonlocal heads, host_left
        host = getattr(part, f"inputs__{dimensions}")
        delivery = getattr(part, f"outputs__{dimensions}")
        ctx.set(part.node, NODE)
        ctx.set(delivery.ready, 1)
        host_left = message_flits
        ctx.set(host.valid, 1)
        ctx.set(host.payload.as_value(), flit_for(dimensions, host_left))
        for cycle in range(WARMUP_CYCLES + cycles):
            for d, source in enumerate(sources):
                credits, released = ctx.get(getattr(part, f"credits_{d}")), ctx.get(getattr(part, f"releases_{d}"))
                for lane in range(lanes):
                    source.credits[lane] += credits >> lane & 1
                    if released >> lane & 1:
                        source.free_cycle[lane] = cycle + LANE_CYCLES
                lane, link = source.next_lane(cycle), getattr(part, f"inputs__{d}")
                ctx.set(link.valid, 0 if lane is None else 1 << lane)
                if lane is not None:
                    if source.free_cycle[lane] is not None:
                        source.free_cycle[lane] = None
                        source.flits_left[lane], source.credits[lane] = message_flits, depth
                    ctx.set(link.payload.as_value(), flit_for(d, source.flits_left[lane]))
                    source.flits_left[lane] -= 1
                    source.credits[lane] -= 1
            credited, released = [0] * dimensions, [0] * dimensions
            for output, lane_bits, is_tail in due.pop(cycle, ()):
                credited[output] |= lane_bits
                released[output] |= lane_bits if is_tail else 0
            for output in range(dimensions):
                ctx.set(getattr(part, f"credited_{output}"), credited[output])
                ctx.set(getattr(part, f"released_{output}"), released[output])
                link = getattr(part, f"outputs__{output}")
                if valid := ctx.get(link.valid):
                    heads += cycle >= WARMUP_CYCLES and ctx.get(link.payload.head)
                    due.setdefault(cycle + CREDIT_CYCLES, []).append((output, valid, bool(ctx.get(link.payload.tail))))
            heads += cycle >= WARMUP_CYCLES and ctx.get(delivery.valid) and ctx.get(delivery.payload.head)
            taken = ctx.get(host.ready)
            await ctx.tick()
            if taken:
                host_left = host_left - 1 or message_flits
                ctx.set(host.payload.as_value(), flit_for(dimensions, host_left))

    simulator = Simulator(part)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
    return heads / cycles


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.head_rate", description="Heads per cycle and switch.")
    parser.add_argument("--cycles", type=int, default=2_000)
    cycles = parser.parse_args().cycles
    lengths = (1, 2, 4, 8, 16)
    print(f"lanes{''.join(f'{length:>10} flits' for length in lengths)}", flush=True)
    for lanes in (2, 3, 4):
        rates = (head_rate(lanes, length, cycles) for length in lengths)
        print(f"{lanes:>5}{''.join(f'{rate:>16.2f}' for rate in rates)}", flush=True)


if __name__ == "__main__":
    main()
