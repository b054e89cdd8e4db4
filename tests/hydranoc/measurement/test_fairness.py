"""Fairness among sources: Jain's index, the least throughput, the longest wait."""

import numpy as np
import pytest

from hydranoc import load
from hydranoc.measurement.fairness import Fairness, LongestWait, fairness_of, jain_index, longest_wait
from hydranoc.measurement.observations import Observations
from hydranoc.reports.summary import load_lines
from hydranoc.sweeps.measure import SweepSettings, Task, measure


def test_equal_shares_are_fair_whatever_is_offered():
    assert fairness_of(np.array([10, 20, 0]), np.array([5, 10, 0])) == Fairness(1.0, 1.0, 0)


def test_one_source_of_four_that_has_everything():
    assert fairness_of(np.full(4, 10), np.array([0, 8, 0, 0])) == Fairness(0.25, 0.0, 0)


def test_nothing_delivered_has_no_fairness():
    assert fairness_of(np.array([3, 3]), np.zeros(2, dtype=np.int64)) is None


def test_only_counted_parts_count():
    start = np.array([0, 10, 20, 30, 95])
    run = Observations(100, start, start + 1, 0 * start, 1 + 0 * start, source=np.array([0, 0, 1, 1, 1]))
    interval = jain_index([run, run], 10)
    assert interval is not None
    assert interval.mean == pytest.approx(1.0)  # source 1 alone offers anything from cycle 20 to 89
    unknown = Observations(100, start, start + 1, 0 * start, 1 + 0 * start)
    assert jain_index([unknown], 0) is None


def parking_lot(rate: float) -> dict:
    """Five routers of a row send to the first one, whose delivery channel carries a message in some 10 cycles."""
    return {
        "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [6, 1]}},
        "traffic": {
            "kind": "random",
            "cycles": 4_000,
            "messages_per_node_per_cycle": rate,
            "flits": 8,
            "pattern": {"kind": "hot-spot", "nodes": [0], "share": 1.0},
        },
    }


def test_the_far_end_of_a_parking_lot_has_least():
    """Round robin halves what passes at each merge: 1/2, 1/4, 1/8, 1/16 and 1/16 of the channel."""
    figures = load(parking_lot(0.1)).simulate().figures["load"]
    fairness = figures["fairness"]
    assert fairness["least_processor"] in (4, 5)
    assert fairness["least"] == pytest.approx(5 / 16, rel=0.1)
    shares = np.array([1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 16])
    assert fairness["jain"] == pytest.approx(1 / (5 * (shares**2).sum()), rel=0.1)
    assert load_lines(figures)[2].startswith(f"fairness: Jain's index {fairness['jain']:.3g}, p")


def test_the_oldest_message_first_shares_a_parking_lot():
    given = parking_lot(0.1)
    given["network"]["arbitration"] = "age"
    fairness = load(given).simulate().figures["load"]["fairness"]
    assert fairness["jain"] > 0.98
    assert fairness["least"] > 0.8


def test_long_messages_need_long_steps():
    given = parking_lot(0.1 * 8 / 64)
    given["traffic"] |= {"flits": 64, "cycles": 20_000}
    given["network"]["arbitration"] = "age"
    short = load(given).simulate().figures["load"]["fairness"]
    given["network"]["age_step_cycles"] = 32
    fairness = load(given).simulate().figures["load"]["fairness"]
    assert short["jain"] < 0.95
    assert fairness["jain"] > 0.98
    assert fairness["least"] > 0.8


def test_a_light_load_is_fair_and_has_no_line():
    figures = load(parking_lot(0.005)).simulate().figures["load"]
    assert figures["fairness"]["jain"] > 0.99
    assert not figures["fairness"]["starving"]
    assert len(load_lines(figures)) == 1


def test_a_source_that_is_shut_out_starves():
    """Worms of 1,000 flits: a source waits for those of all others."""
    given = parking_lot(0.05)
    given["traffic"] |= {"flits": 1_000, "messages_per_node_per_cycle": 0.001}
    figures = load(given).simulate().figures["load"]
    assert figures["fairness"]["starving"]
    wait = figures["fairness"]["longest_wait"]
    line = f"starvation: a message of p{wait['processor']} waited {wait['cycles']:,} cycles for its injector"
    assert load_lines(figures)[-1] == f"{line}, from cycle {wait['first_cycle']:,}"


def test_the_longest_wait_begins_at_the_message_before():
    messages = [{"source": 0, "destinations": [1], "flits": 100, "start_cycle": cycle} for cycle in (5, 5, 6)]
    given = {"network": parking_lot(0.05)["network"], "traffic": {"kind": "list", "messages": messages}}
    results = load(given).simulate().results
    first, second, third = results.accepted_cycle.tolist()
    assert longest_wait(results) == LongestWait(0, max(second - first, third - second), first)


def test_a_sweep_has_the_index_of_its_points():
    given = parking_lot(0.05)
    row = measure(Task(given), SweepSettings(doublings=0))
    assert row["verdict"] == "diverges"
    assert 0.4 < row["jain"] < 0.7
    assert row["jain_half_width"] < 0.1
