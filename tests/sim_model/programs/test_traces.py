"""MSCCL programs and Netrace traces."""

from io import BytesIO

import pytest

from sim_model.programs.lowering import lowered
from sim_model.programs.msccl import read_msccl
from sim_model.programs.netrace import read_netrace
from sim_model.programs.program import ProgramError
from tests.sim_model.programs.files import (
    L1D,
    L2,
    MEMORY,
    msccl,
    netrace,
    packet,
    step,
)


def messages_of(program):
    return lowered(program, range(program.ranks), lambda size, _: 1 + size // 4).records


def ring(gpus):
    """Reduces around a ring and hands the sum round; the kinds of steps are those of such programs."""
    kinds = ["s", *["rrs"] * (gpus - 2), "rrcs", *["rcs"] * (gpus - 2), "r"]
    steps = [step(number, kind) for number, kind in enumerate(kinds)]
    return msccl([[((gpu + 1) % gpus, (gpu - 1) % gpus, steps)] for gpu in range(gpus)])


def chain(gpus):
    """A broadcast from GPU 0, from each to the next."""
    first, last = [(1, -1, [step(0, "s", count=4)])], [(-1, gpus - 2, [step(0, "r", count=4)])]
    between = [[(gpu + 1, gpu - 1, [step(0, "rcs", count=4)])] for gpu in range(1, gpus - 1)]
    return msccl([first, *between, last], collective="broadcast", chunks=4)


def test_worked_by_hand():
    records = messages_of(read_msccl(ring(3), 64))
    assert len(records) == 3 * 4
    assert {m.flits for m in records} == {17}
    by_source = [[n for n, m in enumerate(records) if m.source == gpu] for gpu in range(3)]
    for gpu in range(3):
        for k, number in enumerate(by_source[gpu]):
            wanted = (by_source[gpu][k - 1], by_source[(gpu - 1) % 3][k - 1]) if k else ()
            assert set(records[number].parents) == set(wanted)


def test_a_step_waits_for_one_of_another_thread_block():
    """All to all in two exchanges, each in a thread block of its own; the second one waits for the first."""
    first = (1, [step(0, "nop"), step(1, "s"), step(2, "rrc")])
    second = (2, [step(0, "nop"), step(1, "s", count=2, wait=(0, 2)), step(2, "rrc", count=2)])
    data = msccl([[(gpu ^ distance, gpu ^ distance, steps) for distance, steps in (first, second)] for gpu in range(4)])
    records = messages_of(read_msccl(data, 16))
    began = {m.source: number for number, m in enumerate(records) if m.destinations == (m.source ^ 1,)}
    later = [m for m in records if m.destinations == (m.source ^ 2,)]
    assert [set(m.parents) for m in later] == [{began[m.source], began[m.source ^ 1]} for m in later]
    assert len(later) == len(began) == 4


def test_a_program_that_is_named_a_broadcast():
    assert [(m.source, m.destinations) for m in messages_of(read_msccl(chain(4), 8))] == [
        (0, (1,)),
        (1, (2,)),
        (2, (3,)),
    ]
    assert [(m.source, m.destinations, m.flits) for m in messages_of(read_msccl(chain(4), 8, True))] == [
        (0, (1, 2, 3), 9)
    ]
    assert len(messages_of(read_msccl(ring(4), 8, True))) == 4 * 6, "no broadcast, no multicast"


def damaged():
    good = msccl([[(1, -1, [step(0, "s")])], [(-1, 0, [step(0, "r")])]]).decode()
    return {
        "": "line 1: not valid XML: no element found",
        good[:200]: "line 4: not valid XML: unclosed token within tb",
        good.replace("</tb>", "", 1): "line 6: not valid XML: mismatched tag within tb",
        good.replace("<algo", "<algorithm", 1): "line 1: Token is 'algorithm'; it must be algo",
        good.replace("<gpu", "<step", 1): "line 2: Token is 'step'; it must be gpu",
        good.replace('ngpus="2"', 'ngpus="two"'): "line 1: ngpus is 'two'; it must be a number, 1 to 65536",
        good.replace('ngpus="2"', ""): "line 1: algo must have ngpus",
        good.replace('gpu id="1"', 'gpu id="2"'): "line 7: Id of a GPU is 2; it must be a rank, 0 to 1",
        good.replace('gpu id="1"', 'gpu id="0"'): "line 7: Id of a GPU must be its own, not 0 again",
        good.replace('send="1"', 'send="5"'): "line 3: Peer of a thread block is 5; it must be a rank, 0 to 1",
        good.replace('send="1"', 'send="-1"'): "line 4: Thread block 0 must have a send for a step of type s, not -1",
        good.replace('recv="0"', 'recv="-1"'): "line 9: Thread block 0 must have a recv for a step of type r, not -1",
        good.replace('type="r"', 'type="x"'): "line 9: Type of a step is 'x'; it must be one of "
        "cpy, nop, r, rcs, re, rrc, rrcs, rrs, s",
        good.replace('s="0" type="r"', 's="3" type="r"'): "line 9: Number of the step is 3; it must be 0",
        good.replace('cnt="1"', 'cnt="-4"', 1): "line 4: cnt is '-4'; it must be a number, at least 0",
        good.replace('depid="-1" deps="-1"', 'depid="1" deps="0"', 1): (
            "line 4: depid and deps must name a step of GPU 0, not 1 and 0"
        ),
        good.replace('depid="-1" deps="-1"', 'depid="0" deps="0"', 1): (
            "line 4: Operations wait for each other in a circle: step 0 of thread block 0 of GPU 0 (line 4) -> "
            "step 0 of thread block 0 of GPU 0"
        ),
        good.replace(
            'type="r"', 'type="nop"'
        ): "line 4: step 0 of thread block 0 of GPU 0: no receipt matches its message",
        good.replace('type="s"', 'type="nop"'): "line 9: step 0 of thread block 0 of GPU 1: no message is sent to it",
        "<!DOCTYPE algo [<!ENTITY a 'aaaa'>]>" + good: "line 1: A program must have no document type",
    }


@pytest.mark.parametrize("text", damaged(), ids=range(len(damaged())))
def test_damaged_programs(text):
    with pytest.raises(ProgramError) as caught:
        messages_of(read_msccl(text.encode(), 8))
    assert str(caught.value) == damaged()[text]


def test_a_broadcast_without_a_root():
    data = ring(3).replace(b'coll="custom"', b'coll="broadcast"')
    with pytest.raises(ProgramError, match="A broadcast must have one GPU that receives nothing, not 0"):
        read_msccl(data, 8, True)


# Netrace traces that are written byte by byte.

PACKETS = [
    packet(5, 100, 2, 7, kind=1, dependents=(101, 103)),
    packet(8, 101, 7, 2, kind=2, types=(L2, L1D)),
    packet(9, 102, 3, 3, kind=13, types=(L1D, L1D), dependents=(104,)),
    packet(40, 103, 7, 60, kind=27, types=(L2, MEMORY)),
    packet(41, 104, 3, 9, kind=30),
]


def read(data, *arguments):
    return read_netrace(BytesIO(data), *arguments)


def messages_of_netrace(program, nodes=64):
    return lowered(program, [*range(nodes), *range(nodes)], lambda size, _: 1 + size // 4).records


def test_packets_worked_by_hand():
    program = read(netrace(PACKETS))
    assert (program.ranks, program.sends, program.dependencies) == (128, 5, 3)
    assert [operation.rank for operation in program.operations] == [2, 7, 3, 7, 3]
    assert program.operations[3].destinations == (64 + 60,)
    assert [operation.size_bytes for operation in program.operations] == [8, 72, 8, 8, 72]
    records = messages_of_netrace(program)
    # Packet 102 stays within its node, so that 104 starts by its own cycle alone.
    assert [(m.source, m.destinations, m.flits, m.start_cycle, m.parents) for m in records] == [
        (2, (7,), 3, 5, ()),
        (7, (2,), 19, 8, (0,)),
        (7, (60,), 3, 40, (0,)),
        (3, (9,), 19, 41, ()),
    ]


def test_regions_begin_at_cycle_0():
    data = netrace(PACKETS, regions=[(8, 1), (0, 0), (90, 4)])
    assert read(data, 0).sends == 1
    assert read(data, 1).sends == 0
    last = read(data, 2)
    assert [operation.earliest for operation in last.operations] == [0, 1, 32, 33]
    assert last.dependencies == 1, "what waits for a packet of another region waits no more"
    with pytest.raises(ProgramError, match=r"^Region is 3; it must be 0 to 2$"):
        read(data, 3)


def test_the_first_packets():
    program = read(netrace(PACKETS), None, 2)
    assert (program.sends, program.dependencies) == (2, 1)


def damaged_netrace():
    good = netrace(PACKETS)
    body = len(netrace([]))
    return {
        "empty": (b"", "byte 0: the trace is cut off in the header"),
        "header": (good[:50], "byte 50: the trace is cut off in the header"),
        "notes": (good[:80], "byte 80: the trace is cut off in the list of regions"),
        "magic": (netrace(PACKETS, magic=b"ELF\x7f"), "byte 0: Magic is 0x7f464c45; it must be 0x484a5455"),
        "version": (netrace(PACKETS, version=2.0), "byte 4: Version is 2.0; it must be 1.0"),
        "no nodes": (netrace(PACKETS, nodes=0), "byte 38: Number of nodes is 0; it must be at least 1"),
        "packet": (good[: body + 10], f"byte {body + 10}: the trace is cut off in packet 1 of 5"),
        "waits": (good[: body + 24], f"byte {body + 24}: the trace is cut off in packet 1 of 5"),
        "last": (good[:-1], f"byte {len(good) - 1}: the trace is cut off in packet 5 of 5"),
        "more": (good + b"\0", "Packets must be as many as the 5 that the header names, not more"),
        "source": (
            netrace([packet(1, 7, 16, 3)], nodes=16),
            f"packet 7 (byte {body}): Source is 16; it must be a node, 0 to 15",
        ),
        "destination": (
            netrace([packet(1, 7, 3, 200)], nodes=16),
            f"packet 7 (byte {body}): Destination is 200; it must be a node, 0 to 15",
        ),
        "type": (
            netrace([packet(1, 7, 3, 4, kind=12)]),
            f"packet 7 (byte {body}): Type is 12; it must be one of [1, 2, 3,",
        ),
        "node type": (
            netrace([packet(1, 7, 3, 4, types=(0, 9))]),
            f"packet 7 (byte {body}): Type of a node is 9; it must be 0 to 3",
        ),
        "number": (netrace([packet(1, 7, 3, 4), packet(1, 7, 3, 4)]), "Number must be a packet's own"),
        "missing": (
            netrace([packet(1, 7, 3, 4, dependents=(9,))]),
            f"packet 7 (byte {body}): a packet that waits for it is 9, which is not in the trace",
        ),
        "elsewhere": (
            netrace([packet(1, 7, 3, 4, dependents=(9,)), packet(2, 9, 5, 6)]),
            f"packet 7 (byte {body}): packet 9, which waits for it, must be sent by its destination 4, not by 5",
        ),
    }


@pytest.mark.parametrize("name", damaged_netrace())
def test_damaged_traces(name):
    data, problem = damaged_netrace()[name]
    with pytest.raises(ProgramError) as caught:
        read(data)
    assert str(caught.value).startswith(problem) or problem in str(caught.value)


def test_a_circle():
    packets = [packet(1, 7, 3, 4, dependents=(8,)), packet(1, 8, 4, 3, dependents=(7,))]
    with pytest.raises(ProgramError, match=r"wait for each other in a circle: packet 7 \(byte \d+\) -> packet 8"):
        messages_of_netrace(read(netrace(packets)))
