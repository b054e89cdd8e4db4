"""The SPAM header: the least common ancestor as routing key, the source, and in multicasts the destination bits."""

from topology.common.flits import HeaderFormat, bits_for
from topology.common.graph import Network


def spam_header(network: Network, flit_bits: int) -> HeaderFormat:
    """Header format of a network.

    The key is the vertex number of the destinations' lowest common ancestor; for a unicast that is the
    destination itself, the bit string is never read and so is not sent.
    """
    fields = (("lca", bits_for(network.vertices)), ("source", bits_for(len(network.processors))))
    return HeaderFormat(fields, len(network.processors), flit_bits)
