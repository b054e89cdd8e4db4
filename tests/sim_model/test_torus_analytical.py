"""The closed form of docs/look_up/timing_torus.md against simulation of single messages."""

import pytest

from hydranoc.studies.torus.analytical import closed_form_latency, cycles_behind_head, has_closed_form
from sim_model.messages.messages import Message
from tests.sim_model.torus_traffic import simulate, torus_model
from topology.torus.operations import operation, turns_of


def simulated(model, source, destination, flits, number=0, startup_cycles=0):
    record = Message(source, [destination], flits, start_cycle=3, operation=number)
    results = simulate(model, [record], startup_cycles).run()
    return int(results.arrival_cycle[0]) - 3


def closed(model, source, destination, flits, number=0, startup_cycles=0):
    return closed_form_latency(
        model.routing,
        source,
        destination,
        flits,
        turns=turns_of(number),
        buffer_flits=model.buffer_flits,
        routing_cycles=model.routing_cycles,
        startup_cycles=startup_cycles,
    )


@pytest.mark.parametrize(
    ("buffer_flits", "routing_cycles"), [(4, 1), (1, 1), (2, 1), (3, 1), (1, 3), (3, 3), (5, 2), (16, 5)]
)
@pytest.mark.parametrize(("rows", "columns", "wraps"), [(4, 5, True), (3, 4, False)])
def test_all_pairs(rows, columns, wraps, buffer_flits, routing_cycles):
    model = torus_model(rows, columns, 2, wraps=wraps, buffer_flits=buffer_flits, routing_cycles=routing_cycles)
    nodes = rows * columns
    for source in range(nodes):
        for destination in set(range(nodes)) - {source}:
            flits = 1 + (source * 7 + destination) % 11
            assert simulated(model, source, destination, flits) == closed(model, source, destination, flits)


@pytest.mark.parametrize("buffer_flits", range(1, 17))
@pytest.mark.parametrize("routing_cycles", [1, 2, 3, 4, 7])
def test_all_lengths_on_a_long_way(buffer_flits, routing_cycles):
    model = torus_model(1, 10, 1, wraps=False, buffer_flits=buffer_flits, routing_cycles=routing_cycles)
    for flits in (*range(1, 15), 50, 51, 52, 53):
        latency = simulated(model, 0, 9, flits)
        if has_closed_form(buffer_flits, routing_cycles):
            assert latency == closed(model, 0, 9, flits)
        else:
            deep = closed_form_latency(model.routing, 0, 9, flits, buffer_flits=8, routing_cycles=routing_cycles)
            assert deep <= latency
            assert latency <= deep + 2 * 11 or buffer_flits < 4


def test_startup_and_turns_count():
    model = torus_model(4, 4, 2)
    for number in (0, *(operation(turns_of(number)) for number in range(1, 5))):
        latencies = closed(model, 0, 6, 9, number, 40), simulated(model, 0, 6, 9, number, 40)
        assert latencies[0] == latencies[1]


@pytest.mark.parametrize(("buffer_flits", "rate"), [(1, 1 / 4), (2, 1 / 2), (3, 3 / 4), (4, 1), (8, 1)])
def test_rate_of_a_vc_alone(buffer_flits, rate):
    model = torus_model(1, 4, 2, wraps=False, buffer_flits=buffer_flits)
    longer, shorter = (simulated(model, 0, 3, flits) for flits in (1_240, 40))
    assert (longer - shorter) * rate == pytest.approx(1_200)
    assert cycles_behind_head(1_240, buffer_flits, 1) - cycles_behind_head(40, buffer_flits, 1) == longer - shorter


@pytest.mark.parametrize(("buffer_flits", "rate"), [(1, 1 / 4), (2, 1 / 2), (3, 3 / 4), (4, 1), (5, 1)])
def test_rate_of_a_vc_alone_behind_slow_heads(buffer_flits, rate):
    model = torus_model(1, 4, 2, wraps=False, buffer_flits=buffer_flits, routing_cycles=3)
    longer, shorter = (simulated(model, 0, 3, flits) for flits in (1_240, 40))
    assert (longer - shorter) * rate == pytest.approx(1_200)


def test_no_closed_form_is_an_error():
    with pytest.raises(ValueError, match="Buffers of 4 flits must not go with a routing of 2 cycles"):
        cycles_behind_head(5, 4, 2)
