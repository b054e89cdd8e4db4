"""U-torus, U-mesh and SPU: every node once, in the fewest steps, without contention within a step."""

from functools import partial

import pytest

from sim_model.messages.software import software_steps
from sim_model.torus.chains import CHAINS, NEGATIVE, POSITIVE, spu, u_mesh, u_torus
from tests.sim_model.torus_paths import conflicting_sends, conflicts, dateline_vcs, links, random_multicasts, vcs
from topology.torus.grid import Grid, Turns

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


def test_u_mesh_from_the_very_centre():
    assert [send[:3] for send in u_mesh(Grid(1, 5, wraps=False), 2, range(5))] == [
        (0, 2, 3),
        (1, 2, 1),
        (1, 3, 4),
        (2, 1, 0),
    ]


def test_spu_begins_with_the_source():
    # 5 6 7 0 1 2 3 4: the middle is node 1.
    sends = spu(Grid(1, 8, wraps=False), 5, range(8))
    assert [send[:3] for send in sends] == [(0, 5, 1), (1, 5, 7), (1, 1, 3), (2, 5, 6), (2, 7, 0), (2, 1, 2), (2, 3, 4)]
    assert [send.turns.y_negative for send in sends] == [True, False, False, False, True, False, False]


def test_spu_in_a_torus_is_u_torus():
    for source, destinations in random_multicasts(TORUS, 20, seed=4):
        assert spu(TORUS, source, destinations) == u_torus(TORUS, source, destinations)


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


def check_torus(count: int) -> None:
    for direction in DIRECTIONS:
        for source, destinations in random_multicasts(TORUS, count, seed=2):
            assert conflicts(TORUS, u_torus(TORUS, source, destinations, direction), vcs) == 0


def check_mesh(count: int) -> None:
    for software in (u_mesh, spu):
        for source, destinations in random_multicasts(MESH, count, seed=3):
            assert conflicts(MESH, software(MESH, source, destinations), links) == 0


def test_no_vc_of_a_torus_is_used_twice_in_a_step():
    check_torus(300)


@pytest.mark.slow
def test_no_vc_of_a_torus_is_used_twice_in_a_step_of_10_000_multicasts():
    check_torus(10_000)


def test_no_channel_of_a_mesh_is_used_twice_in_a_step():
    check_mesh(300)


@pytest.mark.slow
def test_no_channel_of_a_mesh_is_used_twice_in_a_step_of_10_000_multicasts():
    check_mesh(10_000)


@pytest.mark.parametrize("grid", GRIDS, ids=str)
def test_other_sides_have_no_contention_either(grid):
    for source, destinations in random_multicasts(grid, 200 if grid.nodes < 100 else 20, seed=5):
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


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_the_plain_dateline_rule_has_contention(direction):
    """3 to 6 % of all sends meet another one; that is what the rule with ``wrap_ahead`` is for."""
    sends = meeting = 0
    for source, destinations in random_multicasts(TORUS, 100, seed=2):
        tree = u_torus(TORUS, source, destinations, direction)
        sends += len(tree)
        meeting += conflicting_sends(TORUS, tree, dateline_vcs)
    assert 0.03 * sends < meeting < 0.06 * sends


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (partial(u_torus, MESH, 0, [1]), "U-torus must have a torus, not a mesh"),
        (partial(u_torus, TORUS, 0, [1], Turns(True, False)), "Direction must be positive or negative in both"),
        (partial(u_torus, TORUS, 256, [1]), "Node must be 0 to 255, not 256"),
        (partial(u_mesh, MESH, 0, [-1]), "Node must be 0 to 255, not -1"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
