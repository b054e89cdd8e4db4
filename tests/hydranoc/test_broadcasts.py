"""Broadcasts in configurations of every family, and messages over several injection channels."""

from collections import Counter

import pytest

from hydranoc import load

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


def test_broadcasts_and_multicasts_in_one_traffic(tmp_path):
    shares = ", multicast_fraction: 0.4, destinations: 3, broadcast_fraction: 0.6, flits: 6"
    spam = design(tmp_path, "spam", RANDOM + shares)
    assert set(spam.messages.destination_counts.tolist()) == {3, 15}
    assert spam.simulate().right


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


def test_software_has_the_network_with_its_injection_channels(tmp_path):
    broadcast = "kind: broadcast, software: recursive-doubling, source: 3, flits: 4"
    messages = design(tmp_path, "wide hypercube", broadcast).messages
    over = [(int(d) ^ int(s)).bit_length() - 1 for s, d in zip(messages.source, messages.destinations, strict=True)]
    assert messages.injection.tolist() == over
    assert set(over) == {0, 1, 2, 3}


def test_listed_messages_are_spread_too(tmp_path):
    unicast = "{source: 0, destinations: [1], flits: 4}"
    listed = f"kind: list, messages: [{', '.join([unicast] * 40)}]"
    messages = design(tmp_path, "wide hypercube", listed).messages
    assert set(messages.injection.tolist()) == {0, 1, 2, 3}
