"""Netrace traces that are written byte by byte."""

from io import BytesIO

import numpy as np
import pytest

from sim_model.programs.lowering import lowered
from sim_model.programs.netrace import read_netrace
from sim_model.programs.program import ProgramError
from tests.sim_model.programs.counts import netrace_counts
from tests.sim_model.programs.writers import L1D, L2, MEMORY, netrace, packet

PACKETS = [
    packet(5, 100, 2, 7, kind=1, dependents=(101, 103)),
    packet(8, 101, 7, 2, kind=2, types=(L2, L1D)),
    packet(9, 102, 3, 3, kind=13, types=(L1D, L1D), dependents=(104,)),
    packet(40, 103, 7, 60, kind=27, types=(L2, MEMORY)),
    packet(41, 104, 3, 9, kind=30),
]


def read(data, *arguments):
    return read_netrace(BytesIO(data), *arguments)


def messages_of(program, nodes=64):
    return lowered(program, [*range(nodes), *range(nodes)], lambda size, _: 1 + size // 4).records


def test_packets_worked_by_hand():
    program = read(netrace(PACKETS))
    assert (program.ranks, program.sends, program.dependencies) == (128, 5, 3)
    assert [operation.rank for operation in program.operations] == [2, 7, 3, 7, 3]
    assert program.operations[3].destinations == (64 + 60,)
    assert [operation.size_bytes for operation in program.operations] == [8, 72, 8, 8, 72]
    records = messages_of(program)
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
    with pytest.raises(ProgramError, match=r"^Region must be 0 to 2, not 3$"):
        read(data, 3)


def test_the_first_packets():
    program = read(netrace(PACKETS), None, 2)
    assert (program.sends, program.dependencies) == (2, 1)


@pytest.mark.parametrize("seed", range(3))
def test_counts_of_random_traces(seed):
    random, packets, sources = np.random.default_rng(seed), [], []
    nodes = random.integers(64, size=(400, 2)).tolist()
    for number, (source, destination) in enumerate(nodes):
        later = [k for k in range(number + 1, len(nodes)) if nodes[k][0] == destination]
        dependents = later[: int(random.integers(4))]
        kind = int(random.choice([1, 2, 6, 13, 16, 28, 30]))
        packets.append(packet(10 * number, number, source, destination, kind=kind, dependents=dependents))
        sources.append(source)
    data = netrace(packets)
    program = read(data)
    assert (program.sends, program.dependencies) == netrace_counts(data)
    # dependencies of and on packets within a node are folded, all others are waits of messages
    records = messages_of(program)
    assert len(records) == sum(source != destination for source, destination in nodes)


def damaged():
    good = netrace(PACKETS)
    body = len(netrace([]))
    return {
        "empty": (b"", "byte 0: the trace is cut off in the header"),
        "header": (good[:50], "byte 50: the trace is cut off in the header"),
        "notes": (good[:80], "byte 80: the trace is cut off in the list of regions"),
        "magic": (netrace(PACKETS, magic=b"ELF\x7f"), "byte 0: Magic must be 0x484a5455, not 0x7f464c45"),
        "version": (netrace(PACKETS, version=2.0), "byte 4: Version must be 1.0, not 2.0"),
        "no nodes": (netrace(PACKETS, nodes=0), "byte 38: Nodes must be at least 1, not 0"),
        "packet": (good[: body + 10], f"byte {body + 10}: the trace is cut off in packet 1 of 5"),
        "waits": (good[: body + 24], f"byte {body + 24}: the trace is cut off in packet 1 of 5"),
        "last": (good[:-1], f"byte {len(good) - 1}: the trace is cut off in packet 5 of 5"),
        "more": (good + b"\0", "Packets must be as many as the 5 that the header names, not more"),
        "source": (
            netrace([packet(1, 7, 16, 3)], nodes=16),
            f"packet 7 (byte {body}): Source must be a node, 0 to 15, not 16",
        ),
        "destination": (
            netrace([packet(1, 7, 3, 200)], nodes=16),
            f"packet 7 (byte {body}): Destination must be a node, 0 to 15, not 200",
        ),
        "type": (netrace([packet(1, 7, 3, 4, kind=12)]), f"packet 7 (byte {body}): Type must be one of [1, 2, 3,"),
        "node type": (
            netrace([packet(1, 7, 3, 4, types=(0, 9))]),
            f"packet 7 (byte {body}): Type of a node must be 0 to 3, not 9",
        ),
        "number": (netrace([packet(1, 7, 3, 4), packet(1, 7, 3, 4)]), "Number must be a packet's own"),
        "missing": (
            netrace([packet(1, 7, 3, 4, dependents=(9,))]),
            f"packet 7 (byte {body}): a packet that waits for it must be in the trace, not 9",
        ),
        "elsewhere": (
            netrace([packet(1, 7, 3, 4, dependents=(9,)), packet(2, 9, 5, 6)]),
            f"packet 7 (byte {body}): packet 9, which waits for it, must be sent by its destination 4, not by 5",
        ),
    }


@pytest.mark.parametrize("name", damaged())
def test_damaged_traces(name):
    data, problem = damaged()[name]
    with pytest.raises(ProgramError) as caught:
        read(data)
    assert str(caught.value).startswith(problem) or problem in str(caught.value)


def test_a_circle():
    packets = [packet(1, 7, 3, 4, dependents=(8,)), packet(1, 8, 4, 3, dependents=(7,))]
    with pytest.raises(ProgramError, match=r"wait for each other in a circle: packet 7 \(byte \d+\) -> packet 8"):
        messages_of(read(netrace(packets)))
