# (a part that a proof puts in is not elaborated again)
"""A ring of token stations, joined as ``min_plan`` joins them."""

from typing import Any

from amaranth.hdl import Module
from amaranth.lib.wiring import In, Out

from rtl.min.parameters import MinRouterParameters
from rtl.min.token_monitor import TokenMonitor
from rtl.min.token_station import TokenStation
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import concat
from topology.common.flits import HeaderFormat

HEADER = HeaderFormat((("key", 2),), 3, 8)
MAX_RELEASE_FLITS = 3


class TokenRing(Part):
    """Stations, the first of which begins with the token, and their monitor.

    Parameters
    ----------
    stations, inputs : int
        Switches of the ring, and inputs of each.

    Members
    -------
    release_flits, tree, popped, tail, granted : by station
        See ``TokenStation``.
    token_out, here : Out(stations)
        See ``TokenStation``.
    lost, duplicated : Out(1)
        See ``TokenMonitor``.
    """

    def __init__(self, stations: int, inputs: int):
        self.parameters = MinRouterParameters(inputs, 3, 4, 1, MAX_RELEASE_FLITS, header=HEADER)
        self.stations = stations
        super().__init__(
            f"token_ring_{stations}x{inputs}",
            {
                "release_flits": In(self.parameters.release_bits).array(stations),
                **{name: In(inputs).array(stations) for name in ("tree", "popped", "tail")},
                "granted": Out(inputs).array(stations),
                **{name: Out(stations) for name in ("token_out", "here")},
                **{name: Out(1) for name in ("lost", "duplicated")},
            },
        )

    def elaborate(self, platform):
        m: Any = Module()
        ring = range(self.stations)
        stations = [instantiate(m, platform, f"station_{s}", TokenStation(self.parameters)) for s in ring]
        monitor = instantiate(m, platform, "monitor", TokenMonitor([self.stations]))
        for s, station in enumerate(stations):
            for name in ("release_flits", "tree", "popped", "tail"):
                m.d.comb += getattr(station, name).eq(getattr(self, name)[s])
            m.d.comb += [
                station.starts_here.eq(s == 0),
                station.token_in.eq(stations[s - 1].token_out),
                self.granted[s].eq(station.granted),
            ]
        for name in ("token_out", "here"):
            m.d.comb += getattr(self, name).eq(concat(getattr(station, name) for station in stations))
        m.d.comb += [monitor.here.eq(self.here), self.lost.eq(monitor.lost), self.duplicated.eq(monitor.duplicated)]
        return m
