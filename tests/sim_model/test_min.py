"""Golden model of multistage networks: exactly-once delivery, deadlock without tokens, and latency in closed form."""

import numpy as np
import pytest

from hydranoc.studies.min.analytical import FLIT_NS, paper_latency
from hydranoc.studies.min.latency import FLITS, fig14_destinations, min_fig14, simulated_latency
from hydranoc.studies.min.load import message_rate
from hydranoc.studies.min.shapes import Shape
from sim_model.min.model import MinModel
from tests.sim_model.builders import PRINTED_DEADLOCK, PRINTED_FLIT_BITS, PRINTED_NETWORK, heavy_jobs
from tests.sim_model.builders import simulated as simulate
from topology.min.deadlock import check_min_deadlock
from topology.min.graph import BIDIRECTIONAL, KINDS, MinNetwork
from topology.min.groups import AS_PUBLISHED, EXACT, NO_TOKEN
from topology.min.routing import MinRouting

FEW_RUNS, RUNS, MANY_RUNS = 40, 150, 1000
CAMPAIGN = [
    (kind, radix, stages, channels)
    for radix, stages in ((2, 3), (8, 1), (2, 4), (4, 2), (8, 2), (4, 3), (2, 6))
    for kind in ("baseline", BIDIRECTIONAL)
    for channels in (1, radix)
]


@pytest.mark.parametrize("buffer_flits", [1, 16])
@pytest.mark.parametrize("channels", ["1", "b"])
@pytest.mark.parametrize(("kind", "radix", "stages"), [(kind, 2, 3) for kind in KINDS] + [(BIDIRECTIONAL, 4, 2)])
def test_tokens_prevent_deadlock(kind, radix, stages, channels, buffer_flits):
    network = MinNetwork(kind, radix, stages, radix if channels == "b" else 1)
    routing, nodes = MinRouting(network, 64), radix**stages
    for token, count in ((NO_TOKEN, RUNS), (EXACT, FEW_RUNS)):
        model, random = MinModel(routing, buffer_flits=buffer_flits, token=token), np.random.default_rng(1)
        can_deadlock = not check_min_deadlock(routing, model.buffer_depth_flits, token).free
        for _ in range(count):
            run = simulate(model, heavy_jobs(random, nodes))
            results = run.results()
            assert (results.duplicated, results.disordered) == (0, 0)
            assert (results.lost > 0) == run.deadlocked
            if run.deadlocked:
                break
        assert run.deadlocked == can_deadlock
        assert token == NO_TOKEN or not can_deadlock


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "radix", "stages", "channels"), CAMPAIGN)
@pytest.mark.parametrize("buffer_flits", [1, 2, 16])
def test_tokens_prevent_deadlock_in_a_thousand_jobs(kind, radix, stages, channels, buffer_flits):
    """The static check decides if switches without tokens can deadlock at all."""
    routing, nodes = MinRouting(MinNetwork(kind, radix, stages, channels), 128), radix**stages
    deadlocked = {}
    for token in (NO_TOKEN, EXACT):
        model, random = MinModel(routing, buffer_flits=buffer_flits, token=token), np.random.default_rng(2)
        runs = (simulate(model, heavy_jobs(random, nodes)) for _ in range(MANY_RUNS))
        deadlocked[token] = sum(run.deadlocked for run in runs)
        assert check_min_deadlock(routing, model.buffer_depth_flits, token).free == (deadlocked[token] == 0)
    assert deadlocked[EXACT] == 0


def test_the_paper_s_release_deadlocks():
    routing = MinRouting(MinNetwork(*PRINTED_NETWORK), PRINTED_FLIT_BITS)
    for token in (AS_PUBLISHED, EXACT):
        model = MinModel(routing, buffer_flits=1, token=token)
        assert simulate(model, PRINTED_DEADLOCK).deadlocked == (token == AS_PUBLISHED)
        assert check_min_deadlock(routing, model.buffer_depth_flits, token).free == (token == EXACT)


def test_deadlock_report_names_the_circle():
    network = MinNetwork("baseline", 2, 3)
    model, random = MinModel(MinRouting(network, 64), token=NO_TOKEN), np.random.default_rng(1)
    stuck = next(run for run in (simulate(model, heavy_jobs(random, 8)) for _ in range(RUNS)) if run.deadlocked)
    report = stuck.deadlock_report()
    assert "owned by" in report
    assert "wait for each other" in report


@pytest.mark.parametrize(("kind", "radix", "stages"), [("baseline", 4, 3), (BIDIRECTIONAL, 8, 2)])
def test_closed_form_latency(kind, radix, stages):
    shape = Shape(kind, radix, stages)
    paper, found = paper_latency(shape.network, FLITS), simulated_latency(shape, 100)
    assert found.unicast_ns == paper.unicast_ns - FLIT_NS  # the paper counts one flit time twice
    expected = paper.multicast_ns - FLIT_NS - FLIT_NS / 2 * found.rings
    assert abs(found.multicast_ns - expected) < 2.5 * found.half_width_ns
    assert found.fastest_multicast_ns <= paper.multicast_ns - FLIT_NS <= found.slowest_multicast_ns


def test_the_paper_s_example_is_one_of_the_places_of_the_token():
    """2.12 us for 64 nodes, 8 x 8 switches, bidirectional: the token four switches away, and one flit time less."""
    paper = paper_latency(MinNetwork(BIDIRECTIONAL, 8, 2), FLITS)
    assert (paper.unicast_ns, paper.multicast_ns) == (2040, 2120)


def test_figure_14_in_the_small():
    """One destination is the closed form's unicast less a flit time; software takes a step more per doubling."""
    shape = Shape(BIDIRECTIONAL, 2, 3)
    points = min_fig14((shape,), quick=True)
    assert [point.destinations for point in points] == 2 * [1, 2, 3, 4, 5, 6, 7]
    assert fig14_destinations(8) == (1, 2, 3, 4, 5, 6, 7)
    software = {point.destinations: point.latency_us for point in points if point.algorithm == "UMIN"}
    assert software[3] / software[1] == pytest.approx(2, rel=0.1)
    assert software[7] / software[1] == pytest.approx(3, rel=0.1)
    hardware = [point for point in points if point.algorithm == "ATBM"]
    assert hardware[0].largest_us * 1000 == pytest.approx(paper_latency(shape.network, FLITS).unicast_ns - FLIT_NS)
    assert hardware[-1].latency_us < 1.3 * hardware[1].latency_us


def test_rates_are_the_paper_s_formulas():
    """Sec. 5.3, worked by hand: 16 nodes, 2 x 2 switches, load 0.1, half of it multicast, 64 flits."""
    rate, share = message_rate(Shape("baseline", 2, 4), 0.1, 0.5, 64)
    buffer_cycles, buffers = 4 * (3 + 64), 16 * 4
    unicast_gap = buffer_cycles * 16 / (buffers * 0.1 * 0.5)
    multicast_gap = buffer_cycles * 8 * 16 / (buffers * 0.1 * 0.5)
    assert rate == pytest.approx(1 / unicast_gap + 1 / multicast_gap)
    assert share == pytest.approx(1 / 9)
