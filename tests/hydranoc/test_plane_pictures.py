"""Pictures of collective planes: every link of the tree, tops with their groups, names without overlaps."""

import json

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba
from matplotlib.transforms import Bbox

from hydranoc import load
from hydranoc.cli import run
from hydranoc.pictures import draw
from hydranoc.pictures.placement import LETTER, LINE_HALF, place
from hydranoc.pictures.plane import PLANE, PLANE_LINK, numbers_text
from tests.each import each
from tests.hydranoc.test_pictures import SMALL, _boxes, _lines, picture
from topology.collectives.tables import PlaneTables, groups_of
from topology.collectives.tree import plane_tree
from topology.common.regular import mesh_network

NAMES = ("irregular, in levels", "long names", "omega", "hexagonal mesh 3", "torus", "hypercube 4")
"""A picture of each kind: levels, boxes, receiving ends, ends of wraps, crossing links."""


def tables_of(network, **tree):
    processors = range(len(network.processors))
    some = [processors, processors[:1], processors[-2:]]
    return PlaneTables(plane_tree(network, **tree), groups_of(some))


def drawn(family, build, **tree):
    """Network, placement, tables and axes of a picture with a plane."""
    network, links = picture(family, build())
    tables = tables_of(network, **tree)
    figure = draw._figure(network, links, "plane", None, tables)
    return network, place(network, links), tables, figure.axes[0]


def tree_lines(axes):
    """Numbers of lines over links of the network, and of others."""
    found = [
        one
        for one in axes.collections
        if isinstance(one, LineCollection)
        and len(one.get_edgecolor())
        and tuple(one.get_edgecolor()[0]) == to_rgba(PLANE_LINK)
    ]
    return [len(one.get_segments()) for one in found]


@each("name", NAMES)
def test_every_link_of_the_tree_is_drawn(name):
    family, build = SMALL[name]
    network, placement, tables, axes = drawn(family, build)
    stubs = sum((min(ends), max(ends)) not in placement.lines for ends in tables.tree.edges)
    lines = tree_lines(axes)
    assert sum(lines) in (len(tables.tree.edges) + stubs, len(tables.tree.edges))
    legend = axes.get_legend()
    assert legend is not None
    labels = [text.get_text() for text in legend.get_texts()]
    assert {"top of groups (g)", f"root of the plane ({network.switch_names[tables.tree.root]})"} <= set(labels)
    assert (f"link of the plane ({len(tables.tree.edges)})" in labels) == bool(tables.tree.edges)


@each("name", NAMES)
def test_names_of_tops_stand_where_nothing_else_is(name):
    """If there is room: few names may touch a line of a crowded picture, and none a box."""
    family, build = SMALL[name]
    network, placement, tables, axes = drawn(family, build)
    names = [text for text in axes.texts if text.get_color() == PLANE]
    tops = {switch: [] for switch in tables.top_switch}
    for group, switch in enumerate(tables.top_switch):
        tops[switch].append(group)
    wanted = {f"g{numbers_text(groups)}" for groups in tops.values()}
    assert {text.get_text() for text in names} == wanted
    boxes, touched = _boxes(placement, network), 0
    for text in names:
        half = np.array([LETTER * len(text.get_text()) / 2, LINE_HALF])
        own = Bbox([np.array(text.get_position()) - half, np.array(text.get_position()) + half])
        assert not [what for what, _, box in boxes if own.overlaps(box)], text.get_text()
        touched += any(own.count_contains(line) for _, _, line in _lines(placement))
    assert touched <= 1


def test_links_beside_those_of_the_network_are_dashed():
    edges = [[8, 0], *([n, 0] for n in range(1, 8))]
    *_, tables, axes = drawn("spam", lambda: mesh_network([3, 3]), edges=edges)
    assert tree_lines(axes) == [8 - len(tables.tree.foreign_links), len(tables.tree.foreign_links)]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert f"link of the plane alone ({len(tables.tree.foreign_links)})" in labels


@pytest.mark.parametrize(("numbers", "text"), [([0], "0"), ([0, 1, 2, 5], "0-2,5"), ([1, 3, 4], "1,3-4")])
def test_numbers_as_ranges(numbers, text):
    assert numbers_text(numbers) == text


def test_the_verb_draws_the_plane(tmp_path):
    config = tmp_path / "plane.yaml"
    topology = {"kind": "mesh", "rows": 2, "columns": 3}
    network = {"family": "torus", "topology": topology, "collectives": {"groups": 2}}
    config.write_text(json.dumps({"network": network}))
    assert run(["draw", str(config), "-o", str(tmp_path)]) == 0
    svg = (tmp_path / "plane.svg").read_text()
    assert "link of the plane (5)" in svg
    assert ">g0-1<" in svg
    assert load(config).draw()["svg"] == svg.encode()
