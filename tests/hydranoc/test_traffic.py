"""Random traffic from configurations: patterns, processes, lengths, functions from outside."""

import re
from pathlib import Path

import numpy as np
import pytest

from hydranoc import load
from hydranoc.errors import ConfigError
from sim_model.traffic.permutations import PERMUTATIONS
from tests.each import each

ROOT = Path(__file__).parents[2]
MESH = "network: {family: torus, topology: {kind: mesh, rows: 4, columns: 4}}\n"
KEYS = ("injection", "pattern", "multicast_pattern")
OWN = """
import numpy as np

def opposite(network, source, generator):
    return len(network.processors) - 1 - source

def failing(network, source, generator):
    raise RuntimeError("no way")

def outside(network, source, generator):
    return source * 0 + 16

constant = 4
"""


def configured(tmp_path, traffic, network=MESH):
    """A design with random traffic; its keys are on lines of their own, from line 6 on."""
    path = tmp_path / "own.yaml"
    common = "  kind: random\n  cycles: 2000\n  messages_per_node_per_cycle: 0.02\n"
    lengths = "" if re.search("^flits", traffic, re.MULTILINE) else "  flits: 4\n"
    path.write_text(f"{network}traffic:\n{common}" + "".join(f"  {key}\n" for key in traffic.split("\n")) + lengths)
    return load(path)


def pairs(messages):
    return set(zip(messages.source.tolist(), messages.destinations.tolist(), strict=True))


