"""Networks that are reset several times under load, and the channel counters of whole networks."""

from dataclasses import replace

import numpy as np
import pytest

from hydranoc.lockstep.compare import Comparison, compare_network, harness_source
from rtl.hypercube.network import hypercube_plan
from rtl.min.network import min_plan
from rtl.spam.network import spam_plan
from rtl.torus.network import torus_plan
from sim_model.hypercube.model import HypercubeModel
from sim_model.messages.messages import Message, Messages
from sim_model.min.model import MinModel
from sim_model.spam.model import SpamModel
from sim_model.torus.model import TorusModel
from tests.networks import five_port_network, random_irregular
from tests.sampled import sampled
from tests.tb.comparisons import assert_equal, from_anything, scrambled
from tests.tb.mutations import copy_hardware, harness_verilog, mutations
from tests.tb.workloads import Shape, loaded, staged_traffic
from tests.tb.workloads import spam_comparison as comparison
from topology.common.counter_bus import COUNTED
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

# Networks that are reset several times under load: after each reset they are as new, in every register.

RESETS = (61, 150, 163, 240)
CYCLES = 340


ROUTED = {  # tables, golden model, hardware plan, and to how many nodes a message may go
    "spam": (SpamRouting(SpamLabels(five_port_network(), 0), 16), SpamModel, spam_plan, 5),
    "min": (MinRouting(MinNetwork("baseline", 2, 3), 16), MinModel, min_plan, 5),
    "torus": (TorusRouting(TorusNetwork(Grid(3, 3), 2), 16), TorusModel, torus_plan, 1),
    "hypercube": (HypercubeRouting(HypercubeNetwork(3, 2), 16), HypercubeModel, hypercube_plan, 1),
}


def busy(family: str) -> Comparison:
    """Every node sends from the start on, more than the network can carry."""
    if family == "harts":
        return replace(loaded(2, 200), cycles=420, resets=(161, 203, 290))
    routing, make_model, make_plan, most = ROUTED[family]
    model, plan = make_model(routing), make_plan(routing)
    random, records = np.random.default_rng(1), []
    nodes = len(routing.network.processors)
    for source in range(nodes):
        for start in range(0, 60, 12):
            some = random.permutation(nodes)[: int(random.integers(1, most + 1))]
            destinations = [int(node) for node in some if node != source] or [(source + 1) % nodes]
            flits = model.header_flits(destinations) + int(random.integers(0, 12))
            records.append(Message(source, destinations, flits, start_cycle=start))
    messages = Messages.build(records, processors=nodes, header_flits=model.header_flits)
    return Comparison(model, messages, 0, CYCLES, harness_source(plan), resets=RESETS)


@pytest.mark.parametrize("family", [*ROUTED, "harts"])
def test_resets_under_load(family, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(from_anything(busy(family)), "icarus", tmp_path)


def test_a_difference_before_the_last_reset_has_a_waveform(tmp_path, require_tool):
    require_tool("icarus")
    sound, (lost,) = busy("torus"), mutations("lock-step", "resets torus delivery")
    copy_hardware(tmp_path, lost)
    verilog = harness_verilog(tmp_path, sound.model.routing, {}, family="torus")
    outcome = compare_network(replace(sound, harness=replace(sound.harness, verilog=verilog)), "icarus", tmp_path)
    assert RESETS[0] <= (outcome.result.mismatch_cycle or 0) < RESETS[-1]
    assert outcome.waveform is not None
    assert outcome.waveform.stat().st_size > 0


def test_tables_are_not_scrambled():
    verilog = "module a();\n  reg [3:0] x;\n  initial x = 4'h0;\n"
    verilog += "  reg [7:0] t [1:0];\n  reg [7:0] u [1:0];\n  initial begin\n"
    verilog += "    t[0] = 8'h55;\n    u[0] = 8'h00;\n  end\n    if (_1_) u[_2_] <= _3_;\nendmodule\n"
    changed = scrambled(verilog, 3)
    assert "t[0] = 8'h55;" in changed
    assert "x = 4'h0;" not in changed
    assert "u[0] = 8'h00;" not in changed
    with pytest.raises(ValueError, match="must have registers with a value"):
        scrambled("module a();\nendmodule\n", 1)


# The channel counters of whole networks against the golden model's, and faults in them.

COUNTED_SHAPE = Shape(flit_bits=16, buffer_flits=1)


def counted(cycles=None, traffic_cycles=600):
    routing = COUNTED_SHAPE.routing(random_irregular(3, switches=4))
    made = comparison(routing, COUNTED_SHAPE, staged_traffic(routing, traffic_cycles, seed=1), cycles)
    plan = replace(spam_plan(routing, buffer_flits=COUNTED_SHAPE.buffer_flits), counters=True)
    return replace(made, harness=harness_source(plan))


@pytest.mark.parametrize("cycles", [None, 350], ids=["to the end", "cut short"])
@pytest.mark.parametrize("simulator", sampled(["icarus", "verilator"], ["icarus"]))
def test_counters_equal_the_models(simulator, cycles, tmp_path, require_tool):
    require_tool(simulator)
    made = counted(cycles)
    result = compare_network(made, simulator, tmp_path).result
    assert (result.mismatches, result.report) == (0, None)
    assert result.compared_counters == len(COUNTED) * len(made.model.network.channels)
