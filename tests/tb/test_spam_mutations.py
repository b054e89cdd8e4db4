"""The lock-step comparison finds faults: each one-line mutation of the router, buffer or injector is reported.

A fault counts as found when the comparison stops with a report that names the cycle and a channel or processor. The
workloads are small, so a fault that needs a rare coincidence is not in the table.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from hydranoc.lockstep.compare import Comparison
from tb.common.job import LockstepResult
from tests.tb.altered_wires import compare_verilog_text
from tests.tb.mutations import MUTATIONS, Mutation, copy_hardware, harness_verilog
from tests.tb.workloads import Shape, comparison, model_results, staged_traffic
from topology.common.graph import Network

REPORT = re.compile(
    r"first difference in cycle \d+\n  (channel \S+->\S+|injector of p\d+|delivered to p\d+|side wire \S+ \S+->\S+"
    r"|status \S+:)"
)
SHAPES = {
    # three header flits: 4 bits of routing key and 4 of source, then 8 + 3 destination bits
    "multi-flit-headers": Shape(flit_bits=8, buffer_flits=2, routing_cycles=1),
    "routing-delay": Shape(flit_bits=32, buffer_flits=2, routing_cycles=3),
}
TRAFFIC_CYCLES = 160
LOADS = (0.3, 0.9)


def five_port_network() -> Network:
    """Five switches of five ports, so that all routers are one module.

    Below root 0 the tree branches twice; 1-2 and 3-4 join switches of one level, 2-3 those of two, and from 3 and 4
    some routes are ties.
    """
    edges = [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4)]
    return Network(5, edges, [0, 0, 0, 1, 1, 2, 3, 3, 4, 4, 4])


def settings(shape: Shape) -> dict[str, object]:
    return {"buffer_flits": shape.buffer_flits, "routing_cycles": shape.routing_cycles}


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
    return compare_verilog(sound, mutation, folder, settings(SHAPES[workload]), "spam")


def compare_verilog(
    sound: Comparison, mutation: Mutation | None, folder: Path, plan_settings: dict[str, object], family: str
) -> LockstepResult:
    """The same for a network of any family."""
    copy_hardware(folder, mutation)
    verilog = harness_verilog(folder, sound.model.routing, plan_settings, family=family)
    assert (verilog == sound.harness.verilog) == (mutation is None)
    return compare_verilog_text(sound, verilog, folder)


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
