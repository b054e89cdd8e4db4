"""The golden model of the collective plane against a plain reference, integer arithmetic and closed forms."""

import copy
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sim_model.collective_plane.barriers import BarrierPlane, barrier_planes
from sim_model.collective_plane.closed_forms import credit_cycles, group_cycles, words_per_cycle
from sim_model.collective_plane.contributions import Contribution, of_all_members
from sim_model.collective_plane.exact import wrong_operations, wrong_results
from sim_model.collective_plane.model import CollectivePlane
from sim_model.collective_plane.parameters import ClearErrors, Flush, PlaneParameters, Reset
from sim_model.collective_plane.state import STEADY_CYCLE
from sim_model.collective_plane.stretches import SteadyStretches
from sim_model.collective_plane.trace import PlaneTrace
from sim_model.engines.cycle.clock import DEADLOCKED, FINISHED, LIMIT
from sim_model.engines.cycle.records import NEVER
from tests.each import each
from tests.networks import figure_1, random_irregular
from tests.sim_model.plane_reference import Beat, Inputs, PlaneReference, Word
from topology.collectives.operators import MIN, SUM, XOR, combine
from topology.collectives.tables import PlaneTables, groups_of
from topology.collectives.tree import PlaneTree, plane_tree
from topology.common.errors import FieldError
from topology.common.graph import Network
from topology.common.host_pattern import HostBehaviour
from topology.common.regular import hypercube_network, mesh_network
from topology.harts.graph import HexMesh
from topology.min.graph import MinNetwork
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid

ROOT = Path(__file__).parent.parent.parent


def word_of(marks: int, word: int, mask: int) -> Word | None:
    return None if marks < 0 else Word(marks >> 2, int(word) & mask, bool(marks & 1), bool(marks & 2))


def bits(mask: int) -> set[int]:
    return {bit for bit in range(8) if mask >> bit & 1}


def inputs_of(trace: PlaneTrace, line: int, mask: int, clears: list[ClearErrors]) -> Inputs:
    """The inputs of a recorded cycle."""
    processors = range(trace.ready.shape[1])
    beats = {}
    for processor in processors:
        found = word_of(int(trace.beat_marks[line, processor]), int(trace.beat_words[line, processor]), mask)
        if found:
            beats[processor] = Beat(found.group, int(trace.beat_operators[line, processor]), found.word, found.last)
    cleared: dict[int, tuple[int, int]] = {}
    for clear in clears:
        if clear.cycle == line:
            mismatches, timeouts = cleared.get(clear.switch, (0, 0))
            cleared[clear.switch] = mismatches | clear.mismatches, timeouts | clear.timeouts
    return Inputs(
        beats=beats,
        requests={processor: bits(int(trace.requests[line, processor])) for processor in processors},
        takes={processor for processor in processors if trace.takes[line, processor]},
        flushes=bits(int(trace.flushes[line])),
        reset=bool(trace.resets[line]),
        clears=cleared,
    )


def compare(plane: CollectivePlane, cycles: int, clears: list[ClearErrors]) -> PlaneTrace:
    """Record some cycles from the first one on, and compare every register in each with the reference."""
    trace = plane.record(cycles)
    reference = PlaneReference(plane.tables, plane.parameters)
    tree, mask = plane.tables.tree, (1 << plane.parameters.word_bits) - 1
    for line in range(cycles):
        old = reference.registers
        expected, found = {}, {}
        for place, branch in enumerate(tree.branches):
            end = ("link" if branch.is_processor else "up_out", branch.number)
            expected["up", branch] = old[end]
            found["up", branch] = word_of(int(trace.up_marks[line, place]), int(trace.up_words[line, place]), mask)
            ports, word = old["bank", branch.switch]
            expected["down", branch] = word if branch.port in ports else None
            down = word_of(int(trace.down_marks[line, place]), int(trace.down_words[line, place]), mask)
            found["down", branch] = down
            expected["credit", branch] = old["credits_down", branch.switch].get(branch.port, set())
            found["credit", branch] = bits(int(trace.up_credits[line, place]))
            expected["returned", branch] = old["credits" if branch.is_processor else "credits_up", branch.number]
            found["returned", branch] = bits(int(trace.down_credits[line, place]))
        for row, switch in enumerate(tree.switches):
            expected["errors", switch] = old["mismatches", switch], old["timeouts", switch]
            found["errors", switch] = int(trace.mismatches[line, row]), int(trace.timeouts[line, row])
        for processor in range(len(tree.processors)):
            done = old["done", processor]
            expected["ready", processor] = old["ready", processor]
            found["ready", processor] = bool(trace.ready[line, processor])
            expected["result", processor] = old["result", processor]
            marks, word = int(trace.result_marks[line, processor]), int(trace.result_words[line, processor])
            found["result", processor] = word_of(marks, word, mask)
            expected["done", processor] = set(done), {group for group in done if done[group]}
            found["done", processor] = (
                bits(int(trace.done[line, processor])),
                bits(int(trace.done_error[line, processor])),
            )
        wrong = {key: (expected[key], found[key]) for key in expected if expected[key] != found[key]}
        assert wrong == {}, f"cycle {line}: reference, model"
        reference.step(inputs_of(trace, line, mask, clears))
    return trace


