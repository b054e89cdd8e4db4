"""Axes of a sweep: texts, ranges, grids, and their errors."""

import pytest

from hydranoc.errors import ConfigError
from hydranoc.sweeps.axes import Axis, changed, grid, parse_axis


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("network.buffer_flits=1,2,4", (1, 2, 4)),
        ("network.buffer_flits=2", (2,)),
        ("load=0.1:0.3:3", (0.1, 0.2, 0.3)),
        ("load=0.0001:0.001:10", tuple(n / 10_000 for n in range(1, 11))),
        ("load=1:9:5", (1, 3, 5, 7, 9)),
        ("load=1:10:4", (1.0, 4.0, 7.0, 10.0)),
        ("load=1:2:3", (1.0, 1.5, 2.0)),
        ("load=0.001:1:4:log", (0.001, 0.01, 0.1, 1.0)),
        ("load=5:5:1", (5,)),
        ("network.topology.shape=[8, 8],[4, 16]", ([8, 8], [4, 16])),
        ("traffic.software=binomial,separate", ("binomial", "separate")),
        ("network.lane_reuse=true,false", (True, False)),
        ("traffic.pattern='own:pattern'", ("own:pattern",)),
    ],
)
def test_values_of_a_text(text, values):
    assert parse_axis(text).values == values
    assert parse_axis(text).key == text.partition("=")[0]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("network.buffer_flits", "must be KEY=VALUES"),
        ("=1,2", "must be KEY=VALUES"),
        ("a..b=1", "must be KEY=VALUES"),
        ("load=", "must be KEY=VALUES"),
        ("load=1:2", "FIRST:LAST:COUNT"),
        ("load=1:2:x", "FIRST:LAST:COUNT"),
        ("load=1:2:3:cubic", "FIRST:LAST:COUNT"),
        ("load=1:2:3:log:4", "FIRST:LAST:COUNT"),
        ("load=1:.inf:3", "FIRST:LAST:COUNT"),
        ("load=1:2:0", "a COUNT of 1 to 100000"),
        ("load=0:2:3:log", "ends above 0 with :log"),
        ("load=[1", "values as in YAML"),
    ],
)
def test_wrong_texts_are_refused(text, problem):
    with pytest.raises(ConfigError, match=problem):
        parse_axis(text)


def test_the_last_axis_is_the_fastest():
    points = list(grid([Axis("a", (1, 2)), Axis("b", ("x", "y"))]))
    assert points == [{"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"a": 2, "b": "x"}, {"a": 2, "b": "y"}]


def test_keys_are_changed_in_a_copy():
    content = {"network": {"topology": {"shape": [8, 8]}, "buffer_flits": 2}, "traffic": {"messages": [{"flits": 1}]}}
    axes = [Axis("network.topology.shape.1", (4,)), Axis("traffic.messages.0.flits", (9,)), Axis("network.root", (3,))]
    new = changed(content, axes, {axis.key: axis.values[0] for axis in axes})
    assert new["network"] == {"topology": {"shape": [8, 4]}, "buffer_flits": 2, "root": 3}
    assert new["traffic"] == {"messages": [{"flits": 9}]}
    assert content["network"]["topology"]["shape"] == [8, 8]


@pytest.mark.parametrize("key", ["network.buffer_flits.more", "traffic.messages.5.flits", "traffic.messages.flits"])
def test_keys_that_lead_nowhere_are_refused(key):
    content = {"network": {"buffer_flits": 2}, "traffic": {"messages": [{"flits": 1}]}}
    with pytest.raises(ConfigError, match="must name a key of the configuration"):
        changed(content, [Axis(key, (1,))], {key: 1})
