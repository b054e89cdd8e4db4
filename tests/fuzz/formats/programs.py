"""Programs and traces of other tools: Chakra, GOAL, MSCCL, Netrace, and the project's own traces."""

import bz2
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.fuzz.case import CONFIGURATION, RESULTS, Case, Format
from tests.fuzz.formats.network_files import ENCODINGS
from tests.fuzz.formats.network_files import TRAPS as MSCCL_TRAPS
from tests.fuzz.mutations import damaged, miswritten
from tests.sim_model.programs.files import (
    L1D,
    L2,
    MEMORY,
    attribute,
    chakra,
    msccl,
    netrace,
    node,
    packet,
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


NAMES = ("comm_type", "comm_size", "comm_src", "comm_dst", "comm_tag", "comm_root", "pg_name", "nothing", "")
SENT = node(1, 5, data=[0], comm_size=64, comm_dst=1, comm_tag=7)
CHAKRA = (
    chakra([node(0, 4, duration=3), node(1, 7, data=[0], comm_type=0, comm_size=100, pg_name="all")]),
    chakra([node(0, 4, duration=3), node(1, 7, data=[0], comm_type=8, comm_size=0), node(2, 7, data=[0, 1])]),
    chakra([node(0, 7, comm_type=5, comm_size=9), node(1, 0), node(1, 4, data=[1])]),
    chakra([node(0, 4), SENT, SENT]),
    *(chakra([node(0, 7, comm_type=1, comm_size=9) + attribute(name, "all")]) for name in NAMES),
    *(chakra([node(0, 7, comm_type=1, comm_size=size)]) for size in (2**31, 2**53, 2**63 - 1)),
)
FORMAT = program_format(
    *("chakra", "chakra", "a.et", damaged(st.sampled_from(CHAKRA)) | st.sampled_from(CHAKRA), CHAKRA[0]),
    ", ranks: 4, control_dependencies: true",
)

EXAMPLES = Path(__file__).parents[3] / "examples"
TRAPS = (
    *("num_ranks 65536\n", "num_ranks 2\nrank 0 {" + "\na: calc 1" * 3 + "\na requires a }", "/*" * 3000),
    "num_ranks 1 rank 0 { }",
    "num_ranks 2 rank 0 { a: calc 1 b: calc 1 a requires b b requires a } rank 1 { }",
    "num_ranks 2 rank 0 { bcast_1: send 8b to 1 } rank 1 { recv 8b from 0 }",
    "num_ranks 2 rank 0 { calc 999999999999999999 a: send 8b to 1 } rank 1 { recv 8b from 0 }",
    "num_ranks 2 rank 0 { a: send 999999999999999999b to 1 } rank 1 { recv 999999999999999999b from 0 }",
    "num_ranks 3 rank 0 { l0: calc 9 l1: send 30b to 2 tag 3 cpu 1 l1 requires l0 } rank 2 { recv 30b from 0 tag 3 }",
)
SAMPLES = [(EXAMPLES / name).read_bytes() for name in ("tree.goal", "broadcast.goal")]
TEXTS = (*TRAPS, *(sample.decode() for sample in SAMPLES))
goal_contents = miswritten(st.sampled_from(TEXTS)) | damaged(st.sampled_from(SAMPLES))
GOAL_FORMAT = program_format("goal", "goal", "a.goal", goal_contents, SAMPLES[0])


def ring(gpus: int, collective: str, **last: tuple[int, int]) -> bytes:
    """Chunks that go round a ring of GPUs, and a block of one without a peer."""
    steps = [step(0, "s", count=gpus), step(1, "r", count=3)]
    blocks = [[((gpu + 1) % gpus, (gpu - 1) % gpus, steps)] for gpu in range(gpus)]
    blocks[0].append((-1, -1, [step(0, "cpy", **last)]))
    return msccl(blocks, collective=collective)


RINGS = (
    *(msccl([[(1, -1, [step(0, "s")])], [(-1, 0, [step(0, "r")])]]), ring(2, "custom", wait=(0, 1))),
    *(ring(3, "allgather"), ring(4, "broadcast", wait=(-1, -1))),
)
BROADCAST = '<algo nchunksperloop="{}" ngpus="{}" coll="broadcast"><gpu id="0"/></algo>'
OWN_TRAPS = (
    *MSCCL_TRAPS,
    *(BROADCAST.format(chunks, gpus) for chunks in (1, 999999999) for gpus in (1, 4, 65536)),
    *('<algo nchunksperloop="1" ngpus="1"/>', "<algo/>"),
    *(f'<?xml version="1.0" encoding="{name}"?>\n{RINGS[0].decode()}' for name in ENCODINGS),
)
msccl_contents = st.one_of(
    miswritten(st.sampled_from(tuple(sample.decode() for sample in RINGS))),
    miswritten(st.sampled_from(OWN_TRAPS)),
    damaged(st.sampled_from(RINGS)),
)
MSCCL_FORMAT = program_format("msccl", "mscclxml", "a.xml", msccl_contents, RINGS[0], ", bytes_per_chunk: 100")


TYPES = ((L1D, L2), (L2, MEMORY), (MEMORY, L2))
TRACES = (
    netrace([packet(0, 0, 0, 1), packet(5, 1, 1, 0)], nodes=4),
    *(netrace([packet(300 - k, k, k, k + 1, kind=30, types=types) for k in range(3)], nodes=4) for types in TYPES),
)
plain = damaged(st.sampled_from(TRACES)) | st.sampled_from(TRACES)
compressed = plain.map(bz2.compress)
ZEROS = bz2.compress(bytes(30_000_000))
netrace_contents = st.one_of(compressed, compressed, compressed, damaged(compressed), st.just(ZEROS), plain)
NETRACE_FORMAT = program_format("netrace", "netrace", "a.tra.bz2", netrace_contents, bz2.compress(TRACES[0]))


FILE = "a.csv"
TRACE_NETWORKS = (
    "network:\n  family: spam\n  topology: {kind: mesh, shape: [2, 3]}\n",
    "network:\n  family: min\n  topology: {kind: bi-butterfly, radix: 2, stages: 3}\n",
    "network:\n  family: harts\n  topology: {kind: hexmesh, size: 2}\n",
    "network:\n  family: torus\n  topology: {kind: torus, rows: 2, columns: 3}\n",
    "network:\n  family: hypercube\n  topology: {kind: hypercube, dimensions: 3}\n",
)
ROWS = (
    "cycle,source,destinations,flits\n0,0,1,9\n5,1,2;3; 4,20\n300,3,0 1,2\n",
    '# made at random\n\n7,0,"1 2",8\n',
    "0,0,,9,A5\n1,5,,2,A5\n",
)
TRACE_SAMPLE = (Path(__file__).parents[3] / "examples" / "trace.csv").read_bytes()
trace_contents = miswritten(st.sampled_from((*ROWS, TRACE_SAMPLE.decode()))) | damaged(st.just(TRACE_SAMPLE))


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
