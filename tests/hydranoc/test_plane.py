"""Collective planes in configurations: keys, operations of the traffic, runs with messages, and refused ones."""

import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

from hydranoc import ConfigError, load, sweep
from hydranoc.cli import run
from hydranoc.config.schema import plane as limits
from hydranoc.design.joint import plane_calls
from rtl.collectives import parameters as hardware
from sim_model.collective_plane.calls import Call
from sim_model.collective_plane.closed_forms import group_cycles
from sim_model.collective_plane.held_messages import HeldMessages
from sim_model.collective_plane.joint import run_jointly
from tests.each import each
from topology.collectives.operators import OPERATORS

NETWORKS = {
    "spam": "family: spam, topology: {kind: mesh, shape: [3, 3]}",
    "min": "family: min, topology: {kind: omega, radix: 2, stages: 3}",
    "torus": "family: torus, topology: {kind: torus, rows: 3, columns: 3}",
    "hypercube": "family: hypercube, topology: {kind: hypercube, dimensions: 3}",
    "harts": "family: harts, flit_bits: 64, topology: {kind: hexmesh, size: 2}",
}


def configured(family: str, collectives: dict, traffic: str = "") -> str:
    return f"network: {{{NETWORKS[family]}, collectives: {json.dumps(collectives)}}}\n{traffic}"


@pytest.fixture
def design(tmp_path):
    """Loads a configuration from its text."""

    def loaded(text: str):
        path = tmp_path / "c.yaml"
        path.write_text(text)
        return load(path)

    return loaded


def test_limits_are_those_of_the_hardware():
    assert limits.MAX_WINDOW == hardware.MAX_WINDOW
    assert (limits.MIN_BUFFER_WORDS, limits.MAX_BUFFER_WORDS) == (hardware.MIN_BUFFER_WORDS, hardware.MAX_BUFFER_WORDS)
    assert limits.MAX_PLANE_LINK_CYCLES == hardware.MAX_LINK_CYCLES
    assert limits.MAX_TIMEOUT_CYCLES == (1 << hardware.TIMEOUT_BITS) - 1
    assert limits.OperatorName.__args__ == OPERATORS


@each("family", NETWORKS)
def test_a_plane_stands_beside_every_family(design, family):
    keys = {"groups": ["all", [3, 1, 5]], "operators": ["max", "sum"], "window": 3, "word_bits": 16}
    found = design(configured(family, keys))
    plane = found.plane
    assert [group.members for group in plane.tables.groups] == [tuple(range(len(found.network.processors))), (3, 1, 5)]
    assert plane.operators == plane.parameters.operators == (0, 2)
    assert (plane.parameters.window, plane.parameters.word_bits, plane.parameters.buffer_words) == (3, 16, 7)
    assert (plane.plan.parameters.groups, plane.plan.tables) == (2, plane.tables)
    assert not plane.plan.parameters.timeouts
    assert pickle.loads(pickle.dumps(found)).plane.tables.groups == plane.tables.groups
    if family == "spam":
        labels = found.routing.labels
        assert plane.tree.root == labels.root
        assert all(labels.parent[child] == parent for child, parent in plane.tree.edges)


def test_a_network_without_the_section_has_no_plane(design):
    assert design(f"network: {{{NETWORKS['spam']}}}\n").plane is None


def test_full_rate_sets_the_words_of_buffers(design):
    slow = design(f"network: {{{NETWORKS['spam']}, link_cycles: 3, collectives: {{groups: 2}}}}\n").plane
    assert (slow.parameters.link_cycles, slow.parameters.buffer_words, len(slow.tables.groups)) == (3, 11, 2)


NAMED = """\
network:
  family: spam
  topology: {switches: 3, names: [left, hub, right], edges: [[0, 1], [1, 2]]}
  collectives:
    tree:
    - [left, hub]
    - [right, 1]
"""


def test_trees_name_switches(design):
    plane = design(NAMED).plane
    assert (plane.tree.root, plane.tree.edges) == (1, ((0, 1), (2, 1)))


