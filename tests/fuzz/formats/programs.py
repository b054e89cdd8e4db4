"""Programs and traces of other tools: Chakra, GOAL, MSCCL, Netrace, and the project's own traces."""

import bz2
import struct
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from tests.fuzz.case import CONFIGURATION, RESULTS, Case, Format
from tests.fuzz.formats.network_files import ENCODINGS
from tests.fuzz.formats.network_files import TRAPS as MSCCL_TRAPS
from tests.fuzz.mutations import damaged, miswritten
from tests.sim_model.programs.files import (
    L1D,
    L2,
    MEMORY,
    attribute,
    base128,
    chakra,
    msccl,
    netrace,
    node,
    packet,
    run,
    step,
)

NETWORKS = (
    "network:\n  family: spam\n  topology: {kind: mesh, shape: [2, 2]}\n",
    "network:\n  family: torus\n  topology: {kind: torus, rows: 2, columns: 2}\n",
    "network:\n  family: harts\n  topology: {kind: hexmesh, size: 2}\n  packet_flits: 4000\n",
)
FURTHER = (
    "",
    ", map: wrap",
    ", map: wrap, multicast: software",
    ", map: wrap, cycles_per_unit: 0.5",
    ", map: [0, 1, 2, 3]",
)


def program_format(
    name: str, kind: str, file: str, contents: SearchStrategy[bytes], sample: bytes, keys: str = ""
) -> Format:
    """Cases in which a configuration names a program with such a content."""

    def case(network: str, further: str, content: bytes) -> Case:
        text = f"{network}traffic: {{kind: {kind}, file: {file}, bytes_per_flit: 64{keys}{further}}}\n"
        return Case({CONFIGURATION: text.encode(), file: content}, ("model", CONFIGURATION, "-o", RESULTS))

    cases = st.builds(case, st.sampled_from(NETWORKS), st.sampled_from(FURTHER), contents)
    first = tuple(case(network, FURTHER[2], sample) for network in NETWORKS)
    return Format(name, cases, about=(f"{file}:", f"{CONFIGURATION}:"), first=first)


NUMBERS = (0, 1, 2, 3, 4, 7, 255, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1)
NAMES = ("comm_type", "comm_size", "comm_src", "comm_dst", "comm_tag", "comm_root", "pg_name", "nothing", "")
RANKS = 4


@st.composite
def nodes(draw: DrawFn) -> list[bytes]:
    """Computations and collective operations, the same ones in each file: all ranks agree."""
    made = [node(0, 4, duration=draw(st.integers(0, 50)))]
    for number in range(1, draw(st.integers(2, 5))):
        kind, size = draw(st.integers(0, 8)), draw(st.integers(0, 500))
        before = draw(st.lists(st.integers(0, number - 1), max_size=2, unique=True))
        made.append(node(number, 7, data=before, comm_type=kind, comm_size=size, pg_name="all"))
    return made


@st.composite
def odd_nodes(draw: DrawFn) -> bytes:
    """A node with fields and attributes at random, some of them twice or of another type."""
    parts = []
    for _ in range(draw(st.integers(1, 6))):
        number = draw(st.sampled_from((1, 2, 3, 4, 5, 7, 10, 11, 1000)))
        content = draw(st.sampled_from((b"", b"\x80", b"\x01\x02", base128(2**64 - 1), b"\xff" * 10, b"a" * 200)))
        value = draw(st.sampled_from(NUMBERS))
        forms = (
            base128(number * 8) + base128(value),
            run(number, content),
            base128(number * 8 + draw(st.integers(0, 7))),
        )
        parts.append(draw(st.sampled_from(forms)))
    parts += [_odd_attribute(draw) for _ in range(draw(st.integers(0, 3)))]
    return node(draw(st.integers(5, 9)), draw(st.integers(0, 9))) + b"".join(draw(st.permutations(parts)))


def _odd_attribute(draw: DrawFn) -> bytes:
    name = draw(st.sampled_from(NAMES))
    value = draw(st.sampled_from((*NUMBERS[:8], -1, -(2**63), True, "", "all", "\u00e9")))
    return attribute(name, value)


@st.composite
def files(draw: DrawFn) -> bytes:
    """A file with none to two odd nodes."""
    made = draw(nodes())
    for _ in range(draw(st.sampled_from((0, 1, 1, 2)))):
        made.insert(draw(st.integers(0, len(made))), draw(odd_nodes()))
    return chakra(made)


@st.composite
def lying(draw: DrawFn) -> bytes:
    """A file in which a length differs from the actual one."""
    parts = [run(1, b"0.0.4"), *draw(nodes())]
    wrong = draw(st.integers(0, len(parts) - 1))
    length = base128(draw(st.sampled_from(NUMBERS)))
    return b"".join((length if i == wrong else base128(len(part))) + part for i, part in enumerate(parts))


