"""What the lock-step bench expects, and how it reports a difference."""

import numpy as np
import pytest

from sim_model.common.simulation import Simulation
from tb.common.difference import describe_difference
from tb.common.expectation import MessageBits, expected_rows
from tests.networks import figure_1
from tests.tb.workloads import Shape, comparison, staged_traffic
from topology.common.flits import FlitFormat
from topology.common.link_stages import LinkStages

SHAPE = Shape(flit_bits=16)


@pytest.fixture(scope="module")
def job():
    routing = SHAPE.routing(figure_1(), root=0)
    return comparison(routing, SHAPE, staged_traffic(routing, 600, seed=3))


@pytest.mark.parametrize("flit_bits", [8, 16, 40, 64])
def test_bits_of_flits_are_the_models_data(flit_bits):
    """Many flits at once against the one-by-one definition in the topology layer."""
    shape = Shape(flit_bits=flit_bits)
    routing = shape.routing(figure_1(), root=0)
    job = comparison(routing, shape, staged_traffic(routing, 300, seed=3))
    simulation, layout = Simulation(job.model, job.messages), FlitFormat(flit_bits)
    pairs = [(m, k) for m in range(len(job.messages)) for k in range(int(job.messages.flits[m]))]
    message, index = (np.array(column) for column in zip(*pairs, strict=True))
    processor = job.messages.destinations[job.messages.offsets[message]]
    bits = MessageBits(job.model, job.messages).of(message, index, processor, np.zeros_like(message))
    for (message, index), row in zip(pairs, bits, strict=True):
        value = sum(int(bit) << position for position, bit in enumerate(row))
        last = int(job.messages.flits[message]) - 1
        expected = (simulation.data_of(message, index), index == 0, index == last)
        assert layout.unpack(value) == expected


def first_delivery(job) -> tuple[int, str]:
    rows = expected_rows(Simulation(job.model, job.messages).record(200), MessageBits(job.model, job.messages))
    processors = len(job.model.network.processors)
    delivered = processors * (FlitFormat(SHAPE.flit_bits).width + 1)
    cycle = next(cycle for cycle, row in enumerate(rows) if "1" in row[:delivered])
    return cycle, rows[cycle]


def flipped(row: str, bit: int) -> str:
    position = len(row) - 1 - bit
    return row[:position] + ("0" if row[position] == "1" else "1") + row[position + 1 :]


def test_a_missing_move_is_reported_by_channel(job):
    cycle, row = first_delivery(job)
    network = job.model.network
    channel = next(c for c in network.channels if row[len(row) - 1 - c.index] == "1" and network.is_switch(c.sink))
    text, switches = describe_difference(LinkStages(network), SHAPE.flit_bits, cycle, flipped(row, channel.index), row)
    assert f"cycle {cycle}" in text
    assert f"channel {channel.name}: hardware no flit moved, model a flit moved" in text
    assert channel.sink in switches


def test_a_wrong_data_bit_is_reported_by_processor(job):
    cycle, row = first_delivery(job)
    network = job.model.network
    base, width = len(network.channels) + len(network.processors), FlitFormat(SHAPE.flit_bits).width + 1
    processor = next(p for p in range(len(network.processors)) if row[len(row) - 1 - base - p * width] == "1")
    wrong = flipped(row, base + processor * width + 3)
    text, switches = describe_difference(LinkStages(network), SHAPE.flit_bits, cycle, wrong, row)
    assert f"delivered to p{processor}: hardware head 0x" in text
    assert switches == {network.processors[processor]}


def test_a_descriptor_that_was_not_taken_is_reported(job):
    cycle, row = first_delivery(job)
    network = job.model.network
    text, _ = describe_difference(
        LinkStages(network), SHAPE.flit_bits, cycle, flipped(row, len(network.channels) + 2), row
    )
    assert f"injector of p2: hardware did not take the descriptor in cycle {cycle - 1}, model did" in text


def test_unknown_values_are_a_difference(job):
    cycle, row = first_delivery(job)
    text, _ = describe_difference(LinkStages(job.model.network), SHAPE.flit_bits, cycle, "x" + row[1:], row)
    assert "unknown" in text
