"""Worms in a network with lanes, moved flit by flit in any order: all behaviours, for any timing.

Nothing is taken from the static checks but the routing. A head takes an escape only if it can have no candidate, as
the router has it. Hosts deliver everything at once.
"""

import random
from collections import deque
from typing import NamedTuple

from topology.hypercube.routing import HypercubeRouting


class Flit(NamedTuple):
    worm: int
    number: int


class Worm(NamedTuple):
    key: int
    flits: int


class Worms:
    """A network with worms.

    Parameters
    ----------
    routing : HypercubeRouting
    depth : int
        Flits that the buffer of a lane holds.
    shared : set of int
        Lanes that a head can have as soon as the tail before it has left; all others only when they are empty.
    """

    def __init__(self, routing: HypercubeRouting, depth: int, shared: set[int]):
        self.routing, self.network = routing, routing.network
        self.depth, self.shared = depth, shared
        self.worms: list[Worm] = []
        self.flits: dict[int, deque[Flit]] = {lane: deque() for lane in range(len(self.network.channels))}
        self.owner: dict[int, int] = {}
        self.following: dict[tuple[int, int], int] = {}

    def send(self, source: int, destination: int, flits: int, injection: int = 0) -> None:
        """Append a worm to the queue of an injection channel."""
        lane = self.network.injection_channels_of(source)[injection]
        self.flits[lane].extend(Flit(len(self.worms), number) for number in range(flits))
        self.worms.append(Worm(destination, flits))

    def ways(self, lane: int) -> list[int]:
        """Lanes that the first flit of a lane can go to now."""
        if not self.flits[lane]:
            return []
        flit = self.flits[lane][0]
        if flit.number > 0:
            following = self.following[flit.worm, lane]
            return [following] if self._has_room(following) else []
        key = self.worms[flit.worm].key
        for mask in (self.routing.candidates(lane, key), self.routing.escapes(lane, key)):
            outputs = self.network.output_channel[self.network.channels[lane].sink]
            free = [output for port, output in enumerate(outputs) if mask >> port & 1 and self._can_be_had(output)]
            if free:
                return free
        return []

    def _has_room(self, lane: int) -> bool:
        return self._delivers(lane) or len(self.flits[lane]) < self.depth

    def _can_be_had(self, lane: int) -> bool:
        return lane not in self.owner and (self._has_room(lane) if lane in self.shared else not self.flits[lane])

    def _delivers(self, lane: int) -> bool:
        return not self.network.is_switch(self.network.channels[lane].sink)

    def move(self, lane: int, to: int) -> None:
        """The first flit of a lane goes on."""
        assert to in self.ways(lane), (self.network.channels[lane].name, self.network.channels[to].name)
        flit = self.flits[lane].popleft()
        self.owner[to] = flit.worm
        self.following[flit.worm, lane] = to
        if not self._delivers(to):
            self.flits[to].append(flit)
        if flit.number == self.worms[flit.worm].flits - 1:
            del self.owner[to]

    def run(self, order: random.Random) -> int:
        """Move flits in random order until none can move. Returns how many are left."""
        while True:
            lanes = [lane for lane in self.flits if self.ways(lane)]
            if not lanes:
                return sum(map(len, self.flits.values()))
            lane = order.choice(lanes)
            self.move(lane, order.choice(self.ways(lane)))
