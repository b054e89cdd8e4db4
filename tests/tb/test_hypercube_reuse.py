"""Hypercubes with non-atomic VC reallocation, in lock-step with their golden model; and faults of theirs."""

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from hydranoc import load
from hydranoc.lockstep.compare import Comparison, harness_source
from sim_model.engines.simulation import Simulation
from tests.tb.comparisons import REPORT, assert_equal, compare_verilog
from tests.tb.hypercube_workloads import SentHome, hypercube_routing, job
from tests.tb.mutations import Mutation
from topology.common.host_pattern import HostBehaviour, level_of
from topology.common.virtual_channels import NON_ATOMIC
from topology.hypercube.vc_reallocation import NON_ATOMIC_ESCAPE

EXAMPLES = Path(__file__).parents[2] / "examples"
HOSTS = (HostBehaviour(), HostBehaviour(pause_level=level_of(0.3), stall_level=level_of(0.4), seed=5))
SHORT_BODY_FLITS = 3
"""So that a buffer of 4 flits holds several worms."""

# dimensions, lanes, buffer flits, lane reuse
SMALL = (
    (1, 2, 2, NON_ATOMIC),
    (2, 1, 4, NON_ATOMIC_ESCAPE),
    (2, 2, 1, NON_ATOMIC_ESCAPE),
    (2, 2, 4, NON_ATOMIC_ESCAPE),
    (2, 3, 3, NON_ATOMIC),
    (3, 2, 4, NON_ATOMIC),
)
FAULTY = {  # workload that shows a fault
    "tail": ((2, 2, 4, NON_ATOMIC), HOSTS[0]),
    "escape": ((2, 2, 4, NON_ATOMIC_ESCAPE), HOSTS[0]),
    "stalled": ((2, 3, 2, NON_ATOMIC), HOSTS[1]),
}
INPUT, OUTPUT, FRONTS, FRONT, COUNTER = (
    f"{file}.py"
    for file in (
        "hypercube/adaptive_input",
        "hypercube/adaptive_output",
        "hypercube/vc_heads",
        "vc/front_flit",
        "vc/credit_counter",
    )
)
MUTATIONS = [
    Mutation(name, file, text, replacement, workload)
    for name, file, text, replacement, workload in (
        (
            "takes the head on the link for the one behind a tail",
            FRONT,
            "stored[:-1], self.following",
            "*2 * (arrival,)",
            "tail",
        ),
        (
            "takes the flit on the link for the one behind the front",
            FRONT,
            "stored[-1], next_tail",
            "*2 * (next_tail,)",
            "tail",
        ),
        ("looks at the flit at the front once more", FRONT, "buffer.front + 1", "buffer.front", "escape"),
        ("has no head behind a tail", FRONTS, "front.comes_first", "front.starts", "tail"),
        ("looks for the next place in Gray code", INPUT, "gray=not self._queues", "gray=True", "tail"),
        ("frees a VC behind any flit", OUTPUT, "self.load[vc] & self.flit.tail", "self.load[vc]", "tail"),
        ("gives VCs without room", OUTPUT, "owned | ~self.some_credit[vc]", "owned", "tail"),
        ("forgets the flit that is granted now", INPUT, "Mux(self._asks, self._of", "Mux(0, self._of", "escape"),
        ("never asks twice without a credit on the wire", INPUT, "Mux(self._asks, self._of", "Mux(1, self._of", "tail"),
        ("counts a credit twice", COUNTER, "self.credits + 1", "self.credits + 2", "stalled"),
        ("knows of a credit late", COUNTER, "returned | Mux(", "Mux(", "stalled"),
        ("counts credits anew for each worm", INPUT, "if not part.parameters.outputs_count_credits", "if 1", "escape"),
    )
]


def name(shape) -> str:
    dimensions, vcs, buffer_flits, vc_reallocation = shape
    return f"{dimensions}-cube-{vcs}x{buffer_flits}-{vc_reallocation}"


