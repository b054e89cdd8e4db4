"""Tables and headers without a route: hardware and golden model drain, count and report the same in every cycle."""

import numpy as np
import pytest

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.min.network import min_plan
from rtl.spam.network import spam_plan
from sim_model.engines.simulation import Simulation
from sim_model.harts.model import HartsModel
from sim_model.messages.messages import Message, Messages
from sim_model.min.model import MinModel
from sim_model.spam.model import SpamModel
from tests.networks import five_port_network
from tests.sim_model.harts_traffic import mixed_traffic
from tests.tb.comparisons import assert_equal, compare_verilog
from tests.tb.harts_workloads import FAULTS, PACKET_FLITS, loaded
from tests.tb.harts_workloads import comparison as comparison_of_mesh
from tests.tb.mutations import Mutation
from topology.harts.graph import HexMesh
from topology.harts.routing import HartsRouting
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


class FarTags(HartsRouting):
    """Tags of every other packet lead farther than any valid route.

    As in a mesh that looks the same from every node, they depend on how far ahead the destination's number is.
    """

    def tags(self, source, destination):
        size, ahead = self.mesh.size, (destination - source) % self.mesh.nodes
        if ahead % 2:
            return super().tags(source, destination)
        return -size, 1 - size, 0


def far_packets() -> Comparison:
    """A loaded mesh of seven nodes."""
    model = HartsModel(FarTags(HexMesh(2), 64))
    assert sum(map(abs, model.routing.tags(0, 2))) > model.routing.levels
    job = comparison_of_mesh(model, mixed_traffic(model, 1_000, 0.006, seed=1))
    results = Simulation(job.model, job.messages).run()
    assert results.discarded > 10
    assert not results.deadlocked
    return job


def test_packets_that_would_go_too_far(tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(far_packets(), "icarus", tmp_path)


def test_dropped_packets_of_a_faulty_mesh_are_counted():
    job = loaded(3, 1_500, faults=FAULTS[3])
    results = Simulation(job.model, job.messages).run()
    assert results.discarded > 0


MONITOR, INPUTS = "generator/error_monitor.py", "routed/routed_input.py"
DECODER = "routed/header_decoder.py"
MUTATIONS = [
    Mutation("does not tell the channel", MONITOR, "found[channel] = seen[i]", "found[0] |= seen[i]"),
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


WAYS = "harts/route_decoder.py"
MESH_MUTATIONS = [
    Mutation(
        "lets packets go on", "harts/route_decoder.py", "Mux(at_end, 0, wanted & ~self.dead)", "wanted & ~self.dead"
    ),
    Mutation(
        "drops a link early", "harts/route_decoder.py", "self.parameters.levels - 1", "self.parameters.levels - 2"
    ),
    Mutation("says nothing", "harts/router.py", "bus.word.head & ~bus.stored & ~bus.through", "0"),
    Mutation("names another input", "harts/router.py", "Mux(drained, 1 << bus.direction, 0)", "Mux(drained, 1, 0)"),
]


@pytest.mark.parametrize("mutation", MESH_MUTATIONS, ids=lambda mutation: mutation.name.replace(" ", "-"))
def test_mutation_of_a_node_is_reported(mutation, tmp_path, require_tool):
    require_tool("icarus")
    job = far_packets()
    result = compare_verilog(job, mutation, tmp_path, {"packet_flits": PACKET_FLITS}, "harts")
    assert result.mismatches == 1, f"the comparison did not see a node that {mutation.name}"
