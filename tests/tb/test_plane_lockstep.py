"""Collective planes in lock-step: generated Verilog against the golden model, all observed fields in every cycle."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from rtl.collectives.parameters import PlaneParameters
from sim_model.collective_plane.contributions import Contribution
from sim_model.collective_plane.parameters import ClearErrors, Event, Flush, Reset
from tests.sampled import sampled
from tests.tb.mutations import as_parameters, copy_hardware, mutations, python_in_copy
from tests.tb.plane_lockstep import PlaneJob, Traffic, compare_plane
from tests.tb.plane_wild import WildRun
from topology.collectives.tables import PlaneTables, groups_of
from topology.collectives.tree import PlaneTree
from topology.common.host_pattern import HostBehaviour

TREES = {
    "chain": PlaneTree({0: None, 1: 0, 2: 1}, (0, 1, 2, 2)),
    "star": PlaneTree({0: None, 1: 0, 2: 0, 3: 0}, (1, 2, 3, 0, 3)),
    "square": PlaneTree({0: None, 1: 0, 2: 0, 3: 1}, (0, 1, 2, 3)),
    "one": PlaneTree({0: None}, (0, 0, 0)),
    "irregular": PlaneTree({4: None, 0: 4, 2: 4, 1: 2, 5: 2, 3: 1}, (0, 1, 1, 3, 5, 4, 2)),
}


def random_traffic(random: np.random.Generator, job: PlaneJob, *, faults: bool) -> Traffic:
    """Contributions at random, close together or far apart; with faults wrong ones among them, and events."""
    groups, plane = job.tables.groups, job.parameters
    fault = float(random.choice([0, 0.03, 0.1])) * faults
    span = int(random.choice([1, job.cycles // 2, job.cycles]))
    found = [
        one
        for group in groups
        for start in sorted(random.integers(0, span, int(random.integers(1, 12))).tolist())
        for one in _operation(random, job, group.number, start, fault)
    ]
    events: list[Event] = []
    if faults:
        events += [
            Flush(group.number, int(random.integers(0, job.cycles)), plane.link_cycles + 2 + int(random.integers(0, 4)))
            for group in groups
            if random.random() < 0.5
        ]
        starts = sorted(random.choice(job.cycles // 8, int(random.integers(0, 3)), replace=False).tolist())
        events += [Reset(8 * start, int(random.integers(1, 4))) for start in starts]
        for _ in range(4):
            masks = [int(mask) for mask in random.integers(0, 1 << 31, 2)]
            switch, cycle = int(random.choice(job.tables.tree.switches)), int(random.integers(0, job.cycles))
            events.append(ClearErrors(switch, cycle, *masks))
    hosts = HostBehaviour(
        int(random.choice([0, 77, 230])), int(random.choice([0, 77, 230])), seed=int(random.integers(0, 1 << 16))
    )
    found.sort(key=lambda one: one.start_cycle)
    return Traffic(tuple(found), tuple(events), hosts, interleaved=faults and bool(random.integers(0, 2)))


def _operation(random: np.random.Generator, job: PlaneJob, group: int, start: int, fault: float) -> list[Contribution]:
    plane, found = job.parameters, []
    words = 0 if plane.barriers_only else int(random.choice([0, 0, 1, 2, 7]))
    operator = int(random.choice(plane.operators or (0,)))
    for member in job.tables.groups[group].members:
        if random.random() < fault / 4:
            continue  # it never comes
        own, chosen = words, operator
        if random.random() < fault and not plane.barriers_only:
            own = int(random.integers(0, 5))
        if random.random() < fault:
            chosen = int(random.integers(0, 8))
        values = random.integers(0, 1 << plane.word_bits, own, dtype=np.uint64)
        found.append(Contribution(member, group, start, chosen, values))
    return found


def random_job(seed: int, cycles: int = 200, runs: int = 4) -> PlaneJob:
    """A plane at random with several runs; the first one without faults."""
    random = np.random.default_rng(seed)
    names = list(TREES)
    tree = TREES[names[seed % len(names)]]
    processors = len(tree.processors)
    groups = groups_of(
        random.choice(processors, int(random.integers(1, processors + 1)), replace=False).tolist()
        for _ in range(int(random.choice([1, 2, 3, 5, 8])))
    )
    operators = random.choice(8, int(random.choice([0, 1, 1, 2, 5, 8])), replace=False).tolist()
    plane = PlaneParameters(
        len(groups),
        word_bits=int(random.choice([8, 9, 31, 64])),
        operators=tuple(sorted(operators)),
        buffer_words=int(random.integers(2, 9)),
        result_words=int(random.integers(2, 7)),
        window=int(random.integers(1, 5)),
        link_cycles=int(random.integers(1, 4)),
        timeouts=bool(random.random() < 0.75),
    )
    limit = int(random.choice([0, 1, 5, 40])) if plane.timeouts else 0
    empty = PlaneJob(PlaneTables(tree, groups), plane, (), cycles, limit)
    traffic = tuple(random_traffic(random, empty, faults=number > 0) for number in range(runs))
    return PlaneJob(empty.tables, plane, traffic, cycles, limit)


BY_DAY = (6, 15)  # barriers alone over links of 3 cycles; 8 groups of a chain, errors, flushes and resets
WILD_BY_DAY = (11,)


@pytest.mark.parametrize("seed", sampled(range(40), BY_DAY))
def test_every_field_is_that_of_the_model_in_every_cycle(seed, tmp_path, require_tool):
    require_tool("icarus")
    assert compare_plane(random_job(seed), tmp_path) is None


def wild_runs(job, seed):
    return [WildRun(job, seed + number, busy).rows() for number, busy in enumerate((0.1, 0.5, 0.9))]


@pytest.mark.parametrize("seed", sampled(range(20), WILD_BY_DAY))
def test_every_field_is_that_of_the_reference_for_inputs_of_no_host(seed, tmp_path, require_tool):
    require_tool("icarus")
    job = replace(random_job(seed), runs=())
    if job.parameters.barriers_only:
        job = replace(job, parameters=replace(job.parameters, operators=(0, 4)))
    assert compare_plane(job, tmp_path, more=wild_runs(job, seed)) is None


FAULTY = {"hosts": 15, "wild": 16}  # seeds of random planes that show faults
_GENERATE = """
import pickle, sys
from rtl.collectives.generate import generate_plane
from rtl.collectives.parameters import PlaneParameters
from rtl.collectives.plan import PlanePlan

tables, parameters = pickle.load(sys.stdin.buffer)
plan = PlanePlan(tables, PlaneParameters(**parameters))
sys.stdout.write(generate_plane(plan, observes=True).files["plane.v"])
"""


@pytest.mark.parametrize("mutation", as_parameters(mutations("lock-step", "plane")))
def test_a_faulty_plane_is_reported(mutation, tmp_path, require_tool):
    """The sound copy is that of the random planes."""
    require_tool("icarus")
    name = mutation.workload.split()[1]
    job = random_job(FAULTY[name])
    copy_hardware(tmp_path, mutation)
    verilog = python_in_copy(tmp_path, _GENERATE, given=(job.tables, asdict(job.parameters))).decode()
    if name == "wild":
        job, more = replace(job, runs=()), wild_runs(job, FAULTY[name])
    else:
        more = []
    found = compare_plane(job, tmp_path / "run", verilog, more)
    assert found is not None, f"the lock-step did not see hardware that {mutation.name}"
    assert found.model != found.hardware
