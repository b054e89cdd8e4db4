"""Walk of every header over all its route candidates, which compares its requests with an order."""

from refusal import demand, ranks


class Walk:
    """Walk of headers. ``ways`` maps (channel, key) to the requests: channels, each with a mask or None.

    With masks all of them are requested, to reach exactly these processors behind each; without, any one of them.
    """

    def __init__(self, hardware, ways, key_name):
        self.hardware, self.ways, self.key_name = hardware, ways, key_name
        self.edges, self.known = set(), {}

    def reached(self, channel, key):
        """Return the mask of the processors that a header reaches from a channel, by any route candidate."""
        asked, work = {}, [channel]
        while work:
            channel = work[-1]
            if self._found(channel, key) is not None:
                work.pop()
            elif channel in asked:  # and all that follows is known
                self.known[channel, key] = self._behind(channel, key, asked[channel])
            else:
                self.known[channel, key] = None
                asked[channel] = self.ways(channel, key)
                demand(asked[channel], f"{self._header(channel, key)} is unroutable")
                for following, _ in asked[channel]:
                    self.edges.add((channel, following))
                    if self._found(following, key) is None:
                        name = self.hardware.names[following]
                        again = following in asked
                        demand(not again, f"a header for {self.key_name(key)} can come back to {name}")
                        work.append(following)
        return self._found(channel, key)

    def _found(self, channel, key):
        sink = self.hardware.sinks[channel] - self.hardware.switches
        return 1 << sink if sink >= 0 else self.known.get((channel, key))

    def _header(self, channel, key):
        return f"a header for {self.key_name(key)} that comes on {self.hardware.names[channel]}"

    def _behind(self, channel, key, asked):
        found = []
        for following, wanted in asked:
            found.append(self._found(following, key))
            if wanted not in (None, found[-1]):
                behind = self.hardware.names[following]
                demand(False, f"{self._header(channel, key)} does not reach what the table says behind {behind}")
        if asked[0][1] is None:
            one = len(set(found)) == 1
            demand(one, f"{self._header(channel, key)} reaches one processor or another, as it is let")
            return found[0]
        together = 0
        for mask in found:
            demand(not together & mask, f"{self._header(channel, key)} would reach a processor twice")
            together |= mask
        return together


def check_sent(walk, channel, key, processors):
    """Check that a header from a source reaches exactly these processors."""
    found = walk.reached(channel, key)
    name = walk.hardware.names[channel]
    demand(
        found == processors, f"a header for {walk.key_name(key)} from {name} does not get to exactly its destinations"
    )


def check_order(hardware, edges, certificate):
    """Check that every dependency goes up in the certificate's order, which has every channel once."""
    place = ranks(hardware.names, certificate["order"], "the order")
    for held, wanted in sorted(edges):
        a, b = hardware.names[held], hardware.names[wanted]
        demand(place[a] < place[b], f"{a} waits for {b}, which does not come later in the order")
    return [place[name] for name in hardware.names]
