"""Multistage networks in lock-step with their golden model, and one-line faults that it must report."""

import numpy as np
import pytest

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.min.network import min_plan
from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message, Messages
from sim_model.min.model import MinModel
from tests.sampled import sampled
from tests.sim_model.builders import PRINTED_DEADLOCK, PRINTED_FLIT_BITS, PRINTED_NETWORK
from tests.tb.comparisons import assert_equal
from tests.tb.workloads import min_job as job
from topology.common.total_order import TOTAL
from topology.min.graph import MinNetwork
from topology.min.groups import AS_PUBLISHED, EXACT, NO_TOKEN
from topology.min.routing import MinRouting

# kind, radix, stages, consumption channels, flit bits, buffer flits, routing cycles
SMALL = (
    ("baseline", 2, 2, 1, 16, 1, 1),
    ("baseline", 2, 3, 1, 16, 2, 1),
    ("omega", 2, 3, 1, 8, 1, 1),
    ("butterfly", 2, 3, 2, 32, 2, 3),
    ("bi-butterfly", 2, 3, 1, 16, 2, 1),
    ("bi-butterfly", 2, 3, 2, 16, 1, 2),
    ("baseline", 4, 2, 1, 16, 16, 1),
)


def name(shape) -> str:
    kind, radix, stages, channels, flit_bits, buffer_flits, routing_cycles = shape
    return f"{kind}-{radix}x{stages}-c{channels}-flit{flit_bits}-buffer{buffer_flits}-routing{routing_cycles}"


@pytest.mark.parametrize("shape", sampled(SMALL, (SMALL[2], SMALL[5])), ids=name)
def test_small_networks_under_icarus(shape, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(job(*shape, cycles=1_200), "icarus", tmp_path)


@pytest.mark.sentinel
@pytest.mark.parametrize("channels", sampled([1, 2], [2]))
def test_messages_that_all_turn_at_one_switch(channels, tmp_path, require_tool):
    require_tool("icarus")
    comparison = job("bi-butterfly", 2, 3, channels, 16, 2, 1, cycles=1_200, ordering=TOTAL)
    assert_equal(comparison, "icarus", tmp_path, anew=True)


def test_without_tokens_hardware_and_model_deadlock_alike(tmp_path, require_tool):
    require_tool("icarus")
    routing = MinRouting(MinNetwork("baseline", 2, 3), 64)
    model, plan = MinModel(routing, token=NO_TOKEN), min_plan(routing, token=NO_TOKEN)
    for seed in range(100):
        random = np.random.default_rng(seed)
        records = [
            Message(int(s), [int(d) for d in random.permutation(8)[:5] if d != s], 24, start_cycle=0)
            for s in random.permutation(8)[:5]
        ]
        messages = Messages.build(records, processors=8, header_flits=model.header_flits)
        results = Simulation(model, messages).run()
        if results.deadlocked:
            break
    assert results.deadlocked
    assert_equal(Comparison(model, messages, 0, results.cycles + 200, harness_source(plan)), "icarus", tmp_path)


def test_the_printed_release_deadlocks_in_hardware_and_the_exact_one_does_not(tmp_path, require_tool):
    """The paper's rule, more than B (n - j) flits, lets a token go while headers can still be overtaken."""
    require_tool("icarus")
    routing = MinRouting(MinNetwork(*PRINTED_NETWORK), PRINTED_FLIT_BITS)
    for token in (AS_PUBLISHED, EXACT):
        settings = {"buffer_flits": 1, "token": token}
        model, plan = MinModel(routing, **settings), min_plan(routing, **settings)
        messages = Messages.build(
            PRINTED_DEADLOCK, processors=len(routing.network.processors), header_flits=model.header_flits
        )
        results = Simulation(model, messages).run()
        assert results.deadlocked == (token == AS_PUBLISHED)
        comparison = Comparison(model, messages, 0, results.cycles + 200, harness_source(plan))
        assert_equal(comparison, "icarus", tmp_path / token)
