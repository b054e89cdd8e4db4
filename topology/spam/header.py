"""The SPAM header: the least common ancestor as routing key, the source, and in multicasts the destinations."""

from topology.common.flits import HeaderFormat, bits_for
from topology.common.graph import Network
from topology.common.part_headers import BIT_STRING, header_format


def spam_header(network: Network, flit_bits: int, kind: str = BIT_STRING) -> HeaderFormat:
    """Return the header format of a network.

    The key is the vertex number of the destinations' lowest common ancestor; for a unicast that is the
    destination itself, the set of destinations is never read and so is not sent.

    Parameters
    ----------
    network : Network
    flit_bits : int
        Data bits of a flit.
    kind : str
        Format of destination sets, one of ``HEADER_KINDS``.
    """
    fields = (("lca", bits_for(network.vertices)), ("source", bits_for(len(network.processors))))
    return header_format(kind, fields, len(network.processors), flit_bits)
