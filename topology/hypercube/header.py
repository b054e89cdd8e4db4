"""The header of a message: the number of its destination, which is the routing key, and who sent it.

There is no destination bit string, because a broadcast is many messages of the hosts, one for each edge of its tree.
"""

from topology.common.errors import TopologyError
from topology.common.flits import HeaderFormat


def hypercube_header(dimensions: int, flit_bits: int) -> HeaderFormat:
    """Header format of a hypercube: routing key and source, a bit of each for every dimension.

    Raises
    ------
    TopologyError
        If the key does not fit into the first flit.
    """
    if dimensions > flit_bits:
        raise TopologyError(
            f"Flit must have room for the routing key's {dimensions} bits, not {flit_bits!r} bits", item=str(flit_bits)
        )
    return HeaderFormat((("key", dimensions), ("source", dimensions)), 0, flit_bits)
