"""Tori and meshes as golden models: routing, deliveries, VCs, deadlock, reports, and the closed form."""

import operator
from dataclasses import replace

import numpy as np
import pytest

from hydranoc.studies.torus.analytical import closed_form_latency, cycles_behind_head, has_closed_form
from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message
from tests.sim_model.builders import build, simulate
from tests.sim_model.torus_traffic import random_records, torus_model
from topology.common.host_pattern import Blockade, HostBehaviour, level_of
from topology.torus.operations import operation, turns_of
from topology.torus.routing import VC_RULES

GRIDS = {"torus": (3, 4, True), "mesh": (4, 3, False), "ring": (1, 6, True), "short": (2, 3, True)}


@pytest.mark.parametrize("vc_reallocation", ["tail", "empty"])
@pytest.mark.parametrize("vc_rule", VC_RULES)
@pytest.mark.parametrize("grid", GRIDS)
def test_all_messages_arrive_once_and_in_order(grid, vc_rule, vc_reallocation):
    rows, columns, wraps = GRIDS[grid]
    random = np.random.default_rng(5)
    hosts = HostBehaviour(level_of(0.2), level_of(0.3), seed=3)
    for vcs in (2, 4):
        model = torus_model(rows, columns, vcs, wraps=wraps, vc_rule=vc_rule, vc_reallocation=vc_reallocation)
        records = random_records(random, model, 1_500, cycles=2_000, body=25)
        results = simulate(model, records, hosts=hosts).run()
        assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
        assert (results.arrival_cycle > 0).all()
        hops = [3 + sum(1 for _ in model.network.grid.path(r.source, r.destinations[0])) - 1 for r in records]
        assert results.flit_hops == sum(hop * record.flits for hop, record in zip(hops, records, strict=True))


@pytest.mark.parametrize(("vcs", "deadlocked"), [(1, True), (2, False)])
def test_one_vc_in_a_torus_deadlocks(vcs, deadlocked):
    # All nodes of a ring send two channels onwards at once.
    records = [Message(node, [(node + 2) % 6], 30) for node in range(6)]
    simulation = simulate(torus_model(1, 6, vcs), records)
    results = simulation.run()
    assert (simulation.deadlocked, simulation.finished) == (deadlocked, not deadlocked)
    assert results.lost == (6 if deadlocked else 0)
    if not deadlocked:
        return
    lines = simulation.deadlock_report().splitlines()
    assert lines[0].endswith("12 input channels wait for each other")
    assert "  s5->s0 (message 5) waits for s0->s1 had by p0->s0" in lines
    assert "  p0->s0 (message 0) waits for room in the buffer behind s0->s1" in lines
    state = simulation.describe_router(0)
    assert "s5->s0: [m5.0.head m5.1 m5.2 m5.3] candidates {0}" in state
    assert "s0->s1: empty, had by p0->s0, 0 credits" in state
    assert not simulation.record(20).moved.any()


def test_a_mesh_needs_one_vc_only():
    random = np.random.default_rng(1)
    model = torus_model(4, 4, 1, wraps=False)
    assert simulate(model, random_records(random, model, 2_000, cycles=1_000, body=40)).run().lost == 0


@pytest.mark.parametrize("vc_rule", VC_RULES)
def test_all_rules_survive_what_kills_one_vc(vc_rule):
    deadlocks = 0
    for seed in range(8):
        parameters = {"buffer_flits": 1 + seed % 4, "vc_rule": vc_rule}
        model, alone = torus_model(4, 4, 2, **parameters), torus_model(4, 4, 1, **parameters)
        records = random_records(np.random.default_rng(seed), model, 1_500, cycles=300, body=40)
        assert simulate(model, records).run().lost == 0
        deadlocks += simulate(alone, records).run().deadlocked
    assert deadlocks >= 4


def test_a_worm_that_waits_for_flits_is_named():
    # Message 1 has the channel to node 3 and its receiver stalls; message 0 waits behind it, its tail at the source.
    model = torus_model(1, 5, 1, wraps=False)
    hosts = HostBehaviour(blocked=(Blockade(3, 0, 5_000),))
    simulation = simulate(model, [Message(0, [3], 60, start_cycle=40), Message(2, [3], 60)], hosts=hosts)
    simulation.run(4_000)
    waits = {model.network.channels[wait.channel].name: wait for wait in model.waits(*states_of(simulation))}
    name = model.network.channels
    assert waits["s1->s2"].reason == "for s2->s3 had by p2->s2"
    assert waits["p2->s2"].reason == "for room in the buffer behind s2->s3"
    assert [name[blocker].name for blocker in waits["s0->s1"].blockers] == ["s1->s2"]
    assert simulation.run().lost == 0


