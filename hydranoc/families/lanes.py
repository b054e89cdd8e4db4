"""What the slots of all families say alike whose channels have lanes, and whose messages have one destination each."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from hydranoc.config.schema import NetworkSection
from hydranoc.config.schema.fields import Field
from hydranoc.errors import KeyWrong
from topology.common.errors import FieldError
from topology.common.lanes import MOST_LANES

if TYPE_CHECKING:
    from sim_model.messages.columns import MessageColumns
    from sim_model.messages.messages import Message

MOST_BUFFER_FLITS = 16


class LaneSection(NetworkSection):
    """``network`` of families with lanes.

    Members
    -------
    lanes : int
        Lanes of each channel between two switches.
    buffer_flits : int
        Flits that the buffer of a lane holds; 4 and more let a lane alone have the full rate.
    """

    FIXED_KEYS: ClassVar[tuple[str, ...]] = ("link_cycles", "tables")

    lanes: Annotated[int, Field(ge=1, le=MOST_LANES)] = 2
    buffer_flits: Annotated[int, Field(ge=1, le=MOST_BUFFER_FLITS)] = 4


def check_lane_section(section: LaneSection) -> None:
    """Refuse what no router with lanes has: register stages of links, and tables.

    Raises
    ------
    KeyWrong
    """
    family = section.family
    if section.link_cycles != 1:
        raise KeyWrong("link_cycles", f"link_cycles must be 1 in family {family!r}, not {section.link_cycles}")
    if section.tables != "fixed":
        raise KeyWrong("tables", f"tables must be 'fixed' in family {family!r}, which has none, not {section.tables!r}")


def lane_sizes(section: LaneSection, routing: Any) -> dict[str, int]:
    """Return sizes of channels, lanes, headers and buffers for a ``CheckReport``.

    Parameters
    ----------
    section : LaneSection
    routing
        The family's network and headers.
    """
    network = routing.network
    links = network.links
    between_switches = [c for c in links.channels if links.is_switch(c.source) and links.is_switch(c.sink)]
    return {
        "links": len(between_switches) // 2,
        "channels": len(links.channels),
        "lanes_of_a_channel": network.lanes,
        "lanes": len(network.channels),
        "flit_bits": section.flit_bits,
        "header_bits": routing.header.fixed_bits,
        "header_flits": routing.header.unicast_flits,
        "buffer_flits": section.buffer_flits,
    }


def complete_unicast(_section: Any, _routing: Any, record: "Message") -> "Message":
    """Return a message as the network takes it: to one node.

    Raises
    ------
    ValueError
        "X must be Y, not Z".
    """
    others = set(record.destinations) - {record.source}
    if len(others) > 1:
        text = f"Destinations must be one node unless traffic.software sends the message, not {len(others)}"
        raise FieldError("destinations", text)
    return record


def unicast_columns(_section: Any, _routing: Any, columns: "MessageColumns") -> "MessageColumns | None":
    """Return the messages as they are; None if one of them has not one destination."""
    return columns if (columns.counts == 1).all() else None
