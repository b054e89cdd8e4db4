"""The key ``ordering``: messages of real runs in the guaranteed order, and refusals where it is impossible."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from hydranoc import load
from hydranoc.cli import run
from sim_model.engines.results import Results
from tests.each import each


def received(results: Results) -> list[np.ndarray]:
    """Return the messages of each receiver in the order in which their tails arrived, an int64 array for each."""
    messages = results.messages
    assert results.lost == results.duplicated == 0
    message, receiver = messages.message_of_destination, messages.destinations
    order = np.lexsort((results.arrival_cycle, receiver))
    sequences = np.split(order, np.flatnonzero(np.diff(receiver[order])) + 1)
    for sequence in sequences:  # one delivery channel: two tails never arrive in one cycle
        assert (np.diff(results.arrival_cycle[sequence]) > 0).all()
    return [message[sequence].astype(np.int64) for sequence in sequences]


def sent(results: Results) -> list[np.ndarray]:
    """Return the messages of each source in the order in which its injector accepted them."""
    source = results.messages.source
    order = np.lexsort((results.accepted_cycle, source))
    return np.split(order, np.flatnonzero(np.diff(source[order])) + 1)


def conflicts(sequences: list[np.ndarray], messages: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs of sequences that have two common messages in different orders."""
    ranks = np.full((len(sequences), messages), -1)
    for rank, sequence in zip(ranks, sequences, strict=True):
        rank[sequence] = np.arange(len(sequence))
    for first, second in combinations(range(len(sequences)), 2):
        common = sequences[first][ranks[second, sequences[first]] >= 0]
        if (np.diff(ranks[second, common]) < 0).any():
            yield first, second


def common_order(sequences: list[np.ndarray], messages: int) -> list[int]:
    """Return an order of messages that contains all sequences; it ends early where they close a circle."""
    containing: list[list[int]] = [[] for _ in range(messages)]
    for number, sequence in enumerate(sequences):
        for message in sequence.tolist():
            containing[message].append(number)
    rest = [sequence[::-1].tolist() for sequence in sequences]
    awaited = [len(of_message) for of_message in containing]
    fronts = [sequence[-1] for sequence in rest if sequence]
    order: list[int] = []
    while fronts:
        message = fronts.pop()
        awaited[message] -= 1
        if awaited[message]:
            continue
        order.append(message)
        for number in containing[message]:
            rest[number].pop()
            if rest[number]:
                fronts.append(rest[number][-1])
    return order


IRREGULAR = {"family": "spam", "topology": {"kind": "irregular", "switches": 16}}
BUTTERFLIES = {
    f"{radix} x {radix}, {channels} channels": {
        "family": "min",
        "topology": {"kind": "bi-butterfly", "radix": radix, "stages": stages, "consumption_channels": channels},
    }
    for radix, stages, channels in ((2, 4, 1), (2, 4, 2), (4, 2, 1), (4, 2, 4))
}
RANDOM_NETWORKS = 10
RATE = 0.02
"""Messages of each node in a cycle: more than the networks carry, so that queues are never empty."""
SAMPLE_CYCLES, FULL_CYCLES = 3_000, 320_000


def irregular(seed: int) -> dict[str, Any]:
    return {**IRREGULAR, "topology": {**IRREGULAR["topology"], "seed": seed}}


def results_of(network: dict[str, Any], ordering: str, cycles: int, seed: int = 1) -> Results:
    """Half of the messages are multicasts, of three lengths; sources pause and receivers stall."""
    traffic = {
        "kind": "random",
        "seed": seed,
        "cycles": cycles,
        "messages_per_node_per_cycle": RATE,
        "multicast_fraction": 0.5,
        "destinations": {"mean": 4, "stddev": 2},
        "flits": {3: 0.4, 8: 0.4, 20: 0.2},
    }
    hosts = {"pause": 0.2, "stall": 0.2, "seed": seed}
    results = (
        load({"network": {**network, "ordering": ordering}, "traffic": traffic, "hosts": hosts}).simulate().results
    )
    assert results.disordered == 0
    return results


