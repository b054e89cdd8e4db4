"""The channel counters of whole networks against the golden model's, and faults in them."""

from dataclasses import replace

import pytest

from hydranoc.lockstep.compare import compare_network, harness_source
from rtl.spam.network import spam_plan
from tests.networks import random_irregular
from tests.tb.mutations import Mutation, copy_hardware, harness_verilog
from tests.tb.spam_workloads import Shape, comparison, staged_traffic
from topology.common.counter_bus import COUNTED

SHAPE = Shape(flit_bits=16, buffer_flits=1)
COUNTERS = "generator/channel_counters.py"
MUTATIONS = (
    Mutation("counts idle cycles as stalled", COUNTERS, "self.valid & ~self.ready", "~self.ready"),
    Mutation("takes every flit for a tail", COUNTERS, "moves & ~self.tail |", "moves & 0 |"),
    Mutation(
        "loses what happens while the sweep passes", COUNTERS, "count) + event[channel])", "count + event[channel]))"
    ),
    Mutation(
        "adds to the sums of the next channel", COUNTERS, "write.addr.eq(position)", "write.addr.eq(position + 1)"
    ),
)


def job(cycles=None, traffic_cycles=600):
    routing = SHAPE.routing(random_irregular(3, switches=4))
    made = comparison(routing, SHAPE, staged_traffic(routing, traffic_cycles, seed=1), cycles)
    plan = replace(spam_plan(routing, buffer_flits=SHAPE.buffer_flits), counters=True)
    return replace(made, harness=harness_source(plan))


@pytest.mark.parametrize("cycles", [None, 350], ids=["to the end", "cut short"])
@pytest.mark.parametrize("simulator", ["icarus", "verilator"])
def test_counters_equal_the_models(simulator, cycles, tmp_path, require_tool):
    require_tool(simulator)
    made = job(cycles)
    result = compare_network(made, simulator, tmp_path).result
    assert (result.mismatches, result.report) == (0, None)
    assert result.compared_counters == len(COUNTED) * len(made.model.network.channels)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name.replace(" ", "-"))
def test_faulty_counter_is_reported(mutation, tmp_path, require_tool):
    require_tool("icarus")
    made = job()
    copy_hardware(tmp_path, mutation)
    settings = {"buffer_flits": SHAPE.buffer_flits}
    verilog = harness_verilog(tmp_path, made.model.routing, settings, counters=True)
    faulty = replace(made, harness=replace(made.harness, verilog=verilog))
    result = compare_network(faulty, "icarus", tmp_path).result
    assert result.mismatches == 1
    assert result.report is not None
    assert result.report.startswith("channel counters differ\n")
