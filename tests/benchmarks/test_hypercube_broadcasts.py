"""The comparison of ways to broadcast: in a small cube they stand where they must."""

import pytest

from benchmarks.hypercube_broadcasts import FLITS, at_once, under_load, ways

DIMENSIONS, NODES = 3, 8
WAYS = {(way.name, way.injection_channels): way for way in ways(DIMENSIONS)}
DOUBLING = "recursive doubling, base goes round"


def alone(name: str, channels: int = 1, startup_cycles: int = 0) -> int:
    return int(at_once(WAYS[name, channels], NODES, sources=1, startup_cycles=startup_cycles)[0])


def test_a_lone_broadcast_by_doubling_takes_a_message_to_a_neighbour_for_each_dimension():
    neighbour = 5 + 8 + FLITS - 1
    assert alone(DOUBLING) == alone("recursive doubling, one base") == DIMENSIONS * neighbour
    assert alone(DOUBLING, startup_cycles=100) == DIMENSIONS * (neighbour + 100)
    # the longest way has as many steps with a channel for each dimension
    assert alone(DOUBLING, DIMENSIONS) == DIMENSIONS * neighbour


def test_other_ways_are_where_they_must_be():
    assert alone("separate unicasts") > (NODES - 1) * FLITS > alone("separate unicasts", DIMENSIONS)
    assert alone("SPAM's tree") < 2 * FLITS
    assert alone("common binomial chain") >= alone(DOUBLING)


@pytest.mark.parametrize("rounds", [1, DIMENSIONS])
def test_a_host_receives_no_faster_than_its_channel(rounds):
    for way in WAYS.values():
        latencies = at_once(way, NODES, NODES, rounds)
        assert len(latencies) == rounds * NODES
        assert latencies.max() > rounds * (NODES - 1) * FLITS
        assert (latencies == at_once(way, NODES, NODES, rounds)).all()


@pytest.mark.parametrize("share", [1.0, 0.1])
def test_load_adds_to_latency_until_more_is_sent_than_received(share):
    way = WAYS[DOUBLING, DIMENSIONS]
    light, heavy, over = (under_load(way, NODES, load, share, 300) for load in (0.05, 0.5, 1.2))
    assert light is not None
    assert heavy is not None
    assert alone(DOUBLING) < light < heavy
    assert over is None
