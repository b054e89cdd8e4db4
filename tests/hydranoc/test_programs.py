"""Programs and traces of other tools in configurations: on all families, in lock-step, and damaged ones."""

import bz2
import json

import pytest

from hydranoc import load
from hydranoc.cli import run
from tests.each import each
from tests.sim_model.programs.files import chakra, msccl, netrace, node, packet, step

COMPUTE, COLLECTIVE, BROADCAST = 4, 7, 5
NETWORKS = {
    "spam": "{family: spam, flit_bits: 16, topology: {kind: hypercube, dimensions: 3}}",
    "min": "{family: min, flit_bits: 16, topology: {kind: omega, radix: 2, stages: 3}}",
    "torus": "{family: torus, flit_bits: 16, topology: {kind: mesh, rows: 2, columns: 4}}",
    "hypercube": "{family: hypercube, flit_bits: 16, topology: {kind: hypercube, dimensions: 3}}",
    "harts": "{family: harts, flit_bits: 64, topology: {kind: hexmesh, size: 2}}",
}
HARDWARE = ("spam", "min")

TRACE = bz2.compress(
    netrace(
        [
            packet(5, 100, 2, 4, kind=1, dependents=(101, 103)),
            packet(8, 101, 4, 2, kind=2),
            packet(9, 102, 3, 3, kind=13, dependents=(104,)),
            packet(40, 103, 4, 6, kind=27, types=(2, 3)),
            packet(41, 104, 3, 0, kind=30),
        ],
        nodes=7,
    )
)
TREE = b"""num_ranks 5
rank 0 {
  bcast_1: send 20b to 1
  bcast_2: send 20b to 3
  bcast_3: send 20b to 4
  a: recv 6b from 3
}
rank 1 { recv 20b from 0 }
rank 3 { l: recv 20b from 0   c: calc 30   c requires l   d: send 6b to 0   d requires c }
rank 4 { recv 20b from 0 }
"""
CHAKRA = {
    f"job.{rank}.et": chakra(
        [
            node(1, COMPUTE, duration=10 * rank),
            node(2, COLLECTIVE, data=(1,), comm_type=BROADCAST, comm_size=30),
            node(3, COLLECTIVE, data=(2,), comm_type=0, comm_size=24),
        ]
    )
    for rank in range(3)
}
CHAIN = msccl(
    [[(1, -1, [step(0, "s", count=2)])], [(2, 0, [step(0, "rcs", count=2)])], [(-1, 1, [step(0, "r", count=2)])]],
    collective="broadcast",
    chunks=2,
)
FILES = {"t.tra.bz2": TRACE, "tree.goal": TREE, "chain.xml": CHAIN, **CHAKRA}
PROGRAMS = {
    "netrace": "kind: netrace, file: t.tra.bz2",
    "goal": "kind: goal, file: tree.goal",
    "chakra": "kind: chakra, file: 'job.{rank}.et', ranks: 3, cycles_per_unit: 2.5",
    "mscclxml": "kind: mscclxml, file: chain.xml, bytes_per_chunk: 8",
}
MESSAGES = {"netrace": (4, 4), "goal": (2, 4), "chakra": (1 + 12, 2 + 12), "mscclxml": (1, 2)}
"""Messages with broadcasts in hardware, and with each broadcast to d others as d unicasts."""


@pytest.fixture
def written(tmp_path):
    """Writes the programs and a configuration, and returns its path."""

    def write(family: str, traffic: str, **files: bytes):
        for name, content in {**FILES, **files}.items():
            (tmp_path / name).write_bytes(content)
        path = tmp_path / "c.yaml"
        path.write_text(f"network: {NETWORKS[family]}\ntraffic: {{{traffic}}}\n")
        return path

    return write


@each("kind", PROGRAMS)
@each("family", NETWORKS)
def test_every_kind_runs_on_every_family(written, family, kind):
    in_hardware = family in HARDWARE
    how = "" if in_hardware else ", multicast: software"
    design = load(written(family, PROGRAMS[kind] + how))
    assert len(design.messages) == MESSAGES[kind][not in_hardware]
    outcome = design.simulate()
    assert outcome.right
    assert outcome.results.deliveries == MESSAGES[kind][1]


