"""Files of programs: bytes written by hand, and counts of messages and dependencies that share nothing with readers."""

import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from collections.abc import Sequence

import networkx as nx
import numpy as np

# Counts messages and dependencies of program files, independently of the readers.

SEND = "send"


def waits(graph: nx.DiGraph) -> dict:
    """By message the set of messages that it waits for; messages are the vertices with the attribute ``send``."""
    found = {}
    for vertex, is_send in graph.nodes(data=SEND, default=False):
        if not is_send:
            continue
        seen, stack, messages = set(), list(graph.predecessors(vertex)), set()
        while stack:
            before = stack.pop()
            if before in seen:
                continue
            seen.add(before)
            if graph.nodes[before].get(SEND):
                messages.add(before)
            else:
                stack += graph.predecessors(before)
        found[vertex] = messages
    return found


def netrace_counts(data: bytes) -> tuple[int, int]:
    """Packets and dependencies of a decompressed trace, read as arrays of bytes."""
    notes, regions = np.frombuffer(data, "<u4", 2, 56)
    position, packets, dependencies = 72 + int(notes) + 24 * int(regions), 0, 0
    while position < len(data):
        packets += 1
        dependencies += data[position + 20]
        position += 21 + 4 * data[position + 20]
    return packets, dependencies


def goal_graph(text: str) -> nx.DiGraph:
    """Operations of a program whose statements are lines, with what each requires before it."""
    graph, ends = nx.DiGraph(), defaultdict(list)
    rank = -1
    for line in text.splitlines():
        if header := re.match(r"\s*rank (\d+)", line):
            rank = int(header[1])
        elif found := re.match(r"\s*(\w+): (send|recv) \d+b (?:to|from) (\d+)(?: tag (\d+))?", line):
            label, verb, peer, tag = found.groups()
            graph.add_node((rank, label), **{SEND: verb == "send"})
            pair = (rank, int(peer)) if verb == "send" else (int(peer), rank)
            ends[*pair, tag, verb].append((rank, label))
        elif found := re.match(r"\s*(\w+): calc", line):
            graph.add_node((rank, found[1]))
        elif found := re.match(r"\s*(\w+) requires (\w+)", line):
            graph.add_edge((rank, found[2]), (rank, found[1]))
    for (source, destination, tag, verb), sends in list(ends.items()):
        if verb == "send":
            graph.add_edges_from(zip(sends, ends[source, destination, tag, "recv"], strict=True))
    return graph


def msccl_graph(data: bytes) -> nx.DiGraph:
    """Receiving and sending halves of all steps, (gpu, block, step, half)."""
    graph, ends = nx.DiGraph(), defaultdict(list)
    for gpu in ElementTree.fromstring(data):
        for block in gpu:
            before = None
            for step in block:
                key = (int(gpu.attrib["id"]), int(block.attrib["id"]), int(step.attrib["s"]))
                kind, channel = step.attrib["type"], block.attrib["chan"]
                graph.add_node((*key, "in"))
                graph.add_node((*key, "out"), **{SEND: kind.endswith("s")})
                graph.add_edge((*key, "in"), (*key, "out"))
                if before is not None:
                    graph.add_edge((*before, "out"), (*key, "in"))
                if step.attrib["depid"] != "-1":
                    needed = (key[0], int(step.attrib["depid"]), int(step.attrib["deps"]), "out")
                    graph.add_edge(needed, (*key, "in"))
                if kind.endswith("s"):
                    ends[key[0], int(block.attrib["send"]), channel, "sends"].append((*key, "out"))
                if kind.startswith("r") and kind != "re":
                    ends[int(block.attrib["recv"]), key[0], channel, "receives"].append((*key, "in"))
                before = key
    for (source, destination, channel, what), sends in list(ends.items()):
        if what == "sends":
            graph.add_edges_from(zip(sends, ends[source, destination, channel, "receives"], strict=True))
    return graph


def chakra_counts(data: bytes) -> tuple[int, int, int]:
    """Nodes, data dependencies, and nodes that communicate, of one rank's file."""
    nodes = [_fields(message) for message in _messages(data)[1:]]
    dependencies = communicating = 0
    for node in nodes:
        for field, value in node:
            if field == 5:
                dependencies += sum(byte < 128 for byte in value)
        attributes = [value for field, value in node if field == 10]
        kinds = [value[0] for field, value in node if field == 3]
        communicating += kinds[0] in (5, 6) or any(b"comm_type" in value for value in attributes)
    return len(nodes), dependencies, communicating


def _number(digits: bytes) -> tuple[int, bytes]:
    """A number at the front of some bytes, and what is left of them."""
    size = next(place for place, digit in enumerate(digits) if digit < 128) + 1
    return sum((digit & 127) << 7 * place for place, digit in enumerate(digits[:size])), digits[size:]


