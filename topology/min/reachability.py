"""Proof that every message of a multistage network comes to its destinations, whatever outputs its header is given."""

from functools import cache

from topology.min.routing import MinRouting


def unreached_pairs(routing: MinRouting) -> list[tuple[int, int]]:
    """Pairs (source, destination) of processors for which some message may fail to arrive; empty for a right network.

    A pair counts as reached if a unicast arrives by every choice that the tables leave it, and if a multicast that
    turns round at any stage from where the destination is to be reached arrives there once.
    """
    network, processors = routing.network, len(routing.network.processors)

    @cache
    def arrives(channel: int, key: int, destination: int) -> bool:
        """Whether a header on a channel certainly comes to the destination."""
        vertex = network.channels[channel].sink
        if not network.is_switch(vertex):
            return vertex == network.processor_vertex(destination)
        outputs = network.output_channel[vertex]
        mask = int(routing.routes[vertex, key, routing.input_class(channel)])
        if mask == 0:
            if key < processors:
                return False
            branches = [port for port in range(len(outputs)) if routing.reach[vertex, port, destination]]
            return len(branches) == 1 and arrives(outputs[branches[0]], key, destination)
        return all(arrives(outputs[port], key, destination) for port in range(len(outputs)) if mask >> port & 1)

    missing = []
    for source in range(processors):
        start = network.injection_channel(source)
        for destination in range(processors):
            if source == destination:
                continue
            lowest = routing.turn_stage(source, (destination,)) if network.bidirectional else 0
            keys = [destination, *range(processors + lowest, routing.keys)]
            if not all(arrives(start, key, destination) for key in keys):
                missing.append((source, destination))
    return missing
