"""Multi-node multicasts as messages that depend on each other."""

from collections import Counter

import pytest

from sim_model.messages.messages import Message, MessageError, Messages
from sim_model.messages.multinode import multinode_workload
from sim_model.messages.software import software_steps
from sim_model.torus.multinode import software_names, software_sends
from tests.sim_model.torus_paths import random_multicasts
from topology.torus.grid import Grid, Turns
from topology.torus.operations import SHORTEST, operation, turns_of

TORUS = Grid(16, 16)
MESH = Grid(16, 16, wraps=False)
PAPER = (
    "u-torus",
    "u-mesh",
    "spu",
    *(f"{h}{kind}{b}" for h in (2, 4) for kind in ("I", "II", "III", "IV") for b in ("", "B")),
)


def built(grid: Grid, messages: list[Message]) -> Messages:
    return Messages.build(messages, processors=grid.nodes, header_flits=lambda _: 1)


def test_workload():
    records = multinode_workload(256, sources=80, destinations=60, hot_spot=0.25, flits=32, seed=1)
    assert len({record.source for record in records}) == len(records) == 80
    assert {len(set(record.destinations) - {record.source}) for record in records} == {60}
    assert {(record.flits, record.start_cycle) for record in records} == {(32, 0)}
    sets = Counter(node for record in records for node in record.destinations)
    sources = {record.source for record in records}
    # 15 are common to all, but for a source that is one of them
    common = [node for node, times in sets.items() if times >= 79]
    assert len(common) == 15
    assert all(sets[node] == 80 - (node in sources) for node in common)
    # the others are any 45 of 240
    others = [sets[node] for node in range(256) if node not in common]
    assert min(others) > 3
    assert max(others) < 30


@pytest.mark.parametrize(("hot_spot", "count", "common"), [(0, 10, 0), (0.25, 10, 2), (0.5, 15, 8), (1, 10, 10)])
def test_hot_spot(hot_spot, count, common):
    records = multinode_workload(256, sources=10, destinations=count, hot_spot=hot_spot, flits=1, seed=3)
    everyone = [{*record.destinations, record.source} for record in records]
    assert len(set.intersection(*everyone)) == common


def test_everyone_may_send_to_everyone():
    records = multinode_workload(8, sources=8, destinations=7, hot_spot=0.5, flits=1, seed=1)
    assert all({*record.destinations, record.source} == set(range(8)) for record in records)


def test_seeds():
    def run(seed: int):
        return multinode_workload(64, sources=5, destinations=9, hot_spot=0.5, flits=4, seed=seed)

    assert run(1) == run(1) != run(2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sources": 0}, "Sources must be 1 to 16, not 0"),
        ({"sources": 17}, "Sources must be 1 to 16, not 17"),
        ({"destinations": 16}, "Destinations must be 1 to 15, not 16"),
        ({"hot_spot": 1.1}, "Hot-spot factor must be 0 to 1, not 1.1"),
    ],
)
def test_bad_workloads(change, message):
    parameters = {"sources": 2, "destinations": 3, "hot_spot": 0.5, "flits": 4, "seed": 1, **change}
    with pytest.raises(ValueError, match=message):
        multinode_workload(16, **parameters)


def test_names():
    assert software_names(MESH) == ("u-mesh", "spu", "recursive-doubling")
    assert software_names(Grid(5, 7)) == ("u-torus", "u-mesh", "spu", "recursive-doubling")
    assert software_names(Grid(4, 6)) == (
        *("u-torus", "u-mesh", "spu", "recursive-doubling"),
        *("2I", "2IB", "2II", "2IIB", "2III", "2IIIB", "2IV", "2IVB"),
    )
    assert set(PAPER) < set(software_names(TORUS))


@pytest.mark.parametrize("software", [*PAPER, "recursive-doubling"])
def test_every_scheme_delivers_to_each_destination_exactly_once(software):
    records = multinode_workload(256, sources=40, destinations=30, hot_spot=0.5, flits=32, seed=2)
    messages = built(TORUS, software_sends(TORUS, records, software))
    for group, record in enumerate(records):
        own = [number for number in range(len(messages)) if messages.group[number] == group]
        receivers = [int(messages.destinations_of(number)[0]) for number in own]
        assert len(set(receivers)) == len(receivers)
        relays = {int(messages.source[number]) for number in own}
        assert set(record.destinations) <= set(receivers) <= set(record.destinations) | relays
        assert record.source not in receivers
        for number in own:
            parents = messages.parents_of(number)
            assert len(parents) == (messages.source[number] != record.source)
            assert (messages.group[parents] == group).all()
            assert turns_of(int(messages.operation[number])) is not None
    assert {int(flits) for flits in messages.flits} == {32}