def test_a_program_waits_for_what_it_receives_and_computes(written):
    design = load(written("spam", PROGRAMS["goal"] + ", startup_cycles: 5, cycles_per_unit: 2, bytes_per_flit: 1"))
    results = design.simulate().results
    header = design.routing.header_flits
    assert design.messages.flits.tolist() == [header([1, 3, 4]) + 20, header([0]) + 6]
    arrival_at_3 = results.arrival_cycle[1]
    assert results.start_cycle.tolist() == [0, arrival_at_3 + 60]
    assert results.accepted_cycle[1] == arrival_at_3 + 65


def test_software_carries_a_broadcast_as_it_is_told(written):
    sources = {}
    for software in ("binomial", "separate"):
        design = load(written("torus", PROGRAMS["goal"] + f", multicast: software, software: {software}"))
        sources[software] = design.messages.source.tolist()
        assert design.simulate().right
    assert sources == {"binomial": [0, 0, 3, 3], "separate": [0, 0, 0, 3]}
    assert load(written("torus", PROGRAMS["goal"] + ", multicast: software, software: u-mesh")).simulate().right


def test_ranks_on_other_processors(written):
    design = load(written("spam", PROGRAMS["goal"] + ", map: [7, 6, 5, 4, 0]"))
    assert design.messages.source.tolist() == [7, 4]
    assert design.messages.destinations.tolist() == [0, 4, 6, 7]
    trace = load(written("spam", PROGRAMS["netrace"] + ", map: wrap, memory_controllers: [7, 7, 7, 7, 7, 7, 0]"))
    assert trace.messages.destinations.tolist() == [4, 2, 0, 0]
    assert load(written("spam", PROGRAMS["netrace"] + ", packets: 2")).messages.source.tolist() == [2, 4]
    assert load(written("spam", PROGRAMS["netrace"] + ", region: 0")).messages.source.tolist() == [2, 4, 4, 3]


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_run_is_written_as_a_goal_program_that_gives_the_same_run(written, kind, tmp_path, capsys):
    path = written("spam", f"{PROGRAMS[kind]}, startup_cycles: 3")
    assert run(["model", str(path), "-o", str(tmp_path / "out"), "--goal", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    text = (tmp_path / "out" / "messages.goal").read_bytes()
    again = written("spam", "kind: goal, file: again.goal, startup_cycles: 3", **{"again.goal": text})
    assert run(["model", str(again), "-o", str(tmp_path / "again"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == summary


@pytest.mark.parametrize(("family", "kind", "how"), [("spam", "goal", "hardware"), ("torus", "netrace", "software")])
def test_hardware_and_model_are_equal(written, family, kind, how, tmp_path, capsys, require_tool):
    require_tool("icarus")
    path = written(family, f"{PROGRAMS[kind]}, multicast: {how}")
    assert run(["compare", str(path), "-o", str(tmp_path / "out"), "--sim", "icarus", "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["mismatches"] == summary["lost"] == 0
    assert summary["deliveries"] == MESSAGES[kind][1]


GOAL, NETRACE, TREE_FILE, TRACE_FILE = PROGRAMS["goal"], PROGRAMS["netrace"], "tree.goal", "t.tra.bz2"
CUT = bz2.compress(netrace([packet(1, 7, 2, 4)], nodes=7)[:-4])
BAD_TYPE = bz2.compress(netrace([packet(1, 7, 2, 4, kind=12)], nodes=7))
CIRCLE = b"num_ranks 1\nrank 0 {\na: calc 1\nb: calc 1\na requires b\nb requires a }"
LONE = {"x.et": chakra([node(4, COMPUTE, data=(9,))])}
REFUSED = [
    ("spam", "kind: goal, file: no.goal", {}, "c.yaml:2: cannot read program 'no.goal': no such file"),
    ("spam", "kind: netrace, file: .", {}, "c.yaml:2: cannot read program '.': is a directory"),
    ("spam", GOAL, {TREE_FILE: TREE[:-40]}, "tree.goal:9: "),
    ("spam", GOAL, {TREE_FILE: TREE.replace(b"from 3", b"from 9")}, "tree.goal:6: Sender is 9; it must be a rank"),
    ("spam", GOAL, {TREE_FILE: CIRCLE}, "tree.goal:3: Operations wait for each other in a circle: a of"),
    ("spam", GOAL, {TREE_FILE: b"num_ranks 2\n\xff"}, "tree.goal:2: A program must be UTF-8 text"),
    ("spam", GOAL, {TREE_FILE: b"num_ranks 2"}, "tree.goal: the program has no messages from one"),
    (
        *("spam", f"{GOAL}, cycles_per_unit: 1e9", {TREE_FILE: TREE.replace(b"calc 30", b"calc 999999")}),
        "tree.goal:9: d of rank 3: Start must be at most cycle 1000000000000",
    ),
    (
        *("spam", GOAL, {TREE_FILE: TREE.replace(b"6b", b"900000b")}),
        "tree.goal:9: d of rank 3: Length is 450001; it must be at most 65535 flits; see traffic.bytes_per_flit",
    ),
    ("spam", NETRACE, {TRACE_FILE: TREE}, "t.tra.bz2: A trace must be compressed by"),
    ("spam", NETRACE, {TRACE_FILE: TRACE[:-20]}, "t.tra.bz2: the compressed trace is cut off"),
    ("spam", NETRACE, {TRACE_FILE: CUT}, "t.tra.bz2: byte "),
    ("spam", NETRACE, {TRACE_FILE: BAD_TYPE}, "t.tra.bz2: packet 7 (byte "),
    ("spam", NETRACE + ", region: 4", {}, "t.tra.bz2: Region is 4; it must be 0 to 0"),
    ("spam", PROGRAMS["chakra"], {"job.2.et": CHAKRA["job.2.et"][:-2]}, "job.2.et: byte "),
    ("spam", PROGRAMS["chakra"].replace("3", "4", 1), {}, "c.yaml:2: cannot read program 'job.3.et': no such"),
    (
        *("spam", "kind: chakra, file: x.et, ranks: 1", LONE),
        "x.et: node 4 of rank 0: a node that it depends on is 9, which is not there",
    ),
    ("spam", PROGRAMS["mscclxml"], {"chain.xml": CHAIN[:200]}, "chain.xml:4: not valid XML: unclosed token"),
    (
        *("spam", PROGRAMS["mscclxml"], {"chain.xml": CHAIN.replace(b'recv="1"', b'recv="7"')}),
        "chain.xml:13: Peer of a thread block is 7; it must be a rank, 0 to 2",
    ),
    ("torus", GOAL, {}, "tree.goal:3: bcast_1 of rank 0: this network carries a broadcast only with traffic.multicast"),
    (
        *("harts", f"{GOAL}, algorithm: sbcast", {}),
        "tree.goal:3: bcast_1 of rank 0: Number of destinations is 3; it must be 1 or all 6 others",
    ),
    ("spam", f"{GOAL}, software: binomial", {}, "c.yaml:2: traffic.software is 'binomial'; it must be left"),
    (
        *("spam", GOAL, {TREE_FILE: TREE.replace(b"num_ranks 5", b"num_ranks 9")}),
        "c.yaml:2: key 'map' is missing in traffic: the program has 9 ranks, and the network 8 processors",
    ),
    ("spam", f"{GOAL}, map: [1, 2]", {}, "c.yaml:2: traffic.map must have a processor for each of the 5 ranks, not 2"),
    ("spam", f"{GOAL}, map: [1, 2, 3, 4, 8]", {}, "c.yaml:2: traffic.map must name processors, 0 to 7, not 8"),
    ("spam", f"{GOAL}, map: round", {}, "c.yaml:2: traffic.map is 'round'; it must be "),
]


@each("family, traffic, files, said", REFUSED)
def test_what_is_wrong_is_said_in_one_line(written, family, traffic, files, said, capsys):
    path = written(family, traffic, **files)
    assert run(["model", str(path), "-o", str(path.parent / "out")]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"error: {path.parent}/{said}")
    assert error.count("\n") == 1
