# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""Switch of a torus or mesh: a router with virtual channels and dimension-order routing (Sec. 2)."""

from typing import Any

from amaranth.hdl import Const, Signal
from amaranth.lib.wiring import In

from rtl.parts.selection import concat
from rtl.torus.parameters import TorusRouterParameters
from rtl.vc.router import VcRouter
from topology.common.flits import bits_for
from topology.torus.grid import X_NEGATIVE, Y_NEGATIVE, along_row
from topology.torus.routing import DATELINE

NEGATIVE = (Y_NEGATIVE, X_NEGATIVE)


class TorusRouter(VcRouter):
    """One switch.

    Members:
        row, column (In): Its position. Constants.
        closes_ring (In(inputs but the host's)): Whether the channel into each input closes a ring. Constants; only if
            the class of VCs depends on it.
        others: See ``VcRouter``.
    """

    def __init__(self, parameters: TorusRouterParameters):
        p = self.parameters = parameters
        constants = {"column": In(bits_for(p.columns)), "row": In(bits_for(p.rows))}
        if p.follows_arrival:
            constants["closes_ring"] = In(len(p.arrivals))
        super().__init__(f"torus_router_{p.name}", p.shape, constants)

    def find_candidates(self, m: Any, port: int, link: Any) -> Any:
        """Return the route candidates in dimension order: along the row, then along the column, then to the host."""
        p = self.parameters
        key = self._key(m, port, link.payload.data)
        y_there, x_there, exists = (Signal(name=f"{name}_{port}") for name in ("y_there", "x_there", "exists"))
        m.d.comb += [
            y_there.eq(key["column"] == self.column),
            x_there.eq(key["row"] == self.row),
            exists.eq(self._exists(key)),
        ]
        host, candidates = len(p.directions), []
        for output in self.shape.reaches[port]:
            if output == host:
                candidates.append(exists & y_there & x_there)
                continue
            direction = p.directions[output]
            here = ~y_there if along_row(direction) else y_there & ~x_there
            negative = key["y_negative"] if along_row(direction) else key["x_negative"]
            goes = Signal(name=f"goes_{port}_{output}")
            m.d.comb += goes.eq(exists & here & (negative == Const(int(direction in NEGATIVE), 1)))
            candidates += self._vcs(m, port, link, direction, goes, key)
        return concat(candidates)

    def _key(self, m, port, data) -> dict[str, Any]:
        """Return the fields of the routing key in the data of a flit."""
        p = self.parameters
        widths = {"column": bits_for(p.columns), "row": bits_for(p.rows), "y_negative": 1, "x_negative": 1}
        fields, low = {}, 0
        for name, bits in widths.items():
            fields[name] = Signal(bits, name=f"{name}_{port}")
            m.d.comb += fields[name].eq(data[low : low + bits])
            low += bits
        return fields

    def _exists(self, key) -> Any:
        """Return whether the destination exists. Sides that are powers of two leave no numbers unused."""
        p = self.parameters
        within: Any = Const(1)
        for name, side in (("column", p.columns), ("row", p.rows)):
            if side & (side - 1) or side == 1:
                within = within & (key[name] < side)
        return within

    def _vcs(self, m, port, link, direction, goes, key) -> list[Any]:
        """Return the virtual channels of an output that a head to it may take."""
        p = self.parameters
        if not p.classed:
            return [goes] * p.vcs
        late = Signal(name=f"class_{port}_{direction}")
        if p.vc_rule == DATELINE:
            m.d.comb += late.eq(self._class_of_arrival(port, link, direction))
        else:
            end, position = (key["column"], self.column) if along_row(direction) else (key["row"], self.row)
            m.d.comb += late.eq(~(end > position if direction in NEGATIVE else end < position))
        if p.both_classes:  # with the late rule a head may take any VC until it is in class 1
            only_late = late & self._class_of_arrival(port, link, direction)
            return [goes & ~only_late] * p.low_vcs + [goes & late] * (p.vcs - p.low_vcs)
        return [goes & ~late] * p.low_vcs + [goes & late] * (p.vcs - p.low_vcs)

    def _class_of_arrival(self, port, link, direction) -> Any:
        """Return class 1 behind the channel that closes the ring, and from then on; class 0 in a new dimension."""
        p = self.parameters
        if port == len(p.arrivals) or p.arrivals[port] != direction:
            return Const(0)
        return self.closes_ring[port] | link.valid[p.low_vcs :].any()
