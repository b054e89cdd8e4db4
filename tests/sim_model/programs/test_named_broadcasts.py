"""Broadcasts of GOAL programs, and whole MSCCL programs, by other algorithms than their own."""

import pytest

from sim_model.collectives.algorithm import Case
from sim_model.collectives.registry import schedule_of
from sim_model.programs.goal import read_goal
from sim_model.programs.lowering import lowered
from sim_model.programs.msccl import read_msccl
from sim_model.programs.named_broadcasts import replace_broadcasts
from sim_model.programs.program import ProgramError
from tests.each import each
from tests.sim_model.programs.files import msccl, step

GOAL = """
num_ranks 4
rank 2 {
  before: calc 10
  bcast_1: send 30b to 0
  bcast_2: send 30b to 3
  bcast_1 requires before
  early: send 1b to 0 tag 1
  early irequires bcast_1
  late: send 2b to 0 tag 2
  late requires bcast_1
}
rank 0 { recv 30b from 2  recv 1b from 2 tag 1  recv 2b from 2 tag 2 }
rank 3 {
  got: recv 30b from 2
  work: calc 5
  work requires got
  answer: send 4b to 0
  answer requires work
}
rank 1 { calc 3 }
"""


def by(algorithm: str):
    return lambda name, ranks, root, _size: schedule_of(name, algorithm, Case(len(ranks), root, 2))


def messages_of(program):
    found = lowered(program, range(program.ranks), lambda size, _: size)
    return [(m.source, m.destinations, m.flits, m.start_cycle, m.parents, m.delay_cycles) for m in found.records]


def test_what_needs_a_broadcast_needs_its_end_at_its_own_rank():
    """Members are 0, 2 and 3; the root sends to 3, then to 0."""
    answer = " answer: send 4b to 0 tag 3"
    program = read_goal(
        GOAL.replace("answer: send 4b to 0", answer).replace("tag 2 }", "tag 2  recv 4b from 3 tag 3 }")
    )
    replace_broadcasts(program, by("binomial"))
    found = messages_of(program)
    relayed = [one for one in found if one[2] == 30]
    assert {(source, destinations) for source, destinations, *_ in relayed} == {(2, (0,)), (2, (3,))}
    numbers = {one[1][0]: found.index(one) for one in relayed}
    assert {one[3] for one in relayed} == {10}
    by_size = {one[2]: one for one in found}
    assert by_size[1][3:] == (10, (), ())
    assert set(by_size[2][4]) == set(numbers.values()), "the root has ended with both"
    assert by_size[4][4:] == ((numbers[3],), (5,))


def test_segments_are_rounded_up():
    program = read_goal(GOAL.replace("  answer: send 4b to 0\n  answer requires work\n", ""))
    replace_broadcasts(program, by("chain"))
    assert sorted(one[2] for one in messages_of(program)) == [1, 2, 15, 15, 15, 15]


def star(gpus: int, collective: str) -> bytes:
    """GPU 1 sends to all others, or gets from them, a thread block for each."""
    others = [gpu for gpu in range(gpus) if gpu != 1]
    sends, receives = [step(0, "s")], [step(0, "r")]
    if collective == "reduce":
        blocks = [[(1, -1, sends)] for _ in others]
        root = [(-1, other, receives) for other in others]
    else:
        blocks = [[(-1, 1, receives)] for _ in others]
        root = [(other, -1, sends) for other in others]
    return msccl([blocks[0], root, *blocks[1:]], collective=collective, chunks=6)


@each(
    "collective, name, algorithm, messages, size_bytes",
    [
        ("broadcast", "broadcast", "binomial", 3, {48}),
        ("broadcast", "broadcast", "multicast", 1, {48}),
        ("reduce", "reduce", "linear", 3, {48}),
        ("allreduce", "all-reduce", "ring", 24, {12}),
        ("reduce_scatter", "reduce-scatter", "ring", 12, {12}),
        ("alltoall", "all-to-all", "linear", 12, {12}),
    ],
)
def test_another_algorithm_replaces_the_steps(collective, name, algorithm, messages, size_bytes):
    """Six chunks of 8 bytes are one member's vector."""
    program = read_msccl(star(4, collective), 8, True, {name: by(algorithm)})
    sends = [operation for operation in program.operations if operation.destinations]
    assert (len(sends), {operation.size_bytes for operation in sends}) == (messages, size_bytes)
    if name in ("broadcast", "reduce"):
        roots = {rank for one in sends for rank in ((one.rank,) if name == "broadcast" else one.destinations)}
        assert 1 in roots
        assert (algorithm == "binomial") or roots == {1}


def test_the_plane_gets_the_whole_vector():
    program = read_msccl(star(4, "allreduce"), 8, schedules={"all-reduce": lambda *_: None})
    (call,) = program.plane_calls
    assert (call.operation, list(call.ranks), call.size_bytes) == ("all-reduce", [0, 1, 2, 3], 48)
    assert program.sends == 0


@each(
    "collective, name, said",
    [
        ("custom", "all-reduce", "line 1: coll is 'custom'; it must be allreduce"),
        ("broadcast", "reduce-scatter", "coll is 'broadcast'; it must be reduce_scatter or reducescatter"),
    ],
)
def test_a_program_that_names_another_operation_is_refused(collective, name, said):
    with pytest.raises(ProgramError, match=said):
        read_msccl(star(3, collective), 8, schedules={name: by("ring")})


def test_a_reduction_has_one_root():
    with pytest.raises(ProgramError, match="A reduce must have one GPU that sends nothing, not 2"):
        read_msccl(star(3, "broadcast").replace(b'"broadcast"', b'"reduce"'), 8, schedules={"reduce": by("linear")})
