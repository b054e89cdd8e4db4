"""One-line faults that show only under host back-pressure.

With eager hosts an ejector is never full and no word is ever late, so that the comparison sees none of them.
"""

import pytest

from sim_model.engines.simulation import Simulation
from tests.tb.comparisons import REPORT, compare_verilog
from tests.tb.host_workloads import MOST, SMALL_SPAM, SOME, holding_back
from tests.tb.mutations import Mutation
from tests.tb.spam_workloads import Shape, comparison, staged_traffic
from topology.common.host_pattern import Blockade, HostBehaviour

# two header flits: the buffers of routers have a cursor and those of ejectors have none
SHAPE = Shape(flit_bits=8)
BEHAVIOURS = {
    "stalls": HostBehaviour(0, SOME, seed=3),
    "pauses": HostBehaviour(MOST, 0, seed=3),
    "blocked": HostBehaviour(blocked=(Blockade(1, 60, 80),)),
}
HOSTS, EJECTOR = "parts/host_pattern.py", "parts/ejector.py"
MUTATIONS = [
    Mutation(*fault)
    for fault in (
        ("ejects without asking the user", EJECTOR, "buffer.present & self.user.ready", "buffer.present", "stalls"),
        ("keeps one flit more in an ejector", EJECTOR, "EJECTOR_FLITS = 2", "EJECTOR_FLITS = 3", "stalls"),
        (
            "notices one cycle late that an ejector is full",
            "parts/input_buffer.py",
            "(count == self.depth - 1) & arriving",
            "(count == self.depth - 1) & arriving & (self.header_flits > 1)",
            "stalls",
        ),
        (
            "takes words that are not on offer",
            "parts/injector.py",
            "(header_due | self.payload.valid)",
            "(header_due | 1)",
            "pauses",
        ),
        ("withdraws a word that is on offer", HOSTS, "offered | ~pattern.holds", "~pattern.holds", "pauses"),
        ("has the first word ready too early", HOSTS, "~self.words.ready & ~self.start", "~self.words.ready", "pauses"),
        ("steps a pattern wrongly", HOSTS, "(state & mask).xor()", "(state & mask).any()", "stalls"),
        ("has one pattern for all hosts", HOSTS, "self.seed ^ self.salt", "self.seed", "stalls"),
        (
            "stalls a little too often",
            HOSTS,
            "state[:LEVEL_BITS] < self.level",
            "state[:LEVEL_BITS] <= self.level",
            "stalls",
        ),
        ("reads although it is blocked", HOSTS, "pattern.holds | self.blocked", "pattern.holds", "blocked"),
    )
]


@pytest.fixture(scope="module")
def eager():
    routing = SHAPE.routing(SMALL_SPAM)
    assert routing.header.multicast_flits > 1
    return comparison(routing, SHAPE, staged_traffic(routing, 160, 1, loads=(0.3, 0.9), flits=8))


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_sound_hardware_agrees(behaviour, eager, tmp_path, require_tool):
    require_tool("icarus")
    job = holding_back(eager, BEHAVIOURS[behaviour])
    assert job.cycles > Simulation(job.model, job.messages).run().cycles
    result = compare_verilog(job, None, tmp_path, SHAPE.settings, "spam")
    assert (result.report, result.compared_cycles) == (None, job.cycles)


@pytest.mark.parametrize(
    "mutation",
    [
        pytest.param(mutation, id=mutation.name.replace(" ", "-"), marks=[pytest.mark.slow] if number % 3 else [])
        for number, mutation in enumerate(MUTATIONS)
    ],
)
def test_only_hosts_that_hold_back_show_the_fault(mutation, eager, tmp_path, require_tool):
    require_tool("icarus")
    job = holding_back(eager, BEHAVIOURS[mutation.workload])
    result = compare_verilog(job, mutation, tmp_path / "held", SHAPE.settings, "spam")
    assert result.mismatches == 1, f"the comparison did not see hardware that {mutation.name}"
    assert REPORT.match(result.report or ""), result.report
    unseen = compare_verilog(eager, mutation, tmp_path / "eager", SHAPE.settings, "spam")
    assert unseen.report is None, "eager hosts show the fault as well"
