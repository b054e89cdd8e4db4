"""Links of several cycles in multistage networks and hexagonal meshes (SPAM: ``test_spam_against_reference``)."""

import numpy as np
import pytest

from sim_model.messages.messages import Message
from sim_model.min.model import MinModel
from tests.networks import figure_1
from tests.sim_model.builders import (
    PAPER_ALGORITHMS,
    broadcast,
    harts_model,
    heavy_jobs,
    mixed_traffic,
    simulate,
    spam_model,
)
from tests.sim_model.builders import simulated as run
from topology.harts.frame import PROCESSOR_SLOT, SLOTS, most_link_cycles
from topology.harts.graph import DIRECTIONS
from topology.min.graph import BIDIRECTIONAL, MinNetwork
from topology.min.groups import TokenGroups
from topology.min.routing import MinRouting

RUNS = 30


def test_flits_in_stages_are_described():
    model = spam_model(figure_1(), root=0, link_cycles=3)
    records = [Message(source, [1], 40, start_cycle=0) for source in (0, 2, 3, 4)]
    simulation = simulate(model, records)
    simulation.record(40)
    reports = "\n".join(simulation.describe_router(switch) for switch in range(model.network.switches))
    assert "stages [m" in reports
    simulation.run()
    assert simulation.finished
    reports = "\n".join(simulation.describe_router(switch) for switch in range(model.network.switches))
    assert "stages" not in reports


@pytest.mark.parametrize("link_cycles", [2, 5])
@pytest.mark.parametrize(("kind", "channels"), [("baseline", 1), ("omega", 1), (BIDIRECTIONAL, 1), (BIDIRECTIONAL, 2)])
def test_tokens_prevent_deadlock(kind, channels, link_cycles):
    routing = MinRouting(MinNetwork(kind, 2, 3, channels), 64)
    random = np.random.default_rng(1)
    model = MinModel(routing, buffer_flits=1, link_cycles=link_cycles)
    for _ in range(RUNS):
        simulation = run(model, heavy_jobs(random, 8))
        results = simulation.results()
        assert simulation.finished
        assert (results.lost, results.duplicated, results.disordered) == (0, 0, 0)


@pytest.mark.parametrize("buffer_flits", [1, 4])
@pytest.mark.parametrize("link_cycles", [2, 3])
def test_a_release_that_forgets_the_stages_deadlocks(link_cycles, buffer_flits, monkeypatch):
    """The jobs of ``PRINTED_DEADLOCK``, longer; only the rule differs."""
    routing = MinRouting(MinNetwork("baseline", 2, 5), 64)
    records = [Message(source, [4, 19], 200, start_cycle=3) for source in (0, 29)]
    records.append(Message(17, [19], 200, start_cycle=3))
    assert not run(MinModel(routing, buffer_flits=buffer_flits, link_cycles=link_cycles), records).deadlocked
    exact = TokenGroups.release_flits
    monkeypatch.setattr(
        TokenGroups, "release_flits", lambda groups, switch, depth, _cycles, rule: exact(groups, switch, depth, 1, rule)
    )
    assert run(MinModel(routing, buffer_flits=buffer_flits, link_cycles=link_cycles), records).deadlocked


@pytest.mark.parametrize("link_cycles", [2, 3, 6])
def test_broadcasts_take_the_same_frames(link_cycles):
    """Heads reach the next node within a frame, so that the closed form stays as it is."""
    flits = 9
    for size in (3, 5):
        model = harts_model(size, link_cycles=link_cycles, gap_frames=2)
        for algorithm in PAPER_ALGORITHMS:
            simulation = simulate(model, [broadcast(model, algorithm, 0, flits)])
            for copy in simulation.run().copy_log:
                frames = int(copy.stage) * (flits + 1) + int(copy.hops - copy.stage)
                assert copy.stored_cycle == SLOTS * (flits + 1 + frames) + copy.direction


def uncovered_heads(model, records, cycles: int) -> int:
    """Slots in which a head from a link finds no page kept for it."""
    simulation, count = simulate(model, records), 0
    mesh = model.network
    for _ in range(cycles):
        slot = simulation.cycle % SLOTS
        if slot < DIRECTIONS and slot != PROCESSOR_SLOT:
            for node in range(mesh.nodes):
                channel = mesh.input_channel[node][slot]
                receiver = simulation.router_state.receivers[channel]
                at_rest = receiver.page < 0 and receiver.transmitter < 0
                if int(simulation.state.vertices.nonempty[node]) >> slot & 1 and at_rest and receiver.landing < 0:
                    count += 1
        simulation.record(1)
    return count


def short_packets(link_cycles: int, gap_frames: int) -> int:
    """Uncovered heads among packets that are nothing but heads, in a mesh that is short of pages."""
    model = harts_model(3, link_cycles=most_link_cycles(gap_frames), gap_frames=gap_frames)
    object.__setattr__(model, "link_cycles", link_cycles)
    records = mixed_traffic(model, 2_500, 0.03, seed=0, flits=(1, 2), broadcasts=0.3)
    return uncovered_heads(model, records, 2_500)


@pytest.mark.parametrize("gap_frames", [1, 2])
def test_every_head_finds_the_page_that_was_kept_for_it(gap_frames):
    assert short_packets(most_link_cycles(gap_frames), gap_frames) == 0


def test_longer_links_would_send_heads_without_a_page():
    """Negative control: a cycle more than the bound."""
    assert short_packets(most_link_cycles(1) + 1, 1) > 0


@pytest.mark.parametrize("link_cycles", [2, 3])
@pytest.mark.parametrize("size", [2, 4])
def test_every_packet_of_a_mesh_arrives_once_past_saturation(size, link_cycles):
    model = harts_model(size, link_cycles=link_cycles)
    results = simulate(model, mixed_traffic(model, 6_000, 0.02, seed=size)).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
