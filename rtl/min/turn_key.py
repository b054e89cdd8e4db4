"""Routing key of a destination set in a multistage network, computed in hardware.

One destination is its own key. The key of several is the stage at which the message turns back (Sec. 4.3); it is
constant in unidirectional networks.
"""

from typing import Any

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from rtl.parts.part import Part
from rtl.parts.selection import concat, encoded, merged
from topology.common.flits import bits_for
from topology.min.routing import MinRouting


class TurnKey(Part):
    """Computes the key of any non-empty destination set.

    The same module serves all senders of a network. Latency 1 cycle, for which the set must be stable.

    Members:
        key_cycles (int): 1.
        node (In): The sender, a constant. Only if there are several stages at which to turn.
        destinations (In(processors)): The set.
        key (Out): The key. Unspecified if the set is empty.
        multicast (Out(1)): Whether there are two or more destinations, so that the bit string has to be sent.
    """

    key_cycles = 1

    def __init__(self, routing: MinRouting):
        self.network = routing.network
        self.processors = len(self.network.processors)
        self.levels = range(1, self.network.stages) if self.network.bidirectional else range(0)
        super().__init__(
            "turn_key",
            {
                **({"node": In(bits_for(self.processors))} if self.levels else {}),
                "destinations": In(self.processors),
                "key": Out(bits_for(routing.keys)),
                "multicast": Out(1),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        alone = Signal(len(self.key))
        several = Signal()
        found = merged([(bit, Const(0)) for bit in self.destinations])[1]
        m.d.sync += [
            several.eq(found),
            alone.eq(concat(encoded(self.destinations, range(self.processors), len(self.key)))),
        ]
        turning = Signal(len(self.key))
        m.d.comb += turning.eq(self.processors)
        if self.levels:
            beyond = Signal(len(self.levels))
            m.d.sync += beyond.eq(concat(self._beyond(m, level) for level in self.levels))
            for level in self.levels:
                with m.If(beyond[level - 1]):
                    m.d.comb += turning.eq(self.processors + level)
        m.d.comb += [self.multicast.eq(several), self.key.eq(Mux(several, turning, alone))]
        return m

    def _beyond(self, m, level: int) -> Signal:
        """Return whether a destination is outside the sender's sub-network of ``level`` stages."""
        size = self.network.radix**level
        beyond = Signal(name=f"beyond_{level}")
        own: Any = Signal(self.processors, name=f"own_{level}")
        # Verilog has a simpler operator for a comparison with 0, but lint objects to it
        m.d.comb += own.eq(concat(self.node == i if i else ~self.node.any() for i in range(self.processors)))
        blocks = [slice(first, first + size) for first in range(0, self.processors, size)]
        m.d.comb += beyond.eq(
            concat(self.destinations[block].any() & ~own[block].any() for block in blocks).any(),
        )
        return beyond