REFUSED = [
    ("  collectives: 3\n", "4: network.collectives is 3; it must be a mapping"),
    ("  collectives: {group: all}\n", "4: unknown key 'group' in network.collectives; did you mean 'groups'?"),
    ("  collectives: {groups: some}\n", "4: network.collectives.groups is 'some'; it must be 'all'"),
    ("  collectives: {groups: 9}\n", "4: network.collectives.groups is 9; it must be at most 8"),
    ("  collectives: {groups: []}\n", "4: network.collectives.groups is []; it must be a list of at least 1"),
    ("  collectives:\n    groups:\n    - [0, 9]\n", "6: network.collectives.groups[0][1] is 9; it must be a processor"),
    ("  collectives: {groups: [[1, 1]]}\n", "4: network.collectives.groups[0][1] is 1; it must be named once"),
    ("  collectives: {window: 17}\n", "4: network.collectives.window is 17; it must be at most 16"),
    ("  collectives: {word_bits: 65}\n", "4: network.collectives.word_bits is 65; it must be at most 64"),
    ("  collectives: {operators: [sum, sub]}\n", "4: network.collectives.operators[1] is 'sub'; it must be 'sum', "),
    ("  collectives: {operators: [sum, sum]}\n", "4: network.collectives.operators[1] is 'sum'; it must be named once"),
    ("  collectives: {buffer_words: 1}\n", "4: network.collectives.buffer_words is 1; it must be at least 2"),
    ("  collectives: {root: 9}\n", "4: network.collectives.root is 9; it must be a switch (s0, s1, "),
    (
        "  collectives: {root: 1}\n",
        "4: network.collectives.root is 1; it must be s4, the root of the network's spanning",
    ),
    ("  collectives: {tree: [[0, 1, 2]]}\n", "4: network.collectives.tree[0] is [0, 1, 2]; it must be a list of at"),
    ("  collectives: {tree: [[0, s11]]}\n", "4: network.collectives.tree[0][1] is 's11'; it must be a switch (s0, "),
    ("  collectives: {tree: [[0, 1]]}\n", "4: network.collectives.tree: Switch 2 has processors and is not in the"),
    (
        "  collectives:\n    tree:\n    - [0, 1]\n    - [0, 2]\n",
        "7: network.collectives.tree[1]: Switch 0 of the tree has parents 1 and 2; it must have one",
    ),
    ("  link_cycles: 9\n  collectives: {}\n", "4: network.link_cycles is 9; it must be at most 8 with network.coll"),
]


@each("keys, problem", REFUSED)
def test_wrong_planes_are_refused(design, tmp_path, keys, problem):
    with pytest.raises(ConfigError) as caught:
        _ = design(f"network:\n  family: spam\n  topology: {{kind: mesh, shape: [3, 3]}}\n{keys}").plane
    assert str(caught.value).startswith(f"{tmp_path}/c.yaml:{problem}")


@each("family", NETWORKS)
def test_operations_without_contention_take_their_closed_form(design, family):
    found = design(configured(family, {"groups": ["all", [1, 5, 2]], "word_bits": 8}))
    flit_bits = found.config.network_section.flit_bits
    for operation, flits in (("barrier", None), ("all-reduce", 3), ("reduce", 1)):
        for number, group in enumerate(("all", [5, 1, 2])):
            keys = {"group": group, "flits": flits, "rounds": 2, "startup_cycles": 7}
            outcome = found.collective(operation, algorithm="plane", **keys).simulate()
            words = 0 if flits is None else flits * flit_bits // 8
            wanted = 7 + group_cycles(found.plane.tables, number, words)
            figures = outcome.figures["collectives"][0]
            assert outcome.right
            assert figures["latencies_cycles"][0] == wanted
            assert figures["latencies_cycles"][1] >= wanted  # near members begin the second round first
            assert (figures["algorithm"], figures["rounds"], figures["messages"]) == ("plane", 1, 0)
            assert outcome.figures["plane"]["operations"] == 2
            assert outcome.results.cycles == outcome.plane.done_cycle.max() + 1
            if words:
                bandwidth = flits * flit_bits / 8 / figures["mean_latency_cycles"]
                assert figures["algorithm_bytes_per_cycle"] == pytest.approx(bandwidth)


def test_words_are_the_bits_of_flits_rounded_up(design):
    plane = design(configured("spam", {"word_bits": 24})).plane
    assert [plane.words_of(flits, 32) for flits in (0, 1, 2, 3)] == [0, 2, 3, 4]


