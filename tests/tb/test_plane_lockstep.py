"""Collective planes in lock-step: generated Verilog against the golden model, all observed fields in every cycle."""

from dataclasses import asdict, replace

import numpy as np
import pytest

from hydranoc.lockstep.plane.compare import compare_plane
from hydranoc.lockstep.plane.fields import PlaneFields
from hydranoc.lockstep.plane.records import RunRecords
from hydranoc.lockstep.plane.source import plane_source
from hydranoc.lockstep.rows.packing import RowPacking
from sim_model.collective_plane.exact import wrong_results
from tests.sampled import sampled
from tests.tb.mutations import as_parameters, copy_hardware, mutations, python_in_copy
from tests.tb.plane_jobs import random_job
from tests.tb.plane_networks import LONG_PLANES, SMALLEST, long_comparison
from tests.tb.plane_wild import WildRun

WILD_CYCLES = 200
LONG_CYCLES, SHORT_CYCLES = 100_000, 2_000
BY_DAY = (6, 15)  # barriers alone over links of 3 cycles; 8 groups of a chain, errors, flushes and resets
WILD_BY_DAY = (11,)


def compared(outcome):
    """The report of a difference, or None."""
    return outcome.difference and outcome.difference.report


@pytest.mark.parametrize("seed", sampled(range(40), BY_DAY))
def test_every_field_is_that_of_the_model_in_every_cycle(seed, tmp_path, require_tool):
    require_tool("icarus")
    job = random_job(seed)
    outcome = compare_plane(job, "icarus", tmp_path)
    assert compared(outcome) is None
    assert outcome.compared_cycles == job.cycles


def wild_runs(job, seed):
    return [WildRun(job, WILD_CYCLES, seed + number, busy).blocks() for number, busy in enumerate((0.1, 0.5, 0.9))]


@pytest.mark.parametrize("seed", sampled(range(20), WILD_BY_DAY))
def test_every_field_is_that_of_the_reference_for_inputs_of_no_host(seed, tmp_path, require_tool):
    require_tool("icarus")
    job = replace(random_job(seed), runs=())
    if job.parameters.barriers_only:
        job = replace(job, parameters=replace(job.parameters, operators=(0, 4)))
    outcome = compare_plane(job, "icarus", tmp_path, more=wild_runs(job, seed))
    assert compared(outcome) is None
    assert outcome.compared_cycles == 3 * WILD_CYCLES


def check_long(name, cycles, folder):
    """Compare a plane in Verilator, and its results with integer arithmetic; return the number of results."""
    comparison, runs = long_comparison(name, cycles)
    outcome = compare_plane(comparison, "verilator", folder)
    assert compared(outcome) is None
    assert outcome.compared_cycles == cycles
    complete = 0
    for run, models in zip(runs, outcome.models, strict=True):
        if comparison.parameters.barriers_only:
            complete += sum(int((model.results().done_cycle >= 0).sum()) for model in models)
            assert not any(model.strays or model.results().error.any() for model in models)
            continue
        results = models[0].results()
        complete += int((results.done_cycle >= 0).sum())
        wrong = wrong_results(results, comparison.parameters.word_bits, comparison.parameters.operators, run.operation)
        assert not wrong[:3]
    return complete


@pytest.mark.parametrize("name", sampled([SMALLEST, *LONG_PLANES], [SMALLEST]))
def test_planes_of_all_families_are_equal_in_verilator(name, tmp_path, require_tool):
    require_tool("verilator")
    assert check_long(name, SHORT_CYCLES, tmp_path) > 20


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG_PLANES)
def test_100_000_cycles_of_a_plane(name, tmp_path, require_tool):
    require_tool("verilator")
    assert check_long(name, LONG_CYCLES, tmp_path) > 1_000


@pytest.mark.parametrize("tool", ["icarus", pytest.param("verilator", marks=pytest.mark.slow)])
def test_a_difference_is_reported_by_name_with_a_waveform(tool, tmp_path, require_tool):
    """A bit of the model's rows is wrong."""
    require_tool(tool)
    comparison = long_comparison(SMALLEST, 1_000, runs=2)[0]
    fields, name = PlaneFields(comparison.plan), "p1_barrier_done"
    runs = [list(RunRecords(comparison, run, fields).blocks(100)) for run in comparison.runs]
    low = sum(bits for _, bits in fields.observed[: [field for field, _ in fields.observed].index(name)])
    runs[1][1].expected[23, low // 8] ^= 1 << low % 8
    outcome = compare_plane(replace(comparison, runs=()), tool, tmp_path, more=runs)
    found = outcome.difference
    assert found is not None
    assert (found.run, found.cycle, found.field) == (1, 123, name)
    assert found.expected ^ 1 == found.seen
    assert found.report.splitlines() == [
        "plane: first difference in cycle 623, cycle 123 since the reset of run 1",
        f"  {name}: hardware {found.seen:#x}, model {found.expected:#x}",
    ]
    assert outcome.compared_cycles == 623
    assert outcome.waveform is not None
    assert outcome.waveform.stat().st_size > 1_000


def test_rows_are_equal_for_any_length_of_blocks():
    job = replace(random_job(16), runs=random_job(16).runs[1:2])
    fields = PlaneFields(job.plan)
    rows = []
    for cycles in (1, 7, 200):
        blocks = list(RunRecords(job, job.runs[0], fields).blocks(cycles))
        rows.append([np.concatenate(part) for part in zip(*blocks, strict=True)])
    for given, expected in rows[1:]:
        assert (given == rows[0][0]).all()
        assert (expected == rows[0][1]).all()


def test_fields_are_packed_from_the_lowest_bit_on():
    random = np.random.default_rng(0)
    fields = [(f"f{number}", int(bits)) for number, bits in enumerate(random.integers(1, 65, 40))]
    packing = RowPacking(fields)
    values = np.array([[int(random.integers(0, 1 << bits, dtype=np.uint64)) for _, bits in fields] for _ in range(5)])
    for row, own in zip(packing.pack(values.astype(np.uint64)), values.tolist(), strict=True):
        expected = position = 0
        for value, (_, bits) in zip(own, fields, strict=True):
            expected |= value << position
            position += bits
        assert int.from_bytes(row.tobytes(), "little") == expected


def hosts_of_a_chain():
    """Eight groups with errors, flushes and resets."""
    return random_job(15), ()


def inputs_of_no_host():
    job = replace(random_job(16), runs=())
    return job, wild_runs(job, 16)


def frequent_flushes():
    """Flushes every 60 cycles or so."""
    return long_comparison(SMALLEST, 3_000, epoch_cycles=60)[0], ()


def test_frequent_flushes_are_equal(tmp_path, require_tool):
    require_tool("icarus")
    assert compared(compare_plane(frequent_flushes()[0], "icarus", tmp_path)) is None


FAULTY = {"hosts": hosts_of_a_chain, "wild": inputs_of_no_host, "flushes": frequent_flushes}
"""Comparisons that show faults, by workload."""
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
    """The sound copy is that of the tests above."""
    require_tool("icarus")
    job, more = FAULTY[mutation.workload.split()[1]]()
    copy_hardware(tmp_path, mutation)
    verilog = python_in_copy(tmp_path, _GENERATE, given=(job.tables, asdict(job.parameters))).decode()
    found = compare_plane(job, "icarus", tmp_path / "run", source=plane_source(job.plan, verilog), more=more).difference
    assert found is not None, f"the lock-step did not see hardware that {mutation.name}"
    assert found.expected != found.seen
