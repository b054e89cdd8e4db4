# amaranth: UnusedElaboratable=no
# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""An input of a router: its buffer, with the route unit at its side."""

from typing import Any

from amaranth.lib.wiring import connect

from rtl.common.header_decoder import note_layout
from rtl.common.input_buffer import InputBuffer
from rtl.common.part import place
from rtl.common.router_parameters import RouterParameters


def place_input(m: Any, platform: object, i: int, parameters: RouterParameters, link: Any, route_unit: Any) -> Any:
    """Put the buffer of an input into a router; what it holds for the route unit is connected, ``pop`` is not.

    Parameters
    ----------
    m : Module
    platform : object
        What ``elaborate`` was given.
    i : int
        Number of the input.
    parameters : RouterParameters
    link
        The link that ends here, seen from inside the router.
    route_unit
        The router's ``RouteUnit``.

    Returns
    -------
    InputBuffer
    """
    header_flits, note_bits = parameters.header_flits, note_layout(parameters).size
    part = InputBuffer(parameters.flit_bits, parameters.depth, header_flits, note_bits)
    buffer = place(m, platform, f"buffer_{i}", part)
    connect(m, link, buffer.link)
    m.d.comb += [
        route_unit.arriving[i].eq(link.payload.data),
        buffer.arriving_note.eq(route_unit.arriving_note[i]),
        route_unit.buffered_note[i].eq(buffer.note),
    ]
    if parameters.watches_links:
        m.d.comb += route_unit.arriving_valid[i].eq(link.valid & buffer.link.ready)
    if header_flits > 1:
        m.d.comb += [
            route_unit.arriving_head[i].eq(link.payload.head),
            route_unit.buffered_valid[i].eq(buffer.readable),
            buffer.at_front.eq(route_unit.queued[i]),
            buffer.advance.eq(route_unit.looked_at[i]),
        ]
    else:
        m.d.comb += route_unit.buffered_valid[i].eq(buffer.present)
    return buffer