BARRIER, SUM = "operation: barrier, algorithm: plane", "operation: all-reduce, algorithm: plane, flits: 2"
OFF_PLANE = "it must be auto, dissemination, recursive-doubling, binomial or binomial-multicast"
REFUSED_OPERATIONS = [
    (
        *("", BARRIER),
        f"2: traffic.algorithm is 'plane'; {OFF_PLANE}: the network has no collective plane (add 'collectives: "
        "{groups: all}' to network)",
    ),
    (
        *("", f"{BARRIER}, group: [3, 1]"),
        f"2: traffic.algorithm is 'plane'; {OFF_PLANE}: the network has no collective plane (add 'collectives: "
        "{groups: [[1, 3]]}' to network)",
    ),
    (
        *(", collectives: {}", f"{BARRIER}, group: [3, 1]"),
        f"2: traffic.algorithm is 'plane'; {OFF_PLANE}: no group of the plane has these 2 members (add [1, 3] to "
        "network.collectives.groups)",
    ),
    (
        *(", collectives: {groups: [[0, 1]]}", BARRIER),
        f"2: traffic.algorithm is 'plane'; {OFF_PLANE}: no group of the plane has these 9 members (add all to "
        "network.collectives.groups)",
    ),
    (
        *(", collectives: {operators: []}", SUM),
        "2: traffic.algorithm is 'plane'; it must be auto, recursive-doubling, ring, rabenseifner, binomial or "
        "binomial-multicast: the plane has barriers alone (add an operator to network.collectives.operators)",
    ),
    (
        *(", collectives: {}", "operation: broadcast, algorithm: plane, flits: 2"),
        "2: traffic.algorithm is 'plane'; it must be auto, binomial, scatter-ring, chain or multicast",
    ),
    (
        *(", collectives: {}", f"{SUM}, segment_flits: 1"),
        "2: traffic.segment_flits is 1; it must be left out in algorithm 'plane'",
    ),
    (
        *(", collectives: {}", "operation: reduce, algorithm: plane, flits: 3000000"),
        "2: traffic: Number of words up to this operation is 27,000,000; it must be at most 20,000,000",
    ),
    (
        *(", collectives: {}", f"{BARRIER}, rounds: 200000"),
        "2: traffic: Number of messages up to this operation is 1,800,000; it must be at most 1,000,000",
    ),
]


@each("keys, operation, problem", REFUSED_OPERATIONS)
def test_wrong_operations_are_refused(design, tmp_path, keys, operation, problem):
    with pytest.raises(ConfigError) as caught:
        _ = design(f"network: {{{NETWORKS['spam']}{keys}}}\ntraffic: {{kind: collective, {operation}}}\n").messages
    assert str(caught.value).startswith(f"{tmp_path}/c.yaml:{problem}")


def test_a_plane_is_checked_with_any_traffic_and_takes_no_blocked_receivers(design):
    traffic = "traffic: {kind: random, cycles: 9, messages_per_node_per_cycle: 0.1, flits: 4}\n"
    with pytest.raises(ConfigError, match=r"c.yaml:1: network.collectives.groups\[0\]\[0\] is 99; it must be a proc"):
        design(configured("spam", {"groups": [[99]]}, traffic)).simulate()
    hosts = "hosts: {blocked: [{processor: 1, cycles: 9}]}\n"
    traffic = f"traffic: {{kind: collective, {BARRIER}}}\n"
    with pytest.raises(ConfigError, match=r"c.yaml:3: hosts.blocked names 1 blockades; it must be left out with oper"):
        design(configured("spam", {}, traffic + hosts)).simulate()


def test_the_choice_takes_the_plane_where_it_is_no_slower(design):
    found = design(configured("torus", {"groups": ["all", [0, 1, 2]], "word_bits": 8}))

    def chosen(operation: str, **keys) -> str:
        return found.collective(operation, **keys)._collective_plan.collectives[0].algorithm

    assert chosen("barrier") == chosen("all-reduce", flits=1) == chosen("barrier", group=[2, 1, 0]) == "plane"
    assert chosen("all-reduce", flits=1_000) == "ring"
    assert chosen("barrier", group=[0, 2]) != "plane"
    assert chosen("broadcast", flits=1) == "binomial"


