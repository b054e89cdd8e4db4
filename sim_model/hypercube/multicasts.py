"""Broadcasts and multicasts of hypercubes as software unicasts: senders, receivers and injection channels.

Recursive doubling (Sec. 2) takes the dimensions in the order d_k = (b + k) mod n. For a broadcast that is the spanning
binomial tree of ``topology/hypercube/binomial_tree.py``: the source sends over all dimensions, d_0 first, and a node
that received over d_k sends over d_{k+1} to d_{n-1} when it has the tail. For other multicasts it is the chain of
U-cube (McKinley, Xu, Esfahanian, Ni): nodes ordered by their address relative to the source, d_0 as the highest bit,
and halved. With all nodes in the chain every half is the half of a cube, so both trees are equal.

The base b goes round from one multicast of a source to its next one, from 0 on, so that all dimensions carry an equal
load: with one base for all, the last dimension carries half of the copies. A copy whose path begins with dimension d
leaves over injection channel d, or d mod c if there are only c: with one for each dimension all copies of the source
leave at once.
"""

from collections.abc import Iterable, Sequence
from functools import partial

from sim_model.messages.messages import Message
from sim_model.messages.recursive_doubling import RotatingBase, Unicast, halvings
from sim_model.messages.schedule import software_schedule
from topology.hypercube.binomial_tree import dimension_order
from topology.hypercube.graph import HypercubeNetwork

DOUBLING, ONE_BASE = OWN_SOFTWARE = ("recursive-doubling", "recursive-doubling-one-base")
"""Software for hypercubes, beyond the common software."""


def software_sends(network: HypercubeNetwork, records: Iterable[Message], software: str) -> Sequence[Message]:
    """Return messages with every multicast replaced by dependent unicasts; each record becomes one group.

    A record with one destination is sent there straight. Records may wait for each other.

    Parameters:
        records: In the order in which the bases of a source go round.
        software: One of ``OWN_SOFTWARE``.

    Raises:
        ValueError: If hypercubes do not have this software.
        MessageError: If nodes or parents of a record are not there.
    """
    if software not in OWN_SOFTWARE:
        raise ValueError(f"Software is {software!r}; it must be {' or '.join(OWN_SOFTWARE)}")
    bases = network.dimensions if software == DOUBLING else 1
    return software_schedule(records, network.switches, RotatingBase(bases, partial(doubling_sends, network)))


def doubling_sends(network: HypercubeNetwork, source: int, destinations: Sequence[int], base: int) -> list[Unicast]:
    """Return one multicast by recursive doubling, in order of steps: ceil(log2(d + 1)) for d destinations.

    Parameters:
        destinations: The source and repeats are dropped.
        base: b, 0 to n-1.

    Raises:
        TopologyError: If there is no such base.
    """
    order = dimension_order(network.dimensions, base)
    channels = network.injection_channels_per_processor
    chain = sorted({source, *destinations}, key=lambda node: _relative(node ^ source, order))
    return [
        Unicast(chain[low], chain[middle], injection=_first_dimension(chain[low] ^ chain[middle], order) % channels)
        for low, middle in halvings(len(chain))
    ]


def _relative(difference: int, order: Sequence[int]) -> int:
    """Return a difference of addresses with its bits in another order, the first one highest."""
    address = 0
    for dimension in order:
        address = address << 1 | difference >> dimension & 1
    return address


def _first_dimension(difference: int, order: Sequence[int]) -> int:
    return next(dimension for dimension in order if difference >> dimension & 1)
