# (a part that becomes an instance of a shared Verilog module is not elaborated again)
"""The half of a router in front of its queues: the route unit, and the inputs with their buffers.

Shared by every family whose headers have a key for a table, or a bit string.
"""

from collections.abc import Sequence
from typing import Any

from amaranth.lib.wiring import In, Member, Out, connect, flipped

from rtl.generator.router_parameters import RouterParameters
from rtl.parts.flit import link_signature
from rtl.parts.input_buffer import InputBuffer
from rtl.parts.part import Part, instantiate
from rtl.parts.selection import packed
from rtl.parts.worm_guard import WormGuard
from rtl.routed.header_decoder import decoded_layout
from rtl.routed.header_register import HeaderRegister
from rtl.routed.route_unit import RouteUnit


def routed_members(parameters: RouterParameters) -> dict[str, Member]:
    """Return the common members of such routers: links, and the constants with this switch's tables.

    ``port_class`` exists only if there are several classes, ``reach`` only if the router multicasts. ``discarding``
    marks the inputs that drain an unroutable worm, ``misframed`` is the output of ``WormGuard``, if inputs have one:
    registers.
    """
    p = parameters
    link = link_signature(p.flit_bits)
    return {
        "inputs": In(link).array(p.inputs),
        "outputs": Out(link).array(p.outputs),
        "routes": In(p.route_bits),
        **({"port_class": In(p.class_bits * p.inputs)} if p.class_bits else {}),
        **({"reach": In(p.outputs * p.processors)} if p.multicast else {}),
        "discarding": Out(p.inputs),
        **({"misframed": Out(p.inputs)} if p.guarded else {}),
    }


def routed_constants(routing: Any, switch: int, classes: Sequence[int], parameters: RouterParameters) -> dict[str, int]:
    """Return the values of these constants, laid out as in ``RouteUnit``.

    Parameters:
        routing: Tables of the network: ``routes`` by switch, key and class, ``reach`` by switch, output and processor.
        classes: Class of each input channel.
    """
    constants = {"routes": packed(routing.routes[switch].T.ravel().tolist(), parameters.outputs)}
    if parameters.multicast:
        constants["reach"] = packed(routing.reach[switch, : parameters.outputs].ravel().tolist(), 1)
    if parameters.class_bits:
        constants["port_class"] = packed(classes, parameters.class_bits)
    return constants


def instantiate_inputs(m: Any, platform: object, router: Part, parameters: RouterParameters) -> tuple[Any, list[Any]]:
    """Add route unit and inputs to a router with ``routed_members``.

    Returns:
        RouteUnit: Its ``release`` is not connected.
        list of InputBuffer: Their ``pop`` is not connected.
    """
    route_unit = instantiate(m, platform, "route_unit", RouteUnit(parameters))
    m.d.comb += route_unit.routes.eq(router.routes)
    if parameters.class_bits:
        m.d.comb += route_unit.port_class.eq(router.port_class)
    if parameters.multicast:
        m.d.comb += route_unit.reach.eq(router.reach)
    for i in range(parameters.inputs):
        m.d.sync += router.discarding[i].eq(route_unit.queued[i] & ~route_unit.request[i].any())
    links = [_guarded(m, platform, router, parameters, i) for i in range(parameters.inputs)]
    return route_unit, [instantiate_input(m, platform, i, parameters, link, route_unit) for i, link in enumerate(links)]


def _guarded(m: Any, platform: object, router: Part, parameters: RouterParameters, i: int) -> Any:
    """Return the link of an input, behind the guard if there is one."""
    if not parameters.guarded:
        return flipped(router.inputs[i])
    guard = instantiate(m, platform, f"guard_{i}", WormGuard(parameters.flit_bits, parameters.watchdog_flits))
    connect(m, flipped(router.inputs[i]), guard.link)
    m.d.comb += router.misframed[i].eq(guard.misframed)
    return guard.onward


def instantiate_input(
    m: Any, platform: object, i: int, parameters: RouterParameters, link: Any, route_unit: Any
) -> Any:
    """Add the buffer of an input to a router; its outputs for the route unit are connected, ``pop`` is not.

    Parameters:
        m (Module)
        platform: Argument of ``elaborate``.
        i: Number of the input.
        link: The link that ends here, seen from inside the router.
        route_unit: The router's ``RouteUnit``.

    Returns:
        InputBuffer
    """
    if parameters.registers_headers:
        return _instantiate_with_register(m, platform, i, parameters, link, route_unit)
    header_flits, decoded_bits = parameters.header_flits, decoded_layout(parameters).size
    part = InputBuffer(parameters.flit_bits, parameters.depth, header_flits, decoded_bits)
    buffer = instantiate(m, platform, f"buffer_{i}", part)
    connect(m, link, buffer.link)
    m.d.comb += [
        route_unit.arriving[i].eq(link.payload.data),
        buffer.arriving_decoded.eq(route_unit.arriving_decoded[i]),
        route_unit.buffered_decoded[i].eq(buffer.decoded),
    ]
    if parameters.watches_links:
        m.d.comb += route_unit.arriving_valid[i].eq(link.valid & buffer.link.ready)
    if header_flits > 1:
        m.d.comb += [
            route_unit.arriving_head[i].eq(link.payload.head),
            route_unit.arriving_tail[i].eq(link.payload.tail),
            route_unit.buffered_valid[i].eq(buffer.readable),
            buffer.at_front.eq(route_unit.queued[i]),
            buffer.advance.eq(route_unit.looked_at[i]),
        ]
    else:
        m.d.comb += route_unit.buffered_valid[i].eq(buffer.present)
    return buffer


def _instantiate_with_register(
    m: Any, platform: object, i: int, parameters: RouterParameters, link: Any, route_unit: Any
) -> Any:
    """Add the buffer of an input without decodings, and its ``HeaderRegister``."""
    buffer = instantiate(m, platform, f"buffer_{i}", InputBuffer(parameters.flit_bits, parameters.depth))
    header = instantiate(m, platform, f"header_{i}", HeaderRegister(parameters))
    connect(m, link, buffer.link)
    moved = link.valid & buffer.link.ready
    m.d.comb += [
        header.moved.eq(moved),
        header.arriving.eq(route_unit.arriving_decoded[i]),
        header.queued.eq(route_unit.queued[i]),
        header.taken.eq(route_unit.looked_at[i]),
        header.pop.eq(buffer.pop),
        header.release.eq(route_unit.release[i]),
        route_unit.arriving[i].eq(link.payload.data),
        route_unit.buffered_decoded[i].eq(header.decoded),
        route_unit.buffered_valid[i].eq(header.eligible),
    ]
    if parameters.watches_links:
        m.d.comb += [
            route_unit.arriving_head[i].eq(link.payload.head),
            route_unit.arriving_tail[i].eq(link.payload.tail),
            route_unit.arriving_valid[i].eq(moved),
        ]
    return buffer