def test_summary_page_and_sweep_have_operations_on_the_plane(design, tmp_path, capsys):
    text = configured("spam", {}, f"traffic: {{kind: collective, {SUM}}}\n")
    path = design(text).config.path
    assert run(["model", str(path), "-o", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "all-reduce  plane            9      2" in out
    assert "plane: 1 operations, all results right, 102 words moved over links" in out
    assert run(["report", str(path), "-o", str(tmp_path / "page"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["plane"] == {"operations": 1, "wrong": 0, "word_hops": 102}
    assert "<td>plane</td>" in (tmp_path / "page" / "c.html").read_text()
    table = sweep(path, {"network.collectives.word_bits": [8, 32], "traffic.flits": [1, 4]}, processes=1)
    assert table["collective_algorithm"].tolist() == ["plane"] * 4
    assert (table["collective_mean"] - table["collective_mean"][2]).tolist() == [3, 15, 0, 3]


DEADLOCK = """\
network:
  family: torus
  topology: {kind: torus, rows: 1, columns: 4}
  negative_control: one-vc
  collectives: {groups: all}
traffic:
  kind: collective
  operations:
  - {operation: all-reduce, algorithm: recursive-doubling, flits: 64}
  - {operation: barrier, algorithm: plane}
  - {operation: broadcast, algorithm: binomial, flits: 4}
"""


def test_a_network_that_deadlocks_ends_the_run(design):
    """Operations on the plane wait for its messages, and messages for them."""
    found = design(DEADLOCK)
    outcome = found.simulate()
    assert (outcome.results.deadlocked, outcome.results.deliveries, outcome.right) == (True, 4, False)
    assert [figures["mean_latency_cycles"] for figures in outcome.figures["collectives"]] == [None] * 3
    assert outcome.figures["plane"] == {"operations": 1, "wrong": 1, "word_hops": 0}
    assert set(found.plane_results.release_cycle.values()) == {-1}
    with pytest.raises(ConfigError, match=r"c.yaml:6: traffic has operations on the collective plane; those of a GOAL"):
        found.goal_program()


def test_a_wrong_result_is_seen(design):
    found = design(configured("spam", {}, f"traffic: {{kind: collective, {SUM}}}\n"))
    assert found.simulate().right
    found.plane_results.results.words[3] += 1
    outcome = found.simulate()
    assert (outcome.figures["plane"]["wrong"], outcome.right) == (1, False)
    assert "plane: 1 operations, 1 wrong," in outcome.summary()


SEVERAL = """\
traffic:
  kind: collective
  startup_cycles: {startup}
  operations:
  - {{operation: all-reduce, algorithm: plane, flits: 3}}
  - {{operation: broadcast, algorithm: binomial, group: [5, 1, 2], flits: 9}}
  - {{operation: barrier, algorithm: plane, group: [1, 2, 5], rounds: 2}}
  - {{operation: all-gather, algorithm: ring, group: [0, 3, 4], flits: 12, compute_cycles_per_flit: 2}}
  - {{operation: all-reduce, algorithm: plane, flits: 2, rounds: 2}}
  - {{operation: barrier, algorithm: dissemination}}
  - {{operation: barrier, algorithm: plane}}
"""
HOSTS = "hosts: {pause: 0.3, stall: 0.4, seed: 5}\n"


@each("hosts", ["", HOSTS])
@each("operators", [["sum", "xor"], []])
def test_messages_and_operations_wait_for_each_other(design, operators, hosts):
    """The length of turns does not matter, and plane and network repeat the run alone, from the starts found."""
    text = SEVERAL.format(startup=3 if operators else 0)
    if not operators:
        text = text.replace("all-reduce, algorithm: plane, flits: 3", "barrier, algorithm: plane")
        text = text.replace("all-reduce, algorithm: plane, flits: 2", "barrier, algorithm: plane")
    found = design(configured("torus", {"groups": ["all", [5, 1, 2]], "operators": operators}, text + hosts))
    plan, plane, joint = found._collective_plan, found.plane, found.plane_results
    outcome = found.simulate()
    assert outcome.right
    assert (joint.results.done_cycle >= 0).all()
    calls = plane_calls(plan, plane, found.config.network_section.flit_bits, found.startup_cycles)
    for longest_turn in (1, 2, 7):
        network = HeldMessages(found.model, plan.messages, plan.held, calls, found.startup_cycles, found.config.hosts)
        again = run_jointly(plane.model, calls, found.config.hosts, network, longest_turn=longest_turn)
        assert again.release_cycle == joint.release_cycle
        assert np.array_equal(again.results.done_cycle, joint.results.done_cycle)
    for number, call in enumerate(calls):
        waits = [joint.results.done_cycle[result] + delay for result, delay in call.results.items()]
        waits += [arrival(outcome.results, message, call) + delay for message, delay in call.messages.items()]
        assert joint.results.start_cycle[number] >= max((call.contribution.start_cycle, *waits))
        if not any(outcome.results.messages.source[one] == call.contribution.processor for one in call.messages):
            assert joint.results.start_cycle[number] == max((call.contribution.start_cycle, *waits))
    for message, results in plan.held.items():
        waits = [joint.results.done_cycle[result] + delay for result, delay in results.items()]
        assert outcome.results.start_cycle[message] >= joint.release_cycle[message] == max(waits)
    alone = [
        Call(replace(call.contribution, start_cycle=int(start)))
        for call, start in zip(calls, joint.results.start_cycle, strict=True)
    ]
    repeated = run_jointly(plane.model, alone, found.config.hosts)
    assert np.array_equal(repeated.results.done_cycle, joint.results.done_cycle)


def random_traffic(seed: int) -> str:
    """A network with a plane, and operations of random kinds, groups and sizes on both."""
    random = np.random.default_rng(seed)
    family = str(random.choice(list(NETWORKS)))
    nodes = {"spam": 9, "min": 8, "torus": 9, "hypercube": 8, "harts": 7}[family]
    groups = [random.permutation(nodes)[: int(random.integers(2, nodes + 1))].tolist() for _ in range(3)]
    keys = {"groups": groups, "window": int(random.integers(1, 4)), "word_bits": int(random.choice([8, 32, 64]))}
    if random.random() < 0.3:
        keys["operators"] = []
    operations = []
    for _ in range(int(random.integers(3, 9))):
        on_plane = random.random() < 0.5
        names = ["barrier", "all-reduce", "reduce"] if on_plane else ["barrier", "broadcast", "scan", "all-to-all"]
        name = "barrier" if on_plane and "operators" in keys else str(random.choice(names))
        operation = {"operation": name, "group": groups[int(random.integers(3))], "rounds": int(random.integers(1, 3))}
        if name != "barrier":
            operation["flits"] = int(random.integers(1, 12))
        if on_plane:
            operation["algorithm"] = "plane"
        elif name in ("broadcast", "barrier"):
            operation["algorithm"] = "binomial"
        operations.append(operation)
    hosts = (
        "" if random.random() < 0.5 else f"hosts: {{pause: 0.3, stall: {0.5 * random.random():.2f}, seed: {seed}}}\n"
    )
    traffic = {"kind": "collective", "startup_cycles": int(random.choice([0, 0, 2, 30])), "operations": operations}
    return configured(family, keys, f"traffic: {json.dumps(traffic)}\n{hosts}")


@each("seed", [1, 2, 3])
def test_random_operations_do_not_depend_on_turns(design, seed):
    check_random(design, seed)


@pytest.mark.slow
@each("seed", range(4, 100))
def test_more_random_operations_do_not_depend_on_turns(design, seed):
    check_random(design, seed)


def check_random(design, seed: int) -> None:
    found = design(random_traffic(seed))
    outcome, plan = found.simulate(), found._collective_plan
    assert outcome.right
    if found.plane_results is None:
        return
    calls = plane_calls(plan, found.plane, found.config.network_section.flit_bits, found.startup_cycles)
    network = HeldMessages(found.model, plan.messages, plan.held, calls, found.startup_cycles, found.config.hosts)
    again = run_jointly(found.plane.model, calls, found.config.hosts, network, longest_turn=1)
    assert again.release_cycle == found.plane_results.release_cycle
    assert np.array_equal(again.results.done_cycle, found.plane_results.results.done_cycle)


def arrival(results, message: int, call: Call) -> int:
    """Cycle in which a message arrives at the processor of a call, or its injector has accepted it there."""
    messages, processor = results.messages, call.contribution.processor
    if messages.source[message] == processor:
        return int(results.accepted_cycle[message])
    position = int(messages.offsets[message]) + messages.destinations_of(message).tolist().index(processor)
    return int(results.arrival_cycle[position])