contents = st.one_of(files(), files(), lying(), damaged(files()))
SAMPLE = chakra([node(0, 4, duration=3), node(1, 7, data=[0], comm_type=0, comm_size=100, pg_name="all")])
FORMAT = program_format("chakra", "chakra", "a.et", contents, SAMPLE, f", ranks: {RANKS}, control_dependencies: true")


EXAMPLES = Path(__file__).parents[3] / "examples"


@st.composite
def programs(draw: DrawFn) -> str:
    """Messages from rank to rank, each received, with computations between them."""
    ranks = draw(st.integers(2, 4))
    lines: list[list[str]] = [["l0: calc 10"] for _ in range(ranks)]
    for number in range(1, draw(st.integers(2, 5))):
        a, b = draw(st.permutations(range(ranks)))[:2]
        tag = draw(st.sampled_from(("", " tag 3", " tag 4 cpu 1")))
        size = draw(st.integers(0, 300))
        lines[a] += [f"l{number}: send {size}b to {b}{tag}", f"l{number} requires l0"]
        lines[b] += [f"l{number}: recv {size}b from {a}{tag}"]
        lines[b] += draw(st.sampled_from(([], [f"l{number} requires l0"], [f"l{number} irequires l0"])))
    blocks = [f"rank {rank} {{\n" + "\n".join(inside) + "\n}" for rank, inside in enumerate(lines)]
    return "\n".join([f"num_ranks {ranks}", *blocks, draw(st.sampled_from(("", "// end", "/* end */")))])


TRAPS = (
    *("num_ranks 65536\n", "num_ranks 2\nrank 0 {" + "\na: calc 1" * 3 + "\na requires a }", "/*" * 3000),
    "num_ranks 1 rank 0 { }",
    "num_ranks 2 rank 0 { a: calc 1 b: calc 1 a requires b b requires a } rank 1 { }",
    "num_ranks 2 rank 0 { bcast_1: send 8b to 1 } rank 1 { recv 8b from 0 }",
    "num_ranks 2 rank 0 { calc 999999999999999999 a: send 8b to 1 } rank 1 { recv 8b from 0 }",
    "num_ranks 2 rank 0 { a: send 999999999999999999b to 1 } rank 1 { recv 999999999999999999b from 0 }",
)
SAMPLES = [(EXAMPLES / name).read_bytes() for name in ("tree.goal", "broadcast.goal")]
goal_contents = st.one_of(
    miswritten(programs()),
    miswritten(programs()),
    miswritten(st.sampled_from(TRAPS)),
    damaged(st.sampled_from(SAMPLES) | programs().map(str.encode)),
)
GOAL_FORMAT = program_format("goal", "goal", "a.goal", goal_contents, SAMPLES[0])


@st.composite
def msccl_programs(draw: DrawFn) -> str:
    """Chunks that go round a ring of GPUs."""
    gpus = draw(st.integers(2, 4))
    blocks = [
        [((gpu + 1) % gpus, (gpu - 1) % gpus, [step(0, "s", count=draw(st.integers(0, 3))), step(1, "r", count=3)])]
        for gpu in range(gpus)
    ]
    if draw(st.booleans()):
        wait = draw(st.sampled_from(((0, 0), (0, 1), (-1, -1))))
        blocks[0].append((-1, -1, [step(0, draw(st.sampled_from(("cpy", "nop", "re"))), wait=wait)]))
    return msccl(blocks, collective=draw(st.sampled_from(("custom", "allgather", "broadcast")))).decode()


@st.composite
def declared(draw: DrawFn) -> bytes:
    """A program under another declaration of its encoding."""
    name = draw(st.sampled_from(ENCODINGS))
    return f'<?xml version="1.0" encoding="{name}"?>\n{draw(msccl_programs())}'.encode()


BROADCAST = '<algo nchunksperloop="{}" ngpus="{}" coll="broadcast"><gpu id="0"/></algo>'
OWN_TRAPS = (
    *MSCCL_TRAPS,
    *(BROADCAST.format(chunks, gpus) for chunks in (1, 999999999) for gpus in (1, 4, 65536)),
    '<algo nchunksperloop="1" ngpus="1"/>',
    "<algo/>",
)
MSCCL_SAMPLE = msccl([[(1, -1, [step(0, "s")])], [(-1, 0, [step(0, "r")])]])
msccl_contents = st.one_of(
    miswritten(msccl_programs()),
    miswritten(msccl_programs()),
    declared(),
    miswritten(st.sampled_from(OWN_TRAPS)),
    damaged(msccl_programs().map(str.encode)),
)
MSCCL_FORMAT = program_format("msccl", "mscclxml", "a.xml", msccl_contents, MSCCL_SAMPLE, ", bytes_per_chunk: 100")


