"""Counts messages and dependencies of program files, independently of the readers.

What is counted of messages is which of them waits for which other ones, through everything that is no message. The
operations of a file become vertices of a graph, and a search against its edges stops at messages.
"""

import re
import xml.etree.ElementTree as ElementTree
from collections import defaultdict

import networkx as nx
import numpy as np

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
