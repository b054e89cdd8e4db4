"""Sweeps as users run them: the table, its workers, and interrupted sweeps."""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

from hydranoc.cli import run
from hydranoc.sweeps import cluster as clusters
from hydranoc.sweeps.axes import Axis, parse_axis
from hydranoc.sweeps.measure import COLUMNS, Effort
from hydranoc.sweeps.run import Sweep, sharing, sweep

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
def test_progress_names_what_follows_the_last_point():
    told = []
    sweep(CONTENT, {"network.buffer_flits": [2]}, processes=1, progress=lambda *call: told.append(call), **CHEAP)
    assert told[-2:] == [("measuring", 1, 1), ("making the table", 0, 0)]


@pytest.mark.usefixtures("pandas")
def test_a_point_that_is_too_short_says_what_it_needs():
    content = {**CONTENT, "traffic": {**CONTENT["traffic"], "cycles": 500, "messages_per_node_per_cycle": 0.02}}
    row = sweep(content, {"network.buffer_flits": [2]}, processes=1, doublings=0).iloc[0]
    assert row["verdict"] == "undecided"
    assert row["needed_cycles"] > 500
    assert row["unicast_messages"] > 0
    assert "unicast_mean" not in row.dropna()


def test_the_same_table_from_any_number_of_processes(pandas):
    tables = [sweep(CONTENT, OVER, processes=processes, **CHEAP) for processes in (1, 2, 3)]
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
def test_other_traffic_is_run_once_to_its_end():
    content = {
        "network": CONTENT["network"],
        "traffic": {"kind": "list", "messages": [{"source": 0, "destinations": [5], "flits": 8}]},
    }
    table = sweep(content, ["traffic.messages.0.flits=8,16"], processes=1)
    assert (table["unicast_mean"][1] - table["unicast_mean"][0]) == 8
    assert table["replications"].tolist() == [1, 1]


@pytest.mark.usefixtures("pandas")
def test_a_network_that_deadlocks_is_a_row():
    examples = Path(__file__).parents[3] / "examples"
    content = yaml.safe_load((examples / "deadlock-torus-one-lane.yaml").read_text())
    table = sweep(content, {"network.buffer_flits": [2]}, processes=1)
    assert bool(table["deadlocked"][0])


@pytest.mark.parametrize(
    ("over", "text"),
    [
        (["network.buffer_flits=0"], "with network.buffer_flits=0: network.buffer_flits must be at least 1, not 0"),
        (["network.depth=1"], "unknown key 'depth'"),
        (["network.buffer_flits=1", "network.buffer_flits=2"], "must name a key once"),
        (["a=1:2:100000", "b=1:2:100000"], "1 to 1,000,000 points"),
        (["network.family=spam,spm"], "not 'spm'"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_measured(config, over, text, capsys):
    assert run(["sweep", str(config), *(part for one in over for part in ("--over", one))]) == 2
    assert text in capsys.readouterr().err


@pytest.mark.usefixtures("pandas")
def test_it_goes_on_where_it_was(config, capsys):
    texts = [f"{key}={','.join(map(str, values))}" for key, values in OVER.items()]
    begun = Sweep(config, [parse_axis(text) for text in texts], Effort(**CHEAP))
    for number in (0, 3):
        begun.kept.add(str(number), {**dict.fromkeys(COLUMNS), "verdict": "stable", "cycles": 77 + number})
    command = ["sweep", str(config), *(part for text in texts for part in ("--over", text)), "--doublings", "2"]
    assert run([*command, "--json", "-o", str(config.parent / "out")]) == 0
    captured = capsys.readouterr()
    assert "goes on with 2 points kept in" in captured.err
    cycles = [row["cycles"] for row in json.loads(captured.out)["rows"]]
    assert [cycles[number] for number in (0, 3)] == [77, 80], "kept points are not measured again"
    assert not begun.kept.path.exists(), "a finished sweep keeps nothing"


def _command(config: Path, folder: Path) -> list[str]:
    over = ["--over", "traffic.messages_per_node_per_cycle=0.001:0.01:40", "--over", "network.buffer_flits=1,2,4"]
    return [sys.executable, "-m", "hydranoc", "sweep", str(config), *over, "--jobs", "2", "-o", str(folder)]


@pytest.mark.slow
@pytest.mark.usefixtures("pandas")
def test_killed_workers_and_a_killed_sweep_leave_the_table_as_it_is(config, tmp_path):
    subprocess.run(_command(config, tmp_path / "whole"), check=True, capture_output=True)
    process = subprocess.Popen(_command(config, tmp_path / "killed"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    kept = tmp_path / "cache" / "sweeps"
    _wait_for(lambda: any(path.read_text().count("\n") > 10 for path in kept.glob("*.jsonl")))
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False).stdout
    os.kill(int(children.split()[-1]), signal.SIGKILL)
    _wait_for(lambda: any(path.read_text().count("\n") > 40 for path in kept.glob("*.jsonl")))
    process.kill()
    process.wait()
    again = subprocess.run(_command(config, tmp_path / "killed"), check=True, capture_output=True, text=True)
    assert "goes on with" in again.stderr
    for name in ("sweep.csv", "sweep.parquet"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "killed" / name).read_bytes()


def _wait_for(seen) -> None:
    end = time.monotonic() + 120
    while not seen():
        assert time.monotonic() < end
        time.sleep(0.05)


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


@pytest.mark.slow
def test_the_same_table_though_a_worker_is_killed(pandas, cluster):
    over = {"traffic.messages_per_node_per_cycle": [n / 1000 for n in range(1, 21)], "network.buffer_flits": [1, 2, 4]}
    planned, rows = Sweep(CONTENT, [Axis(key, tuple(values)) for key, values in over.items()], Effort(**CHEAP)), []
    workers = [worker.process.pid for worker in cluster.workers.values()]

    def killing(work: str, done: int, total: int) -> None:
        del work, total
        rows.append(done)
        if done == 5:
            os.kill(workers[0], signal.SIGKILL)

    table = planned.run(sharing(None, cluster.scheduler_address), killing)
    planned.kept.drop()
    assert rows[-1] == len(table) == 60
    pandas.testing.assert_frame_equal(sweep(CONTENT, over, processes=2, **CHEAP), table, check_exact=True)


@pytest.mark.usefixtures("pandas")
@pytest.mark.parametrize(
    ("address", "code", "text"),
    [
        ("tcp://127.0.0.1:1", 3, "no Dask scheduler answers at tcp://127.0.0.1:1"),
        ("nonsense://x", 2, "--dask must be an address such as tcp://10.0.0.1:8786, not 'nonsense://x'"),
    ],
)
def test_wrong_clusters(config, address, code, text, monkeypatch, capsys):
    monkeypatch.setattr(clusters, "CONNECT_SECONDS", 1)
    assert run(["sweep", str(config), "--over", "network.buffer_flits=1", "--dask", address]) == code
    assert text in capsys.readouterr().err
