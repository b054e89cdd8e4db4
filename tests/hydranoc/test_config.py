"""Meaning of configurations: defaults, every topology kind, files relative to the configuration, roots."""

from dataclasses import replace

import pytest

from hydranoc import ConfigError, load
from hydranoc.config.load import load_config
from hydranoc.config.traffic import build_messages
from hydranoc.families.registry import FAMILIES
from sim_model.messages.messages import Message, MessageError
from topology.common.host_pattern import EAGER, Blockade, HostBehaviour


def _load(tmp_path, topology: str, more: str = ""):
    path = tmp_path / "c.yaml"
    path.write_text(f"network:\n  family: spam\n  topology: {topology}\n{more}")
    return load(path)


TOPOLOGIES = {
    "{kind: lattice, switches: 20, seed: 3}": (20, 20),
    "{kind: lattice, switches: 20, seed: 3, max_switch_links: 2, processors_per_switch: 2}": (20, 40),
    "{kind: irregular, switches: 9, extra_links: 0}": (9, 9),
    "{kind: mesh, shape: [3, 4]}": (12, 12),
    "{kind: torus, shape: [3, 3, 3], processors_per_switch: 2}": (27, 54),
    "{kind: hypercube, dimensions: 4}": (16, 16),
    "{kind: tree, arity: 2, levels: 4}": (15, 8),
    "{kind: tree, arity: 2, levels: 3, leaves_only: false}": (7, 7),
    "{kind: ring, switches: 5}": (5, 5),
    "{switches: 3, edges: [[0, 1], [1, 2]]}": (3, 3),
    "{switches: 3, edges: [[0, 1], [1, 2]], processors: [2, 2, 2, 0], ports: 4}": (3, 4),
    "{switches: 1, edges: [], processors: [0, 0]}": (1, 2),
}


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_every_kind_of_topology_is_built(tmp_path, topology):
    network = _load(tmp_path, topology).network
    assert (network.switches, len(network.processors)) == TOPOLOGIES[topology]


def test_defaults_are_the_fast_setting(tmp_path):
    section = _load(tmp_path, "{kind: ring, switches: 3}").config.network_section
    assert (section.flit_bits, section.buffer_flits, section.routing_cycles) == (32, 2, 1)


def test_hosts_are_eager_unless_told_otherwise(tmp_path):
    ring = "{kind: ring, switches: 3}"
    assert _load(tmp_path, ring).config.hosts == _load(tmp_path, ring, "hosts: {}\n").config.hosts == EAGER
    some = _load(tmp_path, ring, "hosts: {pause: 0.3, stall: 0.9, blocked: [{processor: 2, cycles: 7}]}\n")
    assert some.config.hosts == HostBehaviour(77, 230, 0, (Blockade(2, 0, 7),))


def test_unicasts_need_no_more_than_two_processors(tmp_path):
    random = "traffic: {kind: random, cycles: 100, messages_per_node_per_cycle: 0.1, flits: 4}\n"
    messages = _load(tmp_path, "{switches: 2, edges: [[0, 1]]}", random).messages
    assert set(messages.destination_counts.tolist()) == {1}


def test_files_are_found_beside_the_configuration(tmp_path, monkeypatch):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "n.edges").write_text("a b\nb c\n")
    monkeypatch.chdir("/")
    assert _load(tmp_path / "sub", "{file: n.edges}").network.switch_names == ("a", "b", "c")


@pytest.mark.parametrize(("root", "switch"), [("2", 2), ("s2", 2), ("0", 0)])
def test_roots_of_numbered_networks_go_by_number_or_name(tmp_path, root, switch):
    design = _load(tmp_path, "{kind: ring, switches: 4}", f"  root: {root}\n")
    assert design.routing.labels.root == switch


def test_roots_of_named_networks_go_by_name(tmp_path):
    topology = "{switches: 3, edges: [[0, 1], [1, 2]], names: [7, 8, hub]}"
    assert _load(tmp_path, topology, "  root: 8\n").routing.labels.root == 1
    assert _load(tmp_path, topology, "  root: hub\n").routing.labels.root == 2
    with pytest.raises(ConfigError, match="root must be a switch \\(7, 8, hub\\), not 0"):
        assert _load(tmp_path, topology, "  root: 0\n").routing


