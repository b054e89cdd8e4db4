# amaranth: UnusedElaboratable=no
"""Heads that a switch of a hypercube gives lanes to, per cycle: ``python -m benchmarks.head_rate``.

The switch alone, in Amaranth's simulator, with all that its neighbours could send: every lane of every input gets a new
message as soon as it can be had again, for a random node that it can be on its way to, and the processor offers one
message after the other. Whatever leaves is taken at once: its credit comes back after as many cycles as a switch takes
at least.
"""

import argparse
import random
from collections import defaultdict
from typing import Any

from amaranth.sim import Simulator

from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.hypercube.router import HypercubeRouter
from topology.common.flits import FlitFormat

NODE = 0
FLIT_BITS = 32
CREDIT_CYCLES = 3
"""From a flit on a link to its credit on the wire, if it meets no contention in the next switch."""
LANE_CYCLES = 4
"""From a release on the wire to the next head on the link: the least that the switch before takes."""
WARMUP_CYCLES = 100
LENGTHS = (1, 2, 4, 8, 16)
LANES = (2, 3, 4)


class Messages:
    """Messages of one length, flit by flit.

    Parameters
    ----------
    dimensions : int
    message_flits : int
    """

    def __init__(self, dimensions: int, message_flits: int):
        self.nodes = 1 << dimensions
        self.flits = message_flits
        self._numbers = random.Random(1)
        self._pack = FlitFormat(FLIT_BITS).pack

    def flit(self, left: int, arrival: int | None) -> int:
        """A packed flit behind which, itself counted, so many are left, on the input of a dimension or the host's."""
        key = self._numbers.randrange(1, self.nodes)
        if arrival is not None:
            key &= ~(1 << arrival)  # the message has come over this dimension
        head = left == self.flits
        return self._pack(data=key if head else 0, head=head, tail=left == 1)


class Neighbour:
    """What the switch before an input sends: on all lanes as much as it may, one flit per cycle.

    Parameters
    ----------
    port : int
        Dimension.
    lanes, depth : int
    messages : Messages
    """

    def __init__(self, port: int, lanes: int, depth: int, messages: Messages):
        self._port, self._depth, self._messages = port, depth, messages
        self._left, self._credits = [0] * lanes, [depth] * lanes
        self._free_cycle: list[int | None] = [0] * lanes
        self._turn = 0

    def hear(self, cycle: int, credits: int, releases: int) -> None:
        """Masks of lanes on the wires from the switch."""
        for lane in range(len(self._left)):
            self._credits[lane] += credits >> lane & 1
            if releases >> lane & 1:
                self._free_cycle[lane] = cycle + LANE_CYCLES

    def send(self, cycle: int) -> tuple[int, int]:
        """Return mask of the lane on the link, and its flit; 0 without one."""
        for k in range(len(self._left)):
            lane = (self._turn + k) % len(self._left)
            free_cycle = self._free_cycle[lane]
            if free_cycle is not None and free_cycle <= cycle:
                self._free_cycle[lane] = None
                self._left[lane], self._credits[lane] = self._messages.flits, self._depth
            if self._left[lane] and self._credits[lane]:
                self._turn = lane + 1
                flit = self._messages.flit(self._left[lane], self._port)
                self._left[lane] -= 1
                self._credits[lane] -= 1
                return 1 << lane, flit
        return 0, 0


def head_rate(lanes: int, message_flits: int, cycles: int, dimensions: int = 6, depth: int = 4) -> float:
    """Return heads per cycle that leave the switch.

    Parameters
    ----------
    lanes, message_flits : int
    cycles : int
        Of measurement.
    dimensions, depth : int
        n, and flits that the buffer of a lane holds.
    """
    part: Any = HypercubeRouter(HypercubeRouterParameters(FLIT_BITS, dimensions, lanes, depth))
    messages = Messages(dimensions, message_flits)
    neighbours = [Neighbour(port, lanes, depth, messages) for port in range(dimensions)]
    heads = [0] * (WARMUP_CYCLES + cycles)

    async def testbench(ctx):
        host, delivery = getattr(part, f"inputs__{dimensions}"), getattr(part, f"outputs__{dimensions}")
        due: defaultdict[int, list[tuple[int, int, bool]]] = defaultdict(list)
        left = message_flits
        ctx.set(part.node, NODE)
        ctx.set(delivery.ready, 1)
        ctx.set(host.valid, 1)
        ctx.set(host.payload.as_value(), messages.flit(left, None))
        for cycle in range(len(heads)):
            for port, neighbour in enumerate(neighbours):
                wires = (ctx.get(getattr(part, f"{name}_{port}")) for name in ("credits", "releases"))
                neighbour.hear(cycle, *wires)
                valid, flit = neighbour.send(cycle)
                link = getattr(part, f"inputs__{port}")
                ctx.set(link.valid, valid)
                ctx.set(link.payload.as_value(), flit)
            returned = due.pop(cycle, [])
            for output in range(dimensions):
                back = [(lane, tail) for number, lane, tail in returned if number == output]
                ctx.set(getattr(part, f"credited_{output}"), sum(lane for lane, _ in back))
                ctx.set(getattr(part, f"released_{output}"), sum(lane for lane, tail in back if tail))
                link = getattr(part, f"outputs__{output}")
                if valid := ctx.get(link.valid):
                    heads[cycle] += ctx.get(link.payload.head)
                    due[cycle + CREDIT_CYCLES].append((output, valid, bool(ctx.get(link.payload.tail))))
            heads[cycle] += ctx.get(delivery.valid) and ctx.get(delivery.payload.head)
            taken = ctx.get(host.ready)
            await ctx.tick()
            if taken:
                left = left - 1 or message_flits
                ctx.set(host.payload.as_value(), messages.flit(left, None))

    simulator = Simulator(part)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
    return sum(heads[WARMUP_CYCLES:]) / cycles


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.head_rate", description="Heads per cycle and switch.")
    parser.add_argument("--cycles", type=int, default=2_000)
    cycles = parser.parse_args().cycles
    print(f"lanes{''.join(f'{length:>10} flits' for length in LENGTHS)}", flush=True)
    for lanes in LANES:
        rates = (head_rate(lanes, length, cycles) for length in LENGTHS)
        print(f"{lanes:>5}{''.join(f'{rate:>16.2f}' for rate in rates)}", flush=True)


if __name__ == "__main__":
    main()
