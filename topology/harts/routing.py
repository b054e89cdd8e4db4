"""Headers and broadcast copies, shared by hardware and golden model."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from topology.common.flits import HeaderFormat
from topology.harts.broadcast import ALGORITHM_A, ALGORITHMS, COPIES, Copy, algorithm_number, broadcast_copies
from topology.harts.faults import NO_FAULTS, Faults
from topology.harts.graph import HexMesh, Tags, routing_tags
from topology.harts.guard import admitted_copies
from topology.harts.header import ID_BITS, PacketHeader, harts_header, most_hops

UNICAST = 0
"""Operation of an ordinary packet; a broadcast's is the number of its algorithm in ``ALGORITHMS``, plus one."""


def operation(algorithm: str) -> int:
    """Return the number of a broadcast algorithm as an operation of messages."""
    return algorithm_number(algorithm) + 1


@dataclass(frozen=True)
class HartsRouting:
    """A mesh, its headers and its faults.

    Parameters:
        mesh
        flit_bits: Data bits of a flit; a header must fit into one.
        faults
        algorithm_a: Allow packets to go round the whole mesh.
        guard: Nodes refuse broadcast packets that cannot be honest, see ``topology/harts/guard.py``.

    Raises:
        ValueError: If a header does not fit into a flit.
        TopologyError: If the mesh does not have the nodes and links that are to fail.
    """

    mesh: HexMesh
    flit_bits: int
    faults: Faults = NO_FAULTS
    algorithm_a: bool = False
    guard: bool = False

    def __post_init__(self):
        self.faults.check(self.mesh)
        _ = self.header

    @property
    def network(self) -> HexMesh:
        """The mesh."""
        return self.mesh

    @property
    def keeps_pairs(self) -> bool:
        """False: packets of one source may overtake each other."""
        return False

    @cached_property
    def header(self) -> HeaderFormat:
        """Header format."""
        return harts_header(self.mesh, self.flit_bits, algorithm_a=self.algorithm_a)

    @property
    def levels(self) -> int:
        """Most links that a packet travels: buffers are classed by links travelled."""
        return most_hops(self.mesh, algorithm_a=self.algorithm_a)

    def header_flits(self, _destinations: Sequence[int]) -> int:
        """Return the header length of any packet.

        Parameters:
            _destinations: They do not matter.

        Returns:
            1.
        """
        return 1

    def tags(self, source: int, destination: int) -> Tags:
        """Return the routing tags of an ordinary packet.

        Parameters:
            source, destination (int): Nodes.
        """
        return routing_tags(self.mesh, source, destination)

    def sent_header(self, source: int, destinations: Sequence[int], operation: int, number: int) -> int:
        """Return the header that a host sends.

        Parameters:
            source
            destinations: The one destination of an ordinary packet; a broadcast goes to all.
            operation
            number: Number of the message, of which the header has the last bits.
        """
        common = {"source": self.faults.claimed_source(source), "id": number % (1 << ID_BITS)}
        if operation != UNICAST:
            return PacketHeader(broadcast=1, algorithm=operation - 1, **common).pack(self.header)
        m0, m1, m2 = self.tags(source, destinations[0])
        return PacketHeader(m0=m0, m1=m1, m2=m2, **common).pack(self.header)

    def wanted_copies(self, operation: int, source: int) -> dict[int, int]:
        """Return the copies of a broadcast that arrive, by live node; 0 where faults and guard admit none.

        Parameters:
            operation: Number of the broadcast's algorithm in ``ALGORITHMS``, counted from 1.
            source: Node that sends it.

        Returns:
            By node, without the source and nodes that are silent.
        """
        mesh, faults, algorithm = self.mesh, self.faults, ALGORITHMS[operation - 1]
        wanted = {node: 0 for node in range(mesh.nodes) if node != source and not faults.is_silent(node)}
        if faults == NO_FAULTS:
            return dict.fromkeys(wanted, COPIES[algorithm])
        copies = faults.surviving_copies(mesh, algorithm, source)
        if self.guard:
            copies = admitted_copies(mesh, algorithm, copies, faults.claimed_source(source))
        for copy in copies:
            wanted[copy.node] += 1
        return wanted

    @cached_property
    def copies(self) -> dict[int, dict[tuple[int, int], Copy]]:
        """All copies of a broadcast from node 0, by operation, and by node and direction of travel."""
        return {
            operation(algorithm): {
                (copy.node, copy.direction): copy for copy in broadcast_copies(self.mesh, algorithm, 0)
            }
            for algorithm in COPIES
            if algorithm != ALGORITHM_A or self.algorithm_a
        }
