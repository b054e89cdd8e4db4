"""Multicasts by software in tori and meshes: chains, recursive doubling, and messages that depend on each other."""

from collections import Counter
from functools import partial

import pytest

from sim_model.messages.messages import Message, Messages
from sim_model.messages.multinode import multinode_workload
from sim_model.messages.software import software_steps
from sim_model.torus.chains import CHAINS, NEGATIVE, POSITIVE, spu, u_mesh, u_torus
from sim_model.torus.multinode import software_names, software_sends
from sim_model.torus.recursive_doubling import recursive_doubling
from tests.sim_model.torus_traffic import conflicts, links, random_multicasts, vcs
from topology.torus.grid import Grid, Turns
from topology.torus.operations import SHORTEST, operation, turns_of

TORUS = Grid(16, 16)
MESH = Grid(16, 16, wraps=False)
GRIDS = (TORUS, MESH, Grid(5, 8), Grid(8, 5, wraps=False), Grid(1, 7), Grid(7, 1, wraps=False), Grid(2, 3))
DIRECTIONS = (None, POSITIVE, NEGATIVE)


def places(grid, sends):
    return [(send.step, grid.position(send.sender), grid.position(send.receiver)) for send in sends]


def test_u_torus_worked_by_hand():
    # By column and then row: (1,0) (2,0) (0,1) (3,2) (1,3); from (0,1) on: (0,1) (3,2) (1,3) (1,0) (2,0). The first
    # keeps two and sends to the third of five, which keeps itself and sends to the next.
    grid = Grid(4, 4)
    sends = u_torus(grid, grid.node(0, 1), [grid.node(*place) for place in ((1, 0), (1, 3), (2, 0), (3, 2))])
    assert places(grid, sends) == [(0, (0, 1), (1, 3)), (1, (0, 1), (3, 2)), (1, (1, 3), (1, 0)), (2, (1, 0), (2, 0))]
    # two columns away either way: the positive one; from column 3 to 0 through the end of the row; row 0 to 3 back
    assert [send.turns for send in sends] == [
        Turns(y_negative=False, x_negative=False),
        Turns(y_negative=False, x_negative=True),
        Turns(y_negative=False, x_negative=False),
        Turns(y_negative=False, x_negative=False),
    ]


def test_negative_torus_has_the_chain_the_other_way_round():
    # From column 1 down: (0,1) (1,0) (2,3) (0,3).
    grid = Grid(4, 4)
    sends = u_torus(grid, grid.node(0, 1), [grid.node(*place) for place in ((1, 0), (0, 3), (2, 3))], NEGATIVE)
    assert places(grid, sends) == [(0, (0, 1), (2, 3)), (1, (0, 1), (1, 0)), (1, (2, 3), (0, 3))]
    assert {send.turns for send in sends} == {NEGATIVE}


def test_u_mesh_worked_by_hand():
    # A row of eight, from node 5: it is in the upper half, so node 3 gets the lower one; and so on.
    sends = u_mesh(Grid(1, 8, wraps=False), 5, range(8))
    assert [send[:3] for send in sends] == [(0, 5, 3), (1, 5, 6), (1, 3, 1), (2, 5, 4), (2, 6, 7), (2, 3, 2), (2, 1, 0)]


def test_spu_begins_with_the_source():
    # 5 6 7 0 1 2 3 4: the middle is node 1.
    sends = spu(Grid(1, 8, wraps=False), 5, range(8))
    assert [send[:3] for send in sends] == [(0, 5, 1), (1, 5, 7), (1, 1, 3), (2, 5, 6), (2, 7, 0), (2, 1, 2), (2, 3, 4)]
    assert [send.turns.y_negative for send in sends] == [True, False, False, False, True, False, False]


@pytest.mark.parametrize("grid", GRIDS, ids=str)
@pytest.mark.parametrize("software", CHAINS)
def test_everyone_is_reached_once_in_the_least_number_of_steps(grid, software):
    if software == "u-torus" and not grid.wraps:
        return
    for source, destinations in random_multicasts(grid, 30, seed=1):
        sends = CHAINS[software](grid, source, [*destinations, source, destinations[0]])
        assert sorted(send.receiver for send in sends) == sorted(destinations)
        assert max(send.step for send in sends) + 1 == software_steps(len(destinations))
        has_it = {source: -1}
        for send in sends:
            assert has_it[send.sender] < send.step
            has_it[send.receiver] = send.step
        senders = [(send.step, send.sender) for send in sends]
        assert len(set(senders)) == len(senders) == len(destinations)


