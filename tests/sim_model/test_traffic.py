"""Random traffic, traces, and injection processes against their mean rates and definitions."""

import hashlib
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from sim_model.messages.trace import TraceError, read_trace, trace_messages
from sim_model.statistics.latency import confidence_interval
from sim_model.traffic import random_traffic
from sim_model.traffic.counts import ClippedGaussian
from sim_model.traffic.injection import BernoulliInjection, BurstInjection, PeriodicInjection, PoissonInjection

USUAL = {
    "processors": 16,
    "cycles": 20_000,
    "seed": 3,
    "messages_per_node_per_cycle": 0.01,
    "multicast_fraction": 0.1,
    "destinations": 5,
    "flits": 12,
}


def test_rate_share_and_destinations():
    messages = random_traffic(**USUAL)
    assert len(messages) == pytest.approx(16 * 20_000 * 0.01, rel=0.05)
    multicasts = [message for message in messages if len(message.destinations) > 1]
    assert len(multicasts) / len(messages) == pytest.approx(0.1, abs=0.02)
    assert {len(message.destinations) for message in multicasts} == {5}
    for message in messages:
        assert message.source not in message.destinations
        assert len(set(message.destinations)) == len(message.destinations)
        assert 0 <= message.start_cycle < 20_000
    starts = [message.start_cycle for message in messages]
    assert starts == sorted(starts)
    received = np.bincount([d for message in messages for d in message.destinations], minlength=16)
    assert received.min() > 0.8 * received.mean()


@pytest.mark.parametrize(
    ("change", "digest"),
    [
        ({}, "c9d55f684a5ab7da"),
        ({"multicast_fraction": 0}, "4d1baa4093554b3f"),
        ({"destinations": 15}, "e74de25d2b553b42"),
        ({"multicast_fraction": 1, "destinations": (8, 6)}, "ea8e548d5102c060"),
    ],
)
def test_messages_of_a_seed_are_pinned(change, digest):
    drawn = [(m.source, m.destinations, m.flits, m.start_cycle) for m in random_traffic(**{**USUAL, **change})]
    assert hashlib.sha256(repr(drawn).encode()).hexdigest()[:16] == digest


def test_shares_of_multicasts_and_broadcasts():
    messages = random_traffic(**USUAL, broadcast_fraction=0.2)
    shares = Counter(len(message.destinations) for message in messages)
    assert set(shares) == {1, 5, 15}
    assert shares[5] / len(messages) == pytest.approx(0.1, abs=0.02)
    assert shares[15] / len(messages) == pytest.approx(0.2, abs=0.02)
    for message in messages:
        if len(message.destinations) == 15:
            assert set(message.destinations) == set(range(16)) - {message.source}
    # starts and destinations are drawn independently
    starts = [(message.start_cycle, message.source) for message in messages]
    assert starts == [(message.start_cycle, message.source) for message in random_traffic(**USUAL)]


def test_gaussian_counts_are_clipped():
    drawn = ClippedGaussian(8, 6, 1, 15).draw(np.random.default_rng(2), 2000)
    assert (drawn.min(), drawn.max()) == (1, 15)
    assert np.mean(drawn) == pytest.approx(8, abs=0.4)
    messages = random_traffic(**{**USUAL, "destinations": (8, 6), "multicast_fraction": 1})
    assert set(messages.counts.tolist()) == set(range(1, 16))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"processors": 1}, "Random traffic needs at least 2 processors, not 1"),
        ({"cycles": 0}, "Traffic must last at least 1 cycle, not 0"),
        ({"messages_per_node_per_cycle": 0}, "Messages per node per cycle are 0; they must be greater than 0"),
        ({"multicast_fraction": 1.5}, "Multicast fraction is 1.5; it must be 0 to 1"),
        ({"broadcast_fraction": -0.5}, "Broadcast fraction is -0.5; it must be 0 to 0.9"),
        ({"broadcast_fraction": 0.91}, "Broadcast fraction is 0.91; it must be 0 to 0.9"),
        ({"destinations": 16}, "Number of destinations is 16; it must be 1 to 15"),
        ({"destinations": (20, 1)}, "Mean number of destinations is 20; it must be 1 to 15"),
        ({"destinations": (5, -1)}, "Standard deviation of destinations is -1; it must be at least 0"),
    ],
)
def test_parameters_are_checked(change, problem):
    with pytest.raises(ValueError, match=f"^{problem}$"):
        random_traffic(**{**USUAL, **change})


