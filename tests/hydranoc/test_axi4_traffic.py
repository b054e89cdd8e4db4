"""Traffic of AXI4 transactions: what it refuses, and what ``model`` writes."""

import copy
import csv
import json
from typing import Any

import pytest

from hydranoc import ConfigError, load
from hydranoc.cli import run
from hydranoc.sweeps.measure import SweepSettings, Task, measure
from tests.each import each

CONFIGURATION: dict[str, Any] = {
    "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}},
    "axi4": {
        "managers": [0],
        "id_bits": 1,
        "regions": [{"processor": p, "base": 0x1000 * p, "size": 0x1000} for p in (1, 3)],
        "multicast": [{"processors": [1, 3], "base": 0x8000, "size": 0x1000}],
    },
    "traffic": {"kind": "axi4", "transactions": 3},
}


def listed(**changes: Any) -> dict[str, Any]:
    """Return traffic of one transaction."""
    one = {"manager": 0, "kind": "write", "address": 0x1000, "beats": 4, **changes}
    return {"kind": "axi4", "transactions": [one]}


LISTED = listed()
MESH = {"family": "harts", "topology": {"kind": "hexmesh", "size": 2}, "flit_bits": 64, "packet_flits": 260}
ONE = ("traffic", "transactions", 0)
WRONG = {
    "no ends": ({}, ("axi4",), None, "traffic.kind is axi4; key 'axi4' is missing"),
    "fraction": ({"read_fraction": 1.5}, None, None, "traffic.read_fraction"),
    "beats": ({"beats": 300}, None, None, "traffic.beats"),
    "order": ({"beats": [9, 3]}, None, None, r"traffic.beats is \[9, 3\]; the first number must be at most"),
    "long": ({"beats": 200}, ("axi4", "data_bits"), 256, "traffic.beats is 200; it must be at most 128"),
    "software": ({"software": "binomial"}, None, None, "traffic.software is binomial; traffic of axi4 has none"),
    "errors": ({"error_fraction": 0.0001}, None, None, "traffic.error_fraction: Probability is 0.0001"),
    "no window": ({"multicast_fraction": 1.0}, ("axi4", "multicast"), [], "multicast_fraction is 1.0; it must be 0"),
    "rarely no window": ({"multicast_fraction": 0.001}, ("axi4", "multicast"), [], "multicast_fraction is 0.001; it"),
    "many": ({"transactions": 2**31}, None, None, "transactions is 2147483648; it must be at most 20,000,000 for each"),
    "late": ({"interval_cycles": 1e19}, None, None, r"interval_cycles is 1e\+19; it must be at most "),
    "warm-up": ({"warmup_cycles": 1}, None, None, "warmup_cycles is 1; it must be at most 0, the start of the last"),
    "warm-up of one": ({**LISTED, "warmup_cycles": 9}, None, None, "warmup_cycles is 9; it must be at most 0"),
    "no gap": ({"unmapped_fraction": 1.0}, ("axi4", "regions"), "all", "unmapped_fraction is 1.0; it must be 0"),
    "manager": (LISTED, (*ONE, "manager"), 1, r"transactions\[0\].manager is 1; it must be one of 0"),
    "id": (LISTED, (*ONE, "id"), 2, r"transactions\[0\].id is 2; it must be at most 1"),
    "wrap": (listed(burst="wrap", address=0x1002), None, None, r"address is 0x1002; it must be a multiple of 4"),
    "wrap beats": (listed(burst="wrap", beats=3), None, None, r"beats is 3; it must be one of 2, 4, 8, 16 in a WRAP"),
    "fixed": (listed(burst="fixed", beats=17), None, None, r"beats is 17; it must be at most 16 in a FIXED burst"),
    "bytes": (listed(beat_bytes=3), None, None, r"beat_bytes is 3; it must be a power of two, at most 4"),
    "wide": (listed(beat_bytes=8), None, None, r"beat_bytes is 8; it must be a power of two, at most 4"),
    "mask": (listed(mask=0x2000), None, None, r"mask is 0x2000; it must be 0, but in writes with axi4.multicast_mask"),
    "lite": (LISTED, ("axi4", "lite"), [0], r"beats is 4; it must be 1 with AXI4-Lite"),
    "crossing": (LISTED, (*ONE, "address"), 0x1FF8, r"beats is 4; it must be less: the burst crosses 4,096 bytes"),
    "both": ({**LISTED, "seed": 1}, None, None, "traffic.seed is given; it must be absent with a list"),
}


def configured(traffic: dict[str, Any], path: tuple[Any, ...] | None = None, value: Any = None) -> dict[str, Any]:
    """Return the configuration with other traffic, and one other value or, for None, without a key."""
    given = copy.deepcopy({**CONFIGURATION, "traffic": {**CONFIGURATION["traffic"], **traffic}})
    if value == "all":
        value = [{"processor": 1, "base": 0, "size": 1 << 32}]
        given["axi4"]["multicast"] = []
    if path:
        place: Any = given
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value
        if value is None:
            del place[path[-1]]
    return given


@each("name", WRONG)
def test_wrong_traffic_is_refused(name):
    traffic, path, value, message = WRONG[name]
    with pytest.raises(ConfigError, match=message):
        load(configured(traffic, path, value)).simulate_axi4()


