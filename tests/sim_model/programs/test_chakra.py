"""Chakra execution traces that are written byte by byte, and the collective operations in them."""

import pytest

from sim_model.collectives.algorithm import Case
from sim_model.collectives.registry import OPERATIONS, schedule_of
from sim_model.programs.chakra import read_chakra, read_nodes
from sim_model.programs.collectives import ALGORITHMS, SYNONYMS
from sim_model.programs.lowering import lowered
from sim_model.programs.program import ProgramError
from tests.sim_model.programs.files import attribute, base128, chakra, node, run

LOAD, COMPUTE, SEND, RECEIVE, COLLECTIVE = 2, 4, 5, 6, 7
ALL_REDUCE, BROADCAST = 0, 5


def program_of(*files, control=False):
    return read_chakra([read_nodes(chakra(nodes)) for nodes in files], control)


def messages_of(program):
    return lowered(program, range(program.ranks), lambda size, _: 1 + size // 4, 2).records


SENDER = [
    node(7, COMPUTE, duration=30),
    node(8, SEND, data=(7,), comm_dst=1, comm_size=64, comm_tag=2),
    node(9, COMPUTE, duration=4, control=(7,), data=(8,)),
    node(300, SEND, data=(9, 7), packed=False, comm_dst=1, comm_size=8, comm_tag=3),
]
RECEIVER = [
    node(1, RECEIVE, comm_src=0, comm_size=8, comm_tag=3),
    node(2, RECEIVE, comm_src=0, comm_size=64, comm_tag=2),
    node(3, LOAD, duration=11, data=(2, 1)),
    node(4, SEND, data=(3,), comm_dst=0, comm_size=4),
]
ANSWER = [node(400, RECEIVE, comm_src=1, comm_size=4)]


def test_worked_by_hand():
    program = program_of([*SENDER, *ANSWER], RECEIVER)
    records = messages_of(program)
    assert [(m.source, m.destinations, m.flits, m.start_cycle, m.parents, m.delay_cycles) for m in records] == [
        (0, (1,), 17, 60, (), ()),
        (0, (1,), 3, 60, (0,), (8,)),
        (1, (0,), 2, 0, (0, 1), (22, 22)),
    ]


def test_control_dependencies_count_if_they_are_to():
    first, second = node(1, COMPUTE, duration=5), node(2, SEND, control=(1,), comm_dst=1, comm_size=4)
    other = [node(1, RECEIVE, comm_src=0, comm_size=4)]
    starts = [messages_of(program_of([first, second], other, control=c))[0].start_cycle for c in (False, True)]
    assert starts == [0, 10]


def collective(kind, size, number=5, **attributes):
    return node(number, COLLECTIVE, comm_type=kind, comm_size=size, **attributes)


def test_a_broadcast_is_one_message_that_all_members_wait_for():
    files = [[collective(BROADCAST, 40), node(6, COMPUTE, data=(5,), duration=3)] for _ in range(3)]
    files[1] += [node(7, SEND, data=(6,), comm_dst=2, comm_size=4)]
    files[2] += [node(7, RECEIVE, comm_src=1, comm_size=4)]
    records = messages_of(program_of(*files))
    assert [(m.source, m.destinations, m.parents, m.delay_cycles) for m in records] == [
        (0, (1, 2), (), ()),
        (1, (2,), (0,), (6,)),
    ]
    rooted = [[collective(BROADCAST, 40, comm_root=2)] for _ in range(3)]
    assert [(m.source, m.destinations) for m in messages_of(program_of(*rooted))] == [(2, (0, 1))]


def test_groups_are_matched_apart():
    files = [[collective(BROADCAST, 8, pg_name="even" if rank % 2 == 0 else "odd")] for rank in range(5)]
    files[1].append(collective(BROADCAST, 16, number=6, pg_name="low"))
    files[0].append(collective(BROADCAST, 16, number=6, pg_name="low"))
    assert sorted((m.source, m.destinations, m.flits) for m in messages_of(program_of(*files))) == [
        (0, (1,), 5),
        (0, (2, 4), 3),
        (1, (3,), 3),
    ]


@pytest.mark.parametrize(
    ("name", "messages", "size_bytes"),
    [
        ("all-reduce", 24, 250),
        ("all-gather", 12, 250),
        ("reduce-scatter", 12, 250),
        ("all-to-all", 12, 250),
        ("broadcast", 1, 1_000),
        ("scatter", 3, 250),
        ("gather", 3, 250),
        ("reduce", 3, 1_000),
        ("barrier", 8, 0),
    ],
)
def test_messages_of_collectives(name, messages, size_bytes):
    kind = list(ALGORITHMS).index(name)
    files = [[collective(kind, 1_000)] for _ in range(4)]
    sends = [operation for operation in program_of(*files).operations if operation.destinations]
    assert (len(sends), {operation.size_bytes for operation in sends}) == (messages, {size_bytes})
    assert program_of([collective(kind, 1_000)]).sends == 0


def test_parts_are_rounded_up():
    files = [[collective(ALL_REDUCE, 1_001)] for _ in range(4)]
    assert {operation.size_bytes for operation in program_of(*files).operations if operation.destinations} == {251}


def test_other_algorithms():
    def doubling(name, ranks, root, size_bytes):
        assert (name, ranks, size_bytes) == ("all-reduce", [0, 1, 2, 3], 96)
        return schedule_of(name, "recursive-doubling", Case(len(ranks), root))

    files = [[collective(ALL_REDUCE, 96)] for _ in range(4)]
    program = read_chakra([read_nodes(chakra(nodes)) for nodes in files], schedule_of=doubling)
    assert [operation.size_bytes for operation in program.operations if operation.destinations] == [96] * 8


def test_names_stand_in_the_order_of_the_types():
    assert list(ALGORITHMS).index("broadcast") == BROADCAST
    assert len(ALGORITHMS) == 10
    for name, algorithm in ALGORITHMS.items():
        assert algorithm in OPERATIONS[SYNONYMS.get(name, name)]


def file_of(*nodes):
    return chakra(nodes)


GOOD = file_of(*SENDER)
DAMAGED = {
    "cut off": (GOOD[:-3], f"byte {len(GOOD) - len(SENDER[3]) - 1}: a message of {len(SENDER[3])} bytes is cut off"),
    "no trace": (b"\x7fELF\x02\x01\x01", "byte 0: a message of 127 bytes is cut off after 6"),
    "length": (b"\xff" * 12, "byte 0: a number has more than 10 bytes"),
    "half a number": (b"\xff\xff", "byte 0: a number is cut off"),
    "field": (b"\x02\x0b\x00", "byte 0: Type of a field is 3; it must be 0, 1, 2 or 5"),
    "kind": (file_of(node(4, 9)), "node 4: Type is 9; it must be 1 to 7"),
    "no kind": (file_of(base128(8) + base128(4)), "node 4: Type is 0; it must be 1 to 7"),
    "twice": (file_of(node(4, COMPUTE), node(4, COMPUTE)), "Number of a node must be its own, not 4 again"),
    "no size": (file_of(node(4, SEND, comm_dst=1)), "node 4: comm_size is nothing; it must be a number from 0 on"),
    "no peer": (file_of(node(4, RECEIVE, comm_size=1)), "node 4: comm_src is nothing; it must be a number from 0 on"),
    "negative": (
        file_of(node(4, SEND, comm_dst=-1, comm_size=1)),
        "node 4: comm_dst is -1; it must be a number from 0",
    ),
    "collective": (file_of(collective(10, 4)), "node 5: comm_type is 10; it must be 0 to 9"),
    "attribute": (file_of(node(4, COMPUTE) + run(10, b"\x0a\x09x")), "node 4: field 1 is cut off"),
    "text": (file_of(node(4, COMPUTE) + run(10, run(1, b"pg_name") + run(29, b"\xff"))), "node 4: text is not UTF-8"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files(name):
    data, problem = DAMAGED[name]
    with pytest.raises(ProgramError) as caught:
        read_nodes(data)
    assert str(caught.value).startswith("byte ")
    assert problem in str(caught.value)


BROKEN = {
    "a node that it depends on is 99, which is not there": [[node(4, COMPUTE, data=(99,))]],
    "node 4 of rank 0: comm_dst is 2; it must be a rank, 0 to 1": [[node(4, SEND, comm_dst=2, comm_size=1)], []],
    "node 4 of rank 1: no message is sent to it": [[], [node(4, RECEIVE, comm_src=0, comm_size=1)]],
    "node 4 of rank 0: no receipt matches its message": [[node(4, SEND, comm_dst=1, comm_size=1)], []],
    "Number of collective operations of group '' is 2 on rank 1; it must be 1 as on rank 0": [
        [collective(ALL_REDUCE, 8)],
        [collective(ALL_REDUCE, 8), collective(ALL_REDUCE, 8, number=6)],
    ],
    "node 5 of rank 1: type, size and root are [5, 8, 0]; they must be [0, 8, 0] as on rank 0": [
        [collective(ALL_REDUCE, 8)],
        [collective(BROADCAST, 8)],
    ],
    "node 5 of rank 0: comm_root is 2; it must be a member, 0 to 1": [[collective(BROADCAST, 8, comm_root=2)]] * 2,
    "Operations wait for each other in a circle: node 1 of rank 0 -> node 2 of rank 0 -> node 1 of rank 0": [
        [node(1, COMPUTE, data=(2,)), node(2, COMPUTE, data=(1,))]
    ],
}


@pytest.mark.parametrize("problem", BROKEN)
def test_broken_programs(problem):
    with pytest.raises(ProgramError) as caught:
        messages_of(program_of(*BROKEN[problem]))
    assert problem in str(caught.value)


def test_attributes_that_nobody_asks_for_do_not_matter():
    strange = node(4, COMPUTE) + attribute("comment", "ä") + run(10, run(1, b"x") + run(28, b"\x0a\x01\x01"))
    assert read_nodes(file_of(strange))[0].attributes == {}
