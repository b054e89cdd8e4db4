"""SPAM networks in lock-step with their golden model, negative controls among them."""

from dataclasses import replace

import pytest

from hydranoc.lockstep.compare import compare_network
from sim_model.messages.messages import Message
from tests.networks import figure_1, random_irregular, ring
from tests.sampled import sampled
from tests.tb.comparisons import assert_delivered, assert_equal
from tests.tb.workloads import Shape, model_results, staged_traffic
from tests.tb.workloads import spam_comparison as comparison
from topology.common.ages import AGE
from topology.common.graph import Network
from topology.common.host_pattern import Blockade, HostBehaviour
from topology.common.lattice import irregular_network
from topology.common.part_headers import BIT_STRING, PARTS
from topology.common.regular import mesh_network
from topology.common.total_order import TOTAL

# Hardware against golden model: whole networks, every cycle, every field.

SHAPES = [Shape(flit_bits=bits, buffer_flits=flits) for bits in (16, 64) for flits in (1, 2, 4)]


@pytest.mark.parametrize("shape", sampled(SHAPES, SHAPES[-1:]), ids=lambda shape: shape.name)
def test_figure_1_under_icarus(shape, tmp_path, require_tool):
    require_tool("icarus")
    routing = shape.routing(figure_1(), root=0)
    job = comparison(routing, shape, staged_traffic(routing, 1_200, seed=1))
    assert_delivered(job)
    assert_equal(job, "icarus", tmp_path)


@pytest.mark.sentinel
@pytest.mark.parametrize("routing_cycles", sampled([2, 3, 4, 7], [3]))
def test_routing_delays(routing_cycles, tmp_path, require_tool):
    require_tool("icarus")
    shape = Shape(flit_bits=16, routing_cycles=routing_cycles)
    routing = shape.routing(random_irregular(3, switches=5))
    job = comparison(routing, shape, staged_traffic(routing, 900, seed=routing_cycles))
    assert_delivered(job)
    assert_equal(job, "icarus", tmp_path, anew=True)


FAST_SHAPES = [
    (Shape(bits, flits, 2, link_cycles=cycles, header_kind=kind, fast=True), simulator)
    for bits, flits, cycles, kind, simulator in (
        (16, 1, 1, BIT_STRING, "icarus"),
        (16, 2, 1, BIT_STRING, "icarus"),
        (16, 40, 1, BIT_STRING, "icarus"),  # in block RAM, all but a front
        (64, 1, 2, BIT_STRING, "icarus"),
        (64, 2, 1, BIT_STRING, "verilator"),
        (8, 3, 1, PARTS, "verilator"),
    )
]


FAST_NETWORKS = {"mesh": lambda: mesh_network((3, 3)), "irregular": lambda: random_irregular(3, switches=5)}


@pytest.mark.parametrize("case", sampled(FAST_SHAPES, FAST_SHAPES[1:2]), ids=lambda case: f"{case[0].name}-{case[1]}")
@pytest.mark.parametrize("network", sampled(FAST_NETWORKS, ["irregular"]))
def test_fast_pipeline(network, case, tmp_path, require_tool):
    shape, simulator = case
    require_tool(simulator)
    routing = shape.routing(FAST_NETWORKS[network]())
    job = comparison(routing, shape, staged_traffic(routing, 900, seed=6))
    assert_delivered(job)
    assert_equal(job, simulator, tmp_path)


def test_messages_that_all_turn_at_the_root(tmp_path, require_tool):
    require_tool("icarus")
    shape = Shape(flit_bits=16, buffer_flits=40, ordering=TOTAL)  # in block RAM, all but a front
    routing = shape.routing(random_irregular(7, switches=6))
    job = comparison(routing, shape, staged_traffic(routing, 900, seed=6))
    assert_delivered(job)
    assert_equal(job, "icarus", tmp_path)