def _fields(data: bytes) -> list[tuple[int, bytes]]:
    """Fields of a message, a number as the bytes in which it is written."""
    found = []
    while data:
        key, data = _number(data)
        if key % 8 == 0:
            value, rest = data[: len(data) - len(_number(data)[1])], _number(data)[1]
        else:
            assert key % 8 == 2
            size, data = _number(data)
            value, rest = data[:size], data[size:]
        found.append((key // 8, value))
        data = rest
    return found


def _messages(data: bytes) -> list[bytes]:
    found = []
    while data:
        size, data = _number(data)
        found.append(data[:size])
        data = data[size:]
    return found


# Writes small files in the formats of other tools, byte by byte; independently of the readers.

L1D, L1I, L2, MEMORY = 0, 1, 2, 3


def little(value: int, size: int) -> bytes:
    return value.to_bytes(size, "little")


def packet(cycle, number, source, destination, *, kind=1, types=(L1D, L2), dependents=(), address=0):
    """A Netrace packet: 21 bytes, and 4 for each packet that waits for it."""
    head = little(cycle, 8) + little(number, 4) + little(address, 4)
    nodes = bytes([kind, source, destination, types[0] << 4 | types[1], len(dependents)])
    return head + nodes + b"".join(little(dependent, 4) for dependent in dependents)


def netrace(packets: Sequence[bytes], *, nodes=64, regions=None, notes=b"made by hand", magic=b"UTJH", version=1.0):
    """A trace before compression; regions are (cycles, packets), by default one with everything."""
    regions = [(1_000, len(packets))] if regions is None else regions
    assert version in (1.0, 2.0)
    head = magic + (b"\x00\x00\x80\x3f" if version == 1.0 else b"\x00\x00\x00\x40")
    head += b"benchmark".ljust(30, b"\0") + bytes([nodes, 0])
    head += little(sum(cycles for cycles, _ in regions), 8) + little(len(packets), 8)
    head += little(len(notes) + 1, 4) + little(len(regions), 4) + b"\xaa" * 8 + notes + b"\0"
    first = 0
    for cycles, count in regions:
        head += little(sum(map(len, packets[:first])), 8) + little(cycles, 8) + little(count, 8)
        first += count
    return head + b"".join(packets)


def base128(value: int) -> bytes:
    """A number of a protocol buffer."""
    low, rest = value & 127, value >> 7
    return bytes([low | 128]) + base128(rest) if rest else bytes([low])


def run(number: int, content: bytes) -> bytes:
    """A field of text, of a message, or of packed numbers."""
    return base128(number * 8 + 2) + base128(len(content)) + content


def attribute(name: str, value) -> bytes:
    content = run(1, name.encode())
    if isinstance(value, bool):
        content += base128(27 * 8) + base128(value)
    elif isinstance(value, int):
        content += base128(9 * 8) + base128(value % (1 << 64))
    else:
        content += run(29, value.encode())
    return run(10, content)


def node(number: int, kind: int, *, data=(), control=(), duration=0, packed=True, **attributes) -> bytes:
    """A node of a Chakra trace."""
    content = base128(8) + base128(number) + run(2, f"node {number}".encode()) + base128(24) + base128(kind)
    for field, values in ((4, control), (5, data)):
        if packed and values:
            content += run(field, b"".join(map(base128, values)))
        elif values:
            content += b"".join(base128(field * 8) + base128(value) for value in values)
    content += base128(56) + base128(duration) if duration else b""
    return content + b"".join(attribute(name, value) for name, value in attributes.items())


def chakra(nodes: Sequence[bytes]) -> bytes:
    """A file of one rank."""
    whole = run(1, b"0.0.4") + run(2, run(1, b"pid") + base128(9 * 8) + base128(77))
    return b"".join(base128(len(part)) + part for part in (whole, *nodes))


def step(number, kind, *, count=1, wait=(-1, -1)) -> str:
    return (
        f'<step s="{number}" type="{kind}" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="{count}"'
        f' depid="{wait[0]}" deps="{wait[1]}" hasdep="0"/>'
    )


def msccl(gpus: Sequence[Sequence[tuple[int, int, Sequence[str]]]], *, collective="custom", chunks=4) -> bytes:
    """A program; per GPU its thread blocks as (send, recv, steps)."""
    lines = [f'<algo name="made" proto="Simple" nchunksperloop="{chunks}" ngpus="{len(gpus)}" coll="{collective}">']
    for gpu, blocks in enumerate(gpus):
        lines.append(f'<gpu id="{gpu}" i_chunks="1" o_chunks="1" s_chunks="0">')
        for number, (send, receive, steps) in enumerate(blocks):
            lines += [f'<tb id="{number}" send="{send}" recv="{receive}" chan="0">', *steps, "</tb>"]
        lines.append("</gpu>")
    return "\n".join([*lines, "</algo>", ""]).encode()
