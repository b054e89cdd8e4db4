"""Tori, hypercubes and hexagonal meshes through the public interface: configurations, checks, pictures, errors."""

import csv
import json

import pytest

from hydranoc import Design, load
from hydranoc.cli import run
from hydranoc.pictures.draw import CROSS, draw_network
from sim_model.messages.multinode import multinode_workload
from topology.hypercube.graph import HypercubeNetwork
from topology.torus.graph import TorusNetwork


def write(folder, text: str):
    path = folder / "grid.yaml"
    path.write_text("network:\n  family: torus\n" + text)
    return path


def design(folder, kind: str, rows: int, columns: int, more: str = "") -> Design:
    return load(write(folder, f"  topology: {{kind: {kind}, rows: {rows}, columns: {columns}}}\n{more}"))


def test_configuration_and_defaults(tmp_path):
    torus = design(tmp_path, "torus", 3, 5)
    network = torus.network
    assert isinstance(network, TorusNetwork)
    assert (network.grid.rows, network.grid.columns, network.grid.wraps, network.vcs) == (3, 5, True, 2)
    assert (torus.routing.vc_rule, torus.routing.flit_bits) == ("dally-seitz", 32)
    assert (torus.model.buffer_flits, torus.model.routing_cycles, torus.model.vc_reallocation) == (4, 1, "tail")
    assert torus.model.injection_priority == torus.plan.parameters["injection_priority"] == "equal"
    more = "  virtual_channels: 3\n  vc_rule: dateline\n  vc_reallocation: atomic\n  buffer_flits: 16\n"
    more += "  routing_cycles: 3\n  injection_priority: low\n"
    mesh = design(tmp_path, "mesh", 4, 2, f"{more}  flit_bits: 16\n")
    assert not mesh.routing.network.grid.wraps
    assert (mesh.routing.network.vcs, mesh.routing.vc_rule, mesh.routing.flit_bits) == (3, "dateline", 16)
    assert (mesh.model.buffer_flits, mesh.model.routing_cycles, mesh.model.vc_reallocation) == (16, 3, "empty")
    assert mesh.model.injection_priority == mesh.plan.parameters["injection_priority"] == "low"
    wanted = {"buffer_flits": 16, "routing_cycles": 3, "lane_reuse": "empty", "lanes": 3, "lane_rule": "dateline"}
    assert mesh.plan.parameters.items() >= wanted.items()


