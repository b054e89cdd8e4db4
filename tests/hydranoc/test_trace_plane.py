"""Chakra traces on the collective plane: cycles, choices with distances, and refused ones."""

import json

import numpy as np
import pytest

from hydranoc import ConfigError, load
from hydranoc.cli import run
from tests.each import each
from tests.sim_model.programs.files import chakra, msccl, node, step

COMPUTE, SEND, RECEIVE, COLLECTIVE = 4, 5, 6, 7
TORUS = "family: torus, flit_bits: 32, topology: {kind: torus, rows: 3, columns: 3}"
MESH = "family: spam, flit_bits: 32, topology: {kind: mesh, shape: [3, 3]}"
PLANE = ", collectives: {groups: [all, [0, 1, 2, 3]]}"


def all_reduce(number, *, data=(), size_bytes=16, kind=0):
    return node(number, COLLECTIVE, data=data, comm_type=kind, comm_size=size_bytes)


@pytest.fixture
def traced(tmp_path):
    """Writes a network with a trace of each rank, and returns the path of the configuration."""

    def write(network, traffic, *ranks, hosts=""):
        for rank, nodes in enumerate(ranks):
            (tmp_path / f"job.{rank}.et").write_bytes(chakra(nodes))
        name = "'job.{rank}.et'" if len(ranks) > 1 else "job.0.et"
        path = tmp_path / "c.yaml"
        path.write_text(f"network: {{{network}}}\ntraffic: {{kind: chakra, file: {name}{traffic}}}\n{hosts}")
        return path

    return write


def test_a_trace_waits_for_the_plane_to_the_cycle(traced):
    before, behind = node(1, COMPUTE, duration=30), node(3, COMPUTE, data=(2,), duration=5)
    ranks = [[before, all_reduce(2, data=(1,)), behind] for _ in range(4)]
    ranks[0].append(node(4, SEND, data=(3,), comm_dst=1, comm_size=40))
    ranks[1].append(node(4, RECEIVE, data=(3,), comm_src=0, comm_size=40))
    traffic = ", ranks: 4, startup_cycles: 7, algorithms: {all-reduce: plane}"
    design = load(traced(TORUS + PLANE, traffic, *ranks))
    outcome = design.simulate()
    end = 30 + 7 + design.plane.operation_cycles(1, 4)
    done = dict(zip(outcome.plane.contributions.processor.tolist(), outcome.plane.done_cycle.tolist(), strict=True))
    assert max(done.values()) == end
    assert design.messages.start_cycle.tolist() == [done[0] + 5]
    assert outcome.right
    (figures,) = outcome.figures["collectives"]
    assert (figures["algorithm"], figures["members"], figures["flits"]) == ("plane", 4, 4)
    assert figures["latencies_cycles"] == [end - 30]
    assert outcome.figures["plane"]["wrong"] == 0