@pytest.mark.parametrize(
    ("pattern", "destination_of"),
    [
        ("transpose", lambda node: node % 4 * 4 + node // 4),
        ("bit-complement", lambda node: 15 - node),
        ("bit-reverse", lambda node: int(f"{node:04b}"[::-1], 2)),
        ("shuffle", lambda node: node * 2 % 16 + node // 8),
        ("tornado", lambda node: (node // 4 + 1) % 4 * 4 + (node + 1) % 4),
        ("neighbour", lambda node: (node // 4 + 1) % 4 * 4 + (node + 1) % 4),
        ("{kind: permutation, destinations: [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]}", lambda n: 15 - n),
        ("own.py:opposite", lambda node: 15 - node),
    ],
)
def test_patterns(tmp_path, pattern, destination_of):
    (tmp_path / "own.py").write_text(OWN)
    design = configured(tmp_path, f"pattern: {pattern}")
    wanted = {(node, destination_of(node)) for node in range(16)}
    assert pairs(design.messages) == {pair for pair in wanted if pair[0] != pair[1]}
    assert design.simulate().right


def test_hot_spots_and_near_nodes(tmp_path):
    messages = configured(tmp_path, "pattern: {kind: hot-spot, nodes: [5], share: 0.9}").messages
    assert 0.85 < (messages.destinations == 5).mean() < 0.95
    near = pairs(configured(tmp_path, "pattern: {kind: local, distance: 1}").messages)
    assert len(near) == 48  # each of 24 links, both ways
    assert all(abs(a // 4 - b // 4) + abs(a % 4 - b % 4) == 1 for a, b in near)


@pytest.mark.parametrize(
    "process", ["bernoulli", "periodic", "{kind: bursts, rate_in_bursts: 0.2, mean_burst_cycles: 9}"]
)
def test_injection(tmp_path, process):
    usual, other = configured(tmp_path, "seed: 3").messages, configured(tmp_path, f"injection: {process}").messages
    assert not np.array_equal(usual.start_cycle, other.start_cycle)
    assert len(other) == pytest.approx(16 * 2000 * 0.02, rel=0.15)
    if process == "periodic":
        assert all((np.diff(other.start_cycle[other.source == node]) == 50).all() for node in range(16))


@pytest.mark.parametrize(
    ("pattern", "sets"),
    [
        ("row", {node: {node // 4 * 4 + step for step in range(4)} - {node} for node in range(16)}),
        ("column", {node: {node % 4 + 4 * step for step in range(4)} - {node} for node in range(16)}),
        ("{kind: groups, groups: [[1, 5, 9], [0, 15]]}", {1: {5, 9}, 5: {1, 9}, 9: {1, 5}, 0: {15}, 15: {0}}),
    ],
)
def test_whole_sets_of_multicasts(tmp_path, pattern, sets):
    spam = "network: {family: spam, topology: {kind: mesh, shape: [4, 4]}}\n"
    messages = configured(tmp_path, f"multicast_fraction: 1.0\nmulticast_pattern: {pattern}", spam).messages
    drawn = {(int(messages.source[m]), frozenset(messages.destinations_of(m).tolist())) for m in range(len(messages))}
    assert drawn == {(node, frozenset(others)) for node, others in sets.items()}


WRONG = {
    "transpos": f"is 'transpos'; it must be uniform, {', '.join(PERMUTATIONS)} or MODULE:FUNCTION; "
    "did you mean 'transpose'?",
    "own.py:failing": "Pattern 'own.py:failing' fails: RuntimeError: no way",
    "own.py:outside": "Pattern 'own.py:outside' must give processors, 0 to 15, not 16",
    "own.py:constant": "'own.py' must have a function 'constant'",
    "'own.py:'": "'own.py' must have a function ''",
}


@each("pattern, problem", WRONG.items())
def test_what_is_wrong_is_said_with_its_line(tmp_path, pattern, problem):
    (tmp_path / "own.py").write_text(OWN)
    with pytest.raises(ConfigError) as caught:
        _ = configured(tmp_path, f"pattern: {pattern}").messages
    assert re.match(rf".*/own.yaml:6: traffic.pattern:? {re.escape(problem)}", str(caught.value))


def test_bursts_without_end_are_refused(tmp_path):
    path = tmp_path / "own.yaml"
    bursts = "{kind: bursts, rate_in_bursts: 0.00001, mean_burst_cycles: 1}"
    traffic = (
        f"{{kind: random, cycles: 1000000000, messages_per_node_per_cycle: 1.0e-6, flits: 4, injection: {bursts}}}"
    )
    path.write_text(f"{MESH}traffic: {traffic}\n")
    with pytest.raises(
        ConfigError, match=r"traffic.cycles 1000000000 would be about 1.6e\+09 bursts; at most 2e\+07 fit"
    ):
        _ = load(path).messages


def test_the_page_on_traffic_shows_what_works(tmp_path):
    page = (ROOT / "docs" / "look_up" / "traffic.md").read_text()
    (example,) = re.findall(r"```yaml\n(.*?)```", page, flags=re.DOTALL)
    (function,) = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    (tmp_path / "example.yaml").write_text(example)
    assert set(load(tmp_path / "example.yaml").messages.flits.tolist()) == {4, 32}
    (tmp_path / "my_patterns.py").write_text(function)
    messages = configured(tmp_path, "pattern: my_patterns.py:halfway").messages
    assert {(b - a) % 16 for a, b in pairs(messages)} == {8, 9, 10, 11}
    network = "{family: torus, topology: {kind: mesh, rows: 8, columns: 8}}"
    key, tried = "", set()
    for row in (row.split("|")[1] for row in page.splitlines() if row.startswith("| `")):
        words = re.findall(r"`([^`]*)`", row)
        if words[0] in KEYS:
            key, words = words[0], []
        for word in words:
            if "permutation" not in word and "FUNCTION" not in word:
                traffic = f"{key}: {word}" + ("\nmulticast_fraction: 0.5\nsoftware: separate" if "multi" in key else "")
                assert len(configured(tmp_path, traffic, f"network: {network}\n").messages), traffic
                tried.add((key, word.partition(",")[0]))
    assert {("pattern", name) for name in PERMUTATIONS} <= tried
    assert len(tried) == 13 + len(PERMUTATIONS)


def test_requests_are_replied_to(tmp_path):
    design = configured(tmp_path, "reply: {flits: {5: 0.5, 7: 0.5}, delay_cycles: 30, outstanding: 2}")
    outcome = design.simulate()
    assert outcome.right
    assert set(design.messages.flits[1::2].tolist()) == {5, 7}
    trips = outcome.figures["latency_cycles"]["round_trip"]
    assert trips["count"] * 2 == len(design.messages) == outcome.figures["latency_cycles"]["unicast"]["count"]
    assert trips["mean"] > 30 + 2 * 4
    assert re.search(r"round trip +\d", outcome.summary())


@pytest.mark.parametrize("family", ["spam", "min", "harts", "hypercube"])
def test_requests_are_replied_to_in_every_family(tmp_path, family):
    topology = {
        "spam": "{kind: lattice, switches: 16}",
        "min": "{kind: omega, radix: 2, stages: 4}",
        "harts": "{kind: hexmesh, size: 3}, flit_bits: 64",
        "hypercube": "{kind: hypercube, dimensions: 4}, injection_channels: 2",
    }[family]
    network = f"network: {{family: {family}, topology: {topology}}}\n"
    batch = "injection: {kind: batches, messages: 5}\nreply: {flits: 6, outstanding: 2}"
    outcome = configured(tmp_path, batch, network).simulate()
    assert outcome.right
    assert outcome.figures["latency_cycles"]["round_trip"]["count"] == 8 * 5 * len(set(outcome.results.messages.source))


@pytest.mark.parametrize("key", ["multicast_fraction: 0.1", "broadcast_fraction: 0.1", "software: separate"])
def test_requests_are_unicasts(tmp_path, key):
    with pytest.raises(
        ConfigError, match=rf"yaml:7: traffic.{key.split(':')[0]} is .*; it must be left out with reply"
    ):
        _ = configured(tmp_path, f"reply: {{flits: 4}}\n{key}").messages
