"""Common part of families with virtual channels, whose messages have one destination each."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from hydranoc.config.schema import NetworkSection
from hydranoc.config.schema.fields import Field
from hydranoc.errors import KeyWrong
from hydranoc.families.family import Family, RoutingT, SectionT
from topology.common.errors import FieldError
from topology.common.virtual_channels import ATOMIC, MAX_VCS, NON_ATOMIC
from topology.hypercube.vc_reallocation import NON_ATOMIC_ESCAPE

if TYPE_CHECKING:
    from sim_model.messages.columns import MessageColumns
    from sim_model.messages.messages import Message

MAX_BUFFER_FLITS = 16
VC_REALLOCATIONS = {"atomic": ATOMIC, "non-atomic": NON_ATOMIC, "non-atomic-escape": NON_ATOMIC_ESCAPE}
"""Rules of VC reallocation by their value in configurations."""


class VcSection(NetworkSection):
    """``network`` of families with virtual channels.

    Members:
        virtual_channels: Virtual channels of each link between two switches.
        buffer_flits: Buffer of a virtual channel in flits; with 4 or more a single virtual channel reaches the full
            rate.
    """

    FIXED_KEYS: ClassVar[tuple[str, ...]] = ("link_cycles", "tables")
    FORMER_KEYS: ClassVar = {"lanes": "virtual_channels", "lane_reuse": "vc_reallocation"}
    FORMER_VALUES: ClassVar = {
        "vc_reallocation": {"empty": "atomic", "tail": "non-atomic", "escape-tail": "non-atomic-escape"}
    }

    virtual_channels: Annotated[int, Field(ge=1, le=MAX_VCS)] = 2
    buffer_flits: Annotated[int, Field(ge=1, le=MAX_BUFFER_FLITS)] = 4


def check_vc_section(section: VcSection) -> None:
    """Refuse features that no router with virtual channels has: register stages of links, and tables.

    Raises:
        KeyWrong
    """
    family = section.family
    if section.link_cycles != 1:
        raise KeyWrong("link_cycles", f"link_cycles is {section.link_cycles}; it must be 1 in family {family!r}")
    if section.tables != "fixed":
        raise KeyWrong(
            "tables", f"tables is {section.tables!r}; it must be 'fixed' in family {family!r}, which has none"
        )


def vc_sizes(section: VcSection, routing: Any) -> dict[str, int]:
    """Return sizes of channels, virtual channels, headers and buffers for a ``CheckReport``.

    Parameters:
        routing: The family's network and headers.
    """
    network = routing.network
    links = network.links
    between_switches = [c for c in links.channels if links.is_switch(c.source) and links.is_switch(c.sink)]
    return {
        "links": len(between_switches) // 2,
        "channels": len(links.channels),
        "lanes_of_a_channel": network.vcs,
        "lanes": len(network.channels),
        "flit_bits": section.flit_bits,
        "header_bits": routing.header.fixed_bits,
        "header_flits": routing.header.unicast_flits,
        "buffer_flits": section.buffer_flits,
    }


class VcFamily(Family[SectionT, RoutingT]):
    """A family with virtual channels: its messages have one destination each."""

    def multicasts(self, section: SectionT) -> bool:
        """Return False: a message has one destination."""
        return False

    def validate_message(self, section: SectionT, routing: RoutingT, record: "Message") -> "Message":
        """Return a message to one node unchanged.

        Raises:
            ValueError: "X is Z; it must be Y".
        """
        others = set(record.destinations) - {record.source}
        if len(others) > 1:
            text = f"Number of destinations is {len(others)}; it must be 1 unless traffic.software sends the message"
            raise FieldError("destinations", text)
        return record

    def validate_messages(
        self, section: SectionT, routing: RoutingT, columns: "MessageColumns"
    ) -> "MessageColumns | None":
        """Return the messages unchanged; None if one of them does not have exactly one destination."""
        return columns if (columns.counts == 1).all() else None
