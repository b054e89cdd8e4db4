"""Follows every header over every way that it may be given, and holds what it asks for against an order."""

from itertools import combinations

from refusal import demand, ranks


class Walk:
    """Follows headers. ``ways`` says of (channel, key) what is asked for: channels, each with a mask or None.

    With masks all of them are asked for, to reach just these processors behind each; without, any one of them.
    """

    def __init__(self, hardware, ways, key_name):
        self.hardware, self.ways, self.key_name = hardware, ways, key_name
        self.edges, self.known = set(), {}

    def reached(self, channel, key):
        """Mask of the processors that a header gets to from a channel, whichever way it is given."""
        sink = self.hardware.sinks[channel] - self.hardware.switches
        if sink >= 0:
            return 1 << sink
        if (channel, key) not in self.known:
            self.known[channel, key] = None
            self.known[channel, key] = self._behind(channel, key)
        found, name = self.known[channel, key], self.hardware.names[channel]
        demand(found is not None, f"a header for {self.key_name(key)} can come back to {name}")
        return found

    def _behind(self, channel, key):
        asked, of_key = self.ways(channel, key), f"a header for {self.key_name(key)} that comes on"
        name = self.hardware.names[channel]
        demand(asked, f"{of_key} {name} has no way")
        found = []
        for following, wanted in asked:
            self.edges.add((channel, following))
            found.append(self.reached(following, key))
            right = wanted in (None, found[-1])
            demand(right, f"{of_key} {name} does not reach what the table says behind {self.hardware.names[following]}")
        if asked[0][1] is None:
            demand(len(set(found)) == 1, f"{of_key} {name} reaches one processor or another, as it is let")
            return found[0]
        demand(sum(found) == sum(found[:1]) | sum(found[1:]), "")
        apart = all(not a & b for a, b in combinations(found, 2))
        demand(apart, f"{of_key} {name} would reach a processor twice")
        return sum(found)


def check_sent(walk, channel, key, processors):
    """A header from a source gets to exactly these processors."""
    found = walk.reached(channel, key)
    name = walk.hardware.names[channel]
    demand(
        found == processors, f"a header for {walk.key_name(key)} from {name} does not get to exactly its destinations"
    )


def check_order(hardware, edges, certificate):
    """Every dependency goes up in the certificate's order, in which every channel stands once."""
    place = ranks(hardware.names, certificate["order"], "the order")
    for held, wanted in sorted(edges):
        a, b = hardware.names[held], hardware.names[wanted]
        demand(place[a] < place[b], f"{a} waits for {b}, which does not come later in the order")
    return [place[name] for name in hardware.names]
