# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Route decoder for heads: computes the route while the flit moves into its buffer, and keeps it there (Sec. 3).

A receiver has one cycle, its slot, to multiplex its flit, to select a transmitter and to reserve it. Everything else is
computed before.
"""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from rtl.harts.parameters import TAGS, HartsNodeParameters
from rtl.harts.relay_rules import EVERYWHERE
from rtl.parts.part import Part
from topology.harts.broadcast import ALGORITHM_A, SFBCAST, algorithm_number
from topology.harts.graph import DIRECTIONS

DECODED_ROUTES = data.StructLayout({"ways": DIRECTIONS, "cuts": 1, "kept": 1})
"""Decoding of a head: the directions in which its packet may go on; whether it may do so at once, without being stored;
whether it is stored in any case, for this node's host or to be sent again.
"""


class RouteDecoder(Part):
    """Decodes one head.

    A head without directions that is not kept belongs to an unroutable packet, which is drained: its directions have
    failed, or its header is invalid (docs/look_up/bad_input.md). No packet is sent on after the maximum number of
    links, so that levels bound the packets in flight, for any headers.

    Combinational.

    Members:
        header (In(header_layout))
        way (In(6)): Constant: direction of the link, one-hot; 0 for the host.
        dead (In(6)): Constant: failed directions.
        decoded (Out(DECODED_ROUTES))
    """

    def __init__(self, parameters: HartsNodeParameters):
        self.parameters = parameters
        super().__init__(
            f"harts_way_decoder_{parameters.name}",
            {
                "header": In(parameters.header_layout),
                "way": In(DIRECTIONS),
                "dead": In(DIRECTIONS),
                "decoded": Out(DECODED_ROUTES),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        from_host = Signal()
        at_end = Signal()
        m.d.comb += [
            from_host.eq(self.way == 0),
            at_end.eq(~from_host & (self.header.hops >= self.parameters.levels - 1)),
        ]
        with m.If(self.header.broadcast):
            self._decode_broadcast(m, from_host, at_end)
        with m.Else():
            self._decode_unicast(m, at_end)
        return m

    def _decode_broadcast(self, m, from_host, at_end):
        """Decode a broadcast by RELAY: keep a copy, and pass it on if it has steps left. The host's is sent later.

        Only hosts send copies of stage 0: one from a link would be broadcast again.
        """
        header, decoded = self.header, self.decoded
        goes_on = Signal()
        sound = Signal()
        first_ways = Mux(header.algorithm == algorithm_number(ALGORITHM_A), 1, EVERYWHERE)
        m.d.comb += [
            goes_on.eq(header.distance != 1),
            sound.eq((header.stage != 0) & ~(goes_on & at_end)),
            decoded.ways.eq(Mux(goes_on & sound, self.way & ~self.dead, 0)),
            decoded.cuts.eq(header.algorithm != algorithm_number(SFBCAST)),
            decoded.kept.eq(Mux(from_host, (first_ways & ~self.dead).any(), sound)),
        ]

    def _decode_unicast(self, m, at_end):
        """Decode a unicast: on along any axis of its tags, if it has not gone too far."""
        header, decoded = self.header, self.decoded
        wanted: Any = Signal(DIRECTIONS)
        for axis, name in enumerate(TAGS):
            steps = Signal(header[name].shape(), name=f"steps_{name}")
            m.d.comb += [
                steps.eq(header[name]),
                wanted[axis].eq(steps > 0),
                wanted[axis + len(TAGS)].eq(steps < 0),
            ]
        m.d.comb += [
            decoded.ways.eq(Mux(at_end, 0, wanted & ~self.dead)),
            decoded.cuts.eq(1),
            decoded.kept.eq(~wanted.any()),
        ]