def job_of(shape, **more) -> Comparison:
    dimensions, vcs, buffer_flits, vc_reallocation = shape
    routing = hypercube_routing(dimensions, vcs, injection_channels=more.pop("channels", 1))
    return job(routing, buffer_flits, vc_reallocation=vc_reallocation, **more)


def campaign():
    """All sizes with all VCs and depths; other parameters vary in turn."""
    deal = itertools.product((2, 3), (1, 2, 3), (1, 2, 4), (NON_ATOMIC_ESCAPE, NON_ATOMIC))
    for number, shape in enumerate(deal):
        channels = (1, shape[0])[number // 2 % 2]
        most_body_flits = (SHORT_BODY_FLITS, 24)[number // 3 % 2]
        yield shape, channels, most_body_flits, HOSTS[number // 5 % 2]


@pytest.mark.parametrize("number", range(len(SMALL)), ids=lambda number: name(SMALL[number]))
def test_small_networks_under_icarus(number, tmp_path, require_tool):
    require_tool("icarus")
    more = {
        "hosts": HOSTS[number % 2],
        "channels": 1 + (number > 2),
        "most_body_flits": (SHORT_BODY_FLITS, 24)[number % 2],
    }
    assert_equal(job_of(SMALL[number], cycles=500, most_compared=1_500, **more), "icarus", tmp_path)


@pytest.mark.parametrize("vc_reallocation", [NON_ATOMIC_ESCAPE, NON_ATOMIC])
def test_worms_without_a_way_are_drained_one_behind_the_other(vc_reallocation, tmp_path, require_tool):
    require_tool("icarus")
    sound = job_of((2, 2, 4, vc_reallocation), cycles=500, most_compared=1_500, most_body_flits=SHORT_BODY_FLITS)
    model = SentHome(sound.model.routing, sound.model.buffer_flits, vc_reallocation)
    assert_equal(replace(sound, model=model), "icarus", tmp_path)


def test_hardware_and_model_deadlock_alike_behind_tails(tmp_path, require_tool):
    require_tool("icarus")
    cube = load(EXAMPLES / "deadlock-hypercube-tail.yaml")
    results = Simulation(cube.model, cube.messages).run()
    assert results.deadlocked
    harness = harness_source(cube.plan)
    assert_equal(Comparison(cube.model, cube.messages, 0, results.cycles + 60, harness), "icarus", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "channels", "most_body_flits", "hosts"),
    list(campaign()),
    ids=lambda part: name(part) if isinstance(part, tuple) else "",
)
def test_campaign(shape, channels, most_body_flits, hosts, tmp_path, require_tool):
    require_tool("verilator")
    more = {"hosts": hosts, "channels": channels, "most_body_flits": most_body_flits}
    comparison = job_of(shape, cycles=20_000, most_compared=25_000, broadcasts=True, **more)
    assert comparison.cycles >= 20_000
    assert_equal(comparison, "verilator", tmp_path)


@pytest.mark.parametrize(
    "mutation",
    [
        pytest.param(mutation, marks=[pytest.mark.slow] if number % 4 else [])
        for number, mutation in enumerate(MUTATIONS)
    ],
    ids=lambda mutation: mutation.name.replace(" ", "-"),
)
def test_mutation_is_reported(mutation, tmp_path, require_tool):
    require_tool("icarus")
    shape, hosts = FAULTY[mutation.workload]
    comparison = job_of(shape, cycles=400, hosts=hosts, most_compared=1_500, most_body_flits=SHORT_BODY_FLITS)
    settings = {"buffer_flits": shape[2], "vc_reallocation": shape[3]}
    result = compare_verilog(comparison, mutation, tmp_path, settings, "hypercube")
    assert result.mismatches == 1, f"the comparison did not see hardware that {mutation.name}"
    assert REPORT.match(result.report or ""), result.report