@pytest.mark.parametrize("count", [200, pytest.param(10_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_no_channel_is_used_twice_in_a_step(grid, count):
    for source, destinations in random_multicasts(grid, count, seed=5):
        if grid.wraps:
            for direction in DIRECTIONS:
                assert conflicts(grid, u_torus(grid, source, destinations, direction), vcs) == 0
        else:
            assert conflicts(grid, spu(grid, source, destinations), links) == 0
        assert conflicts(grid, u_mesh(grid, source, destinations), links) == 0


def test_u_mesh_in_a_torus_closes_no_ring():
    for source, destinations in random_multicasts(TORUS, 20, seed=6):
        for send in u_mesh(TORUS, source, destinations):
            assert not any(hop.wrap_ahead for hop in TORUS.path(send.sender, send.receiver, send.turns))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (partial(u_torus, MESH, 0, [1]), "U-torus must have a torus, not a mesh"),
        (partial(u_torus, TORUS, 0, [1], Turns(True, False)), "it must be positive or negative in both"),
        (partial(u_torus, TORUS, 256, [1]), "Node is 256; it must be 0 to 255"),
        (partial(u_mesh, MESH, 0, [-1]), "Node is -1; it must be 0 to 255"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# Multi-node multicasts as messages that depend on each other.

PAPER = (
    "u-torus",
    "u-mesh",
    "spu",
    *(f"{h}{kind}{b}" for h in (2, 4) for kind in ("I", "II", "III", "IV") for b in ("", "B")),
)


def built(grid: Grid, messages: list[Message]) -> Messages:
    return Messages.build(messages, processors=grid.nodes, header_flits=lambda _: 1)


def test_workload():
    records = multinode_workload(256, sources=80, destinations=60, hot_spot=0.25, flits=32, seed=1)
    assert len({record.source for record in records}) == len(records) == 80
    assert {len(set(record.destinations) - {record.source}) for record in records} == {60}
    assert {(record.flits, record.start_cycle) for record in records} == {(32, 0)}
    sets = Counter(node for record in records for node in record.destinations)
    sources = {record.source for record in records}
    # 15 are common to all, but for a source that is one of them
    common = [node for node, times in sets.items() if times >= 79]
    assert len(common) == 15
    assert all(sets[node] == 80 - (node in sources) for node in common)
    # the others are any 45 of 240
    others = [sets[node] for node in range(256) if node not in common]
    assert min(others) > 3
    assert max(others) < 30


@pytest.mark.parametrize(("hot_spot", "count", "common"), [(0, 10, 0), (0.25, 10, 2), (0.5, 15, 8), (1, 10, 10)])
def test_hot_spot(hot_spot, count, common):
    records = multinode_workload(256, sources=10, destinations=count, hot_spot=hot_spot, flits=1, seed=3)
    everyone = [{*record.destinations, record.source} for record in records]
    assert len(set.intersection(*everyone)) == common


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sources": 0}, "Number of sources is 0; it must be 1 to 16"),
        ({"sources": 17}, "Number of sources is 17; it must be 1 to 16"),
        ({"destinations": 16}, "Number of destinations is 16; it must be 1 to 15"),
        ({"hot_spot": 1.1}, "Hot-spot factor is 1.1; it must be 0 to 1"),
    ],
)
def test_bad_workloads(change, message):
    parameters = {"sources": 2, "destinations": 3, "hot_spot": 0.5, "flits": 4, "seed": 1, **change}
    with pytest.raises(ValueError, match=message):
        multinode_workload(16, **parameters)


def test_names():
    assert software_names(MESH) == ("u-mesh", "spu", "recursive-doubling")
    assert software_names(Grid(5, 7)) == ("u-torus", "u-mesh", "spu", "recursive-doubling")
    assert software_names(Grid(4, 6)) == (
        *("u-torus", "u-mesh", "spu", "recursive-doubling"),
        *("2I", "2IB", "2II", "2IIB", "2III", "2IIIB", "2IV", "2IVB"),
    )
    assert set(PAPER) < set(software_names(TORUS))


@pytest.mark.parametrize("software", [*PAPER, "recursive-doubling"])
def test_every_scheme_delivers_to_each_destination_exactly_once(software):
    records = multinode_workload(256, sources=40, destinations=30, hot_spot=0.5, flits=32, seed=2)
    messages = built(TORUS, software_sends(TORUS, records, software))
    for group, record in enumerate(records):
        own = [number for number in range(len(messages)) if messages.group[number] == group]
        receivers = [int(messages.destinations_of(number)[0]) for number in own]
        assert len(set(receivers)) == len(receivers)
        relays = {int(messages.source[number]) for number in own}
        assert set(record.destinations) <= set(receivers) <= set(record.destinations) | relays
        assert record.source not in receivers
        for number in own:
            parents = messages.parents_of(number)
            assert len(parents) == (messages.source[number] != record.source)
            assert (messages.group[parents] == group).all()
            assert turns_of(int(messages.operation[number])) is not None
    assert {int(flits) for flits in messages.flits} == {32}


def test_worked_by_hand():
    # A ring of eight, from 6: 6 7 1 2; 6 sends to 1 (round the end), then to 7; 1 to 2.
    ring = Grid(1, 8)
    records = [Message(3, [2], 9, start_cycle=5), Message(6, [1, 2, 6, 7, 7], 9, start_cycle=100)]
    positive = operation(Turns(False, False))
    assert software_sends(ring, records, "u-torus") == [
        Message(3, [2], 9, start_cycle=5, group=0, operation=SHORTEST),
        Message(6, (1,), 9, start_cycle=100, group=1, operation=positive),
        Message(6, (7,), 9, start_cycle=100, group=1, operation=positive),
        Message(1, (2,), 9, parents=(1,), group=1, operation=positive),
    ]
    # 1 2 6 7: 6 sends back to 2, which sees to 1, and then to 7
    back = operation(Turns(y_negative=True, x_negative=False))
    assert [message.operation for message in software_sends(ring, records, "u-mesh")] == [0, back, positive, back]


def test_software_that_a_grid_does_not_have():
    with pytest.raises(ValueError, match="Software is 'u-torus'; it must be u-mesh, spu, recursive-doubling"):
        software_sends(MESH, [], "u-torus")
    with pytest.raises(
        ValueError, match=r"Software is '3I'; it must be u-torus, u-mesh, spu, recursive-doubling, 2I, .*, 8IVB"
    ):
        software_sends(TORUS, [], "3I")


# Recursive doubling in tori and meshes, one dimension after the other.

DOUBLING_GRIDS = [
    *(Grid(16, 16), Grid(4, 8), Grid(5, 8), Grid(3, 7), Grid(1, 6), Grid(6, 1), Grid(2, 3)),
    *(Grid(8, 8, wraps=False), Grid(5, 6, wraps=False), Grid(1, 7, wraps=False), Grid(7, 1, wraps=False)),
]
TORUS_RECURSIVE_DOUBLING_POSITIVE = Turns(False, False)


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


def test_a_doubling_multicast_worked_by_hand():
    # From node 5 (row 1, column 1) to columns 3 and 0. In column 3 there are 3, 7 and 15, and 7 is in the source's row;
    # in column 0 only 12, two rows away. So 7 sees to 15 and 3, and 5 itself to 13 in its own column.
    grid = Grid(4, 4, wraps=False)
    sends = recursive_doubling(grid, 5, [3, 7, 15, 12, 13], base=0)
    assert [send[:3] for send in sends] == [(0, 5, 7), (1, 5, 12), (2, 5, 13), (2, 7, 15), (3, 7, 3)]


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("grid", DOUBLING_GRIDS, ids=str)
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
            assert send.turns == TORUS_RECURSIVE_DOUBLING_POSITIVE or not grid.wraps
        assert conflicts(grid, sends, links) == 0


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("grid", DOUBLING_GRIDS, ids=str)
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


@pytest.mark.parametrize(
    ("source", "destination", "base", "message"),
    [
        (16, 1, 0, "Node is 16; it must be 0 to 15"),
        (0, -1, 0, "Node is -1; it must be 0 to 15"),
        (0, 1, 2, "Base is 2; it must be 0 or 1"),
    ],
)
def test_bad_multicasts(source, destination, base, message):
    with pytest.raises(ValueError, match=message):
        recursive_doubling(Grid(4, 4), source, [destination], base)