def test_a_worm_with_an_empty_buffer_waits_for_the_vc_that_feeds_it():
    # The source of the message pauses while its head is on the way.
    model = torus_model(1, 5, 1, wraps=False)
    simulation = simulate(model, [Message(0, [4], 40)], hosts=HostBehaviour(pause_level=level_of(0.95), seed=1))
    simulation.run(60)
    waits = {model.network.channels[wait.channel].name: wait for wait in model.waits(*states_of(simulation))}
    assert waits["s1->s2"].reason == "for more flits from s0->s1"
    assert waits["s1->s2"].message == -1


def states_of(simulation):
    return simulation.state, simulation.router_state


def test_worms_without_a_way_are_drained_and_counted():
    model = torus_model(3, 3, 2, wraps=False)
    records = [Message(4, [8], 20, operation=4), Message(4, [8], 20, start_cycle=5), Message(0, [1], 1, operation=2)]
    simulation = simulate(model, records)
    results = simulation.run()
    assert simulation.finished
    assert results.discarded == 2
    assert results.lost == 2
    assert results.arrival_cycle[1] > 0


def test_sixty_four_rows_and_columns():
    model = torus_model(64, 64, 2)
    corner = Message(0, [33 * 64 + 33], 4)
    far = Message(0, [2 * 64 + 62], 4, operation=3)
    results = simulate(model, [corner, replace(far, source=100)]).run()
    assert results.lost == 0


def test_several_destinations_are_refused():
    model = torus_model(2, 2, 2)
    with pytest.raises(ValueError, match="A message in a torus must have 1 destination"):
        Simulation(model, build(model, [Message(0, [1, 2], 4)]))


# The closed form of docs/look_up/timing_torus.md against simulation of single messages.


def lone_latency(model, source, destination, flits, number=0, startup_cycles=0):
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


@pytest.mark.parametrize(("buffer_flits", "routing_cycles"), [(4, 1), (1, 1), (3, 1), (1, 3), (5, 2), (16, 5)])
@pytest.mark.parametrize(("rows", "columns", "wraps"), [(3, 4, True), (3, 3, False)])
def test_all_pairs(rows, columns, wraps, buffer_flits, routing_cycles):
    model = torus_model(rows, columns, 2, wraps=wraps, buffer_flits=buffer_flits, routing_cycles=routing_cycles)
    nodes = rows * columns
    for source in range(nodes):
        for destination in set(range(nodes)) - {source}:
            flits = 1 + (source * 7 + destination) % 11
            assert lone_latency(model, source, destination, flits) == closed(model, source, destination, flits)


@pytest.mark.parametrize("buffer_flits", [1, 2, 3, 4, 5, 8, 16])
@pytest.mark.parametrize("routing_cycles", [1, 2, 3, 7])
def test_all_lengths_on_a_long_way(buffer_flits, routing_cycles):
    model = torus_model(1, 10, 1, wraps=False, buffer_flits=buffer_flits, routing_cycles=routing_cycles)
    for flits in (*range(1, 15), 50, 51, 52, 53):
        latency = lone_latency(model, 0, 9, flits)
        if has_closed_form(buffer_flits, routing_cycles):
            assert latency == closed(model, 0, 9, flits)
        else:
            deep = closed_form_latency(model.routing, 0, 9, flits, buffer_flits=8, routing_cycles=routing_cycles)
            assert deep <= latency
            assert latency <= deep + 2 * 11 or buffer_flits < 4


def test_startup_and_turns_count():
    model = torus_model(4, 4, 2)
    for number in (0, *(operation(turns_of(number)) for number in range(1, 5))):
        latencies = closed(model, 0, 6, 9, number, 40), lone_latency(model, 0, 6, 9, number, 40)
        assert latencies[0] == latencies[1]


@pytest.mark.parametrize("routing_cycles", [1, 3])
@pytest.mark.parametrize(("buffer_flits", "rate"), [(1, 1 / 4), (2, 1 / 2), (3, 3 / 4), (4, 1), (8, 1)])
def test_rate_of_a_vc_alone(buffer_flits, rate, routing_cycles):
    model = torus_model(1, 4, 2, wraps=False, buffer_flits=buffer_flits, routing_cycles=routing_cycles)
    longer, shorter = (lone_latency(model, 0, 3, flits) for flits in (1_240, 40))
    assert (longer - shorter) * rate == pytest.approx(1_200)
    if has_closed_form(buffer_flits, routing_cycles):
        behind = (cycles_behind_head(flits, buffer_flits, routing_cycles) for flits in (1_240, 40))
        assert operator.sub(*behind) == longer - shorter


def test_no_closed_form_is_an_error():
    with pytest.raises(ValueError, match="Buffers of 4 flits must not go with a routing of 2 cycles"):
        cycles_behind_head(5, 4, 2)
