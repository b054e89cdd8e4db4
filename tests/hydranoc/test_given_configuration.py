"""Configurations from dictionaries, and designs that are sent to other processes."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest
import yaml

from hydranoc import ConfigError, load

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = {
    "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}},
    "traffic": {"kind": "list", "messages": [{"source": 0, "destinations": [1, 3], "flits": 8}]},
}


@pytest.mark.parametrize("name", ["demo", "min", "harts", "torus", "hypercube"])
def test_a_dictionary_says_what_the_file_says(name):
    path = EXAMPLES / f"{name}.yaml"
    given, read = load(yaml.safe_load(path.read_text())), load(path)
    assert given.config.network_section == read.config.network_section
    assert given.config.traffic == read.config.traffic
    assert np.array_equal(given.messages.start_cycle, read.messages.start_cycle)
    assert given.routing.network.channels == read.routing.network.channels


def test_the_dictionary_stays_as_it_was():
    before = copy.deepcopy(SMALL)
    design = load(SMALL)
    assert design.simulate().right
    assert before == SMALL
    assert design.config.name == "configuration"


def test_files_that_a_dictionary_names_lie_in_the_working_folder(monkeypatch):
    content = yaml.safe_load((EXAMPLES / "campus.yaml").read_text())
    monkeypatch.chdir(EXAMPLES)
    assert load(content).network.switches == load(EXAMPLES / "campus.yaml").network.switches


def _changed(*path_and_value):
    *path, last, value = path_and_value
    content = copy.deepcopy(SMALL)
    section = content
    for key in path:
        section = section[key]
    section[last] = value
    return content


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({}, "key 'network' is missing"),
        (_changed("network", "family", "spm"), "network.family must be .* not 'spm'; did you mean 'spam'"),
        (_changed("network", "buffer_flits", 0), "network.buffer_flits must be at least 1, not 0"),
        (_changed("network", "topology", "shape", [2, -2]), r"network.topology.shape\[1\] must be at least 1, not -2"),
        (_changed("network", "topology", {"file": "none.graphml"}), "^cannot read network file 'none.graphml'"),
        (_changed("traffic", "messages", 0, "destinations", [9]), r"traffic.messages\[0\].* not 9"),
        (_changed("network", "depth", 3), "unknown key 'depth' in network"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(wrong, text):
    with pytest.raises(ConfigError, match=text) as caught:
        load(wrong).simulate()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["demo", "min", "harts", "torus", "hypercube"])
def test_designs_can_be_pickled_before_and_after_they_were_used(name):
    design = load(EXAMPLES / f"{name}.yaml")
    fresh = pickle.loads(pickle.dumps(design))
    expected = design.simulate()
    used = pickle.loads(pickle.dumps(design))
    for copied in (fresh, used):
        assert np.array_equal(copied.simulate().results.arrival_cycle, expected.results.arrival_cycle)
