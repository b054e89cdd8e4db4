"""Routing tables of routers, as read from the Verilog."""

from refusal import demand


class Tables:
    """Routing tables as SPAM and multistage networks have them: by class of the arrival channel and key, outputs of
    which a header takes one. Multicasts that have none there branch: behind each branch are the processors of its row.
    """

    def __init__(self, hardware, classes):
        self.hardware, self.multicast = hardware, range(0)
        self.rows, self.branches, self.arrival = {}, {}, {}
        for switch in range(hardware.switches):
            outputs, inputs = hardware.outputs[switch], hardware.inputs[switch]
            self.rows[switch] = hardware.rows(switch, "routes", len(outputs))
            reach = hardware.rows(switch, "reach", hardware.processors)
            self.branches[switch] = {c: mask for c, mask in zip(outputs, reach, strict=True) if mask}
            bits = (classes - 1).bit_length()
            arrivals = hardware.rows(switch, "port_class", bits) if bits else [0] * len(inputs)
            known = all(one < classes for one in arrivals)
            demand(known, f"port_class of {hardware.routers[switch]} names a class that is none of {classes}")
            self.arrival.update(zip(inputs, arrivals, strict=True))
            demand(len(self.rows[switch]) == len(self.rows[0]), "tables of routers have different numbers of keys")
        self.keys = len(self.rows[0]) // classes
        self.every = (1 << hardware.processors) - 1

    def ways(self, channel, key):
        """Return the route candidates of a header in the form of ``Walk``."""
        switch = self.hardware.sinks[channel]
        row = self.rows[switch][self.arrival[channel] * self.keys + key]
        if row == 0 and key in self.multicast:
            return list(self.branches[switch].items())
        return [(c, None) for port, c in enumerate(self.hardware.outputs[switch]) if row >> port & 1]


def union(masks):
    """Return the union of some masks."""
    found = 0
    for mask in masks:
        found |= mask
    return found
