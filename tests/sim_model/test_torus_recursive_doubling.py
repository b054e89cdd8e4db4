"""Recursive doubling in tori and meshes, one dimension after the other."""

from collections import Counter

import pytest

from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message, Messages
from sim_model.messages.software import software_steps
from sim_model.torus.model import TorusModel
from sim_model.torus.multinode import software_sends
from sim_model.torus.recursive_doubling import recursive_doubling
from tests.sim_model.torus_paths import conflicts, links, random_multicasts
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid, Turns
from topology.torus.routing import TorusRouting

GRIDS = [
    *(Grid(16, 16), Grid(4, 8), Grid(5, 8), Grid(3, 7), Grid(1, 6), Grid(6, 1), Grid(2, 3)),
    *(Grid(8, 8, wraps=False), Grid(5, 6, wraps=False), Grid(1, 7, wraps=False), Grid(7, 1, wraps=False)),
]
POSITIVE = Turns(False, False)


def steps_of(side: int) -> int:
    return (side - 1).bit_length()


def arrivals(source: int, sends) -> dict[int, int]:
    """Step in which each node has the message, if every node sends once in a step, in its order."""
    arrival, sent = {source: 0}, Counter()
    for send in sends:
        assert send.receiver not in arrival
        sent[send.sender] = max(sent[send.sender], arrival[send.sender]) + 1
        arrival[send.receiver] = sent[send.sender]
    return arrival


def test_a_broadcast_worked_by_hand():
    # 2 x 3 from node 4, row 1 and column 1: columns 1 2 0, so to column 0 first (the upper two), then to 2.
    grid = Grid(2, 3)
    assert [send[:3] for send in recursive_doubling(grid, 4, range(6), base=0)] == [
        *((0, 4, 5), (1, 5, 3)),
        *((2, 3, 0), (2, 4, 1), (2, 5, 2)),
    ]
    assert [send[:3] for send in recursive_doubling(grid, 4, range(6), base=1)] == [
        (0, 4, 1),
        *((1, 1, 2), (2, 2, 0)),
        *((1, 4, 5), (2, 5, 3)),
    ]


def test_a_multicast_worked_by_hand():
    # From node 5 (row 1, column 1) to columns 3 and 0. In column 3 there are 3, 7 and 15, and 7 is in the source's row;
    # in column 0 only 12, two rows away. So 7 sees to 15 and 3, and 5 itself to 13 in its own column.
    grid = Grid(4, 4, wraps=False)
    sends = recursive_doubling(grid, 5, [3, 7, 15, 12, 13], base=0)
    assert [send[:3] for send in sends] == [(0, 5, 7), (1, 5, 12), (2, 5, 13), (2, 7, 15), (3, 7, 3)]


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_a_broadcast_takes_the_steps_of_both_dimensions_and_no_message_turns(grid, base):
    nodes = range(grid.nodes)
    for source in {0, grid.nodes // 2, grid.nodes - 1}:
        sends = recursive_doubling(grid, source, nodes, base)
        arrival = arrivals(source, sends)
        assert set(arrival) == set(nodes)
        assert max(arrival.values()) == steps_of(grid.rows) + steps_of(grid.columns)
        assert max(send.step for send in sends) + 1 == max(arrival.values())
        for send in sends:
            (row, column), (to_row, to_column) = grid.position(send.sender), grid.position(send.receiver)
            assert (row == to_row) != (column == to_column)
            assert send.turns == POSITIVE or not grid.wraps
        assert conflicts(grid, sends, links) == 0


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_multicasts_reach_each_destination_once_and_nobody_else(grid, base):
    for source, destinations in random_multicasts(grid, 25, seed=3):
        sends = recursive_doubling(grid, source, destinations, base)
        arrival = arrivals(source, sends)
        assert set(arrival) == {source, *destinations}
        across = 1 - base
        lines = Counter(grid.position(node)[across] for node in arrival)
        least = steps_of(len(lines)) + max(map(steps_of, lines.values()))
        assert software_steps(len(destinations)) <= max(arrival.values()) <= least


def test_the_dimension_that_comes_first_alternates_with_the_broadcasts_of_a_source():
    grid = Grid(4, 8)
    records = [Message(source, range(32), 4) for source in (9, 9, 3, 9)]
    firsts = [
        next(
            message.destinations[0]
            for message in software_sends(grid, records, "recursive-doubling")
            if message.group == g
        )
        for g in range(4)
    ]
    # half a row ahead, half a column ahead
    assert firsts == [13, 25, 7, 13]


def test_sides_carry_the_same_if_the_first_dimension_alternates():
    grid = Grid(8, 8)
    records = [Message(0, range(64), 4) for _ in range(2)]
    rows = Counter(abs(m.source - m.destinations[0]) < 8 for m in software_sends(grid, records, "recursive-doubling"))
    assert rows == {True: 63, False: 63}


@pytest.mark.parametrize("grid", [Grid(4, 4), Grid(3, 5), Grid(4, 3, wraps=False)], ids=str)
def test_broadcasts_of_all_nodes_at_once_arrive(grid):
    model = TorusModel(TorusRouting(TorusNetwork(grid, 2), 32))
    records = [Message(source, range(grid.nodes), 12) for source in range(grid.nodes)]
    sends = software_sends(grid, records, "recursive-doubling")
    messages = Messages.build(sends, processors=grid.nodes, header_flits=model.header_flits)
    results = Simulation(model, messages).run()
    assert (results.lost, results.duplicated, results.deadlocked) == (0, 0, False)
    assert (results.group_destinations == grid.nodes - 1).all()


@pytest.mark.parametrize(
    ("source", "destination", "base", "message"),
    [
        (16, 1, 0, "Node must be 0 to 15, not 16"),
        (0, -1, 0, "Node must be 0 to 15, not -1"),
        (0, 1, 2, "Base must be 0 or 1, not 2"),
    ],
)
def test_bad_multicasts(source, destination, base, message):
    with pytest.raises(ValueError, match=message):
        recursive_doubling(Grid(4, 4), source, [destination], base)
