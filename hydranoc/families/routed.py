"""Common part of families with routing tables: keys, sizes, and guards against malformed traffic."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from hydranoc.config.schema import NetworkSection
from hydranoc.config.schema.fields import Field
from hydranoc.errors import KeyWrong
from hydranoc.families.family import Family, RoutingT
from topology.common.errors import FieldError, TopologyError
from topology.common.flits import MAX_MESSAGE_FLITS
from topology.common.link_stages import LinkStages
from topology.common.part_headers import BIT_STRING
from topology.common.routed_headers import RoutedHeaders
from topology.common.total_order import NO_ORDER

if TYPE_CHECKING:
    from sim_model.messages.columns import MessageColumns
    from sim_model.messages.messages import Message


class RoutedSection(NetworkSection):
    """``network`` of families with routing tables.

    Members:
        worm_guard: Drop flits outside of worms at every input of a switch.
        watchdog_flits: With ``worm_guard``: longest worm, header included; longer ones are cut off. 0 for worms of any
            length.
        header (str): Header format of several destinations: ``bit_string``, a bit for each processor; or ``parts``, a
            flit for each group of processors with a destination (docs/look_up/headers.md).
        ordering (str): Order of messages: ``none``, on shortest paths; ``pair``, on one shortest path for each header,
            so that messages of a source to the same destinations arrive as sent; or ``total``, where all messages turn
            at one switch, so that all receivers see all messages in one order, those of each source as sent
            (docs/look_up/ordering.md).
    """

    worm_guard: bool = False
    watchdog_flits: Annotated[int, Field(ge=0, le=MAX_MESSAGE_FLITS)] = 0
    header: Literal["bit_string", "parts"] = BIT_STRING
    ordering: Literal["none", "pair", "total"] = NO_ORDER


SectionT = TypeVar("SectionT", bound=RoutedSection)


class RoutedFamily(Family[SectionT, RoutingT]):
    """A family with routing tables."""

    longest_message_key = "watchdog_flits"

    def longest_message(self, section: SectionT) -> int:
        """Return the flits of the longest message that no watchdog cuts off."""
        return section.watchdog_flits or MAX_MESSAGE_FLITS

    def validate_message(self, section: SectionT, routing: RoutingT, record: "Message") -> "Message":
        """Return a message unchanged if no watchdog would cut it off.

        Raises:
            ValueError: "Length is Z; it must be Y".
        """
        if section.watchdog_flits and record.flits > section.watchdog_flits:
            text = f"Length is {record.flits}; it must be at most {section.watchdog_flits} flits (watchdog_flits)"
            raise FieldError("flits", text)
        return record

    def validate_messages(
        self, section: SectionT, routing: RoutingT, columns: "MessageColumns"
    ) -> "MessageColumns | None":
        """Return the messages unchanged; None if a watchdog would cut one of them off."""
        right = not section.watchdog_flits or int(columns.flits.max(initial=0)) <= section.watchdog_flits
        return columns if right else None


def check_headers(section: RoutedSection, routing: RoutedHeaders) -> None:
    """Refuse flits that are too narrow for the headers, and a watchdog without a guard or shorter than a header.

    Raises:
        KeyWrong: For ``flit_bits`` or ``watchdog_flits``.
    """
    try:
        header = routing.header
    except TopologyError as error:
        raise KeyWrong("flit_bits", f"{error} (header: {section.header})") from None
    if not section.watchdog_flits:
        return
    if not section.worm_guard:
        text = f"watchdog_flits is {section.watchdog_flits}; it must be 0 without 'worm_guard: true'"
        raise KeyWrong("watchdog_flits", f"{text}: guards are what cuts worms off")
    longest = max(header.unicast_flits, header.multicast_flits)
    if section.watchdog_flits < longest:
        right = f"it must be 0, or at least {longest}, the flits of the longest header"
        raise KeyWrong("watchdog_flits", f"watchdog_flits is {section.watchdog_flits}; {right}")


def router_settings(section: NetworkSection) -> dict[str, Any]:
    """Return the router parameters of golden model and hardware plan: buffers and times."""
    return {
        "buffer_flits": section.buffer_flits,
        "routing_cycles": section.routing_cycles,
        "link_cycles": section.link_cycles,
    }


def plan_guards(section: RoutedSection) -> dict[str, Any]:
    """Return the guard parameters of the hardware plan. The golden model has none: guards do not delay whole worms."""
    return {"guard": section.worm_guard, "watchdog_flits": section.watchdog_flits}


def flit_sizes(section: NetworkSection, routing: Any) -> dict[str, int]:
    """Return sizes of flits, headers, buffers and links for a ``CheckReport``.

    Parameters:
        routing: The family's tables.
    """
    header = routing.header
    return {
        "flit_bits": section.flit_bits,
        "unicast_header_flits": header.unicast_flits,
        "multicast_header_flits": header.multicast_flits,
        "buffer_flits": header.buffer_depth_flits(section.buffer_flits),
        "link_stages": len(LinkStages(routing.network, section.link_cycles).hops),
    }
