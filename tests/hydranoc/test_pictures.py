"""Pictures: layouts, distinct marks, deterministic bytes; plots of reproduced figures."""

from dataclasses import replace

import numpy as np
import pytest

from hydranoc.families.registry import FAMILIES
from hydranoc.families.reports import LinkClasses
from hydranoc.pictures.draw import CROSS, ROOT, TREE, draw_network
from hydranoc.pictures.layout import arrivals
from hydranoc.pictures.placement import place
from hydranoc.pictures.plots import COLOURS, plot_figure
from hydranoc.studies.common.figure import Claim, Figure, Series
from topology.common.graph import Network
from topology.common.lattice import irregular_network, lattice_network
from topology.common.regular import hypercube_network, mesh_network, torus_network, tree_network
from topology.min.graph import MinNetwork

NETWORKS = {
    "one": mesh_network([1]),
    "lattice": lattice_network(30, seed=2),
    "layered": irregular_network(12, seed=2),
    "spread": irregular_network(40, seed=2),
    "torus": torus_network([4, 4], processors_per_switch=3),
    "cube": hypercube_network(5),
    "tree": tree_network(3, 3),
}


def _links(network: Network) -> LinkClasses:
    family = FAMILIES["spam"]
    section = family.network_section(family="spam", topology={})
    return family.link_classes(family.build_routing(section, network))


@pytest.mark.parametrize("name", NETWORKS)
def test_pictures_are_the_same_each_time(name):
    network = NETWORKS[name]
    first, second = (draw_network(network, _links(network), name) for _ in range(2))
    assert first == second
    assert first["png"].startswith(b"\x89PNG")


def test_tree_cross_links_and_root_are_told_apart():
    network = torus_network([3, 3])
    picture = draw_network(network, _links(network), "torus")["svg"].decode()
    assert all(colour in picture for colour in (TREE, CROSS, ROOT))
    assert "cross link (10)" in picture
    assert "<dc:date>" not in picture


def test_links_bend_around_switches_in_their_way():
    network = Network(4, [(0, 1), (0, 2), (2, 3)], [0], positions=np.array([[0.0, 0], [1, 0], [2, 0], [0, 1]]))
    lines = place(network, LinkClasses()).lines
    assert {link: len(line) > 2 for link, line in lines.items()} == {(0, 1): False, (0, 2): True, (2, 3): False}


@pytest.mark.parametrize("bars", [False, True])
def test_plots_mark_the_claims_of_the_paper(bars):
    figure = Figure(
        title="latency",
        x_label="destinations",
        y_label="us",
        series=(Series("hardware", [1.0], [12.0], [0.1]), Series("software", [1.0], [80.0])),
        claims=(Claim("under 14 us", "12 us", True, level=14.0), Claim("ninefold", "six", False)),
        columns=(),
        rows=(),
        bars=bars,
    )
    picture = plot_figure(figure)["svg"].decode()
    assert "paper: under 14 us" in picture
    assert "does not hold: ninefold (measured: six)" in picture
    assert plot_figure(figure)["svg"].decode() == picture


def test_parts_of_a_figure_may_share_a_legend():
    marks = Series("measured", [1.0, 2.0], [10.0, 20.0], [1.0, 1.0], joined=False)
    line = Series("computed", [1.0, 2.0], [11.0, 19.0], marked=False)
    second = [replace(series, panel=1) for series in (marks, line)]
    figure = Figure("latency", "rate", "cycles", (marks, line, *second), (), (), (), panels=("a", "b"))
    apart = plot_figure(figure)["svg"].decode()
    shared = plot_figure(replace(figure, one_legend=True))["svg"].decode()
    assert (apart.count(">measured<"), shared.count(">measured<")) == (2, 1)
    assert (apart.count(">latency<"), shared.count(">latency<")) == (1, 1)


def test_series_are_joined_and_marked_as_they_say():
    def strokes(**shown):
        series = Series("measured", [1.0, 2.0], [10.0, 20.0], **shown)
        return plot_figure(Figure("latency", "rate", "cycles", (series,), (), (), ()))["svg"].decode().count(COLOURS[0])

    joined, marked = strokes(marked=False), strokes(joined=False)
    assert strokes(joined=False, marked=False) == 0
    assert 0 < joined < marked
    assert strokes() == joined + marked


def test_receiving_ends_of_multistage_networks_are_drawn():
    one_way = MinNetwork("omega", 2, 3)
    assert arrivals(one_way) == [(8 + node // 2, node) for node in range(8)]
    picture = draw_network(one_way, LinkClasses(), "omega")["svg"].decode()
    assert "receiving" in picture
    assert "processor, sending (8)" in picture
    assert arrivals(MinNetwork("bi-butterfly", 2, 3)) == []
