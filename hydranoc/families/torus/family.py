"""Tori and meshes with virtual channels: from their configuration to tables, model, hardware and pictures."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from hydranoc.config.first import FirstConfiguration
from hydranoc.config.schema import RowsAndColumns
from hydranoc.errors import KeyWrong
from hydranoc.families.reports import CheckReport, LinkClasses
from hydranoc.families.virtual_channels import VC_REALLOCATIONS, VcFamily, VcSection, check_vc_section, vc_sizes
from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError
from topology.torus.graph import TorusLinks, TorusNetwork
from topology.torus.routing import TorusRouting

if TYPE_CHECKING:
    from rtl.generator.plan import NetworkPlan
    from sim_model.engines.model import Model
    from sim_model.messages.messages import Message

ONE_VC = "one-vc"


class TorusSection(VcSection):
    """``network`` of tori and meshes.

    Members:
        vc_rule (str): Class of virtual channels of a message in a ring: ``dally-seitz`` and ``dateline`` assign one;
            ``balanced`` allows all virtual channels to a message that does not cross the end of the ring.
        vc_reallocation (str): VC reallocation: ``non-atomic``, once the tail of the previous worm has left; or
            ``atomic``, once the buffer is empty.
        injection_priority (str): Priority of flits from processors at outputs: ``equal``, round-robin with those from
            channels; or ``low``, only without a request from a channel.
        negative_control (str or None): A torus that is wrong on purpose and deadlocks: its links have one virtual
            channel, and no classes.
    """

    TOPOLOGIES: ClassVar = (RowsAndColumns,)
    FORMER_KEYS: ClassVar = {**VcSection.FORMER_KEYS, "lane_rule": "vc_rule"}
    FORMER_VALUES: ClassVar = {**VcSection.FORMER_VALUES, "negative_control": {"one-lane": ONE_VC}}

    vc_rule: Literal["dally-seitz", "dateline", "balanced"] = "dally-seitz"
    vc_reallocation: Literal["non-atomic", "atomic"] = "non-atomic"
    injection_priority: Literal["equal", "low"] = "equal"
    negative_control: Literal["one-vc"] | None = None


def _vcs(section: TorusSection) -> int:
    """Return the virtual channels of a link between two switches."""
    return section.virtual_channels if section.negative_control is None else 1


def _check_vcs(section: TorusSection, network: TorusLinks) -> None:
    """Refuse a torus with one virtual channel, which deadlocks, except as the negative control."""
    wraps, control = network.grid.wraps, section.negative_control
    if control is not None and not wraps:
        text = f"negative_control is {control!r}; it must be left out in a mesh, which has no rings"
        raise KeyWrong("negative_control", text)
    if control is not None and "virtual_channels" in section.model_fields_set and section.virtual_channels != 1:
        text = f"virtual_channels is {section.virtual_channels}; it must be 1 with negative_control {control!r}"
        raise KeyWrong("virtual_channels", text)
    if control is None and wraps and section.virtual_channels == 1:
        text = "virtual_channels is 1; it must be at least 2 in a torus, or messages can wait for each other in a ring"
        raise KeyWrong("virtual_channels", f"{text} (negative_control: {ONE_VC} allows that)")


def _settings(section: TorusSection) -> dict[str, Any]:
    return {
        "buffer_flits": section.buffer_flits,
        "routing_cycles": section.routing_cycles,
        "vc_reallocation": VC_REALLOCATIONS[section.vc_reallocation],
        "injection_priority": section.injection_priority,
    }


class TorusFamily(VcFamily[TorusSection, TorusRouting]):
    """Tori and meshes with virtual channels: multicasts are sent by software."""

    name = "torus"
    title = "Torus: multi-node multicast in tori and meshes by network partitioning"
    network_section = TorusSection
    first = FirstConfiguration(
        topology={"kind": "torus", "rows": 4, "columns": 4},
        multicast={"multicast_fraction": 0.1, "destinations": 4, "software": "u-torus"},
    )

    def build_routing(self, section: TorusSection, network: ChannelNetwork) -> TorusRouting:
        """Return virtual channels, headers and rule of the network.

        Raises:
            TopologyError: If the network is no torus or mesh with rows and columns.
            KeyWrong: If a key of the section does not suit it.
        """
        if not isinstance(network, TorusLinks):
            raise TopologyError("Family 'torus' needs a topology of kind torus or mesh with rows and columns")
        _check_vcs(section, network)
        check_vc_section(section)
        try:
            return TorusRouting(TorusNetwork(network.grid, _vcs(section), network), section.flit_bits, section.vc_rule)
        except TopologyError as error:
            raise KeyWrong("flit_bits", f"flit_bits: {error}") from None

    def check(self, section: TorusSection, routing: TorusRouting) -> CheckReport:
        """Return sizes, reachability and freedom from deadlock."""
        from topology.torus.deadlock import check_torus_deadlock  # loads NetworkX: only where a network is checked
        from topology.torus.reachability import unreached_pairs

        network = routing.network
        grid = network.grid
        sizes = {
            "nodes": grid.nodes,
            "rows": grid.rows,
            "columns": grid.columns,
            **vc_sizes(section, routing),
        }
        return CheckReport(
            sizes=sizes,
            unreached=tuple(unreached_pairs(routing)),
            pairs=grid.nodes * (grid.nodes - 1),
            deadlock=check_torus_deadlock(routing),
        )

    def evidence(self, section: TorusSection, routing: TorusRouting) -> dict[str, Any]:
        """Return the evidence for a certificate."""
        from topology.torus.certificate import torus_evidence

        return torus_evidence(routing)

    def build_model(self, section: TorusSection, routing: TorusRouting) -> "Model":
        """Return the golden model."""
        from sim_model.torus.model import TorusModel  # loads the engines: only where a network is run

        return TorusModel(routing, **_settings(section))

    def build_plan(self, section: TorusSection, routing: TorusRouting) -> "NetworkPlan":
        """Return the hardware plan."""
        from rtl.torus.network import torus_plan  # loads Amaranth: only where hardware is made

        return torus_plan(routing, **_settings(section))

    def link_classes(self, routing: TorusRouting) -> LinkClasses:
        """Return the links between neighbours in the picture, and the wrap links, which lead round it."""
        network = routing.network
        near, around = set(), set()
        for vc, direction, closes in zip(network.channels, network.direction_of, network.closes_ring, strict=True):
            if direction is not None:
                (around if closes else near).add((min(vc.source, vc.sink), max(vc.source, vc.sink)))
        return LinkClasses(tree=frozenset(near), names=("link", "link that closes a ring"), around=frozenset(around))

    def software_names(self, network: TorusNetwork) -> tuple[str, ...]:
        """Return the names of the paper's multicasts, and of recursive doubling."""
        from sim_model.torus.multinode import software_names

        return software_names(network.grid)

    def software_sends(
        self, network: TorusNetwork, records: "Iterable[Message]", software: str, seed: int
    ) -> "Sequence[Message]":
        """Return unicasts that send messages by software, a group for each message."""
        from sim_model.torus.multinode import software_sends

        return software_sends(network.grid, records, software, seed)


FAMILY = TorusFamily()
