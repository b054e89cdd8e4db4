"""Common slots of families with routing tables."""

from typing import Any

from hydranoc.config.schema import NetworkSection
from topology.common.link_stages import LinkStages


def router_settings(section: NetworkSection) -> dict[str, Any]:
    """Return the router parameters of golden model and hardware plan: buffers and times."""
    return {
        "buffer_flits": section.buffer_flits,
        "routing_cycles": section.routing_cycles,
        "link_cycles": section.link_cycles,
    }


def flit_sizes(section: NetworkSection, routing: Any) -> dict[str, int]:
    """Return sizes of flits, headers, buffers and links for a ``CheckReport``.

    Parameters
    ----------
    section : NetworkSection
    routing
        The family's tables.
    """
    header = routing.header
    return {
        "flit_bits": section.flit_bits,
        "unicast_header_flits": header.unicast_flits,
        "multicast_header_flits": header.multicast_flits,
        "buffer_flits": header.buffer_depth_flits(section.buffer_flits),
        "link_stages": len(LinkStages(routing.network, section.link_cycles).hops),
    }
