"""Tori and meshes with lanes through the public interface: configurations, checks, pictures, errors with lines."""

import json

import pytest

from hydranoc import Design, load
from hydranoc.cli import run
from hydranoc.families.torus import slots
from hydranoc.pictures.draw import CROSS, draw_network
from hydranoc.pictures.placement import place
from sim_model.messages.multinode import multinode_workload
from tests.hydranoc.refusals import assert_refused
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
    assert (network.grid.rows, network.grid.columns, network.grid.wraps, network.lanes) == (3, 5, True, 2)
    assert (torus.routing.lane_rule, torus.routing.flit_bits) == ("dally-seitz", 32)
    assert (torus.model.buffer_flits, torus.model.routing_cycles, torus.model.lane_reuse) == (4, 1, "tail")
    assert torus.model.injection_priority == torus.plan.parameters["injection_priority"] == "equal"
    more = "  lanes: 3\n  lane_rule: dateline\n  lane_reuse: empty\n  buffer_flits: 16\n  routing_cycles: 3\n"
    more += "  injection_priority: low\n"
    mesh = design(tmp_path, "mesh", 4, 2, f"{more}  flit_bits: 16\n")
    assert not mesh.routing.network.grid.wraps
    assert (mesh.routing.network.lanes, mesh.routing.lane_rule, mesh.routing.flit_bits) == (3, "dateline", 16)
    assert (mesh.model.buffer_flits, mesh.model.routing_cycles, mesh.model.lane_reuse) == (16, 3, "empty")
    assert mesh.model.injection_priority == mesh.plan.parameters["injection_priority"] == "low"
    wanted = {"buffer_flits": 16, "routing_cycles": 3, "lane_reuse": "empty", "lanes": 3, "lane_rule": "dateline"}
    assert mesh.plan.parameters.items() >= wanted.items()


def test_balanced_lanes_are_accepted(tmp_path, capsys):
    torus = design(tmp_path, "torus", 3, 4, "  lane_rule: balanced\n")
    assert torus.routing.lane_rule == "balanced"
    assert torus.plan.parameters["lane_rule"] == "balanced"
    path = write(tmp_path, "  topology: {kind: torus, rows: 3, columns: 4}\n  lane_rule: balanced\n")
    assert run(["check", str(path)]) == 0
    assert "lanes in two classes (balanced)" in capsys.readouterr().out


def test_everything_speaks_of_the_same_lanes(tmp_path):
    torus = design(tmp_path, "torus", 2, 3)
    assert torus.network is torus.routing.network is torus.model.network is torus.plan.network
    assert torus.config.network is not torus.network
    assert len(torus.network.channels) == 6 * (4 * 2 + 2)


