"""Proof that every message of a multistage network reaches its destinations, on any of its route candidates."""

import numpy as np

from topology.min.routing import MinRouting


def unreached_pairs(routing: MinRouting) -> list[tuple[int, int]]:
    """Return pairs (source, destination) of processors for which some message may fail to arrive; empty if right.

    A pair counts as reached if a unicast arrives by every choice that the tables leave it, and if a multicast that
    turns round at any stage from where the destination is to be reached arrives there once.
    """
    network, processors = routing.network, len(routing.network.processors)
    reached = np.ones((processors, processors), dtype=bool)
    lowest = np.stack([_lowest_turns(routing, source).astype(np.uint8) for source in range(processors)])
    for turn in (None, *range(routing.keys - processors)):
        arrivals = _Arrivals(routing)  # for each turn anew: what is known of one is of no use for another one
        for source in range(processors):
            for start in network.injection_channels_of(source):
                if turn is None:
                    reached[source] &= arrivals.of_unicasts(start)
                else:
                    reached[source] &= arrivals.of_multicasts(start, turn) | (turn < lowest[source])
    np.fill_diagonal(reached, True)
    return [(int(source), int(destination)) for source, destination in np.argwhere(~reached)]


class _Arrivals:
    """Destinations that a header on a channel is sure to reach, bool[processors]; for all destinations at once."""

    def __init__(self, routing: MinRouting):
        self.routing = routing
        self.processors = len(routing.network.processors)
        self._known: dict[tuple[int, int | None], np.ndarray] = {}
        self._under_way: set[tuple[int, int | None]] = set()
        self._loops = False

    def of_unicasts(self, channel: int) -> np.ndarray:
        """Return the destinations reached by the unicast to each."""
        return self._settled(channel, None)

    def of_multicasts(self, channel: int, turn: int) -> np.ndarray:
        """Return the destinations reached by a multicast that has them in its set and turns round at a stage."""
        return self._settled(channel, turn)

    def _settled(self, channel: int, turn: int | None) -> np.ndarray:
        """Settle results: custom tables may lead some headers back to a channel, others to their destinations."""
        self._of(channel, turn)
        while self._loops:
            self._loops = self._look_again()
        return self._known[channel, turn]

    def _look_again(self) -> bool:
        """Return whether more is sure to arrive without pending results; the set only grows."""
        before = {key: arrives.copy() for key, arrives in self._known.items()}
        for channel, turn in before:
            self._known[channel, turn] = self._found(channel, turn)
        return any((self._known[key] != arrives).any() for key, arrives in before.items())

    def _of(self, channel: int, turn: int | None) -> np.ndarray:
        key = channel, turn
        if key in self._under_way:
            self._loops = True
            return np.zeros(self.processors, dtype=bool)
        if key not in self._known:
            self._under_way.add(key)
            self._known[key] = self._found(channel, turn)
            self._under_way.remove(key)
        return self._known[key]

    def _found(self, channel: int, turn: int | None) -> np.ndarray:
        network = self.routing.network
        vertex = network.channels[channel].sink
        if network.is_switch(vertex):
            return self._behind(vertex, self.routing.input_class(channel), turn)
        return np.arange(self.processors) == vertex - network.switches

    def _behind(self, switch: int, arrival_class: int, turn: int | None) -> np.ndarray:
        routing, outputs = self.routing, self.routing.network.output_channel[switch]
        if turn is None:
            masks = routing.routes[switch, : self.processors, arrival_class]
        else:
            mask = int(routing.routes[switch, self.processors + turn, arrival_class])
            if mask == 0:
                return self._by_branches(switch, turn)
            masks = np.full(self.processors, mask)
        arrives = masks != 0
        for port, output in enumerate(outputs):
            chosen = (masks >> port & 1).astype(bool)
            if chosen.any():
                arrives &= ~chosen | self._of(output, turn)
        return arrives

    def _by_branches(self, switch: int, turn: int) -> np.ndarray:
        """Return whether exactly one branch has the destination in its reach, and it arrives."""
        reach = self.routing.reach[switch]
        arrives = reach.sum(axis=0) == 1
        for port, output in enumerate(self.routing.network.output_channel[switch]):
            if reach[port].any():
                arrives &= ~reach[port] | self._of(output, turn)
        return arrives


def _lowest_turns(routing: MinRouting, source: int) -> np.ndarray:
    """Return the first stage from which each destination can be reached, int[processors]."""
    network = routing.network
    lowest = np.zeros(len(network.processors), dtype=np.int64)
    if not network.bidirectional:
        return lowest
    switch = network.processors[source]
    for _ in range(1, network.stages):
        lowest += ~routing.reach[switch].any(axis=0)
        switch = network.channels[network.output_channel[switch][network.radix]].sink
    return lowest
