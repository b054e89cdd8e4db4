"""Headers of families with looked-up keys: length and content, for one destination and for several."""

import pytest

from topology.common.lattice import lattice_network
from topology.common.part_headers import HEADER_KINDS
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting


@pytest.mark.parametrize(
    "routing",
    [
        make(kind)
        for make in (
            lambda kind: SpamRouting(SpamLabels(lattice_network(16, seed=7)), 16, header_kind=kind),
            lambda kind: MinRouting(MinNetwork("omega", 2, 4), 16, kind),
        )
        for kind in HEADER_KINDS
    ],
    ids=[f"{family}-{kind}" for family in ("spam", "min") for kind in HEADER_KINDS],
)
def test_only_headers_for_several_name_a_set(routing):
    """With parts of thirteen and of twelve processors, 2 and 9 are in one of them; 15 is in the other."""
    assert routing.header.unicast_flits < routing.header.multicast_flits
    assert routing.destinations_of(3, [9, 3, 2, 9]) == (2, 9)
    longer = 3 if routing.header.part_processors else 2
    sets = (((9,), routing.header.unicast_flits, 0), ((2, 9), 2, 1 << 2 | 1 << 9), ((2, 15), longer, 1 << 2 | 1 << 15))
    for destinations, flits, bits in sets:
        assert routing.header_flits(destinations) == flits
        (key, source), string = routing.header.unpack(routing.header_value(3, destinations))
        assert (key, source, string) == (routing.routing_key(3, destinations), 3, bits)
