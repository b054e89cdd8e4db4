"""HARTS: from its configuration to tables, model, hardware and pictures."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np

from hydranoc.config.first import FirstConfiguration
from hydranoc.config.schema import HexagonalMesh, NetworkSection, Section
from hydranoc.config.schema.fields import Field
from hydranoc.errors import KeyWrong
from hydranoc.families.family import Family
from hydranoc.families.harts.broadcasts import broadcast_columns, wanted_by_broadcast
from hydranoc.families.reports import CheckReport, LinkClasses
from topology.common.channels import ChannelNetwork
from topology.common.errors import FieldError, TopologyError
from topology.common.flits import MAX_FLIT_BITS, MIN_FLIT_BITS
from topology.common.link_stages import LinkStages
from topology.harts.broadcast import ALGORITHM_A, ALGORITHMS
from topology.harts.faults import Faults
from topology.harts.frame import most_link_cycles
from topology.harts.graph import HexMesh
from topology.harts.header import most_hops
from topology.harts.pages import least_pages, node_pages
from topology.harts.reception import ENTRIES, MAX_COPIES, MAX_ENTRIES, MIN_ENTRIES
from topology.harts.routing import UNICAST, HartsRouting, operation

if TYPE_CHECKING:
    from rtl.generator.plan import NetworkPlan
    from sim_model.engines.model import Model
    from sim_model.messages.columns import MessageColumns
    from sim_model.messages.messages import Message

Frames = Annotated[int, Field(ge=1, le=255)]
Pair = Annotated[list[int], Field(min_length=2, max_length=2)]


class FaultSection(Section):
    """``network.faults``: permanent faults from the start.

    Members:
        silent_nodes: Nodes that send nothing and receive nothing.
        corrupting_nodes: Nodes that corrupt the body of every packet that they relay.
        dead_links (list of [int, int]): Failed links, as pairs of neighbours.
        forging_nodes (list of [int, int]): Pairs of a node and the node that it forges as the source of its packets.
    """

    silent_nodes: list[int] = []
    corrupting_nodes: list[int] = []
    dead_links: list[Pair] = []
    forging_nodes: list[Pair] = []


class HartsSection(NetworkSection):
    """``network`` of hexagonal meshes.

    Members:
        packet_flits: Longest packet, header included, and size of a page of the packet memory.
        pages: Packet pages of a node's memory; default the smallest safe number.
        gap_frames (int): Frames between two packets on a link.
        relay_frames (int): Frames that the network processor takes per packet.
        worm_guard: Drop flits outside of packets at every input of a node, and cut off packets longer than
            ``packet_flits``.
        algorithm_a: Support broadcasts by one packet round the whole mesh, which needs many more pages.
        guard: Refuse packets of broadcasts that cannot be genuine.
        reception (str or None): Reception of a broadcast by hosts behind AXI4-Stream endpoints: the first copy, or the
            majority of the copies; default all copies.
        reception_entries: Maximum number of broadcasts with copies at a host at a time.
        least_copies: Minimum copies of a broadcast: hosts refuse algorithms with fewer.
        faults: Permanent faults from the start; default none.
        negative_control (str or None): Nodes that are wrong on purpose and deadlock: any packet may take any page.
    """

    TOPOLOGIES: ClassVar = (HexagonalMesh,)
    FIXED_KEYS: ClassVar = ("routing_cycles", "tables")

    worm_guard: bool = False
    flit_bits: Annotated[int, Field(ge=MIN_FLIT_BITS, le=MAX_FLIT_BITS)] = 64
    buffer_flits: Annotated[int, Field(ge=1, le=1024)] = 1
    packet_flits: Annotated[int, Field(ge=2, le=4096)] = 65
    pages: Annotated[int, Field(ge=1)] | None = None
    gap_frames: Frames = 1
    relay_frames: Frames = 1
    algorithm_a: bool = False
    guard: bool = False
    reception: Literal["first", "vote"] | None = None
    reception_entries: Annotated[int, Field(ge=MIN_ENTRIES, le=MAX_ENTRIES)] = ENTRIES
    least_copies: Annotated[int, Field(ge=1, le=MAX_COPIES)] = 1
    faults: FaultSection = FaultSection()
    negative_control: Literal["no-classes"] | None = None


def _settings(section: HartsSection) -> dict[str, Any]:
    return {
        "pages": section.pages,
        "buffer_flits": section.buffer_flits,
        "gap_frames": section.gap_frames,
        "link_cycles": section.link_cycles,
        "relay_frames": section.relay_frames,
        "classed": section.negative_control is None,
    }


class HartsFamily(Family[HartsSection, HartsRouting]):
    """HARTS: broadcasts as copies in hexagonal meshes, with a packet memory per node."""

    name = "harts"
    title = "HARTS: broadcasts in wrapped hexagonal meshes (Kandlur and Shin, 1991)"
    network_section = HartsSection
    one_flit_headers = True
    longest_message_key = "packet_flits"
    first = FirstConfiguration(
        topology={"kind": "hexmesh", "size": 3},
        multicast={"multicast_fraction": 0.05, "algorithm": "6-bcast"},
    )

    def build_routing(self, section: HartsSection, network: ChannelNetwork) -> HartsRouting:
        """Return headers and faults of the mesh.

        Raises:
            TopologyError: If the network is no hexagonal mesh.
            KeyWrong: If a key of the section does not suit it.
        """
        if not isinstance(network, HexMesh):
            raise TopologyError("Family 'harts' needs a wrapped hexagonal mesh: topology kind must be hexmesh")
        if section.routing_cycles != 1:
            right = "it must be 1 in family 'harts', where the frame of eight cycles sets the pace"
            raise KeyWrong("routing_cycles", f"routing_cycles is {section.routing_cycles}; {right}")
        if section.tables != "fixed":
            text = f"tables is {section.tables!r}; it must be 'fixed' in family 'harts', which has none"
            raise KeyWrong("tables", text)
        most = most_link_cycles(section.gap_frames, guard=section.guard)
        if section.link_cycles > most:
            right = f"it must be at most {most} in family 'harts' with gap_frames {section.gap_frames}"
            reason = "a node must see that a page is taken before it may send the next packet"
            if section.link_cycles <= most_link_cycles(section.gap_frames):
                right, reason = f"{right} and guard", "a guard must see a head two cycles before its slot"
            raise KeyWrong("link_cycles", f"link_cycles is {section.link_cycles}; {right}: {reason}")
        levels = most_hops(network, algorithm_a=section.algorithm_a)
        try:
            node_pages(section.pages, levels)
        except ValueError as error:
            key = "algorithm_a" if section.algorithm_a and section.pages is None else "pages"
            raise KeyWrong(key, f"{key}: {error}") from None
        faults = Faults(
            tuple(section.faults.silent_nodes),
            tuple(section.faults.corrupting_nodes),
            tuple((a, b) for a, b in section.faults.dead_links),
            tuple((node, claimed) for node, claimed in section.faults.forging_nodes),
        )
        try:
            return HartsRouting(network, section.flit_bits, faults, section.algorithm_a, section.guard)
        except TopologyError as error:
            raise KeyWrong("faults", f"faults: {error}") from None
        except ValueError as error:
            raise KeyWrong("flit_bits", f"flit_bits: {error}") from None

    def check(self, section: HartsSection, routing: HartsRouting) -> CheckReport:
        """Return sizes, reachability and freedom from deadlock."""
        from topology.harts.deadlock import check_harts_deadlock  # loads NetworkX: only where a network is checked
        from topology.harts.reachability import unreached_pairs

        mesh, faults = routing.mesh, routing.faults
        live = [node for node in range(mesh.nodes) if not faults.is_silent(node)]
        pages = node_pages(section.pages, routing.levels)
        sizes = {
            "nodes": mesh.nodes,
            "size": mesh.size,
            "diameter": mesh.size - 1,
            "channels": len(mesh.channels),
            "links": len(mesh.edges),
            "silent_nodes": len(faults.silent_nodes),
            "corrupting_nodes": len(faults.corrupting_nodes),
            "dead_links": len(faults.dead_links),
            "forging_nodes": len(faults.forging_nodes),
            "flit_bits": section.flit_bits,
            "header_bits": routing.header.fixed_bits,
            "buffer_flits": section.buffer_flits,
            "link_stages": len(LinkStages(mesh, section.link_cycles).hops),
            "most_hops": routing.levels,
            "pages": pages,
            "least_pages": least_pages(routing.levels),
            "packet_memory_bits": pages * section.packet_flits * (section.flit_bits + 1),
        }
        return CheckReport(
            sizes=sizes,
            unreached=tuple(unreached_pairs(routing)),
            pairs=len(live) * (len(live) - 1),
            deadlock=check_harts_deadlock(routing, pages, classed=section.negative_control is None),
        )

    def evidence(self, section: HartsSection, routing: HartsRouting) -> dict[str, Any]:
        """Return the evidence for a certificate."""
        from topology.harts.deadlock import harts_evidence

        pages = node_pages(section.pages, routing.levels)
        return harts_evidence(routing, pages, classed=section.negative_control is None)

    def build_model(self, section: HartsSection, routing: HartsRouting) -> "Model":
        """Return the golden model."""
        from sim_model.harts.model import HartsModel  # loads the engines: only where a network is run

        return HartsModel(routing, **_settings(section))

    def build_plan(self, section: HartsSection, routing: HartsRouting) -> "NetworkPlan":
        """Return the hardware plan."""
        from rtl.harts.network import harts_plan  # loads Amaranth: only where hardware is made

        return harts_plan(
            routing,
            packet_flits=section.packet_flits,
            reception=section.reception,
            reception_entries=section.reception_entries,
            least_copies=section.least_copies,
            whole_packets=section.worm_guard,
            **_settings(section),
        )

    def link_classes(self, routing: HartsRouting) -> LinkClasses:
        """Return the links between neighbours of the drawn hexagon, and the wrap links."""
        mesh = routing.mesh
        near, around = set(), set()
        for a, b in mesh.edges:
            (ax, ay), (bx, by) = mesh.coordinates(a), mesh.coordinates(b)
            if (bx - ax, by - ay) in ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)):
                near.add((a, b))
            else:
                around.add((a, b))
        return LinkClasses(tree=frozenset(near), names=("link", "link round the mesh"), around=frozenset(around))

    def operations(self, section: HartsSection) -> Mapping[str, int]:
        """Return the broadcast procedures by name, with their numbers as operations."""
        return {name: operation(name) for name in ALGORITHMS if name != ALGORITHM_A or section.algorithm_a}

    def multicasts(self, section: HartsSection) -> bool:
        """Return False: a message has one destination, or a procedure brings it to all nodes."""
        return False

    def loses_messages(self, section: HartsSection) -> bool:
        """Return True if the mesh has faults."""
        return section.faults != FaultSection()

    def longest_message(self, section: HartsSection) -> int:
        """Return the flits of the longest packet."""
        return section.packet_flits

    def validate_message(self, section: HartsSection, routing: HartsRouting, record: "Message") -> "Message":
        """Return a message in the form that the mesh accepts: one destination, or a broadcast to all live nodes.

        Raises:
            ValueError: "X is Z; it must be Y".
        """
        faults = routing.faults
        if not 0 <= record.source < routing.mesh.nodes:
            return record  # an error of all families
        if record.flits > section.packet_flits:
            text = f"Length is {record.flits}; it must be at most {section.packet_flits} flits (packet_flits)"
            raise FieldError("flits", text)
        if faults.is_silent(record.source):
            raise FieldError("source", f"Source is {record.source}; it must be a node that has not failed silently")
        if record.operation == UNICAST:
            if len(set(record.destinations)) > 1:
                text = f"Destinations are {list(record.destinations)}; they must be one node, or an algorithm be named"
                raise FieldError("destinations", text)
            if any(map(faults.is_silent, record.destinations)):
                text = f"Destination is {record.destinations[0]}; it must be a node that has not failed silently"
                raise FieldError("destinations", text)
            return record
        copies = wanted_by_broadcast(routing, record.operation, record.source)
        return replace(record, destinations=tuple(copies), copies=copies)

    def validate_messages(
        self, section: HartsSection, routing: HartsRouting, columns: "MessageColumns"
    ) -> "MessageColumns | None":
        """Return packets unchanged, and broadcasts with all their destinations; None if one message is refused."""
        return broadcast_columns(section.packet_flits, routing, columns)

    def arrival_ports(self, variants: np.ndarray) -> np.ndarray:
        """Return the arrival ports of packets at the nodes that they leave, from their recorded headers."""
        from sim_model.harts.record import variant_field

        return np.where(variants == 0, -1, variant_field(variants, "direction"))


FAMILY = HartsFamily()
