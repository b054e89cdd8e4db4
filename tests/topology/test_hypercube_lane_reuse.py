"""Lanes with flits of several worms: hardware and model against the static check."""

import pytest

from topology.hypercube.deadlock import Waiting
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.lane_reuse import HYPERCUBE_REUSE, check_reuse, unshared_lanes
from topology.hypercube.lane_wires import lane_wires
from topology.hypercube.routing import RULES, HypercubeRouting
from topology.hypercube.ways import Ways


@pytest.mark.parametrize("lane_reuse", HYPERCUBE_REUSE)
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("lanes", [1, 2, 3])
def test_lanes_are_shared_that_the_static_check_takes_for_shared(lanes, rule, lane_reuse):
    routing = HypercubeRouting(HypercubeNetwork(3, lanes), 32, rule)
    network, unshared = routing.network, unshared_lanes(lanes, rule, lane_reuse)
    waiting = Waiting(Ways(routing), lane_reuse)
    looked_at = [lane for lane in waiting.headers if network.dimension_of[lane] is not None]
    assert waiting.shared == {lane for lane in looked_at if network.lane_of[lane] >= unshared}


def test_only_lanes_that_are_given_away_empty_are_released():
    network = HypercubeNetwork(2, 3)
    for released, count in ((3, 16), (2, 16), (0, 8)):
        wires = lane_wires(network, released)
        assert [wire.bits for wire in wires] == [3] * 8 + [released] * (count - 8)


def test_no_such_reuse_of_lanes():
    with pytest.raises(ValueError, match="Reuse of lanes must be empty, escape-tail or tail, not 'never'"):
        check_reuse("never")
