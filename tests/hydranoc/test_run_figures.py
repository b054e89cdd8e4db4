"""Percentiles, histogram and channels of a run's summary, against an independent count."""

import csv
import json

import numpy as np
import pytest

from hydranoc import load
from hydranoc.cli import run
from hydranoc.reports.summary import latency_figures
from tests.hydranoc.report.networks import CONFIGURATIONS


@pytest.fixture(params=["spam", "harts", "torus"])
def design(request):
    made = dict(CONFIGURATIONS[request.param])
    return load({**made, "traffic": {**made["traffic"], "warmup_cycles": 100}})


def test_rare_percentile_is_an_observed_value():
    figures = latency_figures(np.arange(1, 2001))
    assert figures == {"count": 2000, "mean": 1000.5, "p50": 1000, "p99": 1980, "p99.9": 1998, "max": 2000}
    assert list(figures) == ["count", "mean", "p50", "p99", "p99.9", "max"]
    assert latency_figures(np.zeros(0, dtype=np.int64))["p99.9"] is None


def test_histogram_counts_every_message_once_in_its_class(design):
    outcome = design.simulate()
    for kind, several in (("unicast", False), ("multicast", True)):
        latencies = outcome.results.complete_latencies(multicast=several, warmup_cycles=100).tolist()
        found = outcome.figures["latency_histogram"][kind]
        first, width, counts = found["first_cycles"], found["width_cycles"], found["messages"]
        wanted = [sum(first + i * width <= x < first + (i + 1) * width for x in latencies) for i in range(len(counts))]
        assert counts == wanted
        assert sum(counts) + found["beyond"] == len(latencies) > 3


def test_channels_are_counted_between_warmup_and_the_end_of_traffic(design):
    outcome = design.simulate(channels=True)
    moved = np.array([design.simulation().record(600).moved[100:600, : len(design.network.channels)].sum(axis=0)])[0]
    assert outcome.use is not None
    assert outcome.use.flits_per_cycle == pytest.approx(moved / 500)
    said = outcome.figures["utilisation"]
    assert (said["first_cycle"], said["last_cycle"]) == (100, 599)
    assert said["mean"] == pytest.approx(moved.mean() / 500)
    assert said["max"] == pytest.approx(moved.max() / 500)
    busiest = [channel.name for channel in design.network.channels if moved[channel.index] == moved.max()]
    assert said["busiest"] in busiest


def test_it_is_the_use_that_a_report_shows_and_counting_changes_nothing(design):
    counted, plain = design.simulate(channels=True), design.simulate()
    again, _ = design.channel_use(plain.results)
    assert (counted.use.flits_per_cycle == again.flits_per_cycle).all()
    assert (counted.use.stalled_share == again.stalled_share).all()
    told = design.simulate(lambda *_: None, channels=True)
    assert told.figures == counted.figures == {**plain.figures, "utilisation": counted.figures["utilisation"]}


def test_command_writes_and_prints_them(tmp_path, capsys):
    assert run(["model", "examples/torus.yaml", "-o", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    summary = json.loads((tmp_path / "summary.json").read_text())
    rows = list(csv.DictReader((tmp_path / "channels.csv").open()))
    shares = [float(row["measured_utilisation"]) for row in rows]
    use = summary["utilisation"]
    assert max(shares) == pytest.approx(use["max"], abs=1e-4)
    assert np.mean(shares) == pytest.approx(use["mean"], abs=1e-4)
    assert f"flits per cycle, at most {use['max']:.4f} ({use['busiest']})" in printed
    assert "p99.9" in printed
    letters = printed.partition("[")[2].partition("]")[0]
    kind = summary["latency_histogram"]["unicast"]
    assert len(letters) == len(kind["messages"])
    assert letters[int(np.argmax(kind["messages"]))] == "@"
    assert all((letter == " ") == (count == 0) for letter, count in zip(letters, kind["messages"], strict=True))
