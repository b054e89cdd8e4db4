"""Keys of ``network``: headers, broadcasts, injection channels, and guards against malformed worms."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from hydranoc import Design, load
from hydranoc.cli import run
from hydranoc.errors import ConfigError
from rtl.parts import worm_guard
from tests.tb.racks import mutated
from topology.common.part_headers import PARTS

TOPOLOGIES: dict[str, dict[str, Any]] = {
    "spam": {"kind": "irregular", "switches": 5, "ports": 10, "seed": 3, "processors_per_switch": 4},
    "min": {"kind": "bi-butterfly", "radix": 2, "stages": 4},
}
TRAFFIC = {
    "kind": "random",
    "seed": 1,
    "cycles": 400,
    "messages_per_node_per_cycle": 0.01,
    "multicast_fraction": 0.5,
    "destinations": 4,
    "flits": 12,
}


def configured(family: str, **keys: Any) -> Design:
    """Flits of 10 bits: three parts of 20 nodes, two of 16."""
    network = {"family": family, "topology": TOPOLOGIES[family], "flit_bits": 10, **keys}
    return load({"network": network, "traffic": TRAFFIC})


@pytest.fixture(params=TOPOLOGIES)
def family(request) -> str:
    return request.param


def test_check_says_how_long_headers_and_buffers_get(family):
    design = configured(family, header="parts")
    report, header = design.check(), design.routing.header
    assert report.right
    assert report.sizes["unicast_header_flits"] == header.unicast_flits
    assert report.sizes["multicast_header_flits"] == header.unicast_flits + header.parts
    assert report.sizes["buffer_flits"] == header.multicast_flits + 1 == design.model.buffer_depth_flits


OWN = """
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting


def forgets(section, network):
    return SpamRouting(SpamLabels(network), section.flit_bits)


def hands_on(section, network):
    return SpamRouting(SpamLabels(network), section.flit_bits, header_kind=section.header)