def has_total_order(results: Results) -> bool:
    """True if one order of all messages contains those of all receivers and all sources."""
    messages = len(results.messages)
    return len(common_order(received(results) + sent(results), messages)) == messages


def assert_total(results: Results) -> None:
    assert not list(conflicts(received(results), len(results.messages)))
    assert has_total_order(results)


def assert_ordered_networks(cycles: int) -> int:
    """Check a total order in ten random networks, and return the number of their messages."""
    messages = 0
    for seed in range(RANDOM_NETWORKS):
        results = results_of(irregular(seed), "total", cycles, seed)
        assert_total(results)
        messages += len(results.messages)
    return messages


def test_random_networks_are_ordered():
    assert assert_ordered_networks(SAMPLE_CYCLES) > 9_000


@pytest.mark.slow
def test_a_million_messages_of_random_networks_are_ordered():
    assert assert_ordered_networks(FULL_CYCLES) > 1_000_000


@each("name", BUTTERFLIES)
def test_multistage_networks_are_ordered(name):
    assert_total(results_of(BUTTERFLIES[name], "total", SAMPLE_CYCLES))


@pytest.mark.slow
@each("name", BUTTERFLIES)
def test_long_runs_of_multistage_networks_are_ordered(name):
    assert_total(results_of(BUTTERFLIES[name], "total", FULL_CYCLES))


@pytest.mark.parametrize(("name", "cycles"), [("2 x 2, 1 channels", SAMPLE_CYCLES), ("4 x 4, 1 channels", 60_000)])
def test_without_the_key_receivers_in_multistage_networks_disagree(name, cycles):
    results = results_of(BUTTERFLIES[name], "none", cycles)
    assert list(conflicts(received(results), len(results.messages)))
    assert not has_total_order(results)


def test_without_the_key_receivers_in_random_networks_agree_and_sources_do_not():
    """SPAM's enqueue is atomic, so receivers agree by any tables; messages of one source overtake each other."""
    overtaken = 0
    for seed in range(RANDOM_NETWORKS):
        results = results_of(irregular(seed), "none", SAMPLE_CYCLES, seed)
        messages = len(results.messages)
        assert not list(conflicts(received(results), messages))
        assert len(common_order(received(results), messages)) == messages
        overtaken += not has_total_order(results)
    assert overtaken == RANDOM_NETWORKS


TORUS = {"family": "torus", "topology": {"kind": "torus", "rows": 4, "columns": 4}}
CUBE = {"family": "hypercube", "topology": {"kind": "hypercube", "dimensions": 4}}
PAIRED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    **{
        name: ({**network, "ordering": "pair"}, network)
        for name, network in {"irregular": irregular(3), **BUTTERFLIES}.items()
        if "4 channels" not in name
    },
    "torus": ({**TORUS, "virtual_channels": 2}, {**TORUS, "virtual_channels": 4}),
    "hypercube": ({**CUBE, "virtual_channels": 1}, CUBE),
}
"""Networks that keep the order of pairs, and like ones that do not."""


@each("name", PAIRED)
def test_pairs_are_ordered(name):
    for network, ordered in zip(PAIRED[name], (True, False), strict=True):
        design = load(configuration_of_pairs(network))
        assert design.routing.keeps_pairs == ordered
        assert overtaken(design.simulate().results) != ordered


def configuration_of_pairs(network: dict[str, Any]) -> dict[str, Any]:
    """Each processor sends messages to one set and to two processors, most to one; buffers hold most worms."""
    multicasts = network["family"] in ("spam", "min")
    numbers = np.random.default_rng(1)
    messages: list[dict[str, Any]] = []
    for source in range(16):
        first, second, *others = numbers.permutation(np.delete(np.arange(16), source)).tolist()
        sets = [[first], [first], [second], others[:3] if multicasts else [first]]
        for number in range(120):
            messages.append({"source": source, "destinations": sets[number % 4], "flits": (3, 20, 4, 3, 6)[number % 5]})
    return {
        "network": {**network, "buffer_flits": 16},
        "traffic": {"kind": "list", "messages": messages},
        "hosts": {"stall": 0.5, "seed": 1},
    }


