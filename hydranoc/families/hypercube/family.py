"""Hypercubes with adaptive routing: from their configuration to tables, model, hardware and pictures."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from hydranoc.config.first import FirstConfiguration
from hydranoc.config.schema import OwnTopology, Section
from hydranoc.config.schema.fields import Field
from hydranoc.errors import KeyWrong
from hydranoc.families.reports import CheckReport, LinkClasses
from hydranoc.families.virtual_channels import VC_REALLOCATIONS, VcFamily, VcSection, check_vc_section, vc_sizes
from topology.common.channels import ChannelNetwork
from topology.common.errors import TopologyError
from topology.common.regular import MAX_STUBS, drawn_dimensions
from topology.hypercube.graph import MAX_DIMENSIONS, HypercubeLinks, HypercubeNetwork
from topology.hypercube.routing import DUATO, HypercubeRouting

if TYPE_CHECKING:
    from rtl.generator.plan import NetworkPlan
    from sim_model.engines.model import Model
    from sim_model.messages.messages import Message

FIXED_ROUTING_CYCLES = 1


class DimensionsTopology(Section):
    """A hypercube whose nodes have one processor each.

    Members:
        kind (str): Kind of topology.
        dimensions: Number of dimensions; the network has two to this power nodes.
    """

    kind: Literal["hypercube"]
    dimensions: Annotated[int, Field(ge=1, le=MAX_DIMENSIONS)]


class HypercubeSection(VcSection):
    """``network`` of hypercubes.

    Members:
        virtual_channels (int): Virtual channels of each link: the last one is the escape channel, all others are
            adaptive. With one, routing is dimension-ordered.
        injection_channels: Injection channels of each processor, up to one per dimension, so that copies of a broadcast
            can leave at the same time.
        vc_reallocation (str): VC reallocation: ``atomic``, once the buffer is empty; or once the previous tail has been
            sent, for the escape channel only (``non-atomic-escape``) or for every VC, which can deadlock
            (``non-atomic``).
        negative_control (str or None): A hypercube that is wrong on purpose and deadlocks: without escape channels
            (``adaptive-only``), or with escape channels in the wrong order at some switches (``wrong-escape``).
    """

    OWN_TOPOLOGIES: ClassVar = {"hypercube": OwnTopology(DimensionsTopology, HypercubeLinks)}
    TOPOLOGIES: ClassVar = (DimensionsTopology,)
    FIXED_KEYS: ClassVar = (*VcSection.FIXED_KEYS, "routing_cycles")

    injection_channels: Annotated[int, Field(ge=1, le=MAX_DIMENSIONS)] = 1
    vc_reallocation: Literal["atomic", "non-atomic-escape", "non-atomic"] = "atomic"
    negative_control: Literal["adaptive-only", "wrong-escape"] | None = None


class HypercubeFamily(VcFamily[HypercubeSection, HypercubeRouting]):
    """Hypercubes with adaptive routing: multicasts are sent by software."""

    name = "hypercube"
    title = "Hypercube: broadcasts over adaptive wormhole routing with virtual channels"
    network_section = HypercubeSection
    first = FirstConfiguration(
        topology={"kind": "hypercube", "dimensions": 4},
        multicast={"broadcast_fraction": 0.05, "software": "recursive-doubling"},
    )

    def build_routing(self, section: HypercubeSection, network: ChannelNetwork) -> HypercubeRouting:
        """Return virtual channels, headers and rule of the network.

        Raises:
            TopologyError: If the network is no hypercube.
            KeyWrong: If a key of the section does not suit it.
        """
        if not isinstance(network, HypercubeLinks):
            raise TopologyError("Family 'hypercube' needs a topology of kind hypercube")
        check_vc_section(section)
        if section.routing_cycles != FIXED_ROUTING_CYCLES:
            right = "it must be left out in family 'hypercube', whose switches have a pace of their own"
            raise KeyWrong("routing_cycles", f"routing_cycles is {section.routing_cycles}; {right}")
        if section.injection_channels > network.dimensions:
            right = f"it must be at most {network.dimensions}, one for every dimension"
            raise KeyWrong("injection_channels", f"injection_channels is {section.injection_channels}; {right}")
        try:
            vcs = HypercubeNetwork(network.dimensions, section.virtual_channels, section.injection_channels)
        except TopologyError as error:
            raise KeyWrong("virtual_channels", f"virtual_channels: {error}") from None
        try:
            return HypercubeRouting(vcs, section.flit_bits, section.negative_control or DUATO)
        except TopologyError as error:
            raise KeyWrong("flit_bits", f"flit_bits: {error}") from None

    def check(self, section: HypercubeSection, routing: HypercubeRouting) -> CheckReport:
        """Return sizes, reachability and freedom from deadlock."""
        from topology.hypercube.deadlock import (
            check_hypercube_deadlock,
        )  # loads NetworkX: only where a network is checked
        from topology.hypercube.reachability import unreached_pairs

        network, reallocation = routing.network, VC_REALLOCATIONS[section.vc_reallocation]
        nodes = network.switches
        sizes: dict[str, Any] = {
            "nodes": nodes,
            "dimensions": network.dimensions,
            **vc_sizes(section, routing),
            "adaptive_lanes_of_a_channel": routing.adaptive_vcs,
            "injection_channels": network.injection_channels_per_processor,
            "lane_reuse": reallocation,
        }
        return CheckReport(
            sizes=sizes,
            unreached=tuple(unreached_pairs(routing)),
            pairs=nodes * (nodes - 1),
            deadlock=check_hypercube_deadlock(
                routing, VC_REALLOCATIONS[section.vc_reallocation], buffer_flits=section.buffer_flits
            ),
        )

    def evidence(self, section: HypercubeSection, routing: HypercubeRouting) -> dict[str, Any]:
        """Return the evidence for a certificate."""
        from topology.hypercube.certificate import hypercube_evidence

        return hypercube_evidence(routing, VC_REALLOCATIONS[section.vc_reallocation], section.buffer_flits)

    def build_model(self, section: HypercubeSection, routing: HypercubeRouting) -> "Model":
        """Return the golden model."""
        from sim_model.hypercube.model import HypercubeModel  # loads the engines: only where a network is run

        return HypercubeModel(routing, section.buffer_flits, VC_REALLOCATIONS[section.vc_reallocation])

    def build_plan(self, section: HypercubeSection, routing: HypercubeRouting) -> "NetworkPlan":
        """Return the hardware plan."""
        from rtl.hypercube.network import hypercube_plan  # loads Amaranth: only where hardware is made

        return hypercube_plan(
            routing, buffer_flits=section.buffer_flits, vc_reallocation=VC_REALLOCATIONS[section.vc_reallocation]
        )

    def link_classes(self, routing: HypercubeRouting) -> LinkClasses:
        """Return the drawn links, and those of dimensions beyond the picture's, between the cubes in it."""
        edges, drawn = routing.network.edges, drawn_dimensions(routing.network.dimensions)
        near = frozenset((a, b) for a, b in edges if a ^ b < 1 << drawn)
        far = range(drawn, routing.network.dimensions)
        rule = f" where one of the bits {far[0]} to {far[-1]} of the number differs" if len(far) > MAX_STUBS else ""
        return LinkClasses(tree=near, names=("link", "link to another cube"), around=frozenset(edges) - near, rule=rule)

    def software_names(self, network: HypercubeNetwork) -> tuple[str, ...]:
        """Return recursive doubling, balanced or not."""
        from sim_model.hypercube.multicasts import OWN_SOFTWARE

        return OWN_SOFTWARE

    def software_sends(
        self, network: HypercubeNetwork, records: "Iterable[Message]", software: str, seed: int
    ) -> "Sequence[Message]":
        """Return unicasts that send messages by software, a group for each message."""
        from sim_model.hypercube.multicasts import software_sends

        return software_sends(network, records, software)


FAMILY = HypercubeFamily()