TRACE = """# made by hand
cycle,source,destinations,flits
0,1,2,10

5,0,"3; 1 2",20
7, 3, 1 2 , 4
"""


def test_trace():
    records = read_trace(TRACE.splitlines())
    assert [line for line, _ in records] == [3, 5, 6]
    assert [tuple(record.destinations) for _, record in records] == [(2,), (3, 1, 2), (1, 2)]
    messages = trace_messages(TRACE.splitlines(), processors=4, header_flits=lambda _: 1)
    assert messages.start_cycle.tolist() == [0, 5, 7]
    assert messages.flits.tolist() == [10, 20, 4]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("1,2,3", "A line must have the 4 fields cycle,source,destinations,flits, not 3"),
        ("x,2,3,4", "Field cycle is 'x'; it must be a whole number"),
        ("1,2,3 y,4", "Field destination is 'y'; it must be a whole number"),
        ("1,2,3,4.5", "Field flits is '4.5'; it must be a whole number"),
        ("-1,2,3,4", "Start cycle is -1; it must be at least 0"),
        ("1,2,9,4", "Destination is 9; it must be a processor, 0 to 3"),
        ("1,2,,4", "Destinations must name a processor other than the source 2, not []"),
        ("1,2,3,0", "Length is 0; it must be at least the 1 header flits"),
    ],
)
def test_broken_trace_lines_are_named(line, problem):
    with pytest.raises(TraceError) as caught:
        trace_messages(["0,1,2,10", "", line], processors=4, header_flits=lambda _: 1)
    assert caught.value.line == 3
    assert caught.value.problem == problem


# Injection processes against their mean rates and definitions.

NODES = 16
PROCESSES = [
    PoissonInjection(0.03),
    PoissonInjection(1.7),
    BernoulliInjection(0.03),
    BernoulliInjection(1),
    PeriodicInjection(0.03),
    PeriodicInjection(0.25),
    BurstInjection(0.03, rate_in_bursts=0.3, mean_burst_cycles=20),
    BurstInjection(0.5, rate_in_bursts=0.6, mean_burst_cycles=30),
]
MIN_P = 1e-3


def generator(seed=1):
    return np.random.Generator(np.random.PCG64(seed))


def gaps_by_node(process, cycles, nodes=NODES):
    cycle, node = process.starts(generator(), cycles, nodes)
    return [np.diff(cycle[node == number]) for number in range(nodes)]


@pytest.mark.parametrize("process", PROCESSES, ids=str)
def test_mean_rate(process):
    cycles = 2_000
    rates = [len(process.starts(generator(seed), cycles, NODES)[0]) / (NODES * cycles) for seed in range(100)]
    interval = confidence_interval(rates, 0.999)
    assert interval.mean == pytest.approx(process.messages_per_node_per_cycle, abs=interval.half_width + 1e-9)
    assert interval.relative < 0.06


@pytest.mark.parametrize("process", PROCESSES, ids=str)
def test_starts_are_in_order_within_their_time_and_repeatable(process):
    cycle, node = process.starts(generator(), 3_000, NODES)
    cells = cycle * NODES + node
    assert (np.diff(cells) >= 0).all()
    assert cycle.min() >= 0
    assert 2_950 < cycle.max() < 3_000
    assert set(node.tolist()) == set(range(NODES))
    again = process.starts(generator(), 3_000, NODES)
    assert np.array_equal(cells, again[0] * NODES + again[1])
    short = process.starts(generator(), 1, 1)  # the set to draw from may be empty
    assert len(short[0]) == len(short[1])


