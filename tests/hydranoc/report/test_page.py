"""The report's file: content, figures, and size."""

import json
import re
from html import escape

import numpy as np
import pytest

from hydranoc import ConfigError, load
from hydranoc.cli import run
from hydranoc.families.registry import FAMILIES
from hydranoc.pictures.channel_lines import LINE, STUBS, UNDRAWN
from hydranoc.pictures.placement import place
from hydranoc.report_page import page
from hydranoc.report_page.figure_file import figure_path, read_figure
from hydranoc.report_page.given import read_given_figure, read_sweep
from hydranoc.report_page.replay_data import unpacked
from hydranoc.report_page.run import run_of
from hydranoc.report_page.scene import scene_of
from hydranoc.studies.common.figure import Claim, Figure, Series, plain_claims, plain_plot, plain_text
from hydranoc.studies.common.measured import MEASURED, measured_figure, measured_names
from hydranoc.sweeps.axes import given_axis, grid
from hydranoc.sweeps.measure import COLUMNS
from hydranoc.sweeps.table import data_frame, write_tables
from tests.each import each
from tests.hydranoc.report.networks import CONFIGURATIONS
from tests.sampled import sampled

BUSY = {"kind": "random", "seed": 1, "cycles": 6000, "warmup_cycles": 500, "flits": 8}
SIXTY_FOUR = {
    "spam": ({"kind": "mesh", "shape": [8, 8]}, {"messages_per_node_per_cycle": 0.004}),
    "min": ({"kind": "bi-butterfly", "radix": 4, "stages": 3}, {"messages_per_node_per_cycle": 0.01}),
    "harts": ({"kind": "hexmesh", "size": 5}, {"messages_per_node_per_cycle": 0.002}),
    "torus": ({"kind": "torus", "rows": 8, "columns": 8}, {"messages_per_node_per_cycle": 0.02}),
    "hypercube": ({"kind": "hypercube", "dimensions": 6}, {"messages_per_node_per_cycle": 0.03}),
}


def _data(text: str) -> dict:
    found = re.search(r'<script id="data" type="text/plain">(.*?)</script>', text, re.DOTALL)
    assert found
    return unpacked(found[1])


