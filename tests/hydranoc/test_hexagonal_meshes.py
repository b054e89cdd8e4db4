"""Hexagonal meshes from the command line: every broadcast option, the deliveries, and the tables."""

import csv
import json

from hydranoc.cli import run
from hydranoc.studies.common.figure import Effort
from hydranoc.studies.harts.figures import REPRODUCTIONS

NETWORK = "network:\n  family: harts\n  topology: {kind: hexmesh, size: 3}\n"
LIST = """traffic:
  kind: list
  messages:
    - {source: 0, algorithm: 6-bcast, flits: 4}
    - {source: 3, destinations: [1], flits: 5, start_cycle: 7}
"""
RANDOM = (
    "traffic: {kind: random, cycles: 2000, messages_per_node_per_cycle: 0.001, multicast_fraction: 0.3, "
    "algorithm: 2-bcast, flits: 4}\n"
)
BROADCAST = "traffic: {kind: broadcast, algorithm: 6-bcast, source: 4, bytes: 64}\n"
TRACE = "cycle,source,destinations,flits,algorithm\n0,0,,4,6-bcast\n7,3,1,5,\n"


def simulate(text: str, folder, capsys, expected: int = 0) -> tuple[dict, list[dict[str, str]]]:
    """Summary and rows of messages.csv."""
    (folder / "mesh.yaml").write_text(text)
    assert run(["model", str(folder / "mesh.yaml"), "-o", str(folder / "out"), "--json"]) == expected
    summary = json.loads(capsys.readouterr().out)
    return summary, list(csv.DictReader((folder / "out" / "messages.csv").open()))


def test_a_broadcast_has_a_row_per_copy(tmp_path, capsys):
    summary, rows = simulate(NETWORK + BROADCAST, tmp_path, capsys)
    assert (summary["messages"], summary["deliveries"], summary["lost"]) == (1, 108, 0)
    assert len(rows) == 108
    assert list(rows[0])[6:] == ["copy_hops", "copy_stages", "in_direction", "stored_cycle", "spoilt"]
    assert {row["flits"] for row in rows} == {"9"}
    for node in {row["destination"] for row in rows}:
        own = [row for row in rows if row["destination"] == node]
        assert sorted(row["in_direction"] for row in own) == list("012345")
        assert all(int(row["stored_cycle"]) < int(row["arrival_cycle"]) for row in own)
    assert {row["copy_stages"] for row in rows} == {"1", "2", "3"}


def test_a_list_and_a_trace_may_name_an_algorithm(tmp_path, capsys):
    summary, rows = simulate(NETWORK + LIST, tmp_path, capsys)
    assert (summary["messages"], summary["deliveries"]) == (2, 109)
    (tmp_path / "trace.csv").write_text(TRACE)
    traced = simulate(f"{NETWORK}traffic: {{kind: trace, file: trace.csv}}\n", tmp_path, capsys)
    assert traced == (summary, rows)


def test_an_unknown_algorithm_in_a_trace_is_told_with_its_line(tmp_path, capsys):
    (tmp_path / "trace.csv").write_text(TRACE.replace("6-bcast", "7-bcast"))
    (tmp_path / "mesh.yaml").write_text(f"{NETWORK}traffic: {{kind: trace, file: trace.csv}}\n")
    assert run(["model", str(tmp_path / "mesh.yaml"), "-o", str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.startswith(f"error: {tmp_path / 'trace.csv'}:2: Field algorithm must be empty or sb")


def test_multicasts_of_random_traffic_are_broadcasts(tmp_path, capsys):
    summary, rows = simulate(NETWORK + RANDOM, tmp_path, capsys)
    assert summary["latency_cycles"]["multicast"]["count"] > 0
    copies = {row["message"]: sum(other["message"] == row["message"] for other in rows) for row in rows}
    assert set(copies.values()) == {1, 36}


def test_copies_that_faults_take_away_are_not_missed_but_nodes_without_any_are(tmp_path, capsys):
    dead = "  faults: {dead_links: [[4, 5]]}\n"
    summary, rows = simulate(NETWORK + dead + BROADCAST, tmp_path, capsys)
    assert summary["lost"] == 0
    assert 18 < len(rows) < 108
    single = BROADCAST.replace("6-bcast", "sbcast")
    summary, rows = simulate(NETWORK + dead + single, tmp_path, capsys, expected=1)
    assert summary["lost"] == sum(row["arrival_cycle"] == "" for row in rows) > 0


def test_multicasts_can_be_sent_by_software(tmp_path, capsys):
    listed = (
        "traffic:\n  kind: list\n  software: binomial\n  messages: [{source: 0, destinations: [3, 7, 9], flits: 4}]\n"
    )
    summary, _ = simulate(NETWORK + listed, tmp_path, capsys)
    assert (summary["messages"], summary["deliveries"], summary["lost"]) == (3, 3, 0)


def test_table_1_is_reproduced():
    figure = REPRODUCTIONS["harts-table1"].run(Effort(quick=True))
    assert figure.rows
    assert all(claim.holds for claim in figure.claims), figure.claims
    assert len({(series.name.split(": ")[1], tuple(series.y)) for series in figure.series}) == len(figure.series)


def test_votes_outlast_corrupting_nodes_and_first_copies_do_not(tmp_path, capsys):
    two, three = "  faults: {corrupting_nodes: [5, 12]}\n", "  faults: {corrupting_nodes: [3, 5, 12]}\n"
    summary, rows = simulate(NETWORK + two + BROADCAST, tmp_path, capsys)
    assert summary["votes_right"] == 18
    assert summary["votes_wrong"] == summary["votes_open"] == 0
    first = {row["destination"]: row["spoilt"] for row in reversed(rows)}
    assert summary["first_copies_wrong"] == list(first.values()).count("1") > 0
    summary, _ = simulate(NETWORK + three + BROADCAST, tmp_path, capsys)
    assert summary["votes_open"] > 0
    assert summary["votes_right"] + summary["votes_open"] == 18


def test_a_guard_keeps_forged_broadcasts_out(tmp_path, capsys):
    forger = "  faults: {forging_nodes: [[4, 0]]}\n"
    summary, rows = simulate(NETWORK + forger + BROADCAST, tmp_path, capsys)
    assert (summary["deliveries"], summary["votes_wrong"]) == (108, 18)
    summary, rows = simulate(f"{NETWORK}{forger}  guard: true\n{BROADCAST}", tmp_path, capsys)
    assert (summary["deliveries"], summary["lost"], rows) == (0, 0, [])
    honest = BROADCAST.replace("source: 4", "source: 3")
    summary, _ = simulate(f"{NETWORK}{forger}  guard: true\n{honest}", tmp_path, capsys)
    assert (summary["deliveries"], summary["votes_right"]) == (108, 18)


def test_streams_hand_over_what_the_copies_agree_on(tmp_path, capsys):
    (tmp_path / "mesh.yaml").write_text(f"{NETWORK}  reception: vote\n  least_copies: 3\n{BROADCAST}")
    arguments = ["verilog", str(tmp_path / "mesh.yaml"), "-o", str(tmp_path / "out"), "--axi-stream"]
    assert run([*arguments, "tuser"]) == 0
    entry = json.loads((tmp_path / "out" / "manifest.json").read_text())["axi_stream"]
    assert (entry["reception"], entry["least_copies"]) == ("vote", 3)
    assert "m_axis_n18_undecided" in (tmp_path / "out" / "noc.v").read_text()
    capsys.readouterr()
    assert run([*arguments, "leading-word"]) == 2
    assert "--axi-stream must be 'tuser' in family 'harts', not 'leading-word'" in capsys.readouterr().err
