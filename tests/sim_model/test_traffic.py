"""Random traffic and traces."""

import hashlib
from collections import Counter

import numpy as np
import pytest

from sim_model.messages.trace import TraceError, read_trace, trace_messages
from sim_model.traffic import random_traffic
from sim_model.traffic.counts import ClippedGaussian

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


def test_same_seed_same_messages():
    assert random_traffic(**USUAL) == random_traffic(**USUAL)
    assert random_traffic(**USUAL) != random_traffic(**{**USUAL, "seed": 4})


def test_first_messages_do_not_change_with_numpy():
    # Pinned: the same seed gives the same messages on any machine.
    first = random_traffic(**{**USUAL, "cycles": 30})[:3]
    assert [(m.source, m.destinations, m.start_cycle) for m in first] == [
        (4, (1, 6, 7, 13, 15), 1),
        (11, (1, 4, 9, 10, 14), 8),
        (8, (7,), 13),
    ]


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


def test_nothing_but_broadcasts_and_multicasts():
    for share in (0.0, 0.1, 0.7, 1.0):  # 1 - 0.7 is no binary fraction
        only = random_traffic(**{**USUAL, "multicast_fraction": share}, broadcast_fraction=1 - share)
        assert {len(message.destinations) for message in only} <= {5, 15}


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
        ({"messages_per_node_per_cycle": 0}, "Messages per node per cycle must be greater than 0, not 0"),
        ({"multicast_fraction": 1.5}, "Multicast fraction must be 0 to 1, not 1.5"),
        ({"broadcast_fraction": -0.5}, "Broadcast fraction must be 0 to 0.9, not -0.5"),
        ({"broadcast_fraction": 0.91}, "Broadcast fraction must be 0 to 0.9, not 0.91"),
        ({"destinations": 16}, "Destinations must be 1 to 15, not 16"),
        ({"destinations": (20, 1)}, "Mean number of destinations must be 1 to 15, not 20"),
        ({"destinations": (5, -1)}, "Standard deviation of destinations must be at least 0, not -1"),
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
        ("x,2,3,4", "Field cycle must be a whole number, not 'x'"),
        ("1,2,3 y,4", "Field destination must be a whole number, not 'y'"),
        ("1,2,3,4.5", "Field flits must be a whole number, not '4.5'"),
        ("-1,2,3,4", "Start cycle must be at least 0, not -1"),
        ("1,2,9,4", "Destination must be a processor, 0 to 3, not 9"),
        ("1,2,,4", "Destinations must name a processor other than the source 2, not []"),
        ("1,2,3,0", "Length must be at least the 1 header flits, not 0"),
    ],
)
def test_broken_trace_lines_are_named(line, problem):
    with pytest.raises(TraceError) as caught:
        trace_messages(["0,1,2,10", "", line], processors=4, header_flits=lambda _: 1)
    assert caught.value.line == 3
    assert caught.value.problem == problem
