"""Hypercubes through the public interface: configurations, checks, pictures, and errors with their lines."""

import json
import re

import pytest

from hydranoc import Design, load
from hydranoc.cli import run
from tests.hydranoc.refusals import assert_refused
from topology.hypercube.graph import HypercubeNetwork


def write(folder, text: str):
    path = folder / "cube.yaml"
    path.write_text("network:\n  family: hypercube\n" + text)
    return path


def design(folder, dimensions: int, more: str = "") -> Design:
    return load(write(folder, f"  topology: {{kind: hypercube, dimensions: {dimensions}}}\n{more}"))


def test_configuration_and_defaults(tmp_path):
    cube = design(tmp_path, 3)
    network = cube.network
    assert isinstance(network, HypercubeNetwork)
    assert (network.dimensions, network.lanes, network.injection_channels_per_processor) == (3, 2, 1)
    assert (cube.routing.rule, cube.routing.flit_bits, cube.model.buffer_flits) == ("duato", 32, 4)
    more = "  lanes: 4\n  injection_channels: 5\n  buffer_flits: 2\n  flit_bits: 16\n  lane_reuse: escape-tail\n"
    wide = design(tmp_path, 5, more)
    network = wide.routing.network
    assert (network.dimensions, network.lanes, network.injection_channels_per_processor) == (5, 4, 5)
    assert (wide.routing.flit_bits, wide.model.buffer_flits) == (16, 2)
    wanted = {"flit_bits": 16, "dimensions": 5, "lanes": 4, "injection_channels": 5, "rule": "duato", "buffer_flits": 2}
    assert wide.plan.parameters == {**wanted, "lane_reuse": "escape-tail"}


def test_lanes_are_given_again_by_one_rule_in_model_and_hardware(tmp_path):
    for rule, free in (("empty", True), ("escape-tail", True), ("tail", False)):
        cube = design(tmp_path, 3, f"  lane_reuse: {rule}\n")
        assert cube.plan.parameters["lane_reuse"] == cube.model.lane_reuse == rule
        assert cube.check().right == free


@pytest.mark.parametrize("rule", ["adaptive-only", "wrong-escape"])
def test_a_negative_control_is_the_rule_of_model_and_hardware(rule, tmp_path):
    cube = design(tmp_path, 2, f"  negative_control: {rule}\n")
    assert cube.routing.rule == cube.plan.parameters["rule"] == cube.model.routing.rule == rule
    assert not cube.check().right


def test_everything_speaks_of_the_same_lanes(tmp_path):
    cube = design(tmp_path, 3, "  injection_channels: 3\n")
    assert cube.network is cube.routing.network is cube.model.network is cube.plan.network
    assert cube.config.network is not cube.network
    assert len(cube.network.channels) == 8 * (3 * 2 + 3 + 1)