def test_other_runs_name_the_right_one():
    design = load(CONFIGURATION)
    with pytest.raises(ConfigError, match="AXI4 transactions run in 'model' and 'compare'"):
        design.simulate()
    with pytest.raises(ConfigError, match=r"traffic\.kind must be axi4"):
        load({**CONFIGURATION, "traffic": {"kind": "broadcast", "source": 0, "flits": 8}}).simulate_axi4()
    with pytest.raises(ConfigError, match=r"network\.reception is vote; it must be absent"):
        load(configured({}, ("network",), MESH | {"reception": "vote"})).simulate_axi4()
    text = r"axi4\.timeout_cycles is 8; it must be more in the golden model: the memory of processor \d rests for so"
    with pytest.raises(ConfigError, match=text):
        load(configured({"memory_cycles": 9}, ("axi4", "timeout_cycles"), 8)).simulate_axi4()
    load(configured({"memory_cycles": 9}, ("axi4", "timeout_cycles"), 9)).simulate_axi4()


def test_transactions_start_after_the_ones_before():
    listed = [
        {"manager": 0, "kind": "write", "address": 0x8000, "beats": 16, "start_cycle": 50},
        {"manager": 0, "kind": "read", "address": 0x3000, "beats": 2, "start_cycle": 20},
        {"manager": 0, "kind": "read", "address": 0x8000},
    ]
    results = load(configured({"transactions": listed, "memory_cycles": 9})).simulate_axi4().results
    assert results.transactions.address.tolist() == [0x8000, 0x3000, 0x8000]
    assert results.offered_cycle.tolist() == [0, 20, 50]
    assert results.receivers.tolist() == [0, 1, 2]
    assert results.response.tolist() == [3, 0, 0]
    slower = load(configured({"transactions": listed, "memory_cycles": 19})).simulate_axi4().results
    assert (slower.latency - results.latency).tolist() == [0, 10, 10]


def test_the_command_line(tmp_path, capsys):
    path = tmp_path / "axi.yaml"
    path.write_text(json.dumps(configured({"transactions": 40, "multicast_fraction": 0.5, "warmup_cycles": 0})))
    assert run(["model", str(path), "-o", str(tmp_path / "out"), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures == json.loads((tmp_path / "out" / "summary.json").read_text())
    rows = list(csv.DictReader((tmp_path / "out" / "transactions.csv").open()))
    assert len(rows) == figures["transactions"] == 40
    assert figures["unfinished"] == 0
    measured = {name: own["count"] for name, own in figures["latency_cycles"].items()}
    assert measured["read"] == sum(row["kind"] == "read" for row in rows)
    assert measured["multicast_write"] == sum(row["receivers"] == "2" for row in rows) > 0
    least = min(int(row["done_cycle"]) - int(row["offered_cycle"]) for row in rows if row["kind"] == "read")
    assert figures["latency_cycles"]["read"]["min"] == least
    assert run(["model", str(path), "-o", str(tmp_path / "out"), "--engine", "cycle"]) == 2
    assert "--engine and traffic of kind axi4 cannot be given together" in capsys.readouterr().err
    assert run(["model", str(path), "-o", str(tmp_path / "out")]) == 0
    assert "multicast write" in capsys.readouterr().out


def test_a_comparison_by_the_command_line(tmp_path, capsys, require_tool):
    require_tool("icarus")
    path = tmp_path / "axi.yaml"
    path.write_text(json.dumps(CONFIGURATION))
    assert run(["compare", str(path), "-o", str(tmp_path / "out"), "--sim", "icarus", "--waves"]) == 0
    shown = capsys.readouterr().out
    assert "hardware and golden model are equal in all " in shown
    assert "waveform: " in shown
    assert {file.name for file in (tmp_path / "out").iterdir()} == {"transactions.csv", "summary.json", "axi4.fst"}


def test_a_sweep_measures_other_seeds():
    given = configured({"transactions": 30, "multicast_fraction": 0.5, "interval_cycles": 50.0})
    effort = SweepSettings(seeds=5, most_seeds=8, precision=0.001)
    row = measure(Task(given), effort)
    assert (row["replications"], row["precise"], row["deadlocked"]) == (8, False, False)
    assert row["axi4_read_half_width"] > 0
    assert row["axi4_read_mean"] < row["axi4_write_mean"] < row["axi4_multicast_write_mean"]
    faster = measure(Task(configured({"transactions": 30, "interval_cycles": 10.0})), SweepSettings())
    assert faster["axi4_write_beats_per_cycle"] > row["axi4_write_beats_per_cycle"]
    assert faster["axi4_multicast_write_mean"] is None
    once = measure(Task(configured(LISTED)), effort)
    assert (once["replications"], once["axi4_write_half_width"]) == (1, None)


def test_a_multicast_write_takes_little_longer_than_a_unicast():
    """To twelve memories at most 1.1 times as long as to the farthest of them, plus the hops to it."""
    side, apart_cycles, window = 8, 2_000, 0x8000_0000
    memories, lengths = range(2, 50, 4), (1, 16, 64, 256)
    regions = [{"processor": p, "base": 0x1_0000 * p, "size": 0x1_0000} for p in memories]
    places = [(beats, base) for beats in lengths for base in (*(region["base"] for region in regions), window)]
    transactions = [
        {"manager": 0, "kind": "write", "address": base, "beats": beats, "start_cycle": i * apart_cycles}
        for i, (beats, base) in enumerate(places)
    ]
    design = load(
        {
            "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [side, side]}},
            "axi4": {
                "managers": [0],
                "regions": regions,
                "multicast": [{"processors": list(memories), "base": window, "size": 0x1_0000}],
            },
            "traffic": {"kind": "axi4", "transactions": transactions},
        }
    )
    latency = design.simulate_axi4().results.latency.reshape(len(lengths), -1)
    hops = max(sum(divmod(memory, side)) for memory in memories)
    assert hops == 11
    unicast, multicast = latency[:, :-1].max(axis=1), latency[:, -1]
    assert (multicast <= 1.1 * unicast + hops).all(), f"{multicast.tolist()} for {unicast.tolist()}"
    assert (multicast - unicast).tolist() == [15] * len(lengths)
