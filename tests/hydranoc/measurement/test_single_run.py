"""Offered and accepted load of single runs, and runs beyond saturation."""

import numpy as np
import pytest

from hydranoc import load
from hydranoc.measurement import single_run
from hydranoc.measurement.growth import Growth, WindowGrowth
from hydranoc.report_page.run import run_of
from hydranoc.report_page.sections import latencies
from hydranoc.reports.summary_text import BEYOND_SATURATION

MESH = {"family": "spam", "topology": {"kind": "mesh", "shape": [4, 4]}}


def _design(rate: float, seed: int = 0, cycles: int = 4_000, **more):
    traffic = {"kind": "random", "cycles": cycles, "warmup_cycles": 400, "messages_per_node_per_cycle": rate}
    return load({"network": MESH, "traffic": {**traffic, "flits": 4, "seed": seed, **more}})


def test_a_run_beyond_saturation_says_so():
    outcome = _design(0.5).simulate()
    found = outcome.figures["load"]
    assert found["beyond_saturation"] is True
    assert found["offered_messages_per_node_per_cycle"] == pytest.approx(0.5, rel=0.03)
    assert 0.01 < found["accepted_messages_per_node_per_cycle"] < 0.15
    assert (found["first_cycle"], found["last_cycle"]) == (400, 3_999)
    assert BEYOND_SATURATION in outcome.summary()
    assert "load, cycles 400 to 3,999: offered 0." in outcome.summary()


def test_loads_are_counts_of_their_cycles():
    outcome = _design(0.02, multicast_fraction=0.2, destinations=3).simulate()
    results, found = outcome.results, outcome.figures["load"]
    started = (results.start_cycle >= 400) & (results.start_cycle < 4_000)
    arrived = (results.last_arrival_cycle >= 400) & (results.last_arrival_cycle < 4_000)
    flits = results.messages.flits * results.messages.destination_counts
    assert found["offered_messages_per_node_per_cycle"] == started.sum() / 16 / 3_600
    assert found["accepted_messages_per_node_per_cycle"] == arrived.sum() / 16 / 3_600
    assert found["offered_flits_per_node_per_cycle"] == flits[started].sum() / 16 / 3_600
    assert found["accepted_flits_per_node_per_cycle"] == flits[arrived].sum() / 16 / 3_600


@pytest.mark.parametrize("rate", [0.001, 0.02])
def test_a_run_below_saturation_does_not(rate):
    outcomes = [_design(rate, seed).simulate() for seed in range(20)]
    assert not any(outcome.figures["load"]["beyond_saturation"] for outcome in outcomes)
    assert "beyond" not in outcomes[0].summary().split("load, cycles")[1]


@pytest.mark.parametrize(
    ("share", "p_value", "beyond"), [(0.011, 0.024, True), (0.011, 0.026, False), (0.009, 0.024, False)]
)
def test_one_kind_of_two_that_grows_by_1_percent_is_beyond_saturation(monkeypatch, share, p_value, beyond):
    grows, level = WindowGrowth(share, p_value), WindowGrowth(0.0, 0.5)
    growths = [Growth(one, one, 100.0, filled=True) for one in (level, grows)]
    monkeypatch.setattr(single_run, "growth_of", lambda _runs, kind: growths[kind])
    outcome = _design(0.02, multicast_fraction=0.2, destinations=3).simulate()
    assert outcome.figures["load"]["beyond_saturation"] is beyond


def test_traffic_without_a_rate_has_no_load():
    listed = {"kind": "list", "messages": [{"source": 0, "destinations": [5], "flits": 8}]}
    assert "load" not in load({"network": MESH, "traffic": listed}).simulate().figures
    replies = _design(0.02, reply={"flits": 4, "outstanding": 1})
    assert "load" not in replies.simulate().figures


def test_a_report_says_it_beside_the_latencies():
    text = latencies(run_of(_design(0.5, cycles=1_000), (0, 200)))
    assert f"<strong>{BEYOND_SATURATION}.</strong>" in text
    assert "Load, cycles 400 to 999: offered" in text


def test_the_first_report_of_a_recording_comes_before_its_first_cycle():
    told = []
    design = _design(0.02, cycles=1_000)
    run_of(design, (0, 200), lambda *call: told.append((str(call[0]), call[1])))
    assert next(one for one in told if one[0] == "recording") == ("recording", 0)
    assert np.all(np.diff([done for work, done in told if work == "recording"]) > 0)