def overtaken(results: Results) -> bool:
    """True if two messages of one source to one set of destinations arrive anywhere in another order than as sent."""
    messages = results.messages
    groups: dict[tuple[int, ...], list[int]] = {}
    for sequence in sent(results):
        for message in sequence.tolist():
            own = messages.destinations[messages.offsets[message] : messages.offsets[message + 1]]
            groups.setdefault((int(messages.source[message]), *own.tolist()), []).append(message)
    arrivals = (
        np.stack([results.arrival_cycle[messages.offsets[i] : messages.offsets[i + 1]] for i in group])
        for group in groups.values()
    )
    return any((np.diff(cycles, axis=0) < 0).any() for cycles in arrivals)


def test_a_circle_of_three_receivers_is_no_common_order():
    """Pairs of receivers agree where each has one message in common with each other one."""
    circle = [np.array(sequence) for sequence in ([0, 1], [1, 2], [2, 0])]
    assert not list(conflicts(circle, 3))
    assert common_order(circle, 3) == []
    assert common_order([*circle[:2], np.array([0, 2])], 3) == [0, 1, 2]


def test_check_prints_the_proof(tmp_path, capsys):
    config = tmp_path / "c.yaml"
    network = "network: {{family: min, topology: {{kind: bi-butterfly, radix: 2, stages: 3}}, ordering: {}}}\n"
    config.write_text(network.format("total"))
    assert run(["check", str(config)]) == 0
    proof = "total: every message turns at s2_0, and behind it each output has one input"
    assert _ordering_line(capsys) == proof
    config.write_text(network.format("none"))
    assert run(["check", str(config)]) == 0
    assert _ordering_line(capsys).startswith("none: messages from p0 part at s0_0, messages from p2")


def _ordering_line(capsys) -> str:
    """The text beside ``ordering`` in what ``check`` has printed."""
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("ordering "))
    return line.split(maxsplit=1)[1]


def test_tables_from_a_file_that_do_not_order_are_refused_by_check(tmp_path, capsys):
    config, tables, certificate = (tmp_path / name for name in ("c.yaml", "tables.csv", "certificate.json"))
    network = "network: {{family: spam, topology: {{kind: irregular, switches: 8, seed: 1}}{}}}\n"
    config.write_text(network.format(""))
    assert run(["check", str(config), "--tables", str(tables)]) == 0
    assert "one at all receivers, but messages of one source may overtake" in capsys.readouterr().out
    config.write_text(network.format(", ordering: total, routing: tables.csv"))
    assert run(["check", str(config), "--certificate", str(certificate)]) == 1
    answer = capsys.readouterr().out
    assert "ordering                FAILS: messages from" in answer
    assert "is not written: ordering is total; messages from" in answer
    assert not certificate.exists()


@each(
    "network",
    ["spam, topology: {kind: mesh, shape: [2, 2]}", "min, topology: {kind: bi-butterfly, radix: 2, stages: 2}"],
)
def test_tables_keep_the_order_of_pairs_if_headers_have_one_candidate(network, tmp_path, capsys):
    config, tables = tmp_path / "c.yaml", tmp_path / "tables.csv"
    verdicts = {"none": "FAILS: headers have several candidates at a switch, or sources channels"}
    verdicts["pair"] = "pair: every header has one candidate at each switch"
    for ordering, verdict in verdicts.items():
        config.write_text(f"network: {{family: {network}, ordering: {ordering}}}\n")
        assert run(["check", str(config), "--tables", str(tables)]) == 0
        capsys.readouterr()
        config.write_text(f"network: {{family: {network}, ordering: pair, routing: tables.csv}}\n")
        assert run(["check", str(config)]) == (ordering == "none")
        assert _ordering_line(capsys) == verdict