@pytest.mark.parametrize("family", sampled(SIXTY_FOUR, ("harts", "torus")))
def test_pages_of_64_nodes_are_small_and_need_nothing(family, tmp_path, capsys):
    topology, more = SIXTY_FOUR[family]
    config = {"network": {"family": family, "topology": topology}, "traffic": {**BUSY, **more}}
    (tmp_path / "busy.yaml").write_text(json.dumps(config))
    assert run(["report", str(tmp_path / "busy.yaml"), "-o", str(tmp_path), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    text = (tmp_path / "busy.html").read_text()
    assert summary["bytes"] == len(text.encode()) < page.MAX_BYTES
    assert not re.search(r"https?://|url\((?!#)|<link[^>]+href=\"(?!data:,)|\bsrc=", text)
    assert "{{" not in text
    replay = _data(text)["replay"]
    assert [replay["first"], replay["last"]] == summary["window"]
    assert len(replay["channel"]) > 3_000
    assert summary["window"][0] == BUSY["warmup_cycles"]


def test_a_replay_that_does_not_fit_is_cut(monkeypatch):
    run_ = run_of(load(CONFIGURATIONS["spam"]))
    whole, window = page.write_page(run_)
    monkeypatch.setattr(page, "MAX_BYTES", len(whole) - 2000)
    cut, part = page.write_page(run_)
    assert len(cut) <= page.MAX_BYTES
    assert window.first == part.first == 0
    assert part.last in [window.last >> times for times in range(1, 8)]
    assert f"Cycles 0 to {part.last - 1} of a run of" in cut.decode()
    assert f"It was to go to {window.last - 1}: more than that does not fit" in cut.decode()
    monkeypatch.setattr(page, "MAX_BYTES", 10_000)
    with pytest.raises(ValueError, match="a page must have at most 10,000 bytes, not"):
        page.write_page(run_)


SCENES = {
    "spam": {"kind": "lattice", "switches": 24, "seed": 2},
    "min": {"kind": "omega", "radix": 2, "stages": 3},
    "harts": {"kind": "hexmesh", "size": 3},
    "torus": {"kind": "torus", "rows": 4, "columns": 4},
    "hypercube": {"kind": "hypercube", "dimensions": 9},
}


@each("family", SCENES)
def test_the_scene_is_the_picture(family):
    design = load({"network": {"family": family, "topology": SCENES[family]}})
    network, links = design.network, design.family.link_classes(design.routing)
    placement, scene = place(network, links), scene_of(network, links)
    assert np.allclose([one[:2] for one in scene["switches"]], placement.switches, atol=0.001)
    assert np.allclose([one[:2] for one in scene["spots"]], placement.processors, atol=0.001)
    kinds = set()
    for channel, (number, _, source, sink, name) in zip(network.channels, scene["channels"], strict=True):
        assert (source, sink, name) == (channel.source, channel.sink, channel.name)
        kind, pieces, _ = scene["ways"][number]
        kinds.add(kind)
        assert len(pieces) == (2 if kind == STUBS else 1)
        if network.is_switch(source):
            assert np.allclose(pieces[0][:2], placement.switches[source], atol=0.001)
        if network.is_switch(sink):
            assert np.allclose(pieces[-1][-2:], placement.switches[sink], atol=0.001)
        if not network.is_switch(source):
            assert np.allclose(pieces[0][:2], placement.processors[source - network.switches], atol=0.001)
        if not network.is_switch(sink):
            at = [place for place in scene["spots"] if place[2] == sink - network.switches]
            assert any(np.allclose(pieces[0][-2:], place[:2], atol=0.001) for place in at)
    wanted = {"harts": {LINE, STUBS}, "torus": {LINE, STUBS}, "hypercube": {LINE, UNDRAWN}}
    assert kinds == wanted.get(family, {LINE})
    assert bool(scene["rule"]) == (family == "hypercube")


SWEEP = """traffic.cycles,network.buffer_flits,verdict,unicast_mean,unicast_half_width,unicast_accepted
1000,1,stable,40.5,1.5,0.01
1000,2,stable,38.5,1.5,0.01
2000,1,stable,60.25,3.5,0.02
2000,2,diverges,,,0.015
"""
CLAIMS = {"title": "A <figure>", "claims": [{"claim": "1 < 2", "measured": "3", "holds": False, "note": "why"}]}


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "small.yaml"
    path.write_text(json.dumps(CONFIGURATIONS["spam"]) + "\n# </script><b>\n")
    return path


def test_a_page_has_what_it_was_given(config, tmp_path, capsys):
    (tmp_path / "sweep.csv").write_text(SWEEP)
    (tmp_path / "claims.json").write_text(json.dumps(CLAIMS))
    given = ["--sweep", str(tmp_path / "sweep.csv"), "--figure", str(tmp_path / "claims.json"), "--window", "200:250"]
    assert run(["report", str(config), "-o", str(tmp_path), *given]) == 0
    out = capsys.readouterr().out
    text = (tmp_path / "small.html").read_text()
    assert "cycles 200 to 249 replayed" in out
    assert out.endswith("small.html\n")
    assert "Cycles 200 to 249 of a run of" in text
    assert "# &lt;/script&gt;&lt;b&gt;" in text
    assert "A &lt;figure&gt;" in text
    assert "<strong>does not hold</strong>" in text
    assert "says nothing of curves: an earlier <code>hydranoc reproduce</code>" in text
    assert text.count('<svg class="chart"') == 1 + 2
    assert text.count('<circle class="dot') == 3 + 4 + 2 * 2  # the legends'


def test_a_sweep_may_be_parquet(config, tmp_path, require_package):
    require_package("pyarrow")
    import pandas

    (tmp_path / "sweep.csv").write_text(SWEEP)
    pandas.read_csv(tmp_path / "sweep.csv").convert_dtypes().to_parquet(tmp_path / "sweep.parquet")
    pages = []
    for suffix in ("csv", "parquet"):
        given = ["--sweep", str(tmp_path / f"sweep.{suffix}"), "-o", str(tmp_path / suffix)]
        assert run(["report", str(config), *given]) == 0
        pages.append((tmp_path / suffix / "small.html").read_text())
    assert pages[0] == pages[1]


@each("value", ["None", "NA", "nan", "null", "N/A", "auto"])
def test_words_of_a_sweep_are_no_missing_values(value, tmp_path, require_package):
    """Both files of a table of ``hydranoc sweep`` show the same curves."""
    require_package("pyarrow")
    axes = [given_axis("traffic.cycles", [0.1, 1 / 3]), given_axis("network.ordering", [value, 3])]
    points = list(grid(axes))
    missing = dict.fromkeys(COLUMNS)
    rows = [missing | {"verdict": "stable", "unicast_mean": mean} for mean in (0.1 + 0.2, 1 / 3, 5e-324, 1e22 / 3)]
    rows[0]["unicast_half_width"] = 0.1
    write_tables(data_frame(axes, points, rows), tmp_path, "sweep")
    curves = [read_sweep(tmp_path / f"sweep.{suffix}") for suffix in ("csv", "parquet")]
    assert curves[0] == curves[1]
    assert [one.name for one in curves[0]["latency"].series] == [f"network.ordering {one}" for one in (value, 3)]
    assert [len(one.y) for one in curves[0]["latency"].series] == [2, 2]


def test_a_deadlock_is_told(tmp_path, capsys):
    assert run(["report", "examples/deadlock-enqueue.yaml", "-o", str(tmp_path), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["deadlocked"]
    text = (tmp_path / "deadlock-enqueue.html").read_text()
    assert "<h2>Deadlock</h2><pre>deadlock in cycle " in text
    stuck = _data(text)["stuck"]
    assert len(stuck) > 1
    assert all(blockers and reason.startswith("for ") for _, _, blockers, reason in stuck)


@each(
    "given, said",
    [
        (["--window", "5"], "a window is '5'; it must be FIRST:LAST in cycles with FIRST < LAST"),
        (["--window", "0:" + "9" * 5000], f"a window is '0:{'9' * 77}...; it must be FIRST:LAST"),
        (["--window", "9:9"], "a window is '9:9'; it must be FIRST:LAST in cycles with FIRST < LAST"),
        (["--window", "99999:100000"], "FIRST from 0 to "),
        (["--sweep", "none.csv"], "none.csv: cannot be read: no such file"),
        (["--sweep", "bad.csv"], "bad.csv: must be a table of 'hydranoc sweep'"),
        (["--sweep", "words.csv"], "which must be of numbers, not 'one'"),
        (["--figure", "long.json"], "a page must have at most 1,000,000 bytes, not "),
    ],
)
def test_bad_input_is_told_in_one_line(given, said, config, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.csv").write_text("a,b\n1,2\n")
    (tmp_path / "words.csv").write_text("key,verdict,unicast_mean\none,stable,3\n")
    (tmp_path / "long.json").write_text(json.dumps({**CLAIMS, "title": 1_000_000 * "long "}))
    assert run(["report", str(config), "-o", "out", *given]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.startswith("error: ")
    assert err.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_the_whole_registry_has_scenes():
    assert set(SCENES) == set(SIXTY_FOUR) == set(FAMILIES)


WHOLE = Figure(
    "A figure",
    "load",
    "latency, us",
    (
        Series("first", [0.125, 0.25], [3.5, 4.5], [0.5, 0.25], saturation=(0.25, 0.5)),
        Series("second", [0.125], [7.0], panel=1, colour=3, dashed=True, joined=False),
        Series("third", [], [], marked=False),
    ),
    (Claim("under 14", "12", True, level=14.0), Claim("sixfold", "five", False, note="why")),
    (),
    (),
    log_x=True,
    log_y=True,
    x_names=("one", "two"),
    panels=("left", "right"),
    one_legend=True,
)


def _content(figure: Figure) -> dict:
    return {"title": figure.title, "quick": True, "claims": plain_claims(figure), "plot": plain_plot(figure)}


@pytest.mark.parametrize("bars", [False, True])
def test_what_is_written_is_read(bars, tmp_path):
    bar = Figure("Bars", "", "us", (Series("one", [1.0], [2.0]),), (), (), (), bars=True)
    figure = bar if bars else WHOLE
    (tmp_path / "a.json").write_text(plain_text(_content(figure)))
    assert read_figure(tmp_path / "a.json") == figure


HOSTILE = "</script><script>alert(1)</script>&amp;<b>"


def test_names_are_no_markup(tmp_path):
    network = {"family": "spam", "topology": {"switches": 2, "edges": [[0, 1]], "names": ["a", HOSTILE]}}
    traffic = {"kind": "random", "cycles": 500, "messages_per_node_per_cycle": 0.01, "flits": 8}
    curves = (Series(HOSTILE, [1.0], [2.0]), Series(HOSTILE, [], [], panel=1))
    claims = (Claim(HOSTILE, HOSTILE, True, 1.0, HOSTILE),)
    figure = Figure(
        *(HOSTILE, HOSTILE, HOSTILE, curves, claims, (), ()), x_names=(HOSTILE, HOSTILE), panels=(HOSTILE, HOSTILE)
    )
    sweep = SWEEP.replace("network.buffer_flits", HOSTILE).replace("00,1,", f"00,{HOSTILE},")
    (tmp_path / "<b>.yaml").write_text(json.dumps({"network": network, "traffic": traffic}))
    (tmp_path / "<b>.json").write_text(plain_text(_content(figure)))
    (tmp_path / "<b>.csv").write_text(sweep)
    given = [f"--sweep={tmp_path / '<b>.csv'}", f"--figure={tmp_path / '<b>.json'}", "-o", str(tmp_path)]
    assert run(["report", str(tmp_path / "<b>.yaml"), *given]) == 0
    text = (tmp_path / "<b>.html").read_text()
    assert text.count("<script") == 2
    assert "<b>" not in text
    assert text.count("alert(1)") == text.count(escape(HOSTILE)) > 10
    assert f"<td>a-&gt;{escape(HOSTILE)}</td>" in text


Y = "plot series 0 y"
BARS = {"x_label": "", "y_label": "us", "series": [{"name": "a", "x": [1], "y": [y]} for y in (0, -1)]}
WRONG = [
    ("title", None, "key 'title' is missing"),
    ("claims 0 holds", None, "key 'holds' is missing in claims[0]"),
    ("plot series", None, "key 'series' is missing in plot"),
    (f"{Y} 1", "x", "plot.series[0].y[1] is 'x'; it must be a number"),
    (f"{Y} 1", float("nan"), "plot.series[0].y[1] is nan; it must be a finite number"),
    (f"{Y} 1", 1e308, "plot.series[0].y[1] is 1e+308; it must be at most 1e+100"),
    (Y, [3.5], "plot.series[0].y is 1; it must be a list of as many numbers as x, 2"),
    ("plot series 0 error", [0.5], "plot.series[0].error is 1; it must be a list of as many"),
    ("plot series 0 error 0", -1, "plot.series[0].error[0] is -1; it must be at least 0"),
    ("plot series 1 panel", 2, "plot.series[1].panel is 2; it must be less than 2"),
    (f"{Y} 0", 0, "plot.series[0].y is 0.0; it must be greater than 0 on a logarithmic axis"),
    ("plot bars", True, "plot.series[0].x is 2; it must be a list of one number, as series are bars"),
    ("plot series 0 saturation", [1], "plot.series[0].saturation is [1]; it must be a list of at least 2"),
    ("plot", {**BARS, "bars": True}, "plot.series[1].y is -1.0; it must be at least 0, as series are bars"),
    ("plot colour", 1, "unknown key 'colour' in plot"),
]
"""Key, its value or None for a removed key, and the message."""


@each("key, value, said", WRONG)
def test_a_wrong_file_is_told_in_one_line(key, value, said, tmp_path):
    content = part = json.loads(plain_text(_content(WHOLE)))
    *path, last = (int(word) if word.isdigit() else word for word in key.split())
    for word in path:
        part = part[word]
    part[last] = value
    if value is None:
        del part[last]
    (tmp_path / "wrong.json").write_text(json.dumps(content))
    with pytest.raises(ConfigError, match=re.escape(said)) as found:
        read_figure(tmp_path / "wrong.json")
    assert "wrong.json: must be NAME.json of 'hydranoc reproduce'" in str(found.value)
    assert "\n" not in str(found.value)


@each("text", ["", "a,b\n1,2\n", "[]", 100_000 * "["])
def test_what_is_no_figure_is_refused(text, tmp_path):
    (tmp_path / "no.json").write_text(text)
    with pytest.raises(ConfigError, match=r"no.json: must be NAME.json of 'hydranoc reproduce'"):
        read_figure(tmp_path / "no.json")


@each("name", measured_names())
def test_kept_figures_have_their_claims_and_curves(name):
    figure, measured = read_given_figure(MEASURED / f"{name}.json"), measured_figure(name)
    assert measured is not None
    assert [claim.text for claim in figure.claims] == [claim["claim"] for claim in measured.claims]
    assert any(len(series.x) for series in figure.series)


def test_kept_figures_are_given_by_name(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small.json").write_text(json.dumps(CONFIGURATIONS["spam"]))
    assert run(["report", "small.json", "--figure", "spam-fig3", "-o", "out"]) == 0
    text = (tmp_path / "out" / "small.html").read_text()
    assert "SPAM, figure 3" in text
    assert '<section id="figure">' in text
    (tmp_path / "spam-fig3").write_text("mine")  # present data takes precedence over kept data
    assert str(figure_path(tmp_path / "spam-fig3")).endswith("spam-fig3")
    assert run(["report", "small.json", "--figure", "spam-fig3", "-o", "out"]) == 2
    assert "error: spam-fig3: must be NAME.json" in capsys.readouterr().err
