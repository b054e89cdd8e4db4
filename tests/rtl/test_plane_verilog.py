"""Verilog and manifest of generated planes."""

import json
import re
from functools import cache

import pytest

from rtl.collectives.generate import generate_plane
from tests.rtl.plane_hosts import CHAIN, ONE, SQUARE, STAR, plane_plan
from tests.rtl.simulate import check_accepted
from tests.sampled import sampled

PLANES = {
    "chain": (CHAIN, [[0, 1, 2, 3], [1, 3]], {}, True),
    "star-far": (STAR, [[0, 1, 2, 3, 4], [0, 4], [2, 4, 3]], {"word_bits": 11, "link_cycles": 3}, True),
    "square-sum": (SQUARE, [[0, 1, 2, 3]], {"operators": (0,), "timeouts": False}, True),
    "square-max-xor": (SQUARE, [[0, 1], [2, 3]], {"operators": (4, 7), "result_words": 8}, False),
    "barriers": (STAR, [[0, 1, 2, 3, 4], [0, 4]], {"operators": (), "link_cycles": 2}, True),
    "one": (ONE, [[0]], {"operators": (7,), "word_bits": 64}, True),
}


@cache
def plane(name):
    tree, groups, parameters, observes = PLANES[name]
    return generate_plane(plane_plan(tree, groups, **parameters), observes=observes)


@pytest.mark.parametrize("name", sampled(PLANES, ("chain", "barriers")))
def test_tools_accept_planes(name, require_tool, tmp_path):
    check_accepted(plane(name), require_tool, tmp_path)


def test_manifest_names_what_is_observed():
    made = plane("star-far")
    manifest = json.loads(made.files["manifest.json"])
    assert manifest == made.manifest
    end = 0
    for entry in manifest["observed"]:
        assert entry["offset"] == end
        end += entry["bits"]
    assert end == next(port["bits"] for port in manifest["ports"] if port["name"] == "observed")
    names = [entry["name"] for entry in manifest["observed"]]
    assert len(set(names)) == len(names)
    assert {"s1_up", "s0_down", "p4_result", "p0_barrier_done", "link_up_s2_2", "credits_down_s3_1"} <= set(names)


def test_instances_are_named_by_switch_and_processor():
    made = plane("chain")
    text = made.files["plane.v"]
    for switch in made.manifest["switches"]:
        assert f"  {switch['module']} {switch['instance']} (" in text
    for endpoint in made.manifest["endpoints"]:
        assert re.search(rf"\n  plane_plane_endpoint_\w+ {endpoint['instance']} \(", text)


def test_the_same_plan_gives_the_same_bytes():
    assert plane("chain").files == plane.__wrapped__("chain").files


def test_bad_names_are_refused():
    with pytest.raises(ValueError, match="Name of the top module is '1x'; it must be a Verilog identifier"):
        generate_plane(plane_plan(ONE, [[0]]), "1x")
