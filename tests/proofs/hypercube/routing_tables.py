"""Route candidates of a head that enters a switch, as tables made with ``topology``: not the hardware's logic."""

from functools import lru_cache
from typing import Any

from amaranth.hdl import Const, Mux, Value

from rtl.hypercube.parameters import HypercubeRouterParameters
from rtl.parts.selection import concat
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting


@lru_cache
def _masks(p: HypercubeRouterParameters, port: int, node: int) -> list[int]:
    """Lanes out that heads on an input may have, escapes included, by the dimensions that remain."""
    network = HypercubeNetwork(p.dimensions, p.lanes, p.injection_channels)
    routing = HypercubeRouting(network, p.flit_bits, p.rule)
    lane = network.input_channel[node][p.spans[port][0]]
    candidates, escapes = routing.masks(lane)
    return [int(mask) for mask in candidates | escapes]


def remaining(p: HypercubeRouterParameters, flit: Any, node: Any) -> Value:
    """The dimensions that remain to a head."""
    return Value.cast(flit.data[: p.dimensions] ^ node)


def lanes_out(p: HypercubeRouterParameters, port: int, flit: Any, node: Any) -> Value:
    """Mask of the lanes out that a head on an input may have; odd and even switches differ in the rule."""
    outputs, rest = sum(p.output_lanes), remaining(p, flit, node)
    even, odd = (sum(mask << outputs * row for row, mask in enumerate(_masks(p, port, number))) for number in (0, 1))
    table = Mux(Value.cast(node).xor(), odd, even) if odd != even else Const(even, outputs << p.dimensions)
    return Value.cast(table).word_select(rest, outputs)


def has_way(p: HypercubeRouterParameters, port: int, flit: Any, node: Any) -> Value:
    """True if there is a lane out for a head on an input."""
    return lanes_out(p, port, flit, node).any()


def outputs_for(p: HypercubeRouterParameters, flit: Any, node: Any) -> Value:
    """The outputs that a routable head can use: the dimensions that remain, or else delivery."""
    rest = remaining(p, flit, node)
    return concat((rest, ~rest.any()))
