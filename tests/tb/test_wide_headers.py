"""Flits of more than 32 bits in lock-step, with headers that have something in them above bit 31.

Most networks of the tests are so small that their headers end below; then nothing shows that a bit above is lost.
"""

from collections.abc import Callable

import numpy as np
import pytest

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.min.network import min_plan
from rtl.spam.network import spam_plan
from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message, Messages
from sim_model.min.model import MinModel
from sim_model.spam.model import SpamModel
from tb.common.message_flits import MessageFlits
from tests.sim_model.harts_traffic import built, harts_model
from tests.tb.comparisons import assert_delivered, assert_equal, compare_verilog
from tests.tb.harts_workloads import comparison as mesh_comparison
from tests.tb.hypercube_workloads import hypercube_routing
from tests.tb.hypercube_workloads import job as hypercube_job
from tests.tb.mutations import Mutation
from tests.tb.torus_workloads import job as torus_job
from tests.tb.torus_workloads import torus_routing
from topology.common.graph import Network
from topology.harts.routing import UNICAST
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting
from topology.torus.routing import DALLY_SEITZ

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


def spam(flit_bits: int) -> Comparison:
    """24 processors and 10 bits of other fields."""
    network = Network(3, [(0, 1), (1, 2), (0, 2)], [processor // 8 for processor in range(24)])
    routing = SpamRouting(SpamLabels(network, 0), flit_bits)
    return multicasts(SpamModel(routing), spam_plan(routing), 40)


def multistage() -> Comparison:
    """25 processors and 10 bits of other fields."""
    routing = MinRouting(MinNetwork("baseline", 5, 2), WIDE_BITS)
    return multicasts(MinModel(routing), min_plan(routing), 40)


def mesh() -> Comparison:
    """A packet's number, 8 bits, ends with bit 32: so many packets that it is set in some, and begins again at 0."""
    model = harts_model(2)
    nodes = model.routing.mesh.nodes
    pairs = [(number % nodes, (number + 1 + number // nodes % (nodes - 1)) % nodes) for number in range(270)]
    records = [Message(a, [b], 2, start_cycle=2 * number, operation=UNICAST) for number, (a, b) in enumerate(pairs)]
    assert len(built(model, records)) == len(records)
    return mesh_comparison(model, records)


def torus() -> Comparison:
    return torus_job(torus_routing(2, 2, 2, wraps=True, flit_bits=40, rule=DALLY_SEITZ), 2, 1, 200)


def hypercube() -> Comparison:
    return hypercube_job(hypercube_routing(2, 2, flit_bits=40), 2, 200)


JOBS: dict[str, Callable[[], Comparison]] = {
    "spam": lambda: spam(WIDE_BITS),
    "spam-six-flits": lambda: spam(NARROW_BITS),
    "min": multistage,
    "harts": mesh,
    "torus": torus,
    "hypercube": hypercube,
}
WIDE_HEADERS = ("spam", "spam-six-flits", "min", "harts")
"""Headers of tori and hypercubes have 24 bits at most; of theirs the bodies are wide."""


@pytest.mark.parametrize("name", JOBS)
def test_wide_flits(name, tmp_path, require_tool):
    require_tool("icarus")
    job = JOBS[name]()
    if name in WIDE_HEADERS:
        headers = MessageFlits(job.model, job.messages).headers
        assert sum(header >> FIRST_WIDE_BIT > 0 for header in headers) > len(headers) // 8
    assert_delivered(job)
    assert_equal(job, "icarus", tmp_path)


INJECTOR, STORE = "parts/injector.py", "harts/header_store.py"
HEADER = "following.data.eq(message.header[:flit_bits]),"
NARROWED = [
    ("spam", Mutation("cuts headers at bit 32", INJECTOR, HEADER, HEADER.replace("[:flit_bits]", "[:32]"))),
    ("min", Mutation("cuts headers at bit 34", INJECTOR, HEADER, HEADER.replace("[:flit_bits]", "[:34]"))),
    ("harts", Mutation("cuts numbers of packets", INJECTOR, HEADER, HEADER.replace("[:flit_bits]", "[:32]"))),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mutation"), NARROWED, ids=[name for name, _ in NARROWED])
def test_a_lost_high_bit_is_reported(name, mutation, tmp_path, require_tool):
    require_tool("icarus")
    settings = {"packet_flits": 32} if name == "harts" else {}
    result = compare_verilog(JOBS[name](), mutation, tmp_path, settings, name)
    assert result.mismatches == 1, f"no check saw that the hardware {mutation.name}"
