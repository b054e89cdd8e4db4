"""The shape of a node of a wrapped hexagonal mesh."""

from dataclasses import dataclass
from typing import Any

from amaranth.hdl import signed
from amaranth.lib import data

from rtl.generator.router_parameters import MAX_BUFFER_FLITS, check_range
from topology.common.flits import HeaderFormat, bits_for
from topology.harts.graph import MIN_SIZE
from topology.harts.header import HOST
from topology.harts.pages import node_pages

PORTS = HOST + 1
MAX_SIZE, MAX_PAGES = 18, 62
"""Limits for hardware; the golden model runs larger meshes."""
MAX_GAP_FRAMES = 255
MAX_RELAY_FRAMES = 1024
MAX_PACKET_FLITS = 4096
TAGS = ("m0", "m1", "m2")


@dataclass(frozen=True)
class HartsNodeParameters:
    """Parameters that determine the logic of a node; differences between nodes are constants on ports.

    Parameters:
        header: Header format of the mesh.
        size: n, the nodes on a side of the hexagon.
        levels: Maximum number of links on a packet's path.
        pages: Packets in the memory.
        packet_flits: Flits of the longest packet, header included.
        buffer_flits: Flits in a receiver's buffer.
        gap_frames, relay_frames (int): Frames between two packets on a link, and frames of the network processor's
            latency; at least 1.
        classed: False is a negative control: any packet may take any page.
        guard: Whether broadcast packets that no honest node sends are rejected.
        whole_packets: Whether every input has a ``WormGuard``: flits outside of packets are rejected, and packets
            longer than ``packet_flits`` are truncated.

    Raises:
        ValueError: If a value is out of range.
    """

    header: HeaderFormat
    size: int
    levels: int
    pages: int
    packet_flits: int
    buffer_flits: int = 1
    gap_frames: int = 1
    relay_frames: int = 1
    classed: bool = True
    guard: bool = False
    whole_packets: bool = False

    def __post_init__(self):
        check_range("Size", self.size, MIN_SIZE, MAX_SIZE)
        node_pages(self.pages, self.levels)
        check_range("Pages", self.pages, 1, MAX_PAGES)
        check_range("Packet length in flits", self.packet_flits, 1, MAX_PACKET_FLITS)
        check_range("Buffer size in flits", self.buffer_flits, 1, MAX_BUFFER_FLITS)
        check_range("Gap in frames", self.gap_frames, 1, MAX_GAP_FRAMES)
        check_range("Relay time in frames", self.relay_frames, 1, MAX_RELAY_FRAMES)

    @property
    def flit_bits(self) -> int:
        """Data bits of a flit."""
        return self.header.flit_bits

    @property
    def page_bits(self) -> int:
        """Width of a page number."""
        return bits_for(self.pages)

    @property
    def position_bits(self) -> int:
        """Width of a flit's place in a packet."""
        return bits_for(self.packet_flits)

    @property
    def level_bits(self) -> int:
        """Width of a level."""
        return bits_for(self.levels + 1)

    @property
    def nodes(self) -> int:
        """Nodes of the mesh."""
        return self.whole_mesh + 1

    @property
    def node_bits(self) -> int:
        """Width of a node's number."""
        return bits_for(self.nodes)

    @property
    def whole_leg(self) -> int:
        """Steps of a leg from one end of an axis to the other."""
        return self.size - 1

    @property
    def whole_mesh(self) -> int:
        """Steps once round the mesh, but one."""
        return 3 * self.size * (self.size - 1)

    @property
    def has_algorithm_a(self) -> bool:
        """True if distances are wide enough for Algorithm A."""
        return self.levels >= self.whole_mesh > 2 * self.whole_leg

    @property
    def header_layout(self) -> data.StructLayout:
        """Layout of the header's fields in the data of a head."""
        members: dict[str, Any] = {name: signed(width) if name in TAGS else width for name, width in self.header.fields}
        return data.StructLayout(members)

    @property
    def name(self) -> str:
        """Name for Verilog modules."""
        return f"n{self.size}"