def random_plane(seed: int, cycles: int, *, faults: bool = True) -> tuple[CollectivePlane, list[ClearErrors]]:
    """A plane of random shape with random contributions; with faults wrong ones among them, and random events."""
    random = np.random.default_rng(seed)
    tables = random_tables(random)
    parameters = PlaneParameters(
        word_bits=int(random.choice([8, 9, 31, 32, 63, 64])),
        operators=tuple(random.choice(8, int(random.integers(1, 9)), replace=False).tolist()),
        window=int(random.integers(1, 5)),
        link_cycles=int(random.choice([1, 1, 2, 3])),
        buffer_words=int(random.integers(2, 9)),
        result_words=int(random.integers(2, 7)),
        timeout_cycles=int(random.choice([0, 1, 5, 40])),
    )
    fault = float(random.choice([0, 0, 0.05])) * faults
    contributions = [
        one
        for group in range(len(tables.groups))
        for one in random_contributions(random, tables, group, parameters, cycles, fault)
    ]
    contributions.sort(key=lambda one: one.start_cycle)
    events: list[Flush | Reset] = []
    clears: list[ClearErrors] = []
    for group in range(len(tables.groups)):
        if random.random() < 0.4:
            start = int(random.integers(0, cycles))
            events.append(Flush(group, start, parameters.flush_cycles + int(random.integers(0, 4))))
    starts = sorted(random.choice(cycles // 8, int(random.integers(0, 3)), replace=False).tolist())
    events += [Reset(8 * start, int(random.integers(1, 4))) for start in starts]
    for _ in range(3):
        masks = [int(mask) for mask in random.integers(0, 1 << 31, 2)]
        clears.append(ClearErrors(int(random.choice(tables.tree.switches)), int(random.integers(0, cycles)), *masks))
    plane = CollectivePlane(
        tables,
        parameters,
        contributions,
        hosts=HostBehaviour(
            int(random.choice([0, 77, 230])), int(random.choice([0, 77, 230])), seed=int(random.integers(0, 1 << 16))
        ),
        events=[*events, *clears] if faults else clears,
        interleaved=bool(random.integers(0, 2)) and faults,
    )
    return plane, clears


def random_tables(random: np.random.Generator) -> PlaneTables:
    kind = random.integers(0, 4)
    if kind == 0:
        tree = plane_tree(Network(1, [], [0] * int(random.choice([1, 2, 3, 8, 32]))))
    elif kind == 1:
        length = int(random.integers(2, 8))
        network = Network(length, [(a, a + 1) for a in range(length - 1)], [0, *range(length)])
        tree = plane_tree(network, root=int(random.integers(0, length)))
    else:
        tree = plane_tree(random_irregular(int(random.integers(0, 1 << 30))))
    processors = len(tree.processors)
    return PlaneTables(
        tree,
        groups_of(
            random.choice(processors, int(random.integers(1, processors + 1)), replace=False).tolist()
            for _ in range(int(random.integers(1, 9)))
        ),
    )


def random_contributions(
    random: np.random.Generator, tables: PlaneTables, group: int, parameters: PlaneParameters, cycles: int, fault: float
) -> list[Contribution]:
    found = []
    for start in sorted(random.integers(0, cycles, int(random.integers(1, 9))).tolist()):
        words = int(random.choice([0, 0, 1, 2, 7]))
        operator = int(random.choice(parameters.operators))
        for member in tables.groups[group].members:
            if random.random() < fault / 4:
                continue  # it never comes
            own, chosen = words, operator
            if random.random() < fault:
                own = int(random.integers(0, 5))
            if random.random() < fault:
                chosen = int(random.integers(0, 8))
            values = random.integers(0, 1 << parameters.word_bits, own, dtype=np.uint64)
            found.append(Contribution(member, group, start, chosen, values))
    return found


def check_hosts(trace: PlaneTrace) -> None:
    """Hosts keep the rules of AXI4-Stream, and pause and stall by the pattern."""
    offered = trace.beat_marks >= 0
    kept = (offered & ~trace.ready.astype(bool))[:-1] & (trace.flushes == 0)[1:, None] & (trace.resets == 0)[1:, None]
    assert offered[1:][kept].all()
    assert (trace.beat_marks[1:] == trace.beat_marks[:-1])[kept].all()
    assert (trace.beat_words[1:] == trace.beat_words[:-1])[kept].all()


@each("seed", range(24))
def test_every_register_is_that_of_the_reference_in_every_cycle(seed):
    plane, clears = random_plane(seed, 150)
    trace = compare(plane, 150, clears)
    check_hosts(trace)
    assert plane.strays == 0


@pytest.mark.slow
@each("seed", range(24, 400))
def test_every_register_is_that_of_the_reference_in_more_planes(seed):
    plane, clears = random_plane(seed, 300)
    check_hosts(compare(plane, 300, clears))
    assert plane.strays == 0


def test_uncompiled_code_gives_the_same_records():
    code = (
        "from tests.sim_model.test_collective_plane import random_plane; "
        "planes = [random_plane(seed, 60)[0] for seed in range(3)]; "
        "print([[column.tolist() for column in plane.record(60)] for plane in planes])"
    )
    printed = []
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-W", "error", "-c", code]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT, check=False)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert printed[0] == printed[1]


@each("seed", range(60))
def test_results_are_those_of_integer_arithmetic(seed):
    plane, _ = random_plane(seed, 300, faults=False)
    assert plane.run(100_000) == FINISHED
    check_results(plane)


def check_results(plane: CollectivePlane) -> None:
    """All results are right, and none has an error mark."""
    results, given = plane.results(), plane.contributions
    assert not results.error.any()
    assert plane.mismatches == {}
    assert plane.left == plane.strays == 0
    assert (given.start_cycle <= results.first_cycle).all()
    for group, own in enumerate(plane.tables.groups):
        by_member = [
            np.flatnonzero((given.group == group) & (given.processor == member)).tolist() for member in own.members
        ]
        for operation in zip(*by_member, strict=True):
            columns = zip(*(given.words_of(number).tolist() for number in operation), strict=True)
            operator = int(given.operator[operation[0]])
            expected = [combine(operator, column, plane.parameters.word_bits) for column in columns]
            assert all(results.words_of(number).tolist() == expected for number in operation)


def chain(length: int) -> Network:
    return Network(length, [(a, a + 1) for a in range(length - 1)], list(range(length)))


PLANES = {
    "8 x 8 mesh": plane_tree(TorusNetwork(Grid(8, 8, wraps=False), 2)),
    "8 x 8 torus": plane_tree(TorusNetwork(Grid(8, 8), 1)),
    "hypercube": plane_tree(hypercube_network(5)),
    "hexagonal mesh": plane_tree(HexMesh(3)),
    "MIN": plane_tree(MinNetwork("omega", 2, 4)),
    "bidirectional MIN": plane_tree(MinNetwork("bi-butterfly", 2, 3)),
    "figure 1": plane_tree(figure_1()),
    "irregular": plane_tree(random_irregular(7, 11)),
    "one switch": plane_tree(Network(1, [], [0] * 31)),
    "chain": plane_tree(chain(32), root=0),
    "star of 32": plane_tree(Network(32, [(0, leaf) for leaf in range(1, 32)], list(range(32)))),
    "edges": plane_tree(mesh_network([2, 3]), edges=[[0, 5], [1, 5], [2, 0], [3, 0], [4, 5]]),
}


@each("name, link_cycles, words", [(n, c, w) for n in PLANES for c in (1, 2, 3) for w in (0, 1, 17)])
def test_closed_forms_hold_exactly(name, link_cycles, words):
    tree = PLANES[name]
    processors = len(tree.processors)
    half = [*range(0, processors, 2)]
    for members in ([*range(processors)], half, [processors - 1]):
        tables = PlaneTables(tree, groups_of([members]))
        rows = np.arange(len(members) * words, dtype=np.uint64).reshape(len(members), words)
        room = credit_cycles(link_cycles)
        plane = CollectivePlane(
            tables,
            PlaneParameters(link_cycles=link_cycles, buffer_words=room),
            of_all_members(tables, 0, rows if words else (), SUM, 3),
        )
        assert plane.run(10_000) == FINISHED
        results = plane.results()
        assert results.first_cycle.tolist() == [3] * len(members)
        assert results.latency_cycles.max() == group_cycles(tables, 0, words, link_cycles)
        check_results(plane)


def test_a_barrier_of_64_nodes_takes_37_cycles():
    tables = PlaneTables(PLANES["8 x 8 mesh"], groups_of([range(64)]))
    assert tables.tree.root == 27
    plane = CollectivePlane(tables, contributions=of_all_members(tables, 0, start_cycle=1))
    plane.run()
    assert plane.results().latency_cycles.max() == group_cycles(tables, 0) == 37


@each("window, words", [(w, f) for w in (1, 2, 3, 4) for f in (0, 1, 5, 40)])
def test_operations_follow_each_other_at_the_rate_of_the_closed_form(window, words):
    tables = PlaneTables(PLANES["figure 1"], groups_of([range(5)]))
    operations = 200
    rows = np.ones((5, words), dtype=np.uint64) if words else ()
    contributions = [one for _ in range(operations) for one in of_all_members(tables, 0, rows, SUM, 1)]
    plane = CollectivePlane(tables, PlaneParameters(window=window), contributions)
    assert plane.run() == FINISHED
    check_results(plane)
    done = plane.results().done_cycle.reshape(operations, 5).max(axis=1)
    rate = 96 * (words + 1) / (done[156] - done[60])
    expected = words_per_cycle(group_cycles(tables, 0, words) - words, words, window)
    assert rate == pytest.approx(expected, rel=0.02 if expected == 1 else 1e-9)


@each("operators, starts", [((SUM,), (25, 21, 3, 1)), ((SUM, MIN), (32, 13, 18, 31))])
def test_streams_through_a_top_leave_its_groups_their_turns(operators, starts):
    """Three groups have their top at a switch through which the words of a fourth one go up and down.

    Each word of the fourth from the parent keeps tops from one turn.
    """
    members = [0, 1], [6, 8], [2, 3], [4, 5]
    tables = PlaneTables(PlaneTree({0: None, 1: 0}, (1,) * 8 + (0,) * 2), groups_of(members))
    work = [
        Contribution(member, group, starts[group], SUM, [1] * (600 if group else 3))
        for group in range(4)
        for member in members[group]
    ]
    parameters = PlaneParameters(operators=operators, buffer_words=8, result_words=8)
    plane = CollectivePlane(tables, parameters, work)
    assert plane.run(4_000) == FINISHED
    assert plane.results().latency_cycles[:2].max() < 35


def test_a_member_that_never_comes_is_found_and_flushed():
    tables = PlaneTables(plane_tree(chain(4), root=0), groups_of([range(4), range(4)]))
    parameters = PlaneParameters(timeout_cycles=30)
    barrier = [one for one in of_all_members(tables, 0) if one.processor != 2]
    others = [one for start in (50, 200) for one in of_all_members(tables, 1, np.eye(4, dtype=np.uint64), SUM, start)]
    again = of_all_members(tables, 0, start_cycle=150)
    stuck = CollectivePlane(tables, parameters, barrier)
    assert stuck.run() == DEADLOCKED
    assert stuck.timeouts == {switch: mask for switch, mask in stuck.timeouts.items() if mask}
    assert stuck.branch_names(2, stuck.timeouts[2]) == ["p2"]
    assert stuck.branch_names(1, stuck.timeouts[1]) == ["s2"]
    events = (Flush(0, 100, 5), ClearErrors(1, 120, timeouts=1), ClearErrors(2, 120, timeouts=3))
    plane = CollectivePlane(tables, parameters, [*barrier, *others, *again], events=events)
    assert plane.run() == FINISHED
    results = plane.results()
    assert results.done_cycle[:3].tolist() == [-1] * 3
    assert (results.done_cycle[3:] > 0).all()
    assert not results.error.any()
    assert set(plane.timeouts) == {0}


def test_wrong_operators_and_lengths_end_with_an_error_at_all_members():
    tables = PlaneTables(plane_tree(chain(3), root=0), groups_of([range(3)]))
    wrong_operator = [Contribution(member, 0, 0, 2 if member == 1 else 1, [7, 8]) for member in range(3)]
    wrong_length = [Contribution(member, 0, 0, 1, [7, 8, 9][: 3 - (member == 1)]) for member in range(3)]
    a_barrier = [Contribution(member, 0, 0, 0, [7, 8][: 2 * (member != 1)]) for member in range(3)]
    right = of_all_members(tables, 0, [[1, 2], [3, 4], [5, 6]])
    plane = CollectivePlane(tables, contributions=[*wrong_operator, *wrong_length, *a_barrier, *right])
    assert plane.run() == FINISHED
    results = plane.results()
    assert results.error.tolist() == [True] * 9 + [False] * 3
    assert results.received.tolist() == [2] * 6 + [0] * 3 + [2] * 3
    assert results.words_of(11).tolist() == [9, 12]
    assert plane.branch_names(1, plane.mismatches[1]) == ["s2", "p1"]
    assert plane.strays == 0


def test_wrong_results_are_named():
    tables = PlaneTables(plane_tree(chain(2)), groups_of([range(2)]))
    other = [Contribution(0, 0, 0, SUM, [1]), Contribution(1, 0, 0, MIN, [2])]
    given = [*of_all_members(tables, 0, [[1, 2], [3, 4]]), *of_all_members(tables, 0), *other]
    plane = CollectivePlane(tables, contributions=given)
    assert plane.run() == FINISHED
    results, operations, every = plane.results(), [[0, 1], [2, 3]], tuple(range(8))
    assert wrong_results(results, 32, every) == wrong_operations(operations, results, 32) == []
    results.words[3] += 1
    results.error[[2, 5]] ^= True
    assert wrong_results(results, 32, every) == [
        "result of contribution 1 (processor 1, group 0) is [4, 7]; it must be [4, 6]",
        "result of contribution 2 (processor 0, group 0) has error mark",
        "result of contribution 5 (processor 1, group 0) has no error mark",
    ]
    assert wrong_operations(operations, results, 32) == [0, 1]
    results.error[2] = False
    results.done_cycle[3] = -1
    assert wrong_operations(operations, results, 32) == [0, 1]
    assert len(wrong_results(results, 32, every)) == 2


def test_operators_that_are_not_built_end_with_an_error():
    tables = PlaneTables(plane_tree(chain(2)), groups_of([range(2)]))
    parameters = PlaneParameters(operators=(2, 5))
    contributions = [
        *of_all_members(tables, 0, [[3], [4]], operator=0),
        *of_all_members(tables, 0, [[3], [4]], operator=5),
    ]
    plane = CollectivePlane(tables, parameters, contributions)
    assert plane.run() == FINISHED
    assert plane.results().error.tolist() == [True, True, False, False]
    assert plane.results().words_of(2).tolist() == [0]
    assert plane.mismatches == {}


def test_runs_in_parts_and_recordings_are_those_of_one_run():
    whole, parts, recorded = (random_plane(4, 300, faults=False)[0] for _ in range(3))
    whole.run()
    while parts.run(parts.cycle + 7) == LIMIT:
        pass
    recorded.record(whole.cycle)
    for plane in (parts, recorded):
        assert (plane.results().done_cycle == whole.results().done_cycle).all()
        assert plane.word_hops == whole.word_hops


def streaming_plane(seed: int) -> CollectivePlane:
    """A plane of random shape with few long packets, wrong ones among them, and events."""
    random = np.random.default_rng(seed)
    tables = random_tables(random)
    parameters = PlaneParameters(
        word_bits=int(random.choice([8, 31, 32, 63, 64])),
        operators=tuple(random.choice(8, int(random.integers(1, 9)), replace=False).tolist()),
        window=int(random.integers(1, 4)),
        link_cycles=int(random.choice([1, 1, 2, 3])),
        buffer_words=int(random.integers(2, 11)),
        result_words=int(random.integers(2, 9)),
        timeout_cycles=int(random.choice([0, 5, 40])),
    )
    fault = float(random.choice([0, 0, 0.1]))
    found = []
    for group, own in enumerate(tables.groups):
        for start in sorted(random.integers(0, 4000, int(random.integers(0, 3))).tolist()):
            words, operator = int(random.choice([0, 3, 1000, 2000, 3000])), int(random.choice(parameters.operators))
            for member in own.members:
                length = max(0, words - int(random.integers(1, 300))) if random.random() < fault else words
                chosen = int(random.integers(0, 8)) if random.random() < fault / 3 else operator
                values = random.integers(0, 1 << parameters.word_bits, length, dtype=np.uint64)
                found.append(Contribution(member, group, start, chosen, values))
    found.sort(key=lambda one: one.start_cycle)
    events: list[Flush | Reset] = []
    if random.random() < 0.3:
        group, start = int(random.integers(0, len(tables.groups))), int(random.integers(0, 5000))
        events.append(Flush(group, start, parameters.flush_cycles))
    if random.random() < 0.2:
        events.append(Reset(int(random.integers(0, 5000)), 2))
    return CollectivePlane(tables, parameters, found, events=events, interleaved=bool(random.random() < 0.25))


def unequal_packets(seed: int) -> CollectivePlane:
    """A plane with a long operation whose members differ in operator, or in length; a barrier follows."""
    tables = PlaneTables(PLANES["chain"], groups_of([range(32), range(32)]))
    words = np.random.default_rng(1).integers(0, 1 << 32, (32, 20_000), dtype=np.uint64)
    operators = [SUM] * 32 if seed else [SUM] * 9 + [XOR] * 23
    lengths = ([2000] * 32, [20_000] + [20] * 31, [20_000] * 31 + [0])[seed]
    rows = enumerate(zip(operators, lengths, words, strict=True))
    unequal = [Contribution(member, 0, 0, operator, own[:length]) for member, (operator, length, own) in rows]
    return CollectivePlane(tables, contributions=[*unequal, *of_all_members(tables, 1, start_cycle=25_000)])


@each("seed", range(60))
def test_runs_that_skip_steady_stretches_are_those_of_all_cycles(seed):
    """Results, control and recordings are equal wherever a run stops."""
    skipping, plain = (streaming_plane(seed) if seed > 2 else unequal_packets(seed) for _ in range(2))
    plain.state.counters[STEADY_CYCLE] = NEVER
    skipping.state = skipping.state._replace(min_skipped_hops=60)
    random = np.random.default_rng(seed)
    for _ in range(30):
        until_cycle = plain.cycle + int(random.choice([50, 500, 1500, 10**6]))
        reason = plain.run(until_cycle)
        assert skipping.run(until_cycle) == reason
        for name in ("cycle", "left", "word_hops", "strays", "mismatches", "timeouts"):
            assert getattr(skipping, name) == getattr(plain, name), name
        found, expected = skipping.results(), plain.results()
        for name in ("first_cycle", "done_cycle", "error", "received", "words"):
            assert (getattr(found, name) == getattr(expected, name)).all(), name
        assert not ((skipping.state.control ^ plain.state.control) & plain.state.control_mask).any()
        if reason != LIMIT:
            break
        if random.random() < 0.5:
            for found_column, expected_column in zip(skipping.record(30), plain.record(30), strict=True):
                assert (found_column == expected_column).all()


def test_an_all_reduce_of_many_words_takes_few_cycles_to_simulate(monkeypatch):
    tables = PlaneTables(PLANES["8 x 8 mesh"], groups_of([range(0, 64, 2), range(1, 64, 2)]))
    words = np.random.default_rng(1).integers(0, 1 << 32, (32, 2500), dtype=np.uint64)
    contributions = [one for group in (0, 1) for one in of_all_members(tables, group, words, SUM, 10 * group)]
    plane = CollectivePlane(tables, contributions=contributions)
    skips = []
    step = SteadyStretches.step

    def counted(stretches, until_cycle):
        before = plane.cycle
        step(stretches, until_cycle)
        skips.append(plane.cycle - before)

    monkeypatch.setattr(SteadyStretches, "step", counted)
    assert plane.run() == FINISHED
    check_results(plane)
    assert sum(skips) > 0.8 * plane.cycle


@each("seed", [4, 10, 62])
def test_copies_of_a_plane_run_all_cycles(seed):
    """Their records are no views of the control any more."""
    plane = streaming_plane(seed)
    copies = [copy.deepcopy(plane), pickle.loads(pickle.dumps(plane))]
    plane.run()
    for copied in copies:
        copied.run()
        assert copied.cycle == plane.cycle
        assert (copied.results().done_cycle == plane.results().done_cycle).all()
        assert (copied.results().words == plane.results().words).all()


def test_idle_time_is_skipped():
    tables = PlaneTables(PLANES["figure 1"], groups_of([range(5)]))
    plane = CollectivePlane(tables, contributions=of_all_members(tables, 0, start_cycle=10**12))
    assert plane.run() == FINISHED
    assert plane.results().done_cycle.max() == 10**12 + group_cycles(tables, 0)


@each(
    "change, message",
    [
        ({"word_bits": 7}, "word_bits is 7; it must be 8 to 64"),
        ({"operators": ()}, "operators is empty; it must have at least 1"),
        ({"operators": (8,)}, "Operator is 8; it must be 0 to 7"),
        ({"window": 0}, "window is 0; it must be 1 to 255"),
        ({"link_cycles": 0}, "link_cycles is 0; it must be 1 to 64"),
        ({"buffer_words": 1}, "buffer_words is 1; it must be 2 to 64"),
        ({"result_words": 65}, "result_words is 65; it must be 2 to 64"),
        ({"timeout_cycles": 65536}, "timeout_cycles is 65536; it must be 0 to 65535"),
    ],
)
def test_wrong_parameters_are_refused(change, message):
    with pytest.raises(FieldError) as caught:
        PlaneParameters(**change)
    assert str(caught.value) == message


@each(
    "contributions, options, message",
    [
        ([Contribution(0, 1)], {}, "Group is 1; it must be 0 to 0"),
        ([Contribution(2, 0)], {}, "Processor 2 is no member of group 0; it must be one"),
        ([Contribution(0, 0, -1)], {}, "Start cycle of processor 0, group 0, is -1; it must be at least 0"),
        (
            [Contribution(0, 0, 5), Contribution(0, 0, 4)],
            {},
            "Start cycle of processor 0, group 0, is 4; it must be at least 5",
        ),
        ([Contribution(0, 0, 0, 8)], {}, "Operator is 8; it must be 0 to 7"),
        ([Contribution(0, 0, words=[1 << 32])], {}, "word is 4294967296; it must fit in 32 bits"),
        ([], {"events": [Flush(1, 0, 3)]}, "group is 1; it must be 0 to 0"),
        ([], {"events": [Flush(0, 0, 3)]}, "cycles is 3; it must be 4 to 2147483648"),
        (
            [],
            {"events": [Flush(0, 0, 4), Flush(0, 4, 4)]},
            "Flush of group 0 starts in cycle 4; it must be after the end of the one before",
        ),
        ([], {"events": [Reset(0, 0)]}, "cycles is 0; it must be 1 to 2147483648"),
        ([], {"events": [Reset(-1)]}, "start_cycle is -1; it must be 0 to 4611686018427387904"),
        ([], {"events": [ClearErrors(9, 0)]}, "Switch of cleared errors is 9; it must be in the tree"),
    ],
)
def test_wrong_work_is_refused(contributions, options, message):
    tables = PlaneTables(plane_tree(chain(3)), groups_of([[0, 1]]))
    with pytest.raises(FieldError) as caught:
        CollectivePlane(tables, contributions=contributions, **options)
    assert str(caught.value) == message


def ends_of(plane: BarrierPlane, shape: tuple[int, int]) -> np.ndarray:
    """Cycles in which barriers end, by member and operation."""
    given, ends = plane.contributions, np.empty(shape, dtype=np.int64)
    for position, member in enumerate(plane.tables.groups[0].members):
        ends[position] = plane.results().done_cycle[given.processor == member]
    return ends


def expected_ends(tables: PlaneTables, starts: np.ndarray, window: int, link_cycles: int) -> np.ndarray:
    """Ends of barriers by their recurrence: a wire shows a barrier a cycle after the last branch has sent it.

    Parameters:
        starts: First cycle of each request, by member and operation.
    """
    tree, members = tables.tree, tables.groups[0].members
    top = int(tables.top_switch[0])
    ends, requests = np.zeros_like(starts), np.zeros_like(starts)
    before = dict.fromkeys(tree.switches, -1)  # cycle in which a switch showed the barrier before
    below = {switch: [] for switch in tree.switches}
    for branch in tree.branches:
        taking = int(tables.taking_part[tree.position[branch.switch], 0])
        if taking >> branch.port & 1:
            below[branch.switch].append(branch)

    def shown(switch: int, number: int) -> int:
        arrivals = [before[switch]]
        for branch in below[switch]:
            if branch.is_processor:
                arrivals.append(int(requests[members.index(branch.number), number]))
            else:
                arrivals.append(shown(branch.number, number) + link_cycles - 1)
        before[switch] = max(arrivals) + 1
        return before[switch]

    for number in range(starts.shape[1]):
        requests[:, number] = starts[:, number]
        if number:
            requests[:, number] = np.maximum(requests[:, number], requests[:, number - 1] + 1)
        if number >= window:
            requests[:, number] = np.maximum(requests[:, number], ends[:, number - window])
        over = shown(top, number)
        for position, member in enumerate(members):
            levels = int(tree.depth[tree.processors[member]] - tree.depth[top])
            ends[position, number] = over + levels * link_cycles
    return ends


@each("link_cycles", [1, 3])
@each("window", [1, 2, 4])
@each("name", ["figure 1", "8 x 8 mesh"])
def test_barriers_alone_follow_their_recurrence(name, window, link_cycles):
    tree = PLANES[name]
    numbers = np.random.default_rng(window)
    for members in ([*range(len(tree.processors))], [0, 3, 4]):
        tables = PlaneTables(tree, groups_of([members]))
        starts = np.cumsum(numbers.integers(0, 40, (len(members), 12)), axis=1)
        contributions = [
            Contribution(member, 0, int(start)) for member, row in zip(members, starts, strict=True) for start in row
        ]
        (plane,) = barrier_planes(tables, PlaneParameters(window=window, link_cycles=link_cycles), contributions)
        assert plane.run() == FINISHED
        assert (ends_of(plane, starts.shape) == expected_ends(tables, starts, window, link_cycles)).all()


@each("link_cycles", [1, 2, 5])
@each("name", PLANES)
def test_a_barrier_alone_takes_one_cycle_per_level(name, link_cycles):
    tables = PlaneTables(PLANES[name], groups_of([range(len(PLANES[name].processors))]))
    (plane,) = barrier_planes(
        tables, PlaneParameters(link_cycles=link_cycles), of_all_members(tables, 0, start_cycle=4)
    )
    assert plane.run() == FINISHED
    wanted = group_cycles(tables, 0, 0, link_cycles, barriers_only=True)
    assert plane.results().latency_cycles.max() == wanted
    if name == "8 x 8 mesh" and link_cycles == 1:
        assert wanted == 17


def test_groups_of_a_plane_for_barriers_do_not_wait_for_each_other():
    tables = PlaneTables(PLANES["figure 1"], groups_of([range(5), [0, 1], [4]]))
    contributions = [one for group in range(3) for _ in range(20) for one in of_all_members(tables, group)]
    planes = barrier_planes(tables, PlaneParameters(window=3), contributions, events=[Flush(1, 4, 4), Reset(200)])
    assert [len(plane.contributions) for plane in planes] == [100, 40, 20]
    assert [plane.run() for plane in planes] == [FINISHED] * 3
    assert [plane.left for plane in planes] == [0, 0, 0]
    assert (planes[1].results().done_cycle == -1).all()
    for group in (0, 2):
        starts = np.zeros((len(tables.groups[group].members), 20), dtype=np.int64)
        assert (expected_ends(planes[group].tables, starts, 3, 1) == ends_of(planes[group], starts.shape)).all()
        assert planes[group].cycle < 200
    with pytest.raises(FieldError, match="A contribution to a plane without operators has words; it must have none"):
        barrier_planes(tables, PlaneParameters(), [Contribution(0, 0, words=[1])])