def test_check_of_a_sound_torus(tmp_path, capsys):
    path = write(tmp_path, "  topology: {kind: torus, rows: 4, columns: 2}\n  flit_bits: 8\n")
    assert run(["check", str(path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["right"]
    assert report["pairs"] == 56
    network = {"nodes": 8, "rows": 4, "columns": 2, "links": 16, "channels": 48, "lanes_of_a_channel": 2, "lanes": 80}
    flits = {"flit_bits": 8, "header_bits": 8, "header_flits": 1, "buffer_flits": 4}
    assert report["sizes"] == network | flits


def test_check_prints_the_ring_of_a_torus_with_one_vc(tmp_path, capsys):
    text = "  topology: {kind: torus, rows: 1, columns: 4}\n  virtual_channels: 1\n  negative_control: one-vc\n"
    assert run(["check", str(write(tmp_path, text))]) == 1
    said = capsys.readouterr().out
    assert "POSSIBLE: the dependencies between VCs have a cycle" in said
    assert "s0->s1\n  waits for s1->s2\n  waits for s2->s3\n  waits for s3->s0\n  waits for s0->s1" in said


def test_messages_run_and_multicasts_are_software(tmp_path):
    traffic = (
        "traffic: {kind: list, software: SOFTWARE, messages: [{source: 0, destinations: [1, 3, 6], flits: 4},"
        " {source: 5, destinations: [2], flits: 9}]}\n"
    )
    for software in ("binomial", "u-torus", "2IIB"):
        figures = design(tmp_path, "torus", 4, 4, traffic.replace("SOFTWARE", software)).simulate().figures
        assert (figures["deadlocked"], figures["lost"], figures["duplicated"]) == (False, 0, 0)
        assert figures["deliveries"] >= 4


def test_links_that_close_rings_are_told_apart(tmp_path):
    torus = design(tmp_path, "torus", 2, 3)
    links = torus.family.link_classes(torus.routing)
    columns = {(0, 3), (1, 4), (2, 5)}
    assert links.tree == columns | {(0, 1), (1, 2), (3, 4), (4, 5)}
    assert links.around == columns | {(0, 2), (3, 5)}  # rings of two nodes have two links between them
    picture = draw_network(torus.network, links, "torus")["svg"].decode()
    assert CROSS in picture
    assert "link (7)" in picture
    assert "link that closes a ring (5)" in picture
    mesh = torus.family.link_classes(design(tmp_path, "mesh", 2, 3).routing)
    assert (len(mesh.tree), mesh.around) == (7, frozenset())


MULTINODE = {"scheme": "2IIIB", "sources": 3, "destinations": 5, "hot_spot": 0.4, "flits": 8, "seed": 2}


def multinode(folder, **changed):
    keys = {**MULTINODE, **changed}
    lines = "".join(f"  {key}: {value}\n" for key, value in keys.items() if value is not None)
    topology = "  topology: {kind: torus, rows: 4, columns: 4}\n"
    return write(folder, f"{topology}traffic:\n  kind: multinode\n{lines}")


def test_multinode_traffic_by_a_scheme(tmp_path, capsys):
    assert run(["model", str(multinode(tmp_path)), "-o", str(tmp_path / "out"), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert (summary["lost"], summary["duplicated"]) == (0, 0)
    assert summary["latency_cycles"]["multicast"]["count"] == MULTINODE["sources"]
    messages = load(multinode(tmp_path)).messages
    records = multinode_workload(
        16, **{key: MULTINODE[key] for key in ("sources", "destinations", "hot_spot", "flits", "seed")}
    )
    groups = [set(messages.destinations[messages.group == number].tolist()) for number in range(len(records))]
    assert all(set(record.destinations) <= group for record, group in zip(records, groups, strict=True))


def hypercube_write(folder, text: str):
    path = folder / "cube.yaml"
    path.write_text("network:\n  family: hypercube\n" + text)
    return path


def hypercube_design(folder, dimensions: int, more: str = "") -> Design:
    return load(hypercube_write(folder, f"  topology: {{kind: hypercube, dimensions: {dimensions}}}\n{more}"))


def test_configuration_and_defaults_hypercube(tmp_path):
    cube = hypercube_design(tmp_path, 3)
    network = cube.network
    assert isinstance(network, HypercubeNetwork)
    assert (network.dimensions, network.vcs, network.injection_channels_per_processor) == (3, 2, 1)
    assert (cube.routing.rule, cube.routing.flit_bits, cube.model.buffer_flits) == ("duato", 32, 4)
    more = "  virtual_channels: 4\n  injection_channels: 5\n  buffer_flits: 2\n  flit_bits: 16\n"
    more += "  vc_reallocation: non-atomic-escape\n"
    wide = hypercube_design(tmp_path, 5, more)
    network = wide.routing.network
    assert (network.dimensions, network.vcs, network.injection_channels_per_processor) == (5, 4, 5)
    assert (wide.routing.flit_bits, wide.model.buffer_flits) == (16, 2)
    wanted = {"flit_bits": 16, "dimensions": 5, "lanes": 4, "injection_channels": 5, "rule": "duato", "buffer_flits": 2}
    assert wide.plan.parameters == {**wanted, "lane_reuse": "escape-tail"}


def test_vcs_are_given_again_by_one_rule_in_model_and_hardware(tmp_path):
    given = {"atomic": "empty", "non-atomic-escape": "escape-tail", "non-atomic": "tail"}
    for value, rule in given.items():
        free = value != "non-atomic"
        cube = hypercube_design(tmp_path, 3, f"  vc_reallocation: {value}\n")
        assert cube.plan.parameters["lane_reuse"] == cube.model.vc_reallocation == rule
        assert cube.check().right == free


def test_check_of_a_sound_hypercube(tmp_path, capsys):
    path = hypercube_write(
        tmp_path, "  topology: {kind: hypercube, dimensions: 4}\n  virtual_channels: 3\n  injection_channels: 2\n"
    )
    assert run(["check", str(path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["right"]
    assert report["pairs"] == 240
    vcs = {"lanes_of_a_channel": 3, "lanes": 240, "adaptive_lanes_of_a_channel": 2, "lane_reuse": "empty"}
    flits = {"flit_bits": 32, "header_bits": 8, "header_flits": 1, "buffer_flits": 4}
    network = {"nodes": 16, "dimensions": 4, "links": 32, "channels": 112, "injection_channels": 2}
    assert report["sizes"] == network | vcs | flits


@pytest.mark.slow
def test_the_largest_hypercube_is_checked(tmp_path):
    cube = hypercube_design(tmp_path, 12, "  virtual_channels: 4\n")
    report = cube.check()
    assert report.right
    assert report.pairs == 4096 * 4095


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


def test_multicasts_of_random_traffic_are_broadcasts(tmp_path, capsys):
    summary, rows = simulate(NETWORK + RANDOM, tmp_path, capsys)
    assert summary["latency_cycles"]["multicast"]["count"] > 0
    copies = {row["message"]: sum(other["message"] == row["message"] for other in rows) for row in rows}
    assert set(copies.values()) == {1, 36}


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


def test_keys_of_hexagonal_meshes_reach_tables_and_hardware():
    network = {"family": "harts", "topology": {"kind": "hexmesh", "size": 2}, "packet_flits": 4}
    plain = load({"network": network})
    chosen = load({"network": {**network, "guard": True, "worm_guard": True, "reception": "vote", "least_copies": 3}})
    assert (plain.routing.guard, chosen.routing.guard) == (False, True)
    assert chosen.plan.parameters.items() - plain.plan.parameters.items() >= {("whole_packets", True)}
    manifest = chosen.verilog(axi_stream="tuser").manifest["axi_stream"]
    assert (manifest["reception"], manifest["least_copies"]) == ("vote", 3)
