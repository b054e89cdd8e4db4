"""The comparison of all families: every family is in it, and its output is in the document."""

import re
from pathlib import Path

import pytest

from benchmarks.choosing import CHOICES, HEAD, Effort, line, measured, overtaken
from hydranoc.families.registry import FAMILIES
from hydranoc.fpga.baseline import read_baseline

DOCUMENT = (Path(__file__).parents[2] / "docs" / "do" / "choosing.md").read_text()
LITTLE = Effort(sources=32, seeds=2, warmup_cycles=300, cycles=700)


def test_every_family_is_compared():
    assert {choice.design.family.name for choice in CHOICES} == set(FAMILIES)


@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice.name)
def test_about_64_nodes_and_a_router_of_the_baseline(choice):
    design = choice.design
    assert 61 <= len(design.network.processors) <= 64
    (router,) = (entry for entry in read_baseline() if entry.name == choice.router)
    assert router.family == design.family.name


def test_the_document_has_the_table():
    assert HEAD in DOCUMENT
    titles = re.findall(r"\n\| ([^|]+?) \| [\d,]+ \| [\d,]+ \| [\d,]+ \| \d\.\d\d ± ", DOCUMENT)
    assert titles == [choice.title for choice in CHOICES]


@pytest.mark.parametrize("name", ["spam-mesh", "hypercube"])
def test_a_line(name):
    """Copies that routers make cost one start-up; by software there are six, one after the other."""
    choice = next(choice for choice in CHOICES if choice.name == name)
    row = measured(choice, LITTLE)
    startups = 1 if name == "spam-mesh" else 6
    assert row.latency_with_startup == pytest.approx(row.latency + 1000 * startups, rel=0.05)
    assert row.binomial_with_startup > 6000
    assert 0 < row.unicast.mean < row.broadcast.mean < 4
    assert line(choice, row).count("|") == HEAD.split("\n")[0].count("|")


def test_one_way_keeps_packets_in_order_and_several_do_not():
    effort = Effort(warmup_cycles=0, cycles=3_000)
    late = {
        choice.name: overtaken(choice.design, effort) for choice in CHOICES if choice.name in ("torus", "spam-mesh")
    }
    assert late["torus"] == 0
    assert late["spam-mesh"] > 0