def test_poisson_gaps_are_exponential_and_counts_of_windows_poisson():
    process = PoissonInjection(0.001)
    gaps = np.concatenate(gaps_by_node(process, 1_000_000))
    assert stats.kstest(gaps + 0.5, stats.expon(scale=1000).cdf).pvalue > MIN_P
    cycle, node = PoissonInjection(0.05).starts(generator(2), 100_000, NODES)
    windows = np.bincount(cycle // 100 * NODES + node, minlength=1000 * NODES)
    assert windows.var() / windows.mean() == pytest.approx(1, abs=4 * (2 / len(windows)) ** 0.5)
    assert stats.chisquare(np.bincount(node)).pvalue > MIN_P


def test_bernoulli_gaps_are_geometric_and_no_node_starts_two_messages_in_a_cycle():
    gaps = np.concatenate(gaps_by_node(BernoulliInjection(0.2), 50_000))
    assert gaps.min() == 1
    seen = np.bincount(gaps, minlength=31)[1:31]
    expected = stats.geom.pmf(np.arange(1, 31), 0.2)
    assert stats.chisquare(seen, expected / expected.sum() * seen.sum()).pvalue > MIN_P


def test_periods_are_kept_to_the_cycle_and_begin_anywhere():
    assert {int(gap) for gaps in gaps_by_node(PeriodicInjection(0.02), 5_000) for gap in gaps} == {50}
    assert {int(gap) for gaps in gaps_by_node(PeriodicInjection(0.4), 5_000) for gap in gaps} == {2, 3}
    cycle, node = PeriodicInjection(0.001).starts(generator(), 1_000, 500)
    assert sorted(node.tolist()) == list(range(500))
    assert stats.kstest((cycle + 0.5) / 1_000, "uniform").pvalue > MIN_P


def test_lengths_of_bursts_and_pauses_are_geometric():
    process = BurstInjection(0.02, rate_in_bursts=0.1, mean_burst_cycles=10)
    assert process.mean_pause_cycles == pytest.approx(40)
    node, begin, end = process.bursts(generator(), 400_000, NODES)
    inner = (begin > 0) & (end < 400_000)
    bursts = (end - begin)[inner]
    pauses = (begin[1:] - end[:-1])[node[1:] == node[:-1]]
    for sample, mean in ((bursts, 10), (pauses, 40)):
        interval = confidence_interval(sample, 0.999)
        assert interval.mean == pytest.approx(mean, abs=interval.half_width)
        assert interval.relative < 0.02
        # a geometric distribution is defined by its chance to continue
        going_on = (sample > 15).sum() / (sample > 14).sum()
        assert going_on == pytest.approx(1 - 1 / mean, abs=4 / (sample > 14).sum() ** 0.5)
    in_burst = (end - begin).sum() / (400_000 * NODES)
    assert in_burst == pytest.approx(process.share_of_bursts, rel=0.02)


def test_a_node_starts_messages_in_bursts_alone_at_the_rate_of_bursts():
    process = BurstInjection(0.02, rate_in_bursts=0.4, mean_burst_cycles=25)
    cycles = 200_000
    node, begin, end = process.bursts(generator(7), cycles, NODES)
    cycle, sender = process.starts(generator(7), cycles, NODES)  # the same bursts: they are drawn first
    bursting = np.zeros(cycles * NODES, dtype=bool)
    for number, first, last in zip(node.tolist(), begin.tolist(), end.tolist(), strict=True):
        bursting[number * cycles + first : number * cycles + last] = True
    assert bursting[sender * cycles + cycle].all()
    rate, trials = len(cycle) / bursting.sum(), int(bursting.sum())
    assert rate == pytest.approx(0.4, abs=4 * (0.4 * 0.6 / trials) ** 0.5)
    assert np.bincount(sender * cycles + cycle).max() == 1


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: PoissonInjection(0), "Messages per node per cycle are 0; they must be greater than 0"),
        (lambda: PeriodicInjection(-1), "Messages per node per cycle are -1; they must be greater than 0"),
        (lambda: PoissonInjection(float("nan")), "Messages per node per cycle are nan; they must be greater than 0"),
        (
            lambda: BernoulliInjection(1.1),
            "Messages per node per cycle are 1.1; they must be greater than 0 and at most 1",
        ),
        (lambda: BurstInjection(0.2, 0.2, 9), "Rate in bursts is 0.2; it must be more than the mean 0.2 and at most 1"),
        (lambda: BurstInjection(0.2, 1.5, 9), "Rate in bursts is 1.5; it must be more than the mean 0.2 and at most 1"),
        (lambda: BurstInjection(0.2, 0.3, 0.5), "Mean burst is 0.5; it must be at least 1 cycle"),
        (
            lambda: BurstInjection(0.2, 0.25, 2),
            "Mean burst is 2; it must be at least 4 cycles at these rates, so that pauses are a cycle long",
        ),
    ],
)
def test_parameters_of_injection_are_checked(make, problem):
    with pytest.raises(ValueError, match=f"^{problem}$"):
        make()


@pytest.mark.parametrize("rate", [1e-17, 5e-19])
def test_where_next_to_nothing_starts_nothing_starts(rate):
    """Sums of such gaps do not fit into 64 bits, and came out negative."""
    for seed in range(30):
        cycle, node = BernoulliInjection(rate).starts(generator(seed), 20, NODES)
        assert (cycle.tolist(), node.tolist()) == ([], [])
