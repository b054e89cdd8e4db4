"""Hardware against golden model: whole networks, every cycle, every field.

The fixed sample here runs in CI. The campaign at the end (``--slow``) is the full matrix: the paper's Figure 1, 20
random irregular networks, and lattices of 64 and 128 switches, with all buffers and flit widths, at least 100,000
cycles each.
"""

import pytest

from tests.networks import figure_1, random_irregular
from tests.tb.comparisons import assert_delivered, assert_equal
from tests.tb.spam_workloads import Shape, comparison, staged_traffic
from topology.common.lattice import irregular_network, lattice_network
from topology.common.total_order import TOTAL

SHAPES = [Shape(flit_bits=bits, buffer_flits=flits) for bits in (16, 64) for flits in (1, 2, 4)]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_figure_1_under_icarus(shape, tmp_path, require_tool):
    require_tool("icarus")
    routing = shape.routing(figure_1(), root=0)
    job = comparison(routing, shape, staged_traffic(routing, 1_200, seed=1))
    assert_delivered(job)
    assert_equal(job, "icarus", tmp_path)


@pytest.mark.parametrize("routing_cycles", [2, 3, 4, 7])
def test_routing_delays(routing_cycles, tmp_path, require_tool):
    require_tool("icarus")
    shape = Shape(flit_bits=16, routing_cycles=routing_cycles)
    routing = shape.routing(random_irregular(3, switches=5))
    job = comparison(routing, shape, staged_traffic(routing, 900, seed=routing_cycles))
    assert_delivered(job)
    assert_equal(job, "icarus", tmp_path)


def test_messages_that_all_turn_at_the_root(tmp_path, require_tool):
    require_tool("icarus")
    shape = Shape(flit_bits=16, ordering=TOTAL)
    routing = shape.routing(random_irregular(7, switches=6))
    job = comparison(routing, shape, staged_traffic(routing, 900, seed=6))
    assert_delivered(job)
    assert_equal(job, "icarus", tmp_path)


@pytest.mark.parametrize("flit_bits", [8, 512])
def test_narrowest_and_widest_flits(flit_bits, tmp_path, require_tool):
    """With 8 bits and 300 vertices the routing key alone takes two flits."""
    require_tool("icarus")
    shape = Shape(flit_bits=flit_bits)
    network = irregular_network(20, ports=22, seed=4, processors_per_switch=14 if flit_bits == 8 else 1)
    routing = shape.routing(network)
    assert routing.header.key_flits == (2 if flit_bits == 8 else 1)
    job = comparison(routing, shape, staged_traffic(routing, 120, seed=5, loads=(0.1,)), cycles=400)
    assert_equal(job, "icarus", tmp_path)


def test_irregular_network_under_verilator(tmp_path, require_tool):
    require_tool("verilator")
    shape = Shape(flit_bits=16, buffer_flits=1, routing_cycles=2)
    routing = shape.routing(irregular_network(10, seed=11))
    job = comparison(routing, shape, staged_traffic(routing, 30_000, seed=2), cycles=100_000)
    assert_delivered(job)
    assert_equal(job, "verilator", tmp_path)


CAMPAIGN_CYCLES = 102_000


def campaign_networks():
    yield "figure-1", figure_1(), "icarus"
    for seed in range(20):
        switches = 4 + seed * 60 // 19
        network = irregular_network(switches, seed=100 + seed, extra_links=(seed % 4) * switches // 3)
        yield f"irregular-{switches}", network, "icarus" if seed == 0 else "verilator"
    yield "lattice-64", lattice_network(64, seed=7), "verilator"
    yield "lattice-128", lattice_network(128, seed=7), "verilator"


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
@pytest.mark.parametrize(
    ("network", "simulator"), [pytest.param(net, sim, id=name) for name, net, sim in campaign_networks()]
)
def test_campaign(network, simulator, shape, tmp_path, require_tool):
    require_tool(simulator)
    routing = shape.routing(network)
    job = comparison(routing, shape, staged_traffic(routing, CAMPAIGN_CYCLES, seed=9), cycles=CAMPAIGN_CYCLES)
    assert_equal(job, simulator, tmp_path)
    if simulator == "verilator" and network.switches <= 16:
        short = comparison(routing, shape, staged_traffic(routing, 4_000, seed=10))
        assert_delivered(short)
        assert_equal(short, "icarus", tmp_path)