FIELDS = struct.Struct("<If30sBxQQII8x")
LYING = (0, 1, 2, 255, 2**16, 2**16 + 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1)


@st.composite
def traces(draw: DrawFn, nodes: int = 4) -> bytes:
    """Packets, of which some wait for others."""
    count = draw(st.integers(1, 5))
    packets = []
    for number in range(count):
        a, b = draw(st.permutations(range(nodes)))[:2]
        types = draw(st.sampled_from(((L1D, L2), (L2, MEMORY), (MEMORY, L2))))
        kind = draw(st.sampled_from((1, 2, 5, 30)))
        packets.append(packet(draw(st.integers(0, 300)), number, a, b, kind=kind, types=types))
    return netrace(packets, nodes=nodes)


@st.composite
def netrace_lying(draw: DrawFn) -> bytes:
    """A trace whose header contradicts its content."""
    data = draw(traces())
    fields = list(FIELDS.unpack_from(data))
    place = draw(st.sampled_from((3, 4, 5, 6, 7)))
    value = draw(st.sampled_from(LYING))
    fields[place] = value & {3: 0xFF, 4: 2**64 - 1, 5: 2**64 - 1, 6: 2**32 - 1, 7: 2**32 - 1}[place]
    return FIELDS.pack(*fields) + data[FIELDS.size :]


plain = st.one_of(traces(), netrace_lying(), netrace_lying(), damaged(traces()), damaged(traces()))
compressed = plain.map(bz2.compress)
ZEROS = bz2.compress(bytes(30_000_000))
netrace_contents = st.one_of(compressed, compressed, compressed, damaged(compressed), st.just(ZEROS), plain)
NETRACE_SAMPLE = bz2.compress(netrace([packet(0, 0, 0, 1), packet(5, 1, 1, 0)], nodes=4))


def _with_keys(keys: str):
    return program_format("netrace", "netrace", "a.tra.bz2", netrace_contents, NETRACE_SAMPLE, keys)


NETRACE_FORMAT = _with_keys("")
REGIONS = _with_keys(", region: 0, packets: 3, memory_controllers: wrap")


FILE = "a.csv"
TRACE_NETWORKS = (
    "network:\n  family: spam\n  topology: {kind: mesh, shape: [2, 3]}\n",
    "network:\n  family: min\n  topology: {kind: bi-butterfly, radix: 2, stages: 3}\n",
    "network:\n  family: harts\n  topology: {kind: hexmesh, size: 2}\n",
    "network:\n  family: torus\n  topology: {kind: torus, rows: 2, columns: 3}\n",
    "network:\n  family: hypercube\n  topology: {kind: hypercube, dimensions: 3}\n",
)
NODES = 6
"""Minimum number of nodes of these networks."""


@st.composite
def rows(draw: DrawFn) -> str:
    """A trace, for networks with multicasts or for those with procedures."""
    lines = draw(st.sampled_from(([], ["cycle,source,destinations,flits"], ["# made at random", ""])))
    for _ in range(draw(st.integers(1, 5))):
        nodes = draw(st.permutations(range(NODES)))[: draw(st.integers(2, 4))]
        named = draw(st.sampled_from(("", "", ",A5")))
        between = draw(st.sampled_from((" ", ";", "; ")))
        destinations = "" if named else between.join(map(str, nodes[1:]))
        quote = draw(st.sampled_from(("", '"')))
        cycle = draw(st.integers(0, 300))
        lines = [*lines, f"{cycle},{nodes[0]},{quote}{destinations}{quote},{draw(st.integers(2, 20))}{named}"]
    return "\n".join([*lines, ""])


TRACE_SAMPLE = (Path(__file__).parents[3] / "examples" / "trace.csv").read_bytes()
trace_contents = st.one_of(
    miswritten(rows()), miswritten(rows()), damaged(st.just(TRACE_SAMPLE) | rows().map(str.encode))
)


def _case(network: str, software: str, content: bytes) -> Case:
    text = f"{network}traffic: {{kind: trace, file: {FILE}{software}}}\n"
    return Case({CONFIGURATION: text.encode(), FILE: content}, ("model", CONFIGURATION, "-o", RESULTS))


FIRST = tuple(_case(network, ", software: binomial", b"0,0,1,9\n0,1,2,9\n") for network in TRACE_NETWORKS)
TRACE_FORMAT = Format(
    "traces",
    st.builds(_case, st.sampled_from(TRACE_NETWORKS), st.sampled_from(("", ", software: binomial")), trace_contents),
    about=(f"{FILE}:", f"{CONFIGURATION}:"),
    first=FIRST,
)
