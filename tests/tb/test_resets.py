"""Networks that are reset several times under load: after each reset they are as new, in every register.

A register that keeps its value behaves like any other up to the second reset, so no run from power-up alone shows it.
Before the first one registers and memories have anything in them, so that none is relied on to begin at 0.
"""

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
from tests.networks import five_port_network
from tests.tb.comparisons import assert_equal, compare_verilog
from tests.tb.harts_workloads import loaded
from tests.tb.mutations import Mutation, copy_hardware, harness_verilog
from tests.tb.scrambled import scrambled
from tests.tb.test_counters import SHAPE as COUNTED_SHAPE
from tests.tb.test_counters import job as counted
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

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


def from_anything(job: Comparison, seed: int = 1) -> Comparison:
    """Registers and memories begin with random values: state without a reset must not matter."""
    return replace(job, harness=replace(job.harness, verilog=scrambled(job.harness.verilog, seed)))


@pytest.mark.parametrize("family", [*ROUTED, "harts"])
def test_resets_under_load(family, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(from_anything(busy(family)), "icarus", tmp_path)


LOST_RESETS = [
    ("spam", "of a buffer's count", "parts/input_buffer.py", "count: Any = Signal(range(self.depth + 1)"),
    ("min", "of the token's holder", "min/token_station.py", "holder = Signal(inputs"),
    ("torus", "of an output VC's credits", "vc/credit_counter.py", 'init=depth, name=f"credits_{vc}"'),
    ("torus", "of a delivery buffer's flit", "vc/delivery_buffer.py", "present: Any = Signal("),
    ("hypercube", "of the random order", "vc/random_order.py", "state = Signal(STATE_BITS, init=ORDER_SEED"),
    pytest.param(
        *("harts", "of a transmitter's owner", "harts/transmitter_bank.py", "owned: Any = Signal(PORTS"),
        marks=pytest.mark.slow,
    ),
]


@pytest.mark.parametrize(("family", "what", "file", "text"), LOST_RESETS)
def test_a_lost_reset_is_reported(family, what, file, text, tmp_path, require_tool):
    require_tool("icarus")
    sound = busy(family)
    settings = {"packet_flits": 32} if family == "harts" else {}
    lost = f"{text}{'' if text.endswith('(') else ', '}reset_less=True"
    mutation = Mutation(f"has lost the reset {what}", file, text, lost)
    result = compare_verilog(sound, mutation, tmp_path, settings, family)
    assert result.mismatches == 1, f"no check saw that the hardware {mutation.name}"
    assert (result.mismatch_cycle or 0) >= sound.resets[0]


def test_a_difference_before_the_last_reset_has_a_waveform(tmp_path, require_tool):
    require_tool("icarus")
    sound, text = busy("torus"), "present: Any = Signal("
    lost = Mutation("has lost a reset", "vc/delivery_buffer.py", text, f"{text}reset_less=True")
    copy_hardware(tmp_path, lost)
    verilog = harness_verilog(tmp_path, sound.model.routing, {}, family="torus")
    outcome = compare_network(replace(sound, harness=replace(sound.harness, verilog=verilog)), "icarus", tmp_path)
    assert RESETS[0] <= (outcome.result.mismatch_cycle or 0) < RESETS[-1]
    assert outcome.waveform is not None
    assert outcome.waveform.stat().st_size > 0


UNSWEPT = Mutation(
    "relies on sums that begin at 0",
    "generator/channel_counters.py",
    "Mux(fresh, 0, Value.cast(read.data[kind]))",
    "Value.cast(read.data[kind])",
)


@pytest.mark.parametrize("mutation", [None, UNSWEPT], ids=["sound", "relies-on-zeros"])
def test_counters_begin_at_zero_whatever_their_memory_has(mutation, tmp_path, require_tool):
    """A simulation that begins with zeros in memories does not see that no logic clears them."""
    require_tool("icarus")
    sound = counted(cycles=250, traffic_cycles=200)
    copy_hardware(tmp_path, mutation)
    settings = {"buffer_flits": COUNTED_SHAPE.buffer_flits}
    verilog = harness_verilog(tmp_path, sound.model.routing, settings, counters=True)
    job = from_anything(replace(sound, harness=replace(sound.harness, verilog=verilog)))
    result = compare_network(job, "icarus", tmp_path).result
    assert (result.mismatches, result.mismatch_cycle) == (int(mutation is not None), None)


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
