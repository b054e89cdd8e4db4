"""The ideal hypercube: exact without load, no losses, and the latencies of an independent simulation under load."""

from itertools import pairwise

import numpy as np
import pytest

from hydranoc.studies.hypercube.analytical import saturation_rate
from hydranoc.studies.hypercube.analytical_traffic import HypercubeLoad, link_load
from hydranoc.studies.hypercube.ideal import run as ideal_run
from hydranoc.studies.hypercube.ideal.cube import CHOICE_OF_DIMENSIONS, CHOICE_OF_VCS, IdealCube
from hydranoc.studies.hypercube.ideal.run import IdealDeadlock, IdealRun, simulate
from hydranoc.studies.hypercube.ideal.state import NONE, make_state
from hydranoc.studies.hypercube.ideal.traffic import Generated, PoissonSources
from topology.hypercube.binomial_tree import binomial_tree

LIGHT_TOLERANCE, HEAVY_TOLERANCE = 0.03, 0.06
"""Of mean latencies, up to half of the model's saturation and beyond."""
LOAD_TOLERANCE = 0.02
EVEN, WIDE = (0.2, 0.4, 0.6, 0.8), (0.2, 0.5, 0.8)
INDEPENDENT = [
    # An independent simulation, with buffers of 2 flits and atomic VC reallocation, means of 500 to 800
    # broadcasts with standard errors of 0.3 to 0.8 %. n, M, share of broadcasts, V; rates as shares of the saturation
    # of the analytical model's fixed variant; latencies.
    ((6, 32, 0.01, 2), EVEN, (215, 238, 263, 298)),
    ((6, 32, 0.01, 4), EVEN, (225, 271, 328, 414)),
    ((6, 32, 0.005, 2), EVEN, (216, 237, 265, 300)),
    ((6, 32, 0.02, 2), EVEN, (214, 235, 262, 300)),
    ((6, 64, 0.01, 2), EVEN, (426, 474, 541, 605)),
    ((6, 128, 0.01, 4), EVEN, (920, 1098, 1399, 1852)),
    ((7, 32, 0.01, 4), EVEN, (263, 308, 380, 472)),
    ((8, 32, 0.01, 2), EVEN, (284, 311, 351, 396)),
    ((7, 64, 0.02, 2), WIDE, (494, 576, 706)),
    ((8, 64, 0.02, 4), WIDE, (581, 757, 1040)),
]
POINTS = [
    pytest.param(HypercubeLoad(n, vcs, flits, fraction), share, latency, id=f"{n}-{flits}-{fraction}-{vcs} at {share}")
    for (n, flits, fraction, vcs), shares, latencies in INDEPENDENT
    for share, latency in zip(shares, latencies, strict=True)
]
BROADCASTS_IN_FULL = 5000
CHEAP_POINTS = [POINTS[number] for number in (1, 5)]
DELAYED = {"hop_cycles": 2, "link_cycles": 1, "credit_cycles": 3, "host_cycles": 5, "buffer_flits": 6}


def generated(*rows):
    """From tuples of cycle, source, base (NONE for a unicast), destination and queue."""
    return Generated(*np.array(rows, dtype=np.int64).T)


def latency_alone(cube, *row):
    run = IdealRun(cube)
    run.add(generated((0, *row)))
    run.watch(0, 1)
    assert run.advance()
    return int(run.latencies(0, 1)[0])


def busy_run(cube, rate, fraction, count, seed=1):
    run = IdealRun(cube, seed)
    run.add(PoissonSources(cube, rate, fraction, np.random.default_rng(seed)).draw(count))
    run.watch(0, count)
    return run


def rated(load, share):
    return load.at(share * saturation_rate(load, "fixed"))


