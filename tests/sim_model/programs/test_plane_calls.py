"""Operations on the collective plane in Chakra traces: waits, and one order at all ranks."""

import pytest

from sim_model.programs.chakra import read_chakra, read_nodes
from sim_model.programs.lowering import lowered
from sim_model.programs.program import ProgramError
from tests.sim_model.programs.files import chakra, node

COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7
ALL_REDUCE, REDUCE_SCATTER, BARRIER = 0, 7, 9


def call(number, kind=ALL_REDUCE, *, data=(), size_bytes=64, group=""):
    return node(number, COLLECTIVE, data=data, comm_type=kind, comm_size=size_bytes, pg_name=group)


def program_of(*ranks):
    return read_chakra([read_nodes(chakra(nodes)) for nodes in ranks], schedule_of=lambda *_: None)


def starts_of(program):
    """Starts of all contributions, by rank and in the order of its contributions: cycle, and delays by contribution."""
    found = lowered(program, range(program.ranks), lambda size, _: size)
    starts = {}
    for number, (position, moment) in enumerate(zip(found.contributions, found.starts, strict=True)):
        rank = program.operations[position].rank
        starts.setdefault(rank, []).append((number, moment.cycle, moment.contributions))
    return found, starts


def test_what_is_behind_a_call_waits_for_its_result():
    sender = [node(1, COMPUTE, duration=10), call(2, data=(1,)), node(3, COMPUTE, data=(2,), duration=5)]
    sender.append(node(4, SEND, data=(3,), comm_dst=1, comm_size=8))
    program = program_of(sender, [call(2), node(3, RECEIVE, comm_src=0, comm_size=8)])
    (one,) = program.plane_calls
    assert (one.operation, one.ranks, one.size_bytes, len(one.contributions)) == ("all-reduce", (0, 1), 64, 2)
    found, starts = starts_of(program)
    assert {rank: [start[1:] for start in own] for rank, own in starts.items()} == {0: [(10, {})], 1: [(0, {})]}
    ((number, _, _),) = starts[0]
    assert found.held == {0: {number: 5}}
    assert found.records[0].parents == ()


def test_a_barrier_has_no_words_and_names_are_those_elsewhere():
    program = program_of([call(1, BARRIER), call(2, REDUCE_SCATTER)])
    assert [(one.operation, one.size_bytes) for one in program.plane_calls] == [("barrier", 0), ("reduce-scatter", 64)]


def test_ranks_begin_the_operations_of_all_groups_in_one_order():
    """Both ranks could begin either one first. The endpoints would wait for ever if they disagreed."""
    first, second = call(1, group="a", size_bytes=4), call(2, group="b", size_bytes=8)
    late = [node(1, COMPUTE, duration=9), call(2, data=(1,), group="a", size_bytes=4), call(3, group="b", size_bytes=8)]
    program = program_of([second, first], late)
    _, starts = starts_of(program)
    sizes = {position: one.size_bytes for one in program.plane_calls for position in one.contributions}
    found = lowered(program, range(2), lambda size, _: size)
    orders = [
        [sizes[position] for position in found.contributions if program.operations[position].rank == rank]
        for rank in (0, 1)
    ]
    assert orders[0] == orders[1]
    assert [cycle for _, cycle, _ in starts[1]] == [9, 9] if orders[1] == [4, 8] else [0, 9]


def test_operations_that_follow_fewer_others_come_first():
    """The third call of one group does not hold up the first one of another group, which waits for nothing."""
    chain = [call(1, group="a"), call(2, data=(1,), group="a"), call(3, data=(2,), group="a"), call(4, group="b")]
    _, starts = starts_of(program_of(chain, chain))
    first, _, third, _ = (number for number, _, _ in starts[0])
    assert [list(delays) for _, _, delays in starts[0]] == [[], [], [first], [first, third]]


def test_members_that_wait_for_each_other_are_refused():
    """No member's call ends before all have begun, so a call of rank 1 must not wait for the later one."""
    first, second = [call(1), call(2, data=(1,))], [call(1, data=(2,)), call(2)]
    with pytest.raises(ProgramError, match="Operations wait for each other in a circle: "):
        program_of(first, second)