AGED_SHAPES = [
    Shape(16, arbitration=AGE, age_step_cycles=4),
    Shape(16, routing_cycles=2, header_kind=PARTS, arbitration=AGE),
    Shape(16, routing_cycles=4, link_cycles=2, arbitration=AGE, age_step_cycles=64),
]


@pytest.mark.parametrize("shape", sampled(AGED_SHAPES, AGED_SHAPES[:1]), ids=lambda shape: shape.name)
def test_oldest_message_first(shape, tmp_path, require_tool):
    """Ages in headers, which change on their way, are compared on every channel."""
    require_tool("icarus")
    routing = shape.routing(random_irregular(7, switches=5))
    job = comparison(routing, shape, staged_traffic(routing, 900, seed=6))
    assert_delivered(job)
    assert_equal(job, "icarus", tmp_path)


@pytest.mark.parametrize("flit_bits", sampled([8, 512], [512]))
def test_narrowest_and_widest_flits(flit_bits, tmp_path, require_tool):
    """With 8 bits and 300 vertices the routing key alone takes two flits; by day a proof has such keys."""
    require_tool("icarus")
    shape = Shape(flit_bits=flit_bits)
    switches, processors = (20, 14) if flit_bits == 8 else (5, 1)
    network = irregular_network(switches, ports=22, seed=4, processors_per_switch=processors)
    routing = shape.routing(network)
    assert routing.header.key_flits == (2 if flit_bits == 8 else 1)
    job = comparison(routing, shape, staged_traffic(routing, 120, seed=5, loads=(0.1,)), cycles=400)
    assert_equal(job, "icarus", tmp_path)


def test_irregular_network_under_verilator(tmp_path, require_tool):
    """Host behaviour is not part of the hardware, so the simulator is built once."""
    require_tool("verilator")
    shape = Shape(flit_bits=16, buffer_flits=1, routing_cycles=2)
    routing = shape.routing(irregular_network(5, seed=11))
    job = comparison(routing, shape, staged_traffic(routing, 10_000, seed=2), cycles=30_000)
    assert_delivered(job)
    assert_equal(job, "verilator", tmp_path)
    assert_equal(replace(job, hosts=HostBehaviour(60, 60, 8, (Blockade(2, 2_000, 3_000),))), "verilator", tmp_path)


# Negative controls deadlock in model and hardware in the same cycle; with the rule kept, neither deadlocks.

FLITS = 24


def conflicting_multicasts() -> list[Message]:
    """Two worms that request two outputs of a switch in one order, then two that request four in different orders."""
    agreeing = [Message(source, (0, 1), FLITS) for source in (2, 5)]
    return [*agreeing, *(Message(source, (0, 1, 3, 4), FLITS, start_cycle=200) for source in (2, 5))]


def all_around() -> list[Message]:
    """Every processor of a ring sends two hops in the same direction."""
    return [Message(source, ((source + 2) % 5,), FLITS) for source in range(5)]


CONTROLS = [
    pytest.param(
        Network(1, [], [0] * 6),
        Shape(enqueue="split"),
        {"enqueue": "atomic"},
        conflicting_multicasts(),
        id="non-atomic",
    ),
    pytest.param(ring(5), Shape(up_after_down=True), {"up_after_down": False}, all_around(), id="up-after-down"),
]


@pytest.mark.parametrize(("network", "shape", "rule", "records"), CONTROLS)
def test_negative_control(network, shape, rule, records, tmp_path, require_tool):
    require_tool("icarus")
    broken = comparison(shape.routing(network), shape, records, cycles=2_000)
    assert model_results(broken).deadlocked
    outcome = compare_network(broken, "icarus", tmp_path)
    assert outcome.result.report is None, "hardware and model stop in the same cycle, with the same flits delivered"

    kept = replace(shape, **rule)
    restored = comparison(kept.routing(network), kept, records)
    assert not model_results(restored).deadlocked
    assert compare_network(restored, "icarus", tmp_path).result.report is None
