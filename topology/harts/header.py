"""The packet header (Sec. 3 and 4): one word, which every node on the way changes."""

from dataclasses import dataclass

from topology.common.flits import HeaderFormat, bits_for
from topology.harts.broadcast import ALGORITHMS, STAGES, TAGS
from topology.harts.graph import DIRECTIONS, HexMesh

ID_BITS = 8
HOST = DIRECTIONS
"""Direction of packets from the node's own host."""


class HartsHeader(HeaderFormat):
    """Header format of a mesh."""

    @property
    def spare_bits(self) -> int:
        """Nodes write the whole header flit."""
        return 0


def most_hops(mesh: HexMesh, *, algorithm_a: bool) -> int:
    """Return the links on the longest path of any packet: a broadcast's, from corner to corner of the hexagon."""
    return mesh.nodes - 1 if algorithm_a else 2 * (mesh.size - 1)


def harts_header(mesh: HexMesh, flit_bits: int, *, algorithm_a: bool = False) -> HeaderFormat:
    """Return the header format of a mesh.

    =============  ==========================================================================================
    ``broadcast``  0: an ordinary packet
    ``algorithm``  number in ``ALGORITHMS``
    ``stage``      0 from the source's host, then 1, 2, 3
    ``tag``        of the leg
    ``distance``   steps that the leg still has to go
    ``direction``  of travel over the last link; ``HOST`` in a packet that has not travelled
    ``forwarded``  whether the copy was cut through, or needs no further hop
    ``hops``       links travelled
    ``m0 m1 m2``   routing tags of an ordinary packet, two's complement
    ``source``     node
    ``id``         number of a packet among those of its source
    =============  ==========================================================================================

    Parameters:
        flit_bits: Data bits of a flit; a header has to fit.
        algorithm_a: Allow packets to go round the whole mesh, which takes longer counts.

    Raises:
        ValueError: If a flit is too narrow.
    """
    hops = most_hops(mesh, algorithm_a=algorithm_a)
    steps = bits_for(mesh.size) + 1
    fields = (
        ("broadcast", 1),
        ("algorithm", bits_for(len(ALGORITHMS))),
        ("stage", bits_for(STAGES + 1)),
        ("tag", bits_for(TAGS)),
        ("distance", bits_for((hops if algorithm_a else mesh.size - 1) + 1)),
        ("direction", bits_for(HOST + 1)),
        ("forwarded", 1),
        ("hops", bits_for(hops + 1)),
        *((f"m{axis}", steps) for axis in range(DIRECTIONS // 2)),
        ("source", bits_for(mesh.nodes)),
        ("id", ID_BITS),
    )
    header = HartsHeader(fields, 0, flit_bits)
    if header.fixed_bits > flit_bits:
        raise ValueError(f"Flit must have room for the header's {header.fixed_bits} bits, not {flit_bits!r} bits")
    return header


@dataclass(frozen=True)
class PacketHeader:
    """Fields of a header as numbers; the tags are signed."""

    broadcast: int = 0
    algorithm: int = 0
    stage: int = 0
    tag: int = 0
    distance: int = 0
    direction: int = HOST
    forwarded: int = 0
    hops: int = 0
    m0: int = 0
    m1: int = 0
    m2: int = 0
    source: int = 0
    id: int = 0

    def pack(self, layout: HeaderFormat) -> int:
        """Return the header as an integer."""
        return layout.pack([getattr(self, name) & (1 << width) - 1 for name, width in layout.fields])

    @classmethod
    def unpack(cls, layout: HeaderFormat, value: int) -> "PacketHeader":
        """Return the fields of a header given as an integer."""
        fields = dict(zip((name for name, _ in layout.fields), layout.unpack(value)[0], strict=True))
        for name, width in layout.fields:
            if name in ("m0", "m1", "m2") and fields[name] >> (width - 1):
                fields[name] -= 1 << width
        return cls(**fields)