def test_the_default_root_is_a_centre(tmp_path):
    assert _load(tmp_path, "{kind: mesh, shape: [3, 3]}").routing.labels.root == 4


def test_the_slowest_and_the_finest_setting_reach_the_model(tmp_path):
    more = "  flit_bits: 8\n  buffer_flits: 1\n  routing_cycles: 7\n  negative_control: non-atomic-enqueue\n"
    model = _load(tmp_path, "{kind: ring, switches: 3}", more).model
    assert (model.flit_bits, model.buffer_flits, model.routing_cycles, model.enqueue) == (8, 1, 7, "split")


def test_a_trace_says_the_same_as_a_list(tmp_path):
    (tmp_path / "t.csv").write_text('cycle,source,destinations,flits\n5,0,"1 2",8\n9,3,1;0,9\n')
    first = "{source: 0, destinations: [2, 1], flits: 8, start_cycle: 5}"
    second = "{source: 3, destinations: [0, 1], flits: 9, start_cycle: 9}"
    listed = f"[{first}, {second}]"
    kinds = ["{kind: trace, file: t.csv}", f"{{kind: list, messages: {listed}}}"]
    traced, written = (_load(tmp_path, "{kind: ring, switches: 4}", f"traffic: {kind}\n").messages for kind in kinds)
    for column in ("source", "destinations", "flits", "start_cycle"):
        assert getattr(traced, column).tolist() == getattr(written, column).tolist()


def _backwards(network, records, name, seed):
    assert (len(network.processors), name, seed) == (4, "backwards", 7)
    return [
        Message(record.source, (node,), record.flits, start_cycle=record.start_cycle, group=group)
        for group, record in enumerate(records)
        for node in sorted(record.destinations, reverse=True)
    ]


def _unwilling(_network, _records, _name, _seed):
    raise MessageError(1, "Source must be another processor, not 2", "source")


def _with_software(tmp_path, sends, traffic: str):
    family = replace(FAMILIES["spam"], software_names=lambda _: ("backwards", "last"), software_sends=sends)
    path = tmp_path / "c.yaml"
    path.write_text(f"network: {{family: spam, topology: {{kind: ring, switches: 4}}}}\ntraffic:\n{traffic}")
    config = load_config(path, {"spam": family})
    return build_messages(config, family.build_routing(config.network_section, config.network))


def test_software_of_the_family_sends_in_its_own_way(tmp_path):
    messages = _with_software(
        tmp_path,
        _backwards,
        "  {kind: random, seed: 7, software: backwards, cycles: 200, multicast_fraction: 1, destinations: 3,\n"
        "   messages_per_node_per_cycle: 0.01, flits: 8}\n",
    )
    first = [int(messages.destinations_of(number)[0]) for number in range(3)]
    assert first == sorted({0, 1, 2, 3} - {int(messages.source[0])}, reverse=True)
    assert messages.group[:4].tolist() == [0, 0, 0, 1]


def test_what_the_software_of_the_family_refuses_has_a_line(tmp_path):
    traffic = (
        "  kind: list\n  software: last\n  messages:\n"
        "  - {source: 0, destinations: [1, 2], flits: 8}\n  - {source: 2, destinations: [1, 3], flits: 8}\n"
    )
    with pytest.raises(ConfigError, match=r"c.yaml:7: traffic.messages\[1\]: Source must be another processor, not 2"):
        _with_software(tmp_path, _unwilling, traffic)


def test_software_multicast_sends_unicasts_of_one_group(tmp_path):
    messages = "messages: [{source: 0, destinations: [1, 2, 3], flits: 8}]"
    design = _load(
        tmp_path,
        "{kind: ring, switches: 4}",
        f"traffic: {{kind: list, software: binomial, startup_cycles: 50, {messages}}}\n",
    )
    assert design.messages.destination_counts.tolist() == [1, 1, 1]
    figures = design.simulate().figures
    assert figures["latency_cycles"]["multicast"]["count"] == 1
    assert figures["latency_cycles"]["multicast"]["mean"] > 2 * 50  # two steps for three destinations
