"""Tori, hypercubes and hexagonal meshes through the public interface: configurations, checks, pictures, errors."""

import csv
import json
import re

import pytest

from hydranoc import Design, load
from hydranoc.cli import run
from hydranoc.pictures.draw import CROSS, draw_network
from hydranoc.pictures.placement import place
from hydranoc.studies.common.figure import Effort
from hydranoc.studies.registry import REPRODUCTIONS
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


def test_balanced_vcs_are_accepted(tmp_path, capsys):
    torus = design(tmp_path, "torus", 3, 4, "  vc_rule: balanced\n")
    assert torus.routing.vc_rule == "balanced"
    assert torus.plan.parameters["lane_rule"] == "balanced"
    path = write(tmp_path, "  topology: {kind: torus, rows: 3, columns: 4}\n  vc_rule: balanced\n")
    assert run(["check", str(path)]) == 0
    assert "lanes in two classes (balanced)" in capsys.readouterr().out


def test_everything_speaks_of_the_same_vcs(tmp_path):
    torus, cube = design(tmp_path, "torus", 2, 3), hypercube_design(tmp_path, 3, "  injection_channels: 3\n")
    for made, channels in ((torus, 6 * (4 * 2 + 2)), (cube, 8 * (3 * 2 + 3 + 1))):
        assert made.network is made.routing.network is made.model.network is made.plan.network
        assert made.config.network is not made.network
        assert len(made.network.channels) == channels


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
    assert "POSSIBLE: the dependencies between lanes have a cycle" in said
    assert "s0->s1\n  waits for s1->s2\n  waits for s2->s3\n  waits for s3->s0\n  waits for s0->s1" in said


def test_a_mesh_with_one_vc_is_sound(tmp_path):
    assert design(tmp_path, "mesh", 3, 4, "  virtual_channels: 1\n").check().right


def test_messages_run_and_multicasts_are_software(tmp_path):
    traffic = (
        "traffic: {kind: list, software: SOFTWARE, messages: [{source: 0, destinations: [1, 3, 6], flits: 4},"
        " {source: 5, destinations: [2], flits: 9}]}\n"
    )
    for software in ("binomial", "u-torus", "2IIB"):
        figures = design(tmp_path, "torus", 4, 4, traffic.replace("SOFTWARE", software)).simulate().figures
        assert (figures["deadlocked"], figures["lost"], figures["duplicated"]) == (False, 0, 0)
        assert figures["deliveries"] >= 4


def test_operations_of_software_bring_turns_to_the_headers(tmp_path):
    text = "traffic: {kind: list, software: u-mesh, messages: [{source: 0, destinations: [1, 3], flits: 4}]}\n"
    messages = design(tmp_path, "torus", 1, 4, text).messages
    assert messages.operation.all()  # U-mesh fixes the direction of every unicast


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


def test_links_that_close_rings_leave_the_picture_at_both_ends(tmp_path):
    torus = design(tmp_path, "torus", 1, 4)
    first, last = place(torus.network, torus.family.link_classes(torus.routing)).stubs
    assert (first.switch, first.other, last.switch, last.other) == (0, 3, 3, 0)
    assert first.tip.tolist() == pytest.approx([-0.42, 0])
    assert last.tip.tolist() == pytest.approx([3.42, 0])


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


def test_software_says_the_same_as_scheme(tmp_path):
    by_scheme = load(multinode(tmp_path)).messages
    by_software = load(multinode(tmp_path, scheme=None, software="2IIIB")).messages
    assert (by_scheme.source == by_software.source).all()
    assert (by_scheme.destinations == by_software.destinations).all()


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


@pytest.mark.parametrize("rule", ["adaptive-only", "wrong-escape"])
def test_a_negative_control_is_the_rule_of_model_and_hardware(rule, tmp_path):
    cube = hypercube_design(tmp_path, 2, f"  negative_control: {rule}\n")
    assert cube.routing.rule == cube.plan.parameters["rule"] == cube.model.routing.rule == rule
    assert not cube.check().right


def test_check_of_a_sound_hypercube(tmp_path, capsys):
    path = hypercube_write(
        tmp_path, "  topology: {kind: hypercube, dimensions: 4}\n  virtual_channels: 3\n  injection_channels: 2\n"
    )
    assert run(["check", str(path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["right"]
    assert report["pairs"] == 240
    assert report["sizes"] == {
        "nodes": 16,
        "dimensions": 4,
        "links": 32,
        "channels": 112,
        "lanes_of_a_channel": 3,
        "lanes": 240,
        "flit_bits": 32,
        "header_bits": 8,
        "header_flits": 1,
        "buffer_flits": 4,
        "adaptive_lanes_of_a_channel": 2,
        "injection_channels": 2,
        "lane_reuse": "empty",
    }


def test_check_prints_the_ring_of_escapes_in_the_wrong_order(tmp_path, capsys):
    text = "  topology: {kind: hypercube, dimensions: 2}\n  virtual_channels: 1\n  negative_control: wrong-escape\n"
    assert run(["check", str(hypercube_write(tmp_path, text))]) == 1
    said = capsys.readouterr().out
    assert "POSSIBLE: the dependencies between lanes have a cycle" in said
    assert "s0->s1\n  waits for s1->s3\n  waits for s3->s2\n  waits for s2->s0\n  waits for s0->s1" in said


@pytest.mark.slow
def test_the_largest_hypercube_is_checked(tmp_path):
    cube = hypercube_design(tmp_path, 12, "  virtual_channels: 4\n")
    report = cube.check()
    assert report.right
    assert report.pairs == 4096 * 4095


def test_hypercubes_of_other_families_are_what_they_were(tmp_path):
    path = tmp_path / "spam.yaml"
    path.write_text(
        "network:\n  family: spam\n  topology: {kind: hypercube, dimensions: 3, processors_per_switch: 2}\n"
    )
    assert len(load(path).network.processors) == 16


@pytest.mark.parametrize("dimensions", [1, 3, 7])
def test_pictures(dimensions, tmp_path):
    cube = hypercube_design(tmp_path, dimensions)
    picture = cube.draw()["svg"].decode()
    counts = [int(count) for count in re.findall(r">link(?: to another cube)? \((\d+)\)<", picture)]
    assert len(counts) == (2 if dimensions > 6 else 1)
    assert sum(counts) == dimensions * 2 ** (dimensions - 1)


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
    figure = REPRODUCTIONS["harts"]["harts-table1"].run(Effort(quick=True))
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
