"""The lock-step comparison finds faults: each one-line mutation of the router, buffer or injector is reported.

A fault counts as found when the comparison stops with a report that names the cycle and a channel or processor. The
workloads are small, so a fault that needs a rare coincidence is not in the table.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from hydranoc.lockstep.compare import Comparison
from tb.common.job import LockstepResult
from tests.networks import five_port_network
from tests.tb.comparisons import REPORT, compare_verilog
from tests.tb.mutations import MUTATIONS, Mutation, copy_hardware
from tests.tb.spam_workloads import Shape, comparison, model_results, staged_traffic

SHAPES = {
    # three header flits: 4 bits of routing key and 4 of source, then 8 + 3 destination bits
    "multi-flit-headers": Shape(flit_bits=8, buffer_flits=2, routing_cycles=1),
    "routing-delay": Shape(flit_bits=32, buffer_flits=2, routing_cycles=3),
}
TRAFFIC_CYCLES = 160
LOADS = (0.3, 0.9)


@pytest.fixture(scope="module")
def sound_job():
    """Makes the comparison of a workload by name, once."""
    made: dict[str, Comparison] = {}

    def make(workload: str) -> Comparison:
        if workload not in made:
            shape = SHAPES[workload]
            routing = shape.routing(five_port_network(), root=0)
            made[workload] = comparison(
                routing, shape, staged_traffic(routing, TRAFFIC_CYCLES, 1, loads=LOADS, flits=8)
            )
        return made[workload]

    return make


def compare_copy(sound: Comparison, workload: str, mutation: Mutation | None, folder: Path) -> LockstepResult:
    """Compare with the Verilog of a copy of the hardware; unlike ``compare_network`` without a waveform."""
    return compare_verilog(sound, mutation, folder, SHAPES[workload].settings, "spam")


@pytest.mark.parametrize("workload", SHAPES)
def test_sound_copy_agrees(workload, sound_job, tmp_path, require_tool):
    require_tool("icarus")
    job = sound_job(workload)
    delivered = model_results(job)
    assert (delivered.lost, delivered.duplicated, delivered.deadlocked) == (0, 0, False)
    result = compare_copy(job, workload, None, tmp_path)
    assert (result.mismatches, result.report) == (0, None)
    assert result.compared_cycles == job.cycles


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name.replace(" ", "-"))
def test_mutation_is_reported(mutation, sound_job, tmp_path, require_tool):
    require_tool("icarus")
    result = compare_copy(sound_job(mutation.workload), mutation.workload, mutation, tmp_path)
    assert result.mismatches == 1, f"the comparison did not see hardware that {mutation.name}"
    assert REPORT.match(result.report or ""), result.report


def test_outdated_mutation_is_an_error(tmp_path):
    outdated = replace(MUTATIONS[0], text="no line has this")
    with pytest.raises(ValueError, match=r"must have exactly once 'no line has this', not 0 times"):
        copy_hardware(tmp_path, outdated)