class Simulated:
    """A run behind its first 20,000 messages, which is where the paper begins to count."""

    def __init__(self, load, seed=1, broadcasts=800, **options):
        cube = IdealCube.of(load, **options)
        counted = broadcasts / load.broadcast_fraction
        parts = 10
        cycles = round((20_000 + counted) / (load.rate * cube.nodes))
        outcome = simulate(cube, load.rate, load.broadcast_fraction, seed, cycles, parts)
        first = -(-20_000 * parts // round(20_000 + counted))
        begin = -(-first * cycles // parts)
        own = (outcome.start_cycle >= begin) & (outcome.end_cycle != NONE)
        latencies = outcome.end_cycle - outcome.start_cycle
        self.broadcast_latencies = latencies[own & outcome.is_broadcast]
        self.unicast_latencies = latencies[own & ~outcome.is_broadcast]
        self.link_loads = (outcome.link_flits[-1] - outcome.link_flits[first]) / (cycles - begin)
        self.latency, self.link_load = float(self.broadcast_latencies.mean()), float(self.link_loads.mean())


def flits_underway(state):
    """Flits in buffers and on links, from the rings alone."""
    here = state.inputs.taken[:, : state.vcs]
    sent = np.empty_like(here)
    for vc in range(state.vcs):
        dimension = int(state.dimension_of[vc])
        sent[np.arange(len(here)) ^ 1 << dimension, vc] = state.outputs.sent[:, vc]
    return int((sent - here).sum())


def assert_at_rest(state, cube):
    assert (state.outputs.room == cube.buffer_flits).all()
    assert (state.outputs.input == NONE).all()
    assert (state.inputs.output == NONE).all()
    assert (state.inputs.flits == 0).all()
    assert (state.nodes.free == (1 << state.vcs) - 1).all()
    assert (state.nodes.heads | state.nodes.ready | state.nodes.delivering == 0).all()


@pytest.mark.parametrize("flits", [1, 2, 3, 32, 128])
@pytest.mark.parametrize(("n", "vcs"), [(2, 2), (3, 5), (5, 4), (6, 2), (8, 4)])
def test_broadcast_alone(n, vcs, flits):
    cube = IdealCube(n, vcs, flits)
    for base in (0, n - 1):
        assert latency_alone(cube, n - 1, base, 0, 0) == n * (flits + 1)


@pytest.mark.parametrize("hops", range(1, 7))
def test_unicast_alone(hops):
    for flits in (1, 2, 32):
        assert latency_alone(IdealCube(6, 2, flits), 5, NONE, 5 ^ (1 << hops) - 1, 3) == flits + hops


def test_delays_of_a_router():
    cube = IdealCube(6, 2, 32, **DELAYED)
    for hops in range(1, 7):
        pipeline = (hops + 1) * cube.hop_cycles + hops * cube.link_cycles + cube.host_cycles
        assert latency_alone(cube, 0, NONE, (1 << hops) - 1, 0) == 32 + hops + pipeline
    step = 32 + 1 + 2 * cube.hop_cycles + cube.link_cycles + cube.host_cycles
    assert latency_alone(cube, 0, 0, 0, 0) == 6 * step


@pytest.mark.parametrize(
    ("buffer", "link", "credit", "cycles_of_two"), [(1, 0, 0, 4), (2, 0, 0, 2), (2, 1, 1, 4), (4, 1, 1, 2)]
)
def test_rate_of_a_worm_alone(buffer, link, credit, cycles_of_two):
    long, short = (latency_alone(IdealCube(4, 2, flits, buffer, 0, link, credit), 0, NONE, 15, 0) for flits in (96, 64))
    assert 2 * (long - short) == 32 * cycles_of_two


def test_one_queue_keeps_the_latency_of_a_broadcast_alone():
    # While the source sends its copies one after the other, those that got the first ones send on.
    assert latency_alone(IdealCube(6, 2, 32, injection_channels=1), 0, 2, 0, 0) == 6 * 33


def test_broadcasts_follow_their_trees():
    cube = IdealCube(5, 3, 7)
    run = busy_run(cube, 0.02, 0.2, 800)
    assert run.advance()
    generations, messages = run.state.generations, run.state.messages
    broadcasts = np.flatnonzero(generations.first_dimension != NONE)
    assert len(broadcasts) > 100
    for number in broadcasts:
        generation = generations[number]
        copies = messages[generation.first_message : generation.first_message + cube.nodes - 1]
        source = int(generation.source)
        assert sorted([source, *copies.destination]) == list(range(cube.nodes))
        arrived = {source: int(generation.cycle) - 1}
        for edge, copy in zip(binomial_tree(5, source, int(generation.first_dimension)), copies, strict=True):
            assert copy.destination == edge.receiver
            assert copy.arrival_cycle >= arrived[edge.sender] + cube.flits + 1
            arrived[edge.receiver] = int(copy.arrival_cycle)


def test_bases_of_a_source_go_round():
    drawn = PoissonSources(IdealCube(5, 2, 7), 0.02, 0.3, np.random.default_rng(1)).draw(2000)
    for source in range(32):
        bases = drawn.base[(drawn.source == source) & (drawn.base != NONE)]
        assert len(bases) > 5
        assert all(later == (earlier + 1) % 5 for earlier, later in pairwise(bases.tolist()))
    assert len({int(drawn.base[(drawn.source == source) & (drawn.base != NONE)][0]) for source in range(32)}) > 1


@pytest.mark.parametrize(
    "options",
    [
        {},
        DELAYED,
        {"buffer_flits": 1},
        {"injection_channels": 2, "link_cycles": 2},
        {"vc_reallocation": "tail", "buffer_flits": 5, "hop_cycles": 1},
        {"vc_reallocation": "tail", "buffer_flits": 5, "hop_cycles": 3, "credit_cycles": 2, "single_requests": True},
        {"choice": "dimensions", "delivery_vcs": 2, "host_cycles": 1},
        {**DELAYED, "choice": "dimensions", "delivery_vcs": 1, "single_requests": True},
    ],
    ids=str,
)
def test_nothing_is_lost(options):
    cube = IdealCube(4, 3, 5, **options)
    run = busy_run(cube, 0.08, 0.1, 800)
    most = 0
    for cycle in range(10, 10_000_000, 10):
        ended = run.advance(cycle)
        underway = flits_underway(run.state)
        assert run.flits_sent - run.flits_delivered == underway
        assert (run.state.inputs.flits[:, : run.state.vcs] <= cube.buffer_flits).all()
        assert (run.state.outputs.room >= 0).all()
        most = max(most, underway)
        if ended:
            break
    assert most > 25
    assert underway == 0
    assert run.flits_delivered == len(run.state.messages) * cube.flits
    assert (run.state.messages.arrival_cycle != NONE).all()
    run.watch(0, 0)
    assert not run.advance(run.cycle + 100)  # for the last credits
    assert_at_rest(run.state, cube)


def test_seed_decides_everything():
    load = rated(HypercubeLoad(5, 3, 16, 0.02), 0.7)
    first, same, other = (Simulated(load, seed, broadcasts=60) for seed in (4, 4, 5))
    assert first.broadcast_latencies.tolist() == same.broadcast_latencies.tolist()
    assert first.unicast_latencies.tolist() == same.unicast_latencies.tolist()
    assert (first.link_loads == same.link_loads).all()
    assert first.broadcast_latencies.tolist() != other.broadcast_latencies.tolist()
    assert 20 < len(first.broadcast_latencies) < 100


def test_steps_make_no_difference():
    whole, stepped = (busy_run(IdealCube(4, 2, 9, **DELAYED), 0.01, 0.1, 300) for _ in range(2))
    assert whole.advance()
    while not stepped.advance(stepped.cycle + 1):
        pass
    assert stepped.cycle == whole.cycle
    assert (stepped.state.messages == whole.state.messages).all()


def test_links_carry_what_the_analytical_model_says():
    load = rated(HypercubeLoad(5, 3, 16, 0.02), 0.6)
    outcome = Simulated(load, broadcasts=6000)
    assert outcome.link_load == pytest.approx(link_load(load, "fixed"), rel=LOAD_TOLERANCE)
    assert outcome.link_load != pytest.approx(link_load(load, "printed"), rel=0.05)
    assert outcome.link_loads.shape == (32, 5)
    assert outcome.link_loads.mean(axis=0) == pytest.approx(np.full(5, outcome.link_load), rel=LOAD_TOLERANCE)
    assert outcome.link_loads.min() > 0.9 * outcome.link_load
    assert outcome.link_loads.max() < 1.1 * outcome.link_load


def check_latency(load, share, latency, broadcasts):
    outcome = Simulated(rated(load, share), broadcasts=broadcasts)
    tolerance = LIGHT_TOLERANCE if share < 0.5 else HEAVY_TOLERANCE
    assert outcome.latency == pytest.approx(latency, rel=tolerance)
    return outcome


@pytest.mark.parametrize(("load", "share", "latency"), CHEAP_POINTS)
def test_independent_simulation(load, share, latency):
    check_latency(load, share, latency, 800)


@pytest.mark.slow
@pytest.mark.parametrize(("load", "share", "latency"), POINTS)
def test_independent_simulation_in_full(load, share, latency):
    # The load is that of messages that happened to be generated: with a few hundred broadcasts it is off by 2 %.
    outcome = check_latency(load, share, latency, BROADCASTS_IN_FULL)
    assert outcome.link_load == pytest.approx(link_load(rated(load, share), "fixed"), rel=LOAD_TOLERANCE)


def spoil(monkeypatch, change):
    """Change the state of all cubes before they run."""

    def make_spoilt(cube, seed):
        state = make_state(cube, seed)
        change(state)
        return state

    monkeypatch.setattr(ideal_run, "make_state", make_spoilt)


def test_deadlock_without_escape_vcs(monkeypatch):
    def take_escape_vcs(state):
        state.escapes[:] = 0

    spoil(monkeypatch, take_escape_vcs)
    with pytest.raises(IdealDeadlock, match=r"^Deadlock before cycle \d+, with \d+ messages on their way$"):
        simulate(IdealCube(4, 2, 32), 0.05, 0.05, 1, 10_000)


SINGLE = (0, 0, NONE, 1, 0)
"""From node 0 over one link."""
BY_HAND = [
    # behind the copies of a broadcast in one queue
    ({"flits": 8, "injection_channels": 1}, [(0, 0, 0, 0, 0), SINGLE], [27, 3 * 8 + 9]),
    # three over a link of two VCs: one is free behind the tail, or with all credits, which come back late
    ({"buffer_flits": 8, "credit_cycles": 20, "vc_reallocation": "tail"}, [SINGLE] * 3, [5, 9, 8 + 4 + 1]),
    ({"buffer_flits": 8, "credit_cycles": 20, "vc_reallocation": "empty"}, [SINGLE] * 3, [5, 9, 4 + 20 + 1 + 4 + 1]),
    # two for a node that takes any number, one, or two at a time
    *(
        ({"flits": 8, "delivery_vcs": vcs}, [(0, 1, NONE, 0, 0), (0, 2, NONE, 0, 0)], [9, second])
        for vcs, second in ((0, 9), (1, 17), (2, 9))
    ),
    # two share a link, and the third one waits until 15, when all flits of the first are gone
    ({"buffer_flits": 4, "hop_cycles": 5}, [(0, 0, NONE, 1, queue) for queue in range(3)], [15, 16, 15 + 15]),
    # both are in their buffers when the first one may be delivered, in 11, and the second one in 12
    (
        {"buffer_flits": 4, "hop_cycles": 5, "single_requests": True},
        [(0, 0, NONE, 1, queue) for queue in range(2)],
        [18, 19],
    ),
]


@pytest.mark.parametrize(("options", "rows", "latencies"), BY_HAND)
def test_latencies_worked_by_hand(options, rows, latencies):
    run = IdealRun(IdealCube(**{"dimensions": 3, "vcs": 2, "flits": 4, **options}))
    run.add(generated(*rows))
    run.watch(0, len(rows))
    run.advance()
    assert sorted(run.latencies(0, len(rows)).tolist()) == latencies


@pytest.mark.parametrize("single", [False, True])
def test_an_input_sends_one_flit_if_it_asks_for_one_worm_at_a_time(single):
    cube = IdealCube(4, 4, 12, single_requests=single, hop_cycles=1)
    run = busy_run(cube, 0.05, 0.1, 400)
    most = 0
    for cycle in range(300, 1500):
        before = run.state.inputs.taken[:, : run.state.vcs].copy()
        run.advance(cycle)
        left = run.state.inputs.taken[:, : run.state.vcs] - before
        most = max(most, int(left.reshape(cube.nodes, 4, 4).sum(axis=2).max())) if cycle > 300 else 0
    assert most == 1 if single else most > 1


def test_an_input_that_asks_goes_on_asking():
    # An input keeps its request until it is granted, even if other outputs become free.
    cube = IdealCube(4, 4, 12, single_requests=True)
    run = busy_run(cube, 0.05, 0.1, 400)
    waited = 0
    for cycle in range(300, 900):
        run.advance(cycle)
        before = run.state.ports.request.copy()
        run.advance(cycle + 1)
        left = before != NONE  # requested and not yet left
        after = run.state.ports.request[left]
        assert ((after == before[left]) | (after == NONE)).all()
        waited += int((after == before[left]).sum())
    assert waited > 100


@pytest.mark.parametrize(("choice", "share"), [(CHOICE_OF_VCS, 0.25), (CHOICE_OF_DIMENSIONS, 0.5)])
def test_chances_of_dimensions(choice, share):
    # One free adaptive VC in dimension 0, three in dimension 1.
    over_first = 0
    for seed in range(1, 401):
        run = IdealRun(IdealCube(2, 4, 2, choice=choice), seed * 7919)
        run.state.nodes.free[0] = 0b0111_0001
        run.add(generated((0, 0, NONE, 3, 0)))
        run.watch(0, 1)
        run.advance()
        over_first += int(run.state.links.flits[0, 0] > 0)
    assert over_first == pytest.approx(400 * share, abs=4 * (400 * share * (1 - share)) ** 0.5)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"dimensions": 1}, "Dimensions are 1; they must be at least 2"),
        ({"dimensions": 17}, "Number of dimensions is 17; it must be 1 to 16"),
        ({"vcs": 1}, "vcs is 1; it must be at least 2"),
        ({"vcs": 9}, "Number of VCs is 9; it must be 1 to 8"),
        ({"flits": 0}, "Flits are 0; they must be at least 1"),
        ({"buffer_flits": 0}, "Buffer must hold 1 to 64 flits, not 0"),
        ({"hop_cycles": -1}, "Hop cycles is -1; it must be 0 to 63"),
        ({"link_cycles": 64}, "Link cycles is 64; it must be 0 to 63"),
        ({"credit_cycles": -2}, "Credit cycles is -2; it must be 0 to 63"),
        ({"injection_channels": 5}, "Number of injection channels is 5; it must be 1 to 4"),
        ({"host_cycles": 64}, "Host cycles is 64; it must be 0 to 63"),
        ({"vc_reallocation": "Tail"}, "vc_reallocation is 'Tail'; it must be tail or empty"),
        ({"choice": "any"}, "Choice is 'any'; it must be among lanes or dimensions"),
        ({"delivery_vcs": -1}, "delivery_vcs is -1; it must be at least 0"),
    ],
)
def test_cube_out_of_range(values, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        IdealCube(**{"dimensions": 4, "vcs": 2, "flits": 8, **values})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"rate": 0.0}, r"Rate is 0\.0; it must be greater than 0 and finite"),
        ({"rate": float("nan")}, "Rate is nan; it must be greater than 0 and finite"),
        ({"broadcast_fraction": 0.0}, r"Broadcast fraction is 0\.0; it must be greater than 0 and at most 1"),
        ({"broadcast_fraction": 1.5}, r"Broadcast fraction is 1\.5; it must be greater than 0 and at most 1"),
        ({"seed": -1}, "Seed is -1; it must be at least 0"),
        ({"cycles": 9, "parts": 10}, "A run is 9; it must be at least 10 cycles long"),
        ({"parts": 0}, "Parts are 0; they must be at least 1"),
    ],
)
def test_run_out_of_range(values, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        simulate(IdealCube(4, 2, 8), **{"rate": 0.01, "broadcast_fraction": 0.1, "seed": 1, "cycles": 50, **values})


def test_a_run_in_parts_counts_links_along_the_way():
    whole, cut = (simulate(IdealCube(4, 2, 8), 0.01, 0.1, 1, 1_001, parts) for parts in (1, 7))
    assert (whole.end_cycle == cut.end_cycle).all()
    assert cut.link_flits.shape == (8, 16, 4)
    assert (cut.link_flits[0] == 0).all()
    assert (cut.link_flits[-1] == whole.link_flits[-1]).all()
    assert (np.diff(cut.link_flits.sum(axis=(1, 2))) > 0).all()
    assert whole.start_cycle.max() <= 1_000


def test_what_has_not_arrived_a_quarter_later_has_no_end():
    outcome = simulate(IdealCube(4, 2, 64), 0.05, 0.5, 1, 1_000)
    late = outcome.end_cycle == NONE
    assert 0 < late.sum() < len(late)
    assert outcome.end_cycle.max() <= 1_250
    assert (outcome.end_cycle[~late] - outcome.start_cycle[~late] >= 65).all()


def test_a_run_without_a_message_is_empty():
    assert len(simulate(IdealCube(4, 2, 8), 1e-9, 0.1, 1, 10).end_cycle) == 0
