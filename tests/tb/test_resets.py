"""Networks that are reset several times under load: after each reset they are as new, in every register.

A register that keeps its value behaves like any other up to the second reset, so no run from power-up alone shows it.
"""

from dataclasses import replace

import numpy as np
import pytest

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.min.network import min_plan
from rtl.spam.network import spam_plan
from sim_model.common.messages import Message, Messages
from sim_model.min.model import MinModel
from sim_model.spam.model import SpamModel
from tests.networks import five_port_network
from tests.tb.comparisons import assert_equal, compare_verilog
from tests.tb.harts_workloads import loaded
from tests.tb.mutations import Mutation
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

RESETS = (61, 150, 163, 240)
CYCLES = 340


def busy(family: str) -> Comparison:
    """Everybody sends from the start on, more than the network can carry."""
    if family == "harts":
        return replace(loaded(2, 200), cycles=420, resets=(161, 203, 290))
    if family == "spam":
        routing = SpamRouting(SpamLabels(five_port_network(), 0), 16)
        model, plan = SpamModel(routing), spam_plan(routing)
    else:
        routing = MinRouting(MinNetwork("baseline", 2, 3), 16)
        model, plan = MinModel(routing), min_plan(routing)
    random, records = np.random.default_rng(1), []
    nodes = len(routing.network.processors)
    for source in range(nodes):
        for start in range(0, 60, 12):
            wanted = [int(node) for node in random.permutation(nodes)[: int(random.integers(1, 6))] if node != source]
            destinations = wanted or [(source + 1) % nodes]
            flits = model.header_flits(destinations) + int(random.integers(0, 12))
            records.append(Message(source, destinations, flits, start_cycle=start))
    messages = Messages.build(records, processors=nodes, header_flits=model.header_flits)
    return Comparison(model, messages, 0, CYCLES, harness_source(plan), resets=RESETS)


@pytest.mark.parametrize("family", ["spam", "min", "harts"])
def test_resets_under_load(family, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(busy(family), "icarus", tmp_path)


LOST_RESETS = [
    ("spam", "of a buffer's count", "common/input_buffer.py", "count: Any = Signal(range(self.depth + 1)"),
    ("min", "of the token's holder", "min/token_station.py", "holder = Signal(inputs"),
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
    mutation = Mutation(f"has lost the reset {what}", file, text, f"{text}, reset_less=True")
    result = compare_verilog(sound, mutation, tmp_path, settings, family)
    assert result.mismatches == 1, f"nobody saw that the hardware {mutation.name}"
    assert (result.mismatch_cycle or 0) >= sound.resets[0]
