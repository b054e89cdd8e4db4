"""Heads per cycle: neighbours keep the rules of the links, and a switch gives more lanes than one in a few cycles."""

import pytest

from benchmarks.head_rate import FLIT_BITS, LANE_CYCLES, Messages, Neighbour, head_rate
from topology.common.flits import FlitFormat

DIMENSIONS = 3


def flits(neighbour: Neighbour, cycles: range) -> list[tuple[int, bool, bool]]:
    """Lane, head and tail of what is sent."""
    sent = [neighbour.send(cycle) for cycle in cycles]
    return [(lane, *FlitFormat(FLIT_BITS).unpack(flit)[1:]) for lane, flit in sent if lane]


def test_a_neighbour_stops_without_credits_and_waits_for_the_release():
    neighbour = Neighbour(0, 1, 2, Messages(DIMENSIONS, 3))
    assert flits(neighbour, range(10)) == [(1, True, False), (1, False, False)]
    neighbour.hear(10, credits=1, releases=0)
    assert flits(neighbour, range(10, 20)) == [(1, False, True)]
    neighbour.hear(20, credits=1, releases=1)
    assert flits(neighbour, range(20, 20 + LANE_CYCLES)) == []
    assert flits(neighbour, range(20 + LANE_CYCLES, 30)) == [(1, True, False), (1, False, False)]


def test_lanes_take_turns():
    neighbour = Neighbour(0, 2, 4, Messages(DIMENSIONS, 4))
    assert [lane for lane, *_ in flits(neighbour, range(8))] == [1, 2] * 4


def test_no_message_goes_back_where_it_came_from():
    messages = Messages(DIMENSIONS, 1)
    keys = {FlitFormat(FLIT_BITS).unpack(messages.flit(1, 1))[0] for _ in range(100)}
    assert keys == {0, 1, 4, 5}


@pytest.mark.parametrize("message_flits", [1, 4])
def test_lanes_and_short_messages_bring_more_heads(message_flits):
    two, four = (head_rate(lanes, message_flits, 300, DIMENSIONS) for lanes in (2, 4))
    assert 0.3 < two < four < 4
    # no output moves more than a flit per cycle
    assert four * message_flits < DIMENSIONS + 1