def test_check_of_a_sound_torus(tmp_path, capsys):
    path = write(tmp_path, "  topology: {kind: torus, rows: 4, columns: 2}\n  flit_bits: 8\n")
    assert run(["check", str(path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["right"]
    assert report["pairs"] == 56
    network = {"nodes": 8, "rows": 4, "columns": 2, "links": 16, "channels": 48, "lanes_of_a_channel": 2, "lanes": 80}
    flits = {"flit_bits": 8, "header_bits": 8, "header_flits": 1, "buffer_flits": 4}
    assert report["sizes"] == network | flits


def test_check_prints_the_ring_of_a_torus_with_one_lane(tmp_path, capsys):
    text = "  topology: {kind: torus, rows: 1, columns: 4}\n  lanes: 1\n  negative_control: one-lane\n"
    assert run(["check", str(write(tmp_path, text))]) == 1
    said = capsys.readouterr().out
    assert "POSSIBLE: the dependencies between lanes have a cycle" in said
    assert "s0->s1\n  waits for s1->s2\n  waits for s2->s3\n  waits for s3->s0\n  waits for s0->s1" in said


def test_a_mesh_with_one_lane_is_sound(tmp_path):
    assert design(tmp_path, "mesh", 3, 4, "  lanes: 1\n").check().right


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


WRONG = {
    "other topology": (
        "  topology: {kind: ring, switches: 4}\n",
        3,
        "Family 'torus' needs a topology of kind torus or",
    ),
    "shape": ("  topology: {kind: torus, shape: [4, 4]}\n", 3, "needs a topology of kind torus or mesh with rows and"),
    "shape too": (
        "  topology: {kind: torus, shape: [4], rows: 4, columns: 4}\n",
        3,
        "unknown key 'shape' in network.topology; known keys are kind, rows, columns",
    ),
    "no columns": ("  topology: {kind: torus, rows: 4}\n", 3, "key 'columns' is missing in network.topology"),
    "no rows": ("  topology: {kind: mesh, columns: 4}\n", 3, "key 'rows' is missing in network.topology"),
    "no row": ("  topology: {kind: mesh, rows: 0, columns: 4}\n", 3, "network.topology.rows must be at least 1, not 0"),
    "ports": (
        "  topology: {kind: mesh, rows: 2, columns: 4, ports: 5}\n",
        3,
        "unknown key 'ports' in network.topology",
    ),
    "half a row": (
        "  topology:\n    kind: mesh\n    rows: 2.5\n    columns: 4\n",
        5,
        "network.topology.rows must be a whole number, not 2.5",
    ),
    "many rows": (
        "  topology:\n    kind: torus\n    columns: 4\n    rows: 257\n",
        6,
        "Number of rows must be 1 to 256, not 257",
    ),
    "alone": ("  topology: {kind: torus, rows: 1, columns: 1}\n", 3, "A grid must have at least 2 nodes, not 1"),
    **{
        name: (f"  topology: {{kind: torus, rows: 16, columns: 16}}\n  {text}\n", line, message)
        for name, text, line, message in (
            ("no lanes", "lanes: 0", 4, "network.lanes must be at least 1, not 0"),
            ("many lanes", "lanes: 9", 4, "network.lanes must be at most 8, not 9"),
            ("one lane", "lanes: 1", 4, "lanes must be at least 2 in a torus, not 1: messages could wait for each"),
            (
                "two lanes in a negative control",
                "negative_control: one-lane\n  lanes: 2",
                5,
                "lanes must be 1 with negative_control 'one-lane', not 2",
            ),
            (
                "rule",
                "lane_rule: odd-even",
                4,
                "network.lane_rule must be 'dally-seitz', 'dateline' or 'balanced', not 'odd-even'",
            ),
            ("reuse", "lane_reuse: never", 4, "network.lane_reuse must be 'tail' or 'empty', not 'never'"),
            (
                "priority",
                "injection_priority: high",
                4,
                "network.injection_priority must be 'equal' or 'low', not 'high'",
            ),
            ("no buffer", "buffer_flits: 0", 4, "network.buffer_flits must be at least 1, not 0"),
            ("deep buffers", "buffer_flits: 17", 4, "network.buffer_flits must be at most 16, not 17"),
            ("narrow flits", "flit_bits: 8", 4, "flit_bits: Flit must have room for the routing key's 10 bits, not 8"),
            ("long links", "link_cycles: 2", 4, "link_cycles must be 1 in family 'torus', not 2"),
            ("tables", "tables: loadable", 4, "tables must be 'fixed' in family 'torus', which has none, not 'loadabl"),
            ("guard", "worm_guard: true", 4, "unknown key 'worm_guard' in network"),
        )
    },
    "control of a mesh": (
        "  topology: {kind: mesh, rows: 4, columns: 4}\n  lanes: 1\n  negative_control: one-lane\n",
        5,
        "negative_control must be left out in a mesh, which has no rings, not 'one-lane'",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_bad_configurations_are_told_in_one_line(case, tmp_path, capsys):
    text, line, message = WRONG[case]
    path = write(tmp_path, text)
    assert_refused(["check", str(path)], path, line, message, capsys)


def test_a_multicast_without_software_is_refused(tmp_path, capsys):
    text = "  topology: {kind: mesh, rows: 2, columns: 4}\ntraffic:\n  kind: list\n  messages:\n"
    path = write(tmp_path, text + "    - {source: 0, destinations: [1, 2, 3], flits: 4}\n")
    message = "Destinations must be one node unless traffic.software sends the message, not 3"
    assert_refused(["model", str(path), "-o", str(tmp_path / "out")], path, 7, message, capsys)


def test_rows_and_columns_are_no_network_for_spam(tmp_path, capsys):
    path = tmp_path / "spam.yaml"
    path.write_text("network:\n  family: spam\n  topology: {kind: mesh, rows: 2, columns: 3}\n")
    assert run(["check", str(path)]) == 2
    assert "a mesh or torus has a shape, and no rows and columns" in capsys.readouterr().err


def test_links_that_close_rings_are_told_apart(tmp_path):
    torus = design(tmp_path, "torus", 2, 3)
    links = slots.link_classes(torus.routing)
    columns = {(0, 3), (1, 4), (2, 5)}
    assert links.tree == columns | {(0, 1), (1, 2), (3, 4), (4, 5)}
    assert links.around == columns | {(0, 2), (3, 5)}  # rings of two nodes have two links between them
    picture = draw_network(torus.network, links, "torus")["svg"].decode()
    assert CROSS in picture
    assert "link (7)" in picture
    assert "link that closes a ring (5)" in picture
    mesh = slots.link_classes(design(tmp_path, "mesh", 2, 3).routing)
    assert (len(mesh.tree), mesh.around) == (7, frozenset())


def test_links_that_close_rings_leave_the_picture_at_both_ends(tmp_path):
    torus = design(tmp_path, "torus", 1, 4)
    first, last = place(torus.network, slots.link_classes(torus.routing)).stubs
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


@pytest.mark.parametrize(
    ("changed", "line", "text"),
    [
        ({"scheme": "2VB"}, 6, "traffic.scheme must be 'binomial', 'separate', 'u-torus'"),
        ({"sources": 17}, 7, "traffic.sources: Sources must be 1 to 16, not 17"),
        ({"destinations": 16}, 8, "traffic.destinations: Destinations must be 1 to 15, not 16"),
        ({"hot_spot": 1.5}, 9, "traffic.hot_spot must be at most 1, not 1.5"),
        ({"software": "spu"}, 12, "traffic must have either scheme or software"),
        ({"scheme": None}, 7, "traffic.destinations: Destinations must be one node unless traffic.software sends"),
    ],
)
def test_multinode_traffic_that_cannot_be(changed, line, text, tmp_path, capsys):
    assert run(["model", str(multinode(tmp_path, **changed)), "-o", str(tmp_path / "out")]) == 2
    said = capsys.readouterr().err
    assert text in said
    assert f"grid.yaml:{line}: " in said
