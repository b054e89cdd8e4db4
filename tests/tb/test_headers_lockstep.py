"""Headers of parts, headers above bit 31, tables that are loaded, and those without a route, in lock-step."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.generator.table_store import loaded_words
from rtl.min.network import min_plan
from rtl.spam.network import spam_plan
from sim_model.engines.simulation import Simulation
from sim_model.harts.model import HartsModel
from sim_model.messages.messages import Message, Messages
from sim_model.min.model import MinModel
from sim_model.spam.model import SpamModel
from sim_model.traffic import random_traffic
from tb.common.message_flits import MessageFlits
from tests.networks import five_port_network
from tests.sampled import sampled
from tests.sim_model.builders import build, harts_model, mixed_traffic
from tests.tb.comparisons import assert_delivered, assert_equal, compare_verilog_text
from tests.tb.workloads import (
    FAULTS,
    Shape,
    hypercube_job,
    hypercube_routing,
    loaded,
    min_job,
    staged_traffic,
    torus_job,
    torus_routing,
)
from tests.tb.workloads import harts_comparison as mesh_comparison
from tests.tb.workloads import spam_comparison as comparison
from topology.common.graph import Network
from topology.common.lattice import lattice_network
from topology.common.part_headers import PARTS
from topology.harts.graph import HexMesh
from topology.harts.routing import UNICAST, HartsRouting
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting
from topology.torus.routing import DALLY_SEITZ

# Headers of parts in lock-step, in both families, and one-line faults of the decoder that it must report.

CYCLES = 300


def spam(processors: int, flit_bits: int, routing_cycles: int = 1, buffer_flits: int = 2) -> Comparison:
    """Five switches in a ring with a chord."""
    network = Network(5, [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (1, 3)], [p % 5 for p in range(processors)])
    shape = Shape(flit_bits, buffer_flits, routing_cycles, header_kind=PARTS)
    routing = shape.routing(network, 0)
    return comparison(routing, shape, staged_traffic(routing, CYCLES, seed=2, loads=(0.2, 0.6)))


def multistage(kind: str, radix: int, stages: int, flit_bits: int, routing_cycles: int = 1) -> Comparison:
    return min_job(kind, radix, stages, 1, flit_bits, 2, routing_cycles, cycles=900, header_kind=PARTS)


# family, job, and flits of fixed fields, parts, and processors of a part
JOBS: dict[str, tuple[str, Callable[[], Comparison], tuple[int, int, int]]] = {
    "spam": ("spam", lambda: spam(40, 16), (1, 4, 13)),
    "spam-two-flits-of-fields": ("spam", lambda: spam(30, 8, 3, 1), (2, 8, 4)),
    "spam-one-part": ("spam", lambda: spam(11, 32), (1, 1, 11)),
    "min": ("min", lambda: multistage("baseline", 4, 2, 8), (2, 4, 5)),
    "min-both-ways": ("min", lambda: multistage("bi-butterfly", 2, 5, 16, 2), (1, 3, 13)),
}


@pytest.mark.parametrize("name", sampled(JOBS, ("spam-two-flits-of-fields", "min")))
def test_headers_of_parts(name, tmp_path, require_tool):
    require_tool("icarus")
    _, make, sizes = JOBS[name]
    job = make()
    header = job.model.routing.header
    assert (header.unicast_flits, header.parts, header.part_processors) == sizes
    lengths = {job.model.header_flits(job.messages.destinations_of(m).tolist()) for m in range(len(job.messages))}
    assert len(lengths) >= min(3, 1 + header.parts), "headers must be of several lengths"
    assert_delivered(job)
    assert_equal(job, "icarus", tmp_path)


# Flits of more than 32 bits in lock-step, with headers that have something in them above bit 31.

WIDE_BITS, NARROW_BITS = 64, 8
FIRST_WIDE_BIT = 32


def multicasts(model, plan, count: int) -> Comparison:
    """From everywhere to a few processors, always with one of the last, whose bits are the highest."""
    random, nodes, records = np.random.default_rng(2), len(model.network.processors), []
    for number in range(count):
        source = int(random.integers(nodes))
        some = [*random.choice(nodes, 3, replace=False), nodes - 1 - number % 3]
        destinations = sorted({int(node) for node in some} - {source}) or [(source + 1) % nodes]
        flits = model.header_flits(destinations) + number % 4
        records.append(Message(source, destinations, flits, start_cycle=4 * number))
    messages = Messages.build(records, processors=nodes, header_flits=model.header_flits)
    cycles = Simulation(model, messages).run().cycles + 16
    return Comparison(model, messages, 0, cycles, harness_source(plan))


def wide_spam(flit_bits: int) -> Comparison:
    """24 processors and 10 bits of other fields."""
    network = Network(3, [(0, 1), (1, 2), (0, 2)], [processor // 8 for processor in range(24)])
    routing = SpamRouting(SpamLabels(network, 0), flit_bits)
    return multicasts(SpamModel(routing), spam_plan(routing), 40)


def wide_min() -> Comparison:
    """25 processors and 10 bits of other fields."""
    routing = MinRouting(MinNetwork("baseline", 5, 2), WIDE_BITS)
    return multicasts(MinModel(routing), min_plan(routing), 40)


def mesh() -> Comparison:
    """A packet's number, 8 bits, ends with bit 32: so many packets that it is set in some, and begins again at 0."""
    model = harts_model(2)
    nodes = model.routing.mesh.nodes
    pairs = [(number % nodes, (number + 1 + number // nodes % (nodes - 1)) % nodes) for number in range(270)]
    records = [Message(a, [b], 2, start_cycle=2 * number, operation=UNICAST) for number, (a, b) in enumerate(pairs)]
    assert len(build(model, records)) == len(records)
    return mesh_comparison(model, records)


def torus() -> Comparison:
    return torus_job(torus_routing(2, 2, 2, wraps=True, flit_bits=40, rule=DALLY_SEITZ), 2, 1, 200)


def hypercube() -> Comparison:
    return hypercube_job(hypercube_routing(2, 2, flit_bits=40), 2, 200)


WIDE_JOBS: dict[str, Callable[[], Comparison]] = {
    "spam": lambda: wide_spam(WIDE_BITS),
    "spam-six-flits": lambda: wide_spam(NARROW_BITS),
    "min": wide_min,
    "harts": mesh,
    "torus": torus,
    "hypercube": hypercube,
}
WIDE_HEADERS = ("spam", "spam-six-flits", "min", "harts")
"""Headers of tori and hypercubes have 24 bits at most; of theirs the bodies are wide."""


@pytest.mark.parametrize("name", sampled(WIDE_JOBS, ("spam", "harts")))
def test_wide_flits(name, tmp_path, require_tool):
    require_tool("icarus")
    job = WIDE_JOBS[name]()
    if name in WIDE_HEADERS:
        headers = MessageFlits(job.model, job.messages).headers
        assert sum(header >> FIRST_WIDE_BIT > 0 for header in headers) > len(headers) // 8
    assert_delivered(job)
    assert_equal(job, "icarus", tmp_path)


# Networks whose tables are loaded: the same in every cycle as with constants, and wrong with wrong tables.


def loadable_spam():
    routing = SpamRouting(SpamLabels(lattice_network(6, seed=3)), 16)
    return SpamModel(routing), spam_plan(routing)


def loadable_min():
    routing = MinRouting(MinNetwork("bi-butterfly", 2, 3), 16)
    return MinModel(routing), min_plan(routing)


def with_loaded_tables(family) -> tuple[Comparison, list[int]]:
    model, plan = family()
    plan = replace(plan, loadable_tables=True)
    processors = len(model.network.processors)
    records = random_traffic(
        processors=processors,
        cycles=800,
        seed=5,
        messages_per_node_per_cycle=0.01,
        multicast_fraction=0.5,
        destinations=(3.0, 1.0),
        flits=12,
    )
    messages = Messages.build(records, processors=processors, header_flits=model.header_flits)
    return Comparison(model, messages, 0, 1_000, harness_source(plan)), loaded_words(plan)


@pytest.mark.parametrize("family", sampled([loadable_spam, loadable_min], [loadable_spam]))
def test_loaded_tables_are_as_good_as_constants(family, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(with_loaded_tables(family)[0], "icarus", tmp_path)


def test_wrong_tables_are_seen(tmp_path, require_tool):
    """None loaded, all zero, one word more, first half missing."""
    require_tool("icarus")
    right, words = with_loaded_tables(loadable_spam)
    for given in ([], [0] * len(words), [*words, 0], words[len(words) // 2 :]):
        wrong = replace(right, harness=replace(right.harness, table_words=tuple(given)))
        assert compare_verilog_text(wrong, right.harness.verilog, tmp_path).mismatches == 1


# Tables and headers without a route: hardware and golden model drain, count and report the same in every cycle.

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


def with_bad_tables(family: str, flit_bits: int, share: float, **settings) -> Comparison:
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
    ("family", "flit_bits", "share"),
    [
        ("spam", 8, 0.2),
        ("min", 16, 1.0),
        *(pytest.param(*case, marks=pytest.mark.slow) for case in (("spam", 32, 1.0), ("min", 8, 0.2))),
    ],
)
def test_worms_without_a_way(family, flit_bits, share, tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(with_bad_tables(family, flit_bits, share), "icarus", tmp_path)


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
    job = mesh_comparison(model, mixed_traffic(model, 300, 0.02, seed=1, broadcasts=0, flits=(1, 8)))
    results = Simulation(job.model, job.messages).run()
    assert results.discarded > 10
    assert not results.deadlocked
    return job


def test_packets_that_would_go_too_far(tmp_path, require_tool):
    require_tool("icarus")
    assert_equal(far_packets(), "icarus", tmp_path)


UNROUTABLE = {"min": lambda: with_bad_tables("min", 8, 0.2), "harts": far_packets}


def test_dropped_packets_of_a_faulty_mesh_are_counted():
    job = loaded(3, 1_500, faults=FAULTS[3])
    results = Simulation(job.model, job.messages).run()
    assert results.discarded > 0
