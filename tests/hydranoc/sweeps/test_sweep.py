"""``sweep``: axes, rows, plots, resumed runs, and missing packages."""

import importlib
import json
import os
import sys
from typing import Any

import numpy as np
import pytest

from hydranoc.api import load
from hydranoc.cli import run
from hydranoc.errors import ConfigError
from hydranoc.report_page.given import read_sweep
from hydranoc.sweeps import workers
from hydranoc.sweeps.axes import Axis, changed, given_axis, grid, parse_axis
from hydranoc.sweeps.measure import COLUMNS, SweepSettings
from hydranoc.sweeps.run import Sweep, sweep
from hydranoc.sweeps.table import data_frame, sweep_figures
from tests.each import each
from topology.common.errors import MachineTrouble

CONTENT = {
    "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [3, 3]}, "flit_bits": 32},
    "traffic": {
        "kind": "random",
        "seed": 3,
        "cycles": 20_000,
        "messages_per_node_per_cycle": 0.005,
        "multicast_fraction": 0.2,
        "destinations": 3,
        "flits": 8,
    },
}
OVER = {"traffic.messages_per_node_per_cycle": [0.004, 0.008, 0.2], "network.buffer_flits": [1, 4]}
CHEAP = {"doublings": 2}


@pytest.fixture
def pandas(require_package):
    """Dependency of tables; its absence is a failure in CI."""
    require_package("pyarrow")
    require_package("pandas")
    return importlib.import_module("pandas")


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch, tmp_path):
    """Each test has caches of its own; only compiled code is shared, beside the sources."""
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "small.yaml"
    path.write_text(json.dumps(CONTENT))
    return path


@pytest.mark.usefixtures("pandas")
def test_a_table():
    table = sweep(CONTENT, OVER, processes=1, **CHEAP)
    assert list(table.columns[:2]) == list(OVER)
    assert table["network.buffer_flits"].tolist() == [1, 4] * 3
    assert table["verdict"].tolist() == ["stable"] * 4 + ["diverges"] * 2
    assert (table["unicast_mean"][:2] > 8).all()
    assert table["unicast_mean"][4:].isna().all(), "a load that diverges has no mean"
    assert (table["replications"] == 5).all()
    assert set(table.columns[2:]) <= set(COLUMNS)
    low, high = (table["unicast_accepted"][row] for row in (0, 2))
    assert high == pytest.approx(2 * low, rel=0.1)


@pytest.mark.usefixtures("pandas")
def test_a_point_that_is_too_short_says_what_it_needs():
    content = {**CONTENT, "traffic": {**CONTENT["traffic"], "cycles": 500, "messages_per_node_per_cycle": 0.02}}
    row = sweep(content, {"network.buffer_flits": [2]}, processes=1, doublings=0).iloc[0]
    assert row["verdict"] == "undecided"
    assert row["needed_cycles"] > 500
    assert row["unicast_messages"] > 0
    assert "unicast_mean" not in row.dropna()


def test_the_same_table_from_any_number_of_processes(pandas):
    tables = [sweep(CONTENT, OVER, processes=processes, **CHEAP) for processes in (1, 3)]
    for other in tables[1:]:
        pandas.testing.assert_frame_equal(tables[0], other, check_exact=True)


def test_the_command_writes_what_the_function_returns(pandas, config, tmp_path, capsys):
    texts = [f"{key}={','.join(map(str, values))}" for key, values in OVER.items()]
    command = ["sweep", str(config), *(part for text in texts for part in ("--over", text)), "--doublings", "2"]
    assert run([*command, "-o", str(tmp_path / "out"), "--json"]) == 0
    table = sweep(config, texts, **CHEAP)
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "out" / "sweep.parquet"), table)
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 6
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *("sweep.csv", "sweep.parquet", "latency.svg", "latency.png", "throughput.svg", "throughput.png")
    }
    assert len((tmp_path / "out" / "sweep.csv").read_text().splitlines()) == 7


