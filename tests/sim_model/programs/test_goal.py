"""GOAL programs: reading, dependencies of messages, and writing."""

import numpy as np
import pytest

from sim_model.programs.goal import goal_text, read_goal
from sim_model.programs.lowering import lowered
from sim_model.programs.program import ProgramError
from tests.networks import random_irregular
from tests.sim_model.builders import build, spam_model
from tests.sim_model.test_messages import random_dependent_records

TREE = """
num_ranks 4  // a comment
rank 0 { /* and
another */ a: send 64b to 1 tag 3 cpu 1 nic 0
  b: calc 50
  c: send 8b to 2
  c requires b   # c waits for b
  c irequires a }
rank 1 { x: recv 64b from 0 tag 3
  send 16b to 3
  y: calc 7
  y requires x
  z: send 32b to 3 tag 1
  z requires y
}
rank 2 { recv 8b from 0 }
rank 3 { recv 16b from 1
  recv 100b from 1 tag 1 }
"""


def messages_of(program, nodes=None, **settings):
    nodes = list(range(program.ranks)) if nodes is None else nodes
    return lowered(program, nodes, lambda size, _: 1 + -(-size // 4), **settings).records


def test_worked_by_hand():
    program = read_goal(TREE)
    assert (program.ranks, program.sends, len(program.operations)) == (4, 4, 10)
    records = messages_of(program, cycles_per_unit=2)
    assert [(m.source, m.destinations, m.flits, m.start_cycle, m.parents, m.delay_cycles) for m in records] == [
        (0, (1,), 17, 0, (), ()),
        (0, (2,), 3, 100, (), ()),
        (1, (3,), 5, 0, (), ()),
        (1, (3,), 9, 0, (0,), (14,)),
    ]


def test_ranks_of_one_node_take_no_time():
    records = messages_of(read_goal(TREE), [0, 0, 1, 2])
    assert [(m.source, m.destinations, m.start_cycle) for m in records] == [(0, (1,), 50), (0, (2,), 0), (0, (2,), 7)]


def test_the_longest_of_several_ways_counts():
    text = """num_ranks 2
    rank 0 { r: recv 4b from 1  a: calc 9  b: calc 5  s: send 4b to 1
    a requires r  b requires r  s requires a  s requires b }
    rank 1 { send 4b to 0  recv 4b from 0 }"""
    records = messages_of(read_goal(text))
    assert [(m.source, m.parents, m.delay_cycles) for m in records] == [(1, (), ()), (0, (0,), (9,))]


def test_what_is_sent_within_a_node_arrives_when_it_is_sent():
    text = """num_ranks 3
    rank 0 { b: calc 50  bcast_1: send 8b to 1  bcast_2: send 8b to 2  bcast_1 requires b }
    rank 1 { r: recv 8b from 0  t: send 8b to 2  t requires r }
    rank 2 { recv 8b from 0  recv 8b from 1 }"""
    assert [(m.source, m.start_cycle) for m in messages_of(read_goal(text), [0, 0, 1])] == [(0, 50), (0, 50)]


def test_sends_with_labels_of_a_broadcast_are_one_message():
    text = """num_ranks 4
    rank 2 {
      bcast_x_1: send 8b to 0 tag 5
      bcast_x_2: send 8b to 1 tag 5
      bcast_x_3: send 8b to 3 tag 5
      l: send 4b to 0 tag 6
      l requires bcast_x_2
      recv 4b from 1
    }
    rank 0 { recv 8b from 2 tag 5   recv 4b from 2 tag 6 }
    rank 1 { a: recv 8b from 2 tag 5   b: send 4b to 2   b requires a }
    rank 3 { recv 8b from 2 tag 5 }
    """
    records = messages_of(read_goal(text))
    assert [(m.source, m.destinations, m.parents) for m in records] == [
        (2, (0, 1, 3), ()),
        (2, (0,), (0,)),
        (1, (2,), (0,)),
    ]


def canonical(messages, body):
    """Messages without their numbers: each as a nested tuple with what it waits for."""
    known = []
    for m in range(len(messages)):
        first, last = messages.parent_offsets[m : m + 2]
        pairs = zip(messages.parents[first:last].tolist(), messages.delay_cycles[first:last].tolist(), strict=True)
        waits_for = tuple(sorted((hash(known[parent]), delay) for parent, delay in pairs))
        to = tuple(messages.destinations_of(m).tolist())
        known.append((int(messages.source[m]), to, int(body[m]), int(messages.start_cycle[m]), waits_for))
    return sorted(known)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_written_is_read_again(seed):
    model = spam_model(random_irregular(5, switches=8))
    processors = len(model.network.processors)
    records = random_dependent_records(model, 80, seed, most_destinations=4)
    messages = build(model, records)
    header = np.array([model.header_flits(messages.destinations_of(m).tolist()) for m in range(len(messages))])
    text = goal_text(messages, processors, (messages.flits - header).tolist(), 4)
    again = lowered(read_goal(text), range(processors), lambda size, to: model.header_flits(to) + size // 4).records
    read = build(model, again)
    assert len(read) == len(messages)
    own = np.array([model.header_flits(read.destinations_of(m).tolist()) for m in range(len(read))])
    assert canonical(read, read.flits - own) == canonical(messages, messages.flits - header)
    assert len(read.parents) == len(messages.parents)


RANK_0 = "num_ranks 2\nrank 0 {\n"
DAMAGED = {
    "": "line 1: Token is 'the end of the file'; it must be 'num_ranks'",
    "ranks 3": "line 1: Token is 'ranks'; it must be 'num_ranks'",
    "num_ranks": "line 1: Number of ranks is 'the end of the file'; it must be a whole number",
    "num_ranks 0": "line 1: Number of ranks is 0; it must be 1 to 65536",
    "num_ranks 8b": "line 1: Number of ranks is '8b'; it must be a whole number",
    "num_ranks 2 rank 2 {}": "line 1: Rank is 2; it must be a rank, 0 to 1",
    "num_ranks 2\nrank 1 {}\nrank 1 {}": "line 3: Rank 1 must be described once, not twice",
    "num_ranks 2\nrank 0 {\n\n": "line 4: the file is cut off in rank 0, which begins in line 2",
    RANK_0 + "l1: send 8b to": "line 3: Rank is 'the end of the file'; it must be a whole number",
    RANK_0 + "l1: put 8b to 1 }": "line 3: An operation is 'put'; it must be send, recv or calc",
    RANK_0 + "l1: send 8 to 2 }": "line 3: Receiver is 2; it must be a rank, 0 to 1",
    RANK_0 + "l1: recv 8b from 7 }": "line 3: Sender is 7; it must be a rank, 0 to 1",
    RANK_0 + "l1: send xb to 1 }": "line 3: Size is 'xb'; it must be a whole number of bytes, such as 8b",
    RANK_0 + f"calc {'9' * 19} }}": "line 3: Duration must have at most 18 digits, not 19",
    RANK_0 + "l1: calc 8b }": "line 3: Duration is '8b'; it must be a whole number",
    RANK_0 + "l1: send 8b from 1 }": "line 3: Token is 'from'; it must be 'to'",
    RANK_0 + "l1: calc 1\nl1: calc 2 }": "line 4: Label l1 must be an operation's own in rank 0",
    RANK_0 + "l1: calc 1\nl1 requires l9 }": "line 4: Label is 'l9'; it must be one of rank 0",
    RANK_0 + "7: calc 1 }": "line 3: An operation or a label must begin with a letter, not '7'",
    RANK_0 + "l1: calc 1 ; }": "line 3: A program must consist of words, numbers, braces and colons, not ';'",
    RANK_0 + "/* open": "line 3: A program must consist of words, numbers, braces and colons, not '/*'",
    RANK_0 + "l1: send 8b to 1 }": "line 3: l1 of rank 0: no receipt matches its message",
    RANK_0 + "recv 8b from 1 }": "line 3: recv of rank 0: no message is sent to it",
    RANK_0 + "send 8b to 1 }\nrank 1 { recv 4b from 0 }": (
        "line 4: recv of rank 1 must have room for the 8 bytes of send of rank 0, not for 4"
    ),
    RANK_0 + "send 8b to 1 }\nrank 1 { recv 8b from 0 tag 1 }": "line 4: recv of rank 1: no message is sent to it",
    RANK_0 + "bcast1_1: send 8b to 1\nbcast1_2: send 9b to 1 }": (
        "line 4: Sends of one broadcast must have one size, 8 bytes, not 9"
    ),
    RANK_0 + "a: calc 1\nb: calc 1\na requires b\nb requires a }": (
        "line 3: Operations wait for each other in a circle: a of rank 0 (line 3) -> b of rank 0 (line 4) -> "
        "a of rank 0"
    ),
    RANK_0 + "a: recv 8b from 1\nb: send 8b to 1\nb requires a }\n"
    "rank 1 { c: recv 8b from 0\nd: send 8b to 0\nd requires c }": (
        "line 3: Operations wait for each other in a circle: a of rank 0 (line 3) -> d of rank 1 (line 7) -> "
        "c of rank 1 (line 6) -> b of rank 0 (line 4) -> a of rank 0"
    ),
}


@pytest.mark.parametrize("text", DAMAGED, ids=range(len(DAMAGED)))
def test_damaged_programs(text):
    with pytest.raises(ProgramError) as caught:
        messages_of(read_goal(text))
    assert str(caught.value) == DAMAGED[text]