def test_check_of_a_sound_hypercube(tmp_path, capsys):
    path = write(tmp_path, "  topology: {kind: hypercube, dimensions: 4}\n  lanes: 3\n  injection_channels: 2\n")
    assert run(["check", str(path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["right"]
    assert report["pairs"] == 240
    assert report["sizes"] == {
        "nodes": 16,
        "dimensions": 4,
        "links": 32,
        "channels": 112,
        "lanes_of_a_channel": 3,
        "lanes": 240,
        "flit_bits": 32,
        "header_bits": 8,
        "header_flits": 1,
        "buffer_flits": 4,
        "adaptive_lanes_of_a_channel": 2,
        "injection_channels": 2,
        "lane_reuse": "empty",
    }


def test_check_prints_the_ring_of_escapes_in_the_wrong_order(tmp_path, capsys):
    text = "  topology: {kind: hypercube, dimensions: 2}\n  lanes: 1\n  negative_control: wrong-escape\n"
    assert run(["check", str(write(tmp_path, text))]) == 1
    said = capsys.readouterr().out
    assert "POSSIBLE: the dependencies between lanes have a cycle" in said
    assert "s0->s1\n  waits for s1->s3\n  waits for s3->s2\n  waits for s2->s0\n  waits for s0->s1" in said


def test_the_largest_hypercube_is_checked(tmp_path):
    cube = design(tmp_path, 12, "  lanes: 4\n")
    report = cube.check()
    assert report.right
    assert report.pairs == 4096 * 4095


WRONG = {
    "other topology": ("  topology: {kind: ring, switches: 4}\n", 3, "Family 'hypercube' needs a topology of kind hyp"),
    "many processors": (
        "  topology: {kind: hypercube, dimensions: 3, processors_per_switch: 2}\n",
        3,
        "unknown key 'processors_per_switch' in network.topology; known keys are kind, dimensions",
    ),
    "no dimensions": ("  topology: {kind: hypercube}\n", 3, "key 'dimensions' is missing in network.topology"),
    "a point": (
        "  topology:\n    kind: hypercube\n    dimensions: 0\n",
        5,
        "network.topology.dimensions must be at least 1, not 0",
    ),
    "too many": (
        "  topology:\n    kind: hypercube\n    dimensions: 17\n",
        5,
        "network.topology.dimensions must be at most 16, not 17",
    ),
    **{
        name: (f"  topology: {{kind: hypercube, dimensions: 8}}\n  {text}\n", 4, message)
        for name, text, message in (
            ("no lanes", "lanes: 0", "network.lanes must be at least 1, not 0"),
            ("many lanes", "lanes: 9", "network.lanes must be at most 8, not 9"),
            ("many lane-ports", "lanes: 8", "lanes: Lane-ports on a side of a switch must be 61 at most, not 65"),
            ("many injections", "injection_channels: 9", "injection_channels must be at most 8, one for every dim"),
            ("no injection", "injection_channels: 0", "network.injection_channels must be at least 1, not 0"),
            ("reuse", "lane_reuse: never", "network.lane_reuse must be 'empty', 'escape-tail' or 'tail', not 'never'"),
            ("control", "negative_control: one-lane", "network.negative_control must be 'adaptive-only' or 'wrong-e"),
            ("deep buffers", "buffer_flits: 17", "network.buffer_flits must be at most 16, not 17"),
            ("narrow flits", "flit_bits: 7", "network.flit_bits must be at least 8, not 7"),
            ("long links", "link_cycles: 2", "link_cycles must be 1 in family 'hypercube', not 2"),
            ("tables", "tables: loadable", "tables must be 'fixed' in family 'hypercube', which has none, not 'load"),
            ("routing", "routing_cycles: 4", "routing_cycles must be left out in family 'hypercube', whose switches"),
        )
    },
    "key": ("  topology: {kind: hypercube, dimensions: 9}\n  flit_bits: 8\n", 4, "flit_bits: Flit must have room for"),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_configurations_are_told_in_one_line(case, tmp_path, capsys):
    text, line, message = WRONG[case]
    path = write(tmp_path, text)
    assert_refused(["check", str(path)], path, line, message, capsys)


def test_a_multicast_without_software_is_refused(tmp_path, capsys):
    text = "  topology: {kind: hypercube, dimensions: 3}\ntraffic:\n  kind: list\n  messages:\n"
    path = write(tmp_path, text + "    - {source: 0, destinations: [1, 2, 3], flits: 4}\n")
    message = "Destinations must be one node unless traffic.software sends the message, not 3"
    assert_refused(["model", str(path), "-o", str(tmp_path / "out")], path, 7, message, capsys)


def test_hypercubes_of_other_families_are_what_they_were(tmp_path):
    path = tmp_path / "spam.yaml"
    path.write_text(
        "network:\n  family: spam\n  topology: {kind: hypercube, dimensions: 3, processors_per_switch: 2}\n"
    )
    assert len(load(path).network.processors) == 16


@pytest.mark.parametrize("dimensions", [1, 6, 7])
def test_pictures(dimensions, tmp_path):
    cube = design(tmp_path, dimensions)
    picture = cube.draw()["svg"].decode()
    counts = [int(count) for count in re.findall(r">link(?: to another cube)? \((\d+)\)<", picture)]
    assert len(counts) == (2 if dimensions > 6 else 1)
    assert sum(counts) == dimensions * 2 ** (dimensions - 1)