"""


def test_a_routing_from_outside_must_hand_the_kind_on(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    good = configured("spam", header="parts", routing=f"{tmp_path}/own.py:hands_on")
    assert good.routing.header_kind == PARTS
    assert configured("spam", routing=f"{tmp_path}/own.py:forgets").routing
    with pytest.raises(ConfigError, match=r"must give tables with headers of 'header: parts' \(header_kind=section"):
        configured("spam", header="parts", routing=f"{tmp_path}/own.py:forgets").routing  # noqa: B018 (it is made here)


CUBE = "flit_bits: 16, topology: {kind: hypercube, dimensions: 4}"
NETWORKS = {
    "spam": f"{{family: spam, {CUBE}}}",
    "min": "{family: min, flit_bits: 16, topology: {kind: omega, radix: 2, stages: 4}}",
    "torus": "{family: torus, flit_bits: 16, topology: {kind: torus, rows: 4, columns: 4}}",
    "hypercube": f"{{family: hypercube, {CUBE}}}",
    "wide hypercube": f"{{family: hypercube, injection_channels: 4, {CUBE}}}",
    "harts": "{family: harts, flit_bits: 64, topology: {kind: hexmesh, size: 2}}",
}
RANDOM = "kind: random, cycles: 2000, messages_per_node_per_cycle: 0.002, seed: 5"


def design(tmp_path, family: str, traffic: str):
    path = tmp_path / "c.yaml"
    path.write_text(f"network: {NETWORKS[family]}\ntraffic: {{{traffic}}}\n")
    return load(path)


@pytest.mark.parametrize("family", ["spam", "min"])
def test_a_network_that_multicasts_sends_a_broadcast_as_one_message(tmp_path, family):
    broadcast = design(tmp_path, family, "kind: broadcast, source: 3, bytes: 6, start_cycle: 9")
    messages = broadcast.messages
    assert messages.destinations_of(0).tolist() == [node for node in range(16) if node != 3]
    header_flits = broadcast.routing.header_flits(range(16))
    assert header_flits > broadcast.routing.header_flits([0])
    assert (len(messages), messages.flits.tolist(), messages.start_cycle.tolist()) == (1, [header_flits + 3], [9])
    results = broadcast.simulate().results
    assert (results.lost, results.deliveries) == (0, 15)


@pytest.mark.parametrize(
    ("family", "software", "least"),
    [
        ("spam", "binomial", 4),
        ("min", "cmin", 4),
        ("torus", "u-torus", 4),
        ("torus", "separate", 15),
        ("hypercube", "recursive-doubling", 4),
        ("wide hypercube", "separate", 15),
        ("harts", "separate", 6),
    ],
)
def test_software_sends_a_broadcast_as_unicasts_of_one_group(tmp_path, family, software, least):
    broadcast = design(tmp_path, family, f"kind: broadcast, software: {software}, source: 3, bytes: 8")
    messages = broadcast.messages
    others = len(broadcast.network.processors) - 1
    header_flits = broadcast.routing.header_flits([0])
    body_flits = 8 * 8 // broadcast.config.network_section.flit_bits
    assert set(messages.flits.tolist()) == {header_flits + body_flits}
    assert (set(messages.group.tolist()), set(messages.destination_counts.tolist())) == ({0}, {1})
    assert (messages.source == 3).sum() == least
    results = broadcast.simulate().results
    assert (results.lost, results.deliveries, results.group_destinations.tolist()) == (0, others, [others])


@pytest.mark.parametrize(
    ("family", "choice"),
    [
        ("spam", ""),
        ("torus", ", software: u-mesh"),
        ("hypercube", ", software: recursive-doubling"),
        ("harts", ", algorithm: 6-bcast"),
    ],
)
def test_a_share_of_random_messages_are_broadcasts(tmp_path, family, choice):
    flits = ", broadcast_fraction: 0.3, flits: 4"
    messages = design(tmp_path, family, RANDOM + flits + choice).messages
    groups = Counter(messages.group.repeat(messages.destination_counts).tolist())
    others = 6 if family == "harts" else 15
    shares = Counter(groups.values())
    assert set(shares) == {1, others}
    assert 0.15 < shares[others] / len(groups) < 0.45
    assert not {*messages.copies.tolist()} - ({1, 6} if family == "harts" else {1})


def test_unicasts_go_over_all_injection_channels_by_the_seed(tmp_path):
    traffic = "kind: random, cycles: 4000, messages_per_node_per_cycle: 0.02, flits: 4, seed: "
    messages = design(tmp_path, "wide hypercube", traffic + "1").messages
    shares = Counter(messages.injection.tolist())
    assert set(shares) == {0, 1, 2, 3}
    assert min(shares.values()) > 0.8 * len(messages) / 4
    again = design(tmp_path, "wide hypercube", traffic + "1").messages
    assert (messages.injection == again.injection).all()
    single = design(tmp_path, "hypercube", traffic + "1").messages
    assert set(single.injection.tolist()) == {0}
    assert (single.destinations == messages.destinations).all()


GUARDS_TOPOLOGIES = {
    "spam": "{kind: ring, switches: 3, processors_per_switch: 2}",
    "min": "{kind: baseline, radix: 2, stages: 2, consumption_channels: 2}",
}
GUARDS_TRAFFIC = {
    "kind": "random",
    "cycles": 400,
    "messages_per_node_per_cycle": 0.02,
    "multicast_fraction": 0.5,
    "flits": 9,
}
GUARDED = {"worm_guard": True}
WATCHED = {"worm_guard": True, "watchdog_flits": 9}


def written(folder: Path, family: str, **keys: object) -> Path:
    """A configuration with some more keys of its network."""
    network = {"family": family, "flit_bits": 16, **keys}
    path = folder / f"{family}.yaml"
    lines = "".join(f"  {key}: {json.dumps(value)}\n" for key, value in network.items())
    path.write_text(
        f"network:\n  topology: {GUARDS_TOPOLOGIES[family]}\n{lines}traffic: {json.dumps(GUARDS_TRAFFIC)}\n"
    )
    return path


@pytest.mark.parametrize("family", GUARDS_TOPOLOGIES)
def test_hardware_has_guards_only_if_asked_for(family, tmp_path):
    chosen = ({}, {"worm_guard": False, "watchdog_flits": 0}, GUARDED, WATCHED)
    plain, off, guarded, watched = (load(written(tmp_path, family, **keys)).verilog() for keys in chosen)
    assert "guard" not in plain.files["noc.v"].lower()
    assert off.files == plain.files
    assert "guard" not in plain.manifest["parameters"]
    for made, flits in ((guarded, 0), (watched, 9)):
        assert f"_worm_guard_{flits} guard_0 " in made.files["noc.v"]
        assert made.manifest["parameters"].items() >= {"guard": True, "watchdog_flits": flits}.items()


def compared(folder: Path, family: str, capsys, **keys: object) -> dict:
    """Summary of a comparison, consistent with its exit code."""
    code = run(
        ["compare", str(written(folder, family, **keys)), "-o", str(folder / "out"), "--sim", "icarus", "--json"]
    )
    summary = json.loads(capsys.readouterr().out)
    assert code == (0 if summary["mismatches"] == 0 else 1)
    return summary


@pytest.mark.parametrize("family", GUARDS_TOPOLOGIES)
def test_whole_worms_take_the_same_cycles(family, tmp_path, capsys, require_tool):
    """The watchdog allows just the length of the messages."""
    require_tool("icarus")
    unguarded = load(written(tmp_path, family)).simulate().figures
    guarded = compared(tmp_path, family, capsys, **WATCHED)
    assert guarded["mismatches"] == 0
    same = ("cycles", "deliveries", "lost", "duplicated", "flit_hops", "latency_cycles")
    assert {key: guarded[key] for key in same} == {key: unguarded[key] for key in same}
    assert guarded["deliveries"] > 0


def test_a_watchdog_that_bites_too_early_is_found(tmp_path, capsys, require_tool, monkeypatch):
    require_tool("icarus")
    faulty = mutated(worm_guard, "flits == self.watchdog_flits - 1", "flits == self.watchdog_flits - 2")
    monkeypatch.setattr("rtl.routed.routed_input.WormGuard", faulty.WormGuard)
    assert compared(tmp_path, "spam", capsys, **WATCHED)["mismatches"] == 1


def test_tables_of_a_file_have_the_headers_of_the_configuration(tmp_path):
    design = configured("min", header="parts")
    design.write_tables(tmp_path / "tables.csv")
    again = configured("min", header="parts", routing=str(tmp_path / "tables.csv"))
    assert again.routing.header == design.routing.header


def with_steps(folder: Path, line: str) -> Path:
    file = folder / "n.yaml"
    topology = "  topology: {kind: mesh, shape: [2, 2]}"
    file.write_text("\n".join(["network:", "  family: spam", topology, f"  {line}", "  age_step_cycles: 16"]))
    return file


@pytest.mark.parametrize("line", ["arbitration: round-robin", "ordering: none"])
def test_only_ages_have_steps(line, tmp_path):
    text = "n.yaml:5: age_step_cycles is 16; it must be left out with arbitration: round-robin"
    with pytest.raises(ConfigError, match=text):
        load(with_steps(tmp_path, line)).check()


def test_steps_of_ages_reach_the_plan(tmp_path):
    generated = load(with_steps(tmp_path, "arbitration: age")).verilog()
    assert generated.manifest["parameters"]["age_step_cycles"] == 16
