"""Interface of a router family: from a network section to tables, golden model, hardware plan and pictures.

This file loads no other room, so that commands can list the families.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from topology.common.flits import MAX_MESSAGE_FLITS

if TYPE_CHECKING:
    import numpy as np

    from hydranoc.config.first import FirstConfiguration
    from hydranoc.config.schema import NetworkSection
    from hydranoc.families.reports import CheckReport, LinkClasses, TableNames
    from rtl.generator.plan import NetworkPlan
    from sim_model.engines.model import Model
    from sim_model.messages.columns import MessageColumns
    from sim_model.messages.messages import Message
    from topology.common.channels import ChannelNetwork


class Routing(Protocol):
    """Members that the tables of every family have; families add their own."""

    @property
    def network(self) -> "ChannelNetwork":
        """The family's network; virtual channels make its channels more than the topology's."""
        ...

    @property
    def keeps_pairs(self) -> bool:
        """True if messages of one source to the same destinations keep their order."""
        ...

    @property
    def header_flits(self) -> Callable[[Sequence[int]], int]:
        """Header length in flits of a message to some destinations."""
        ...


SectionT = TypeVar("SectionT", bound="NetworkSection")
RoutingT = TypeVar("RoutingT", bound=Routing)


class Family(ABC, Generic[SectionT, RoutingT]):
    """A router family.

    A family is a class without state. Its file loads neither model nor hardware: methods import what they need, so
    that each command loads only its own part (docs/do/adding_a_family.md).

    Members:
        name: Name in configurations.
        title: Title for display, with the paper.
        network_section (type): Schema of ``network`` for this family.
        first: First configuration of ``hydranoc init``.
        one_flit_headers: Headers are one flit, so flits have at least the bits of a header.
        longest_message_key: Key of ``network`` that limits messages; empty if there is none.
    """

    name: str
    title: str
    network_section: "type[NetworkSection]"
    first: "FirstConfiguration"
    one_flit_headers: ClassVar[bool] = False
    longest_message_key: ClassVar[str] = ""

    @abstractmethod
    def build_routing(self, section: SectionT, network: "ChannelNetwork") -> RoutingT:
        """Return the tables of a network, shared by model, hardware and static check.

        Parameters:
            section (NetworkSection): ``network`` of the configuration.
            network: Network of ``topology``.

        Raises:
            TopologyError: If the family has no routers for such a network.
            KeyWrong: If a key of the section does not suit it.
        """

    @abstractmethod
    def check(self, section: SectionT, routing: RoutingT) -> "CheckReport":
        """Return sizes, reachability and freedom from deadlock.

        Parameters:
            section (NetworkSection): ``network`` of the configuration.
            routing (Routing): Tables of ``build_routing``.
        """

    @abstractmethod
    def build_model(self, section: SectionT, routing: RoutingT) -> "Model":
        """Return the golden model.

        Parameters:
            section (NetworkSection): ``network`` of the configuration.
            routing (Routing): Tables of ``build_routing``.
        """

    @abstractmethod
    def build_plan(self, section: SectionT, routing: RoutingT) -> "NetworkPlan":
        """Return the hardware plan.

        Parameters:
            section (NetworkSection): ``network`` of the configuration.
            routing (Routing): Tables of ``build_routing``.
        """

    def evidence(self, section: SectionT, routing: RoutingT) -> dict[str, Any]:
        """Return the content of a certificate besides digests, see ``hydranoc/certificates``.

        Parameters:
            section (NetworkSection): ``network`` of the configuration.
            routing (Routing): Tables of ``build_routing``.

        Raises:
            NoOrder: If the network may deadlock; by default always.
        """
        from topology.common.channel_order import NoOrder

        raise NoOrder("the family has no theorem for certificates")

    def link_classes(self, routing: RoutingT) -> "LinkClasses":
        """Return the classes of links in pictures; by default all links are alike.

        Parameters:
            routing (Routing): Tables of ``build_routing``.
        """
        from hydranoc.families.reports import LinkClasses

        return LinkClasses()

    def spanning_tree(self, routing: RoutingT) -> Sequence[int] | None:
        """Return the parent of each switch in the family's own spanning tree, whose root is its own parent.

        The collective plane is built on it. By default None: the plane then has a breadth-first tree.

        Parameters:
            routing (Routing): Tables of ``build_routing``.
        """
        return None

    def table_names(self, routing: RoutingT) -> "TableNames | None":
        """Return the names in table files; by default None, for routers without tables.

        Parameters:
            routing (Routing): Tables of ``build_routing``.
        """
        return None

    def operations(self, section: SectionT) -> Mapping[str, int]:
        """Return the values of ``algorithm`` of a message, with their numbers as ``Message.operation``.

        Parameters:
            section (NetworkSection): ``network`` of the configuration.
        """
        return {}

    def multicasts(self, section: SectionT) -> bool:
        """Return True if one message may go to any set of destinations; by default always.

        Parameters:
            section (NetworkSection): ``network`` of the configuration.
        """
        return True

    def loses_messages(self, section: SectionT) -> bool:
        """Return True if messages may be lost or changed on their way; by default never.

        Parameters:
            section (NetworkSection): ``network`` of the configuration.
        """
        return False

    def longest_message(self, section: SectionT) -> int:
        """Return the flits of the longest message, header included.

        Parameters:
            section (NetworkSection): ``network`` of the configuration.
        """
        return MAX_MESSAGE_FLITS

    def software_names(self, network: Any) -> tuple[str, ...]:
        """Return the family's own values of ``traffic.software``, besides those of ``messages/software.py``.

        Parameters:
            network (ChannelNetwork): Network of the tables.
        """
        return ()

    def software_sends(
        self, network: Any, records: "Iterable[Message]", software: str, seed: int
    ) -> "Sequence[Message]":
        """Return unicasts that send messages by software, a group for each; by default the binomial chain.

        Parameters:
            network (ChannelNetwork): Network of the tables.
            records
            software: One of ``software_names``.
            seed: Of the traffic.

        Raises:
            MessageError: With the number of the record.
        """
        from sim_model.messages.software import BINOMIAL, software_multicasts

        return software_multicasts(records, BINOMIAL)

    def validate_message(self, section: SectionT, routing: RoutingT, record: "Message") -> "Message":
        """Return a message in the form that the network accepts; by default unchanged.

        Parameters:
            section (NetworkSection): ``network`` of the configuration.
            routing (Routing): Tables of ``build_routing``.
            record

        Raises:
            ValueError: "X is Z; it must be Y".
        """
        return record

    def validate_messages(
        self, section: SectionT, routing: RoutingT, columns: "MessageColumns"
    ) -> "MessageColumns | None":
        """Return the results of ``validate_message`` for many messages at once.

        Parameters:
            section (NetworkSection): ``network`` of the configuration.
            routing (Routing): Tables of ``build_routing``.
            columns

        Returns:
            None if it refuses one of them, or must be called for each; by default always.
        """
        return None

    def arrival_ports(self, variants: "np.ndarray") -> "np.ndarray":
        """Return the input ports by which recorded heads arrived at the switches that they leave, int64[heads].

        Parameters:
            variants (int array): Of each head in a recording.

        Returns:
            int array: By default -1 for all: a message visits a switch only once.
        """
        import numpy as np

        return np.full(len(variants), -1)
