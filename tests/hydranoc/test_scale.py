"""Networks of 1,024 nodes and of 4,096, from the configuration to the results, within some memory and time."""

import json
import subprocess
import sys

import pytest

from benchmarks.scale import STAGES
from benchmarks.scale_networks import FAMILIES, configuration
from hydranoc import load

MAX_MEGABYTES = 4096


@pytest.mark.parametrize("family", FAMILIES)
def test_1024_nodes_have_a_model(family):
    design = load(configuration(family, 1024, 1000))
    assert 1024 <= len(design.network.processors) <= 1027
    assert design.model.network is design.network
    assert len(design.messages) > 0


def test_spam_with_1024_nodes_runs():
    config = configuration("spam", 1024, 5000)
    config["traffic"]["multicast_fraction"] = 0.2
    outcome = load(config).simulate()
    assert outcome.right
    assert outcome.figures["latency_cycles"]["multicast"]["count"] > 0


@pytest.mark.parametrize("family", ["spam", "min"])
def test_256_nodes_with_the_same_settings_are_proved(family):
    assert load(configuration(family, 256, 10)).check().right


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_4096_nodes_under_load(family):
    """100,000 cycles within 4 GB; the time that they take is a benchmark's (docs/understand/scale.md)."""
    command = [sys.executable, "-m", "benchmarks.scale", "--point", family, "4096", "100000"]
    point = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert max(point[f"{stage}_mb"] for stage in STAGES) < MAX_MEGABYTES