@pytest.mark.usefixtures("pandas")
def test_the_name_of_the_configuration_is_drawn_as_text(config, tmp_path):
    strange = config.rename(tmp_path / "a$_$b\udcff\x01.yaml")
    over = ["--over", "network.buffer_flits=1,2", "--doublings", "0"]
    assert run(["sweep", str(strange), *over, "-o", str(tmp_path / "out")]) == 0
    assert "a$_$b??</text>" in (tmp_path / "out" / "throughput.svg").read_text()


@pytest.mark.usefixtures("pandas")
def test_other_traffic_is_run_once_to_its_end():
    content = {
        "network": CONTENT["network"],
        "traffic": {"kind": "list", "messages": [{"source": 0, "destinations": [5], "flits": 8}]},
    }
    table = sweep(content, ["traffic.messages.0.flits=8,16"], processes=1)
    assert (table["unicast_mean"][1] - table["unicast_mean"][0]) == 8
    assert table["replications"].tolist() == [1, 1]


@pytest.mark.usefixtures("pandas")
def test_percentiles_are_those_of_the_summary():
    messages = [{"source": 0, "destinations": [5], "flits": 2, "start_cycle": 100 * n} for n in range(1000)]
    messages[0]["flits"] = 30
    content = {"network": CONTENT["network"], "traffic": {"kind": "list", "messages": messages}}
    row = sweep(content, {"network.buffer_flits": [4]}, processes=1).iloc[0]
    figures = load(content).simulate().figures["latency_cycles"]
    assert row["unicast_p99.9"] < row["unicast_mean"] + 1, "the longest is one of 1,000"
    assert row["unicast_p99.9"] in [part["p99.9"] for part in figures.values() if isinstance(part, dict)]