def test_equal_operations_are_one_line_of_the_summary(traced, tmp_path, capsys):
    ranks = [[all_reduce(1), all_reduce(2, data=(1,)), all_reduce(3, data=(2,), size_bytes=8)] for _ in range(9)]
    path = traced(MESH + PLANE, ", algorithms: {all-reduce: plane}", *ranks)
    assert run(["model", str(path), "-o", str(tmp_path / "out"), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert [(one["flits"], len(one["latencies_cycles"])) for one in summary["collectives"]] == [(4, 2), (2, 1)]
    assert summary["plane"] == {"operations": 3, "wrong": 0, "word_hops": summary["plane"]["word_hops"]}


def test_calls_behind_words_and_barriers_wait_for_both(traced):
    """A barrier may end before words that a host still takes, so the last call waits for two results."""
    ranks = [[all_reduce(1, size_bytes=400), all_reduce(2, kind=9), all_reduce(3, data=(1, 2))]] * 9
    path = traced(
        MESH + PLANE, ", algorithms: {all-reduce: plane, barrier: plane}", *ranks, hosts="hosts: {stall: 0.9}\n"
    )
    outcome = load(path).simulate()
    assert outcome.right
    assert [one["operation"] for one in outcome.figures["collectives"]] == ["all-reduce", "barrier", "all-reduce"]
    plane = outcome.plane
    for processor in range(9):
        _, _, third = own = np.flatnonzero(plane.contributions.processor == processor)
        assert plane.start_cycle[third] == plane.done_cycle[own[:2]].max()


def test_a_trace_is_not_changed_by_other_algorithms_beside_the_plane(traced):
    """Chakra's own algorithms of the other operations, and no line of them in the summary."""
    ranks = [[all_reduce(1, kind=9), all_reduce(2, data=(1,))] for _ in range(4)]
    design = load(traced(TORUS + PLANE, ", ranks: 4, algorithms: {barrier: plane}", *ranks))
    assert len(design.messages) == 24
    outcome = design.simulate()
    assert [one["operation"] for one in outcome.figures["collectives"]] == ["barrier"]
    first = int(design.messages.start_cycle.min())
    assert first == int(outcome.plane.done_cycle.min())
    without = load(traced(TORUS + PLANE, ", ranks: 4, algorithms: {all-reduce: binomial}", *ranks))
    assert "collectives" not in without.simulate().figures


@each(
    "network, ranks, size_bytes, messages",
    [
        (TORUS, 9, 4, 26),
        (TORUS, 8, 4, 24),
        (TORUS, 8, 20_000, 112),
        (TORUS + PLANE, 9, 4, 0),
        (TORUS + PLANE, 8, 4, 24),
    ],
)
def test_the_choice_knows_distances_and_the_plane(traced, network, ranks, size_bytes, messages):
    """Without distances the long vector would go by halving, in 48 messages."""
    traffic = f", ranks: {ranks}, algorithms: {{all-reduce: auto}}"
    design = load(traced(network, traffic, [all_reduce(1, size_bytes=size_bytes)]))
    assert len(design.messages) == messages
    assert (design.plane_results is not None) == (messages == 0)


SHARED = ", ranks: 9, map: [0, 1, 2, 3, 4, 5, 6, 7, 7], algorithms: {all-reduce: plane}"
ON_PLANE = ", algorithms: {all-reduce: plane}"
BLOCKED = "hosts: {blocked: [{processor: 1, start_cycle: 5, cycles: 9}]}\n"
MANY = 1 << 24


@each(
    "network, traffic, nodes, hosts, said",
    [
        (
            TORUS,
            ON_PLANE,
            [all_reduce(1)],
            "",
            "2: traffic.algorithms.all-reduce is 'plane'; it must be auto, recursive-",
        ),
        (TORUS, ON_PLANE, [all_reduce(1)], "", "the network has no collective plane (add 'collectives: {groups: all}'"),
        (
            TORUS + PLANE,
            ON_PLANE + ", ranks: 3",
            [all_reduce(1)],
            "",
            "no group of the plane has these 3 members (add ",
        ),
        (
            TORUS + PLANE,
            SHARED,
            [all_reduce(1)],
            "",
            "members of an operation on the plane must have processors of their",
        ),
        (TORUS + PLANE, ON_PLANE, [all_reduce(1)], BLOCKED, "3: hosts.blocked names 1 blockades; it must be left out"),
        (
            TORUS + PLANE,
            ON_PLANE,
            [all_reduce(1, size_bytes=MANY)],
            "",
            "2: Number of words on the collective plane is",
        ),
        (
            TORUS + PLANE,
            ", algorithms: {all-gather: plane}",
            [all_reduce(1)],
            "",
            "all-gather is 'plane'; it must be auto, ",
        ),
        (
            *(TORUS + PLANE, ON_PLANE + ", multicast: software", [all_reduce(1), all_reduce(2, kind=5)], ""),
            "2: traffic.multicast is 'software'; it must be 'hardware' beside operations on the collective plane",
        ),
    ],
)
def test_what_the_plane_cannot_do_is_refused(traced, network, traffic, nodes, hosts, said):
    with pytest.raises(ConfigError) as found:
        _ = load(traced(network, traffic, nodes, hosts=hosts)).messages
    assert said in str(found.value)
    assert "\n" not in str(found.value)


def test_programs_of_other_formats_take_algorithms(tmp_path):
    ring = [[((gpu + 1) % 4, (gpu - 1) % 4, [step(0, "s"), step(1, "rrc")])] for gpu in range(4)]
    (tmp_path / "ring.xml").write_bytes(msccl(ring, collective="allreduce", chunks=8))
    (tmp_path / "tree.goal").write_text(
        "num_ranks 3\nrank 0 { bcast_1: send 8b to 1  bcast_2: send 8b to 2 }\n"
        "rank 1 { recv 8b from 0 }\nrank 2 { recv 8b from 0 }\n"
    )

    def design(more: str):
        path = tmp_path / "c.yaml"
        path.write_text(f"network: {{{TORUS}{PLANE}}}\ntraffic: {{{more}}}\n")
        return load(path)

    all_reduces = "kind: mscclxml, file: ring.xml, bytes_per_chunk: 4, algorithms: "
    outcome = design(all_reduces + "{all-reduce: plane}").simulate()
    (figures,) = outcome.figures["collectives"]
    assert (figures["algorithm"], figures["members"], figures["flits"], outcome.right) == ("plane", 4, 8, True)
    assert len(design(all_reduces + "{all-reduce: binomial}").messages) == 6
    assert len(design("kind: goal, file: tree.goal, algorithms: {broadcast: binomial}").messages) == 2
    for more, said in {
        all_reduces + "{broadcast: chain}": "ring.xml:1: coll is 'allreduce'; it must be broadcast",
        all_reduces
        + "{barrier: auto}": "c.yaml:2: keys of traffic.algorithms have 'barrier'; they must be all-reduce, ",
        "kind: goal, file: tree.goal, algorithms: {reduce: auto}": "c.yaml:2: keys of traffic.algorithms have 'reduce'",
        "kind: goal, file: tree.goal, algorithms: {broadcast: plane}": "traffic.algorithms.broadcast is 'plane'; it",
    }.items():
        with pytest.raises(ConfigError) as found:
            _ = design(more).messages
        assert said in str(found.value)
