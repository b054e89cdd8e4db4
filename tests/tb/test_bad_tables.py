"""Tables that lead nowhere: what hardware and golden model drain, count and report is the same in every cycle."""

import numpy as np
import pytest

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.min.network import min_plan
from rtl.spam.network import spam_plan
from sim_model.common.messages import Message, Messages
from sim_model.common.simulation import Simulation
from sim_model.min.model import MinModel
from sim_model.spam.model import SpamModel
from tests.networks import five_port_network
from tests.tb.comparisons import assert_equal, compare_verilog
from tests.tb.mutations import Mutation
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

FAMILIES = {
    "spam": (lambda bits: SpamRouting(SpamLabels(five_port_network(), 0), bits), SpamModel, spam_plan),
    "min": (lambda bits: MinRouting(MinNetwork("baseline", 2, 3), bits), MinModel, min_plan),
}


def crippled(family: str, flit_bits: int, share: float, seed: int = 1):
    """A routing some of whose rows and reach sets are empty."""
    routing, random = FAMILIES[family][0](flit_bits), np.random.default_rng(seed)
    routing.routes[random.random(routing.routes.shape[:2]) < share] = 0
    routing.reach[random.random(routing.reach.shape) < share] = False
    return routing


def comparison(family: str, flit_bits: int, share: float, **settings) -> Comparison:
    """Messages at all nodes."""
    routing = crippled(family, flit_bits, share)
    _, make_model, make_plan = FAMILIES[family]
    model, random = make_model(routing, **settings), np.random.default_rng(2)
    nodes, records = len(routing.network.processors), []
    for start in range(0, 800, 10):
        source = int(random.integers(nodes))
        wanted = random.permutation(nodes)[: 1 if random.random() < 0.5 else int(random.integers(2, nodes))]
        destinations = [int(node) for node in wanted if node != source] or [(source + 1) % nodes]
        flits = model.header_flits(destinations) + int(random.integers(0, 9))
        records.append(Message(source, destinations, flits, start_cycle=start))
    messages = Messages.build(records, processors=nodes, header_flits=model.header_flits)
    results = Simulation(model, messages).run()
    assert results.discarded > 20
    assert not results.deadlocked
    if share == 1:
        assert results.discarded == len(records)
        assert not results.copies.any()
    return Comparison(model, messages, 0, results.cycles + 40, harness_source(make_plan(routing, **settings)))


@pytest.mark.parametrize(
    ("family", "flit_bits", "share"), [("spam", 32, 1.0), ("spam", 8, 0.2), ("min", 16, 1.0), ("min", 8, 0.2)]
)
def test_worms_without_a_way(family, flit_bits, share, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(comparison(family, flit_bits, share), "icarus", tmp_path)


MONITOR, INPUTS, DECODER = (f"common/{name}.py" for name in ("error_monitor", "routed_input", "header_decoder"))
MUTATIONS = [
    Mutation("does not tell the channel", MONITOR, "remembered[channel].eq(1)", "remembered[0].eq(1)"),
    Mutation("forgets worms", INPUTS, "& ~route_unit.request[i].any()", "& 0"),
    Mutation("counts cycles and not worms", MONITOR, "self.discarding & ~before", "self.discarding"),
    Mutation("is wedged", "min/router.py", "& queues.standing[i] &", "& queues.owed[i].any() &"),
    Mutation("reads bodies as bit strings", DECODER, "candidates.any() | ~splits", "candidates.any()"),
]


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name.replace(" ", "-"))
def test_mutation_is_reported(mutation, tmp_path, require_tool):
    require_tool("icarus")
    result = compare_verilog(comparison("min", 8, 0.2), mutation, tmp_path, {}, "min")
    assert result.mismatches == 1, f"the comparison did not see hardware that {mutation.name}"