@pytest.mark.parametrize(
    ("over", "text"),
    [
        (["network.buffer_flits=0"], "with network.buffer_flits=0: network.buffer_flits is 0; it must be at least 1"),
        (["network.depth=1"], "unknown key 'depth'"),
        (["network.buffer_flits=1", "network.buffer_flits=2"], "must name a key once"),
        (["a=1:2:100000", "b=1:2:100000"], "1 to 1,000,000 points"),
        (["network.family=spam,spm"], "is 'spm'"),
        (["traffic.cycles=1000,20"], "with traffic.cycles=20: traffic.cycles is 20; it must be at least 45"),
        (["network.buffer_flits=1", "traffic.destinations=3,9"], "buffer_flits=1, traffic.destinations=9: "),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_measured(config, over, text, capsys):
    assert run(["sweep", str(config), *(part for one in over for part in ("--over", one))]) == 2
    assert text in capsys.readouterr().err


@pytest.mark.parametrize(
    ("traffic", "text"),
    [
        ({"cycles": 5, "messages_per_node_per_cycle": 0.5}, "5: traffic.cycles is 5; it must be at least 45"),
        ({"messages_per_node_per_cycle": 1e-300}, "5: traffic.cycles is 20000; it must be so long that"),
        ({"kind": "list", "messages": [{"source": 0, "destinations": [9], "flits": 8}]}, "4: traffic.messages"),
    ],
)
def test_wrong_traffic_has_its_line(traffic, text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    whole = traffic if "kind" in traffic else CONTENT["traffic"] | traffic
    lines = [f"network: {json.dumps(CONTENT['network'])}", "traffic:"]
    lines += [f"  {key}: {json.dumps(value)}" for key, value in whole.items()]
    (tmp_path / "small.yaml").write_text("\n".join(lines) + "\n")
    assert run(["sweep", "small.yaml", "--over", "network.buffer_flits=1,2"]) == 2
    assert f"error: small.yaml:{text}" in capsys.readouterr().err


@pytest.mark.usefixtures("pandas")
def test_only_the_named_place_changes_where_an_alias_repeats_it(tmp_path):
    path = tmp_path / "aliases.yaml"
    path.write_text(
        "network: {family: spam, topology: {kind: mesh, shape: [3, 3]}}\n"
        "traffic:\n"
        "  kind: list\n"
        "  messages: [&m {source: 0, destinations: [8], flits: 4}, {source: 1, destinations: [7], flits: 4}, *m]\n"
    )
    planned = Sweep(path, [Axis("traffic.messages.0.flits", (100,))], SweepSettings())
    messages = planned.task(planned.points[0]).content["traffic"]["messages"]
    assert [message["flits"] for message in messages] == [100, 4, 4]


def test_a_pipe_is_read_once():
    reading, writing = os.pipe()
    os.write(writing, json.dumps(CONTENT).encode())
    os.close(writing)
    assert len(Sweep(f"/dev/fd/{reading}", [Axis("network.buffer_flits", (1, 2))], SweepSettings()).points) == 2


@each(
    "settings, text",
    [
        ({"seeds": 0}, "--seeds must be at least 5, not 0"),
        ({"seeds": 7, "most_seeds": 5}, "--most-seeds must be at least 7, what --seeds has, not 5"),
        ({"precision": -1}, "--precision must be above 0 and at most 1, not -1"),
        ({"doublings": -1}, "--doublings must be 0 to 10, not -1"),
        ({"processes": -3}, "--jobs must be at least 1, not -3"),
    ],
)
def test_settings_out_of_range_are_refused(settings: dict[str, Any], text):
    with pytest.raises(ConfigError, match=text):
        sweep(CONTENT, {"network.buffer_flits": [1]}, **settings)


def test_more_seeds_alone_are_enough():
    assert SweepSettings(seeds=10).max_seeds == 10


@each(
    "values, text",
    [
        (2, "must have a list of values for 'network.buffer_flits', not 2"),
        ("12", "must have a list of values for 'network.buffer_flits', not '12'"),
        ([], "must have 1 to 1,000,000 points, not 0"),
    ],
)
def test_values_in_python_are_a_list(values: Any, text):
    with pytest.raises(ConfigError, match=text):
        sweep(CONTENT, {"network.buffer_flits": values})


def test_values_may_be_an_array():
    assert given_axis("network.buffer_flits", np.arange(1, 3)).values == (1, 2)
    assert given_axis("network.buffer_flits", [np.int64(1)]).values == (1,)


def test_it_goes_on_where_it_was(config, pandas, capsys):
    texts = [f"{key}={','.join(map(str, values))}" for key, values in OVER.items()]
    begun = Sweep(config, [parse_axis(text) for text in texts], SweepSettings(**CHEAP))
    for number in (0, 3):
        begun.kept.add(str(number), {**dict.fromkeys(COLUMNS), "verdict": "stable", "cycles": 77 + number})
    command = ["sweep", str(config), *(part for text in texts for part in ("--over", text)), "--doublings", "2"]
    assert run([*command, "--json", "-o", str(config.parent / "out")]) == 0
    captured = capsys.readouterr()
    assert "goes on with 2 points kept in" in captured.err
    cycles = [row["cycles"] for row in json.loads(captured.out)["rows"]]
    assert [cycles[number] for number in (0, 3)] == [77, 80], "kept points are not measured again"
    written = pandas.read_csv(config.parent / "out" / "sweep.csv")["unicast_growth_p"].tolist()
    found = [row["unicast_growth_p"] for row in json.loads(captured.out)["rows"]]
    assert [one for one in found if one is not None] == [one for one in written if one == one], "exactly"
    assert not begun.kept.path.exists(), "a finished sweep keeps nothing"


@pytest.fixture(scope="module")
def cluster(require_package):
    """Two worker processes of a Dask cluster on this machine."""
    require_package("distributed")
    distributed = importlib.import_module("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as running:
        yield running


def test_the_same_table_from_a_cluster(pandas, cluster):
    table = sweep(CONTENT, OVER, dask=cluster.scheduler_address, **CHEAP)
    pandas.testing.assert_frame_equal(sweep(CONTENT, OVER, processes=1, **CHEAP), table, check_exact=True)


@pytest.mark.usefixtures("pandas")
@pytest.mark.parametrize(
    ("address", "code", "text"),
    [
        ("tcp://127.0.0.1:1", 3, "no Dask scheduler answers at tcp://127.0.0.1:1"),
        ("nonsense://x", 2, "--dask is 'nonsense://x'; it must be an address such as tcp://10.0.0.1:8786"),
    ],
)
def test_wrong_clusters(config, address, code, text, monkeypatch, capsys):
    monkeypatch.setattr(workers, "CONNECT_SECONDS", 1)
    assert run(["sweep", str(config), "--over", "network.buffer_flits=1", "--dask", address]) == code
    assert text in capsys.readouterr().err


@each(
    "text, values",
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
        ("load=0:1:4", (0.0, 1 / 3, 2 / 3, 1.0)),
        ("load=12345678901234:12345678901244:3", (12345678901234, 12345678901239, 12345678901244)),
        ("load=10:1000000000000001:2:log", (10, 1000000000000001)),
        ("load=1e308:-1e308:3", (10**308, 0, -(10**308))),
        ("network.topology.shape=[8, 8],[4, 16]", ([8, 8], [4, 16])),
        ("traffic.software=binomial,separate", ("binomial", "separate")),
        ("network.vc_reallocation=true,false", (True, False)),
        ("traffic.pattern='own:pattern'", ("own:pattern",)),
        ("a=1e3,on,0o17", (1000.0, "on", 15)),  # YAML 1.1 takes the first for a text and the second for a truth
        ("network." + "9" * 5000 + "=1", (1,)),
    ],
)
def test_values_of_a_text(text, values):
    assert parse_axis(text).values == values
    assert parse_axis(text).key == text.partition("=")[0]


ODD_VALUES = ("!!float a", "2001-99-99", "[" * 3000, "9" * 5000, f"1:{'9' * 400}:2", "\udcff")


@each(
    "text, problem",
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
        ("load=1:10:1", "a COUNT of at least 2 between different ends"),
        ("load=0:2:3:log", "ends above 0 with :log"),
        ("load=[1", "values as in YAML"),
        *((f"load={values}", "^--over must have ") for values in ODD_VALUES),
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


@pytest.mark.parametrize("given", ["lanes", "virtual_channels"])
@pytest.mark.parametrize("swept", ["lanes", "virtual_channels"])
def test_a_key_is_swept_by_its_former_or_its_present_name(given, swept):
    torus = {"family": "torus", "topology": {"kind": "torus", "rows": 3, "columns": 3}, given: 3}
    content = {"network": torus, "traffic": CONTENT["traffic"] | {"multicast_fraction": 0.0}}
    planned = Sweep(content, [Axis(f"network.{swept}", (2, 4))], SweepSettings())
    assert [planned.task(point).design().routing.network.vcs for point in planned.points] == [2, 4]
    assert torus[given] == 3


@pytest.mark.parametrize("key", ["network.buffer_flits.more", "traffic.messages.5.flits", "traffic.messages.flits"])
def test_keys_that_lead_nowhere_are_refused(key):
    content = {"network": {"buffer_flits": 2}, "traffic": {"messages": [{"flits": 1}]}}
    with pytest.raises(ConfigError, match="must name a key of the configuration"):
        changed(content, [Axis(key, (1,))], {key: 1})


@pytest.fixture
def pandas_(require_package):
    require_package("pyarrow")
    return importlib.import_module("pandas")


def _table(pandas_, **columns):
    return pandas_.DataFrame({"load": [1, 2], **columns}).convert_dtypes()


def test_a_kind_without_means_has_throughput_alone(pandas_):
    table = _table(pandas_, unicast_mean=[20.5, 30.5], unicast_accepted=[0.1, 0.2], multicast_accepted=[0.01, 0.02])
    found = sweep_figures(table, ("load",), "name")
    assert found["latency"].panels == ("unicast",)
    assert found["throughput"].panels == ("unicast", "multicast")
    assert [series.y for series in found["throughput"].series] == [[0.1, 0.2], [0.01, 0.02]]


def test_a_sweep_that_diverges_everywhere_has_no_plot_of_latency(pandas_):
    assert list(sweep_figures(_table(pandas_, unicast_accepted=[0.1, 0.2]), ("load",), "name")) == ["throughput"]


@pytest.mark.parametrize("package", ["pandas", "pyarrow"])
def test_packages_of_tables_are_named(package, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    table = tmp_path / "table.csv"
    table.write_text("cycles\n1\n")
    for needs_them in (lambda: read_sweep(table), lambda: data_frame([], [], [])):
        with pytest.raises(MachineTrouble, match=r"pip install 'hydranoc\[sweep\]'"):
            needs_them()