@pytest.mark.parametrize("software", ["u-torus", "4IB"])
def test_each_node_sends_what_it_has_to_in_order_of_numbers(software):
    # Largest section first, and the block's network before the block.
    for source, destinations in random_multicasts(TORUS, 20, seed=5):
        messages = software_sends(TORUS, [Message(source, destinations, 4)], software)
        depth: dict[int, int] = {}
        for message in reversed(messages):
            below = [depth[m.destinations[0]] for m in messages if m.source == message.destinations[0]]
            depth[message.destinations[0]] = 1 + sum(below)
        for node in {message.source for message in messages}:
            own = [depth[message.destinations[0]] for message in messages if message.source == node]
            if software == "u-torus":
                assert own == sorted(own, reverse=True)
            else:
                blocks = [_block(node) == _block(m.destinations[0]) for m in messages if m.source == node]
                later = blocks[1:] if node == source else blocks
                assert later == sorted(later)


def _block(node: int) -> tuple[int, int]:
    row, column = TORUS.position(node)
    return row // 4, column // 4


def test_worked_by_hand():
    # A ring of eight, from 6: 6 7 1 2; 6 sends to 1 (round the end), then to 7; 1 to 2.
    ring = Grid(1, 8)
    records = [Message(3, [2], 9, start_cycle=5), Message(6, [1, 2, 6, 7, 7], 9, start_cycle=100)]
    positive = operation(Turns(False, False))
    assert software_sends(ring, records, "u-torus") == [
        Message(3, [2], 9, start_cycle=5, group=0, operation=SHORTEST),
        Message(6, (1,), 9, start_cycle=100, group=1, operation=positive),
        Message(6, (7,), 9, start_cycle=100, group=1, operation=positive),
        Message(1, (2,), 9, parents=(1,), group=1, operation=positive),
    ]
    # 1 2 6 7: 6 sends back to 2, which sees to 1, and then to 7
    back = operation(Turns(y_negative=True, x_negative=False))
    assert [message.operation for message in software_sends(ring, records, "u-mesh")] == [0, back, positive, back]


def test_steps_are_those_of_any_binomial_tree():
    for grid, software in ((TORUS, "u-torus"), (MESH, "u-mesh"), (MESH, "spu")):
        for source, destinations in random_multicasts(grid, 20, seed=6):
            arrival, sent = {source: 0}, Counter()
            for message in software_sends(grid, [Message(source, destinations, 4)], software):
                sent[message.source] += 1
                arrival[message.destinations[0]] = arrival[message.source] + sent[message.source]
            assert max(arrival.values()) == software_steps(len(destinations))


def test_seed_of_a_scheme():
    records = multinode_workload(256, sources=20, destinations=20, hot_spot=0, flits=4, seed=1)
    assert software_sends(TORUS, records, "4I", seed=1) == software_sends(TORUS, records, "4I", seed=1)
    assert software_sends(TORUS, records, "4I", seed=1) != software_sends(TORUS, records, "4I", seed=2)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (Message(0, [1, 256], 4), "Message 1: Destination must be a processor, 0 to 255, not 256"),
        (Message(256, [1, 2], 4), "Message 1: Source must be a processor, 0 to 255, not 256"),
        (Message(3, [3, 3], 4), "Message 1: Destinations must name a processor other than the source 3"),
        (
            Message(5, [6, 7], 4, parents=(0,)),
            "Message 1: Parent must be a message that processor 5 gets or sends, not 0",
        ),
    ],
)
def test_bad_records(record, message):
    with pytest.raises(MessageError, match=message):
        software_sends(TORUS, [Message(1, [3, 4], 4), record], "4I")


def test_software_that_a_grid_does_not_have():
    with pytest.raises(ValueError, match="Software must be u-mesh, spu, recursive-doubling, not 'u-torus'"):
        software_sends(MESH, [], "u-torus")
    with pytest.raises(
        ValueError, match=r"Software must be u-torus, u-mesh, spu, recursive-doubling, 2I, .*, 8IVB, not '3I'"
    ):
        software_sends(TORUS, [], "3I")
