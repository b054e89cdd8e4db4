"""Headers of families with looked-up keys: length and content, for one destination and for several."""

import pytest

from topology.common.lattice import lattice_network
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting


@pytest.mark.parametrize(
    "routing",
    [SpamRouting(SpamLabels(lattice_network(16, seed=7)), 16), MinRouting(MinNetwork("omega", 2, 4), 16)],
    ids=["spam", "min"],
)
def test_only_headers_for_several_have_a_bit_string(routing):
    assert routing.header.unicast_flits < routing.header.multicast_flits
    assert routing.destinations_of(3, [9, 3, 2, 9]) == (2, 9)
    for destinations, flits, bits in (((9,), routing.header.unicast_flits, 0), ((2, 9), 2, 1 << 2 | 1 << 9)):
        assert routing.header_flits(destinations) == flits
        (key, source), string = routing.header.unpack(routing.header_value(3, destinations))
        assert (key, source, string) == (routing.routing_key(3, destinations), 3, bits)
