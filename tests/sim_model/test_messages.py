"""Messages as records and columns: checks, injection channels, and what they wait for."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from sim_model.engines.simulation import Simulation
from sim_model.loops.bits import MESSAGE_SHIFT
from sim_model.messages.columns import ANY, MessageColumns, checked_messages
from sim_model.messages.messages import Message, MessageError, Messages
from sim_model.messages.software import software_multicasts
from sim_model.messages.spread import spread_unicasts
from sim_model.torus.model import TorusModel
from sim_model.traffic.counts import FixedCount, FixedLength, LengthMix, Shares
from sim_model.traffic.destination_sets import RandomSets, WholeSets, all_others, same_group
from sim_model.traffic.generate import RandomTraffic
from sim_model.traffic.injection import BatchInjection, BernoulliInjection
from sim_model.traffic.patterns import FixedPattern, UniformPattern
from sim_model.traffic.requests import Replies, round_trip_cycles
from tests.networks import InjectingTorus, random_irregular
from tests.sim_model.builders import build, simulate, spam_model
from topology.common.graph import Network
from topology.common.host_pattern import EAGER, HostBehaviour
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting


def build_messages(*records, **settings):
    settings = {"processors": 8, **settings}
    return Messages.build(records, header_flits=lambda destinations: 1 + (len(destinations) > 1), **settings)


def test_columns():
    messages = build_messages(
        Message(2, [5, 1, 2, 5], 9, start_cycle=4), Message(5, [0], 3, parents=(0,), delay_cycles=6, group=0)
    )
    assert len(messages) == 2
    assert messages.destinations_of(0).tolist() == [1, 5]
    assert messages.offsets.tolist() == [0, 2, 3]
    assert messages.start_cycle.tolist() == [4, 0]
    assert messages.parent_offsets.tolist() == [0, 0, 1]
    assert messages.parent_counts.tolist() == [0, 1]
    assert messages.parents.tolist() == messages.parents_of(1).tolist() == [0]
    assert messages.delay_cycles.tolist() == [6]
    assert messages.group.tolist() == [0, 0]
    assert messages.destination_counts.tolist() == [2, 1]
    assert messages.message_of_destination.tolist() == [0, 0, 1]
    assert messages.injection.tolist() == [0, 0]


def test_several_parents_with_a_delay_each():
    alike = Message(0, [1], 3, parents=(1, 0), delay_cycles=5)
    apart = Message(0, [1], 3, start_cycle=9, parents=(0, 2, 1), delay_cycles=[1, 0, 7])
    messages = build_messages(Message(0, [3, 2], 9), Message(2, [0], 3), alike, apart)
    assert messages.parent_offsets.tolist() == [0, 0, 0, 2, 5]
    assert messages.parents.tolist() == [1, 0, 0, 2, 1]
    assert messages.delay_cycles.tolist() == [5, 5, 1, 0, 7]
    assert messages.start_cycle.tolist() == [0, 0, 0, 9]


def test_injection_channels():
    messages = build_messages(Message(2, [5], 9, injection=5), Message(2, [5], 9), injection_channels=6)
    assert messages.injection.tolist() == [5, 0]
    for channel in (7, 6, -1):
        with pytest.raises(MessageError, match=f"^Message 0: Injection channel is {channel}; it must be 0 to 5$"):
            build_messages(Message(2, [5], 9, injection=channel), injection_channels=6)


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (Message(8, [1], 5), "Source is 8; it must be a processor, 0 to 7"),
        (Message(-1, [1], 5), "Source is -1; it must be a processor, 0 to 7"),
        (Message(0, [1, 9], 5), "Destination is 9; it must be a processor, 0 to 7"),
        (Message(0, [0], 5), "Destinations must name a processor other than the source 0, not [0]"),
        (Message(0, [], 5), "Destinations must name a processor other than the source 0, not []"),
        (Message(0, [1, 2], 1), "Length is 1; it must be at least the 2 header flits"),
        (Message(0, [1], 0), "Length is 0; it must be at least the 1 header flits"),
        (Message(0, [1], 65_536), "Length is 65536; it must be at most 65535 flits"),
        (Message(0, [1], 5, start_cycle=-3), "Start cycle is -3; it must be at least 0"),
        (Message(3, [1], 5, parents=(0,), delay_cycles=-1), "Delay is -1; it must be at least 0 cycles"),
        (Message(3, [1], 5, parents=(1,)), "Parent is 1; it must be an earlier message"),
        (Message(3, [1], 5, parents=(0, -1)), "Parent is -1; it must be an earlier message"),
        (Message(4, [1], 5, parents=(0,)), "Parent is 0; it must be a message that processor 4 gets or sends"),
        (
            Message(3, [1], 5, parents=(0, 0), delay_cycles=(4,)),
            "Number of delays is 1; it must be 2, that of the parents",
        ),
        (Message(0, [1], 5, parents=(0, 0), delay_cycles=(4, -2)), "Delay is -2; it must be at least 0 cycles"),
        (Message(3, [1], 5, parents=(0,), start_cycle=-1), "Start cycle is -1; it must be at least 0"),
        (Message(4, [1], 5, injection=1), "Injection channel is 1; it must be 0"),
    ],
)
def test_broken_records_are_named(record, problem):
    with pytest.raises(MessageError) as caught:
        build_messages(Message(0, [3], 5), record)
    assert str(caught.value) == f"Message 1: {problem}"
    assert caught.value.number == 1
    assert caught.value.problem == problem


# Messages as columns: checked like records for every error, and the parts they are drawn from.

NODES = 8
PARTS = {
    "nodes": NODES,
    "injection": BernoulliInjection(0.1),
    "pattern": UniformPattern(NODES),
    "lengths": LengthMix({5: 0.5, 9: 0.5}),
    "shares": Shares(0.3, 0.1),
    "sets": RandomSets(all_others(NODES), FixedCount(3)),
}


def header(destinations):
    return 1 + (len(destinations) > 1)


def build_columns(columns, **changes):
    return columns.checked(**{"processors": NODES, "header_flits": header, "injection_channels": 2, **changes})


def columns_of(source=(0, 3), destinations=(1, 2, 4), counts=(1, 2), flits=(5, 5), start_cycle=(0, 7)):
    arrays = (np.array(each) for each in (source, destinations, counts, flits, start_cycle))
    return MessageColumns.of(
        **dict(zip(("source", "destinations", "counts", "flits", "start_cycle"), arrays, strict=True))
    )


def assert_same(one, other):
    for name, column in vars(one).items():
        assert np.array_equal(column, vars(other)[name]), name
        assert column.dtype == vars(other)[name].dtype, name


def test_columns_become_the_messages_that_their_records_become(monkeypatch):
    columns = RandomTraffic(**PARTS).draw(200, 3).spread(2, np.random.default_rng(1)).with_operation(4)
    records = list(columns)
    assert len(columns) == len(records) > 100
    assert {len(record.destinations) for record in records} == {1, 3, 7}
    from_records = Messages.build(records, processors=NODES, header_flits=header, injection_channels=2)
    assert set(from_records.injection.tolist()) == {0, 1}
    assert set(from_records.operation.tolist()) == {0, 4}
    monkeypatch.setattr(Messages, "build", None)  # valid columns skip this
    assert_same(checked_messages(columns, processors=NODES, header_flits=header, injection_channels=2), from_records)


def test_as_a_sequence():
    columns = columns_of()
    assert columns[1] == columns[-1] == Message(3, (2, 4), 5, start_cycle=7)
    assert columns[:1] == [Message(0, (1,), 5)]
    assert columns == columns_of() != columns_of(flits=(5, 6))
    with pytest.raises(IndexError, match=r"^Number of a message is 2; it must be 0 to 1$"):
        _ = columns[2]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"source": (0, 8)}, "Message 1: Source is 8; it must be a processor, 0 to 7"),
        ({"source": (-1, 3)}, "Message 0: Source is -1; it must be a processor, 0 to 7"),
        ({"destinations": (1, 2, 8)}, "Message 1: Destination is 8; it must be a processor, 0 to 7"),
        ({"flits": (0, 5)}, "Message 0: Length is 0; it must be at least the 1 header flits"),
        ({"flits": (1, 1)}, "Message 1: Length is 1; it must be at least the 2 header flits"),
        ({"flits": (1, 65_536)}, "Message 1: Length is 65536; it must be at most 65535 flits"),
        ({"start_cycle": (0, -7)}, "Message 1: Start cycle is -7; it must be at least 0"),
        ({"source": (1, 3)}, r"Message 0: Destinations must name a processor other than the source 1, not \[1\]"),
        ({"counts": (3, 0)}, r"Message 1: Destinations must name a processor other than the source 3, not \[\]"),
    ],
)
def test_wrong_columns_are_named_like_wrong_records(changes, problem):
    with pytest.raises(MessageError, match=f"^{problem}$"):
        build_columns(columns_of(**changes))


def test_injection_channels_of_columns_are_checked():
    columns = replace(columns_of(), injection=np.array([ANY, 2], dtype=np.int32))
    with pytest.raises(MessageError, match=r"^Message 1: Injection channel is 2; it must be 0 to 1$"):
        build_columns(columns)


@pytest.mark.parametrize("destinations", [(1, 4, 2), (1, 2, 2), (1, 2, 3)], ids=["order", "twice", "source"])
def test_sets_that_are_out_of_order_are_put_in_order(destinations):
    columns = columns_of(destinations=destinations)
    messages = build_columns(columns)
    assert messages.destinations_of(1).tolist() == sorted(set(destinations[1:]) - {3})


@pytest.mark.parametrize("shares", [Shares(), Shares(0.5), Shares(0.5, 0.2)])
def test_what_goes_to_nobody_is_not_sent(shares):
    silent = FixedPattern(np.array([1, 0, 2, 3, 5, 4, 7, 6]))  # nodes 2 and 3 send to themselves
    sets = WholeSets(same_group([[0, 1], [2, 3, 4]], NODES))  # nodes 5, 6 and 7 have no group
    columns = RandomTraffic(**{**PARTS, "pattern": silent, "sets": sets, "shares": shares}).draw(500, 1)
    for record in columns:
        assert record.destinations
        if len(record.destinations) == NODES - 1:
            continue
        group = {0: (1,), 1: (0,), 2: (3, 4), 3: (2, 4), 4: (2, 3)}.get(record.source)
        fixed = (int(silent.destination_of[record.source]),)
        assert record.destinations in ((fixed, group) if shares.multicast else (fixed,))
        assert record.destinations != (record.source,)
    build_columns(columns)


def test_parts_are_checked():
    with pytest.raises(ValueError, match=r"^Multicasts must have destination sets, not None$"):
        RandomTraffic(**{**PARTS, "sets": None})
    with pytest.raises(ValueError, match=r"^Traffic must last at least 1 cycle, not 0$"):
        RandomTraffic(**PARTS).draw(0, 1)


# Messages over the injection channels of their hosts.

UNICASTS = [Message(number % 7, [9], 5, start_cycle=number) for number in range(6_000)]


def channels_of(records, channels=6, seed=1):
    return [message.injection for message in spread_unicasts(records, channels, seed)]


def test_every_channel_gets_its_share_of_unicasts():
    drawn = channels_of(UNICASTS)
    counts = Counter(drawn)
    assert set(counts) == set(range(6))
    assert max(counts.values()) - min(counts.values()) < 200
    # and each is independent of the next one of its host
    pairs = Counter((drawn[i], drawn[i + 7]) for i in range(len(drawn) - 7))
    assert len(pairs) == 36
    assert max(pairs.values()) < 1.5 * min(pairs.values())


def test_seeds():
    assert channels_of(UNICASTS) == channels_of(UNICASTS)
    assert channels_of(UNICASTS) != channels_of(UNICASTS, seed=2)
    # pinned: the same seed gives the same channels on any machine
    assert channels_of(UNICASTS)[:12] == [3, 1, 2, 3, 3, 3, 3, 0, 5, 4, 2, 0]


def test_copies_of_a_multicast_go_over_one_channel_after_the_other():
    for seed in range(5):
        separate = software_multicasts([Message(3, range(9), 5)], "separate")
        own = [record.injection or 0 for record in spread_unicasts(separate, 4, seed)]
        assert [(later - earlier) % 4 for earlier, later in pairwise(own)] == [1] * 7
    chain = spread_unicasts(software_multicasts([Message(3, range(16), 5)]), 4, 1)
    for node in range(16):
        own = [message.injection for message in chain if message.source == node]
        assert len(set(own)) == min(4, len(own))


# Messages that wait for several others: for messages to their source, and for messages from it.

MODELS = {
    "spam": lambda: spam_model(random_irregular(5, switches=8)),
    "torus": lambda: TorusModel(TorusRouting(InjectingTorus(Grid(2, 4, True), 2, 3), 16)),
}


def random_dependent_records(model, count, seed, most_destinations=1):
    """Messages of which most wait for up to four earlier ones."""
    random = np.random.default_rng(seed)
    processors = len(model.network.processors)
    ports = model.network.injection_channels_per_processor
    records: list[Message] = []
    for number in range(count):
        wanted = 2 if most_destinations == 1 else int(random.integers(2, most_destinations + 2))
        source, *destinations = map(int, random.choice(processors, wanted, replace=False))
        known = [k for k in range(number) if records[k].source == source or source in records[k].destinations]
        parents = [int(k) for k in random.permutation(known)[: random.integers(5)]]
        records.append(
            Message(
                source,
                destinations,
                model.header_flits(destinations) + int(random.integers(12)),
                start_cycle=int(random.integers(400)),
                parents=parents,
                delay_cycles=random.integers(30, size=len(parents)).tolist(),
                injection=int(random.integers(ports)),
            )
        )
    return records


def tails_out(model, messages, hosts, cycles):
    """Cycle in which each message's tail moves out of its injector, from a recording."""
    trace = Simulation(model, messages, 3, hosts=hosts).record(cycles)
    flits = trace.flits[:, list(model.network.injection_channels)]
    cycle, injector = np.nonzero(flits >= 0)
    out = np.full(len(messages), -1)
    out[flits[cycle, injector] >> MESSAGE_SHIFT] = cycle
    return out


@pytest.mark.parametrize("hosts", [EAGER, HostBehaviour(120, 120, seed=3)], ids=["eager", "pausing"])
@pytest.mark.parametrize("family", MODELS)
def test_every_start_is_the_latest_of_all_that_it_waits_for(family, hosts):
    model = MODELS[family]()
    records = random_dependent_records(model, 300, seed=4)
    messages = build(model, records)
    results = Simulation(model, messages, 3, hosts=hosts).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    out = tails_out(model, messages, hosts, results.cycles)
    arrived = results.last_arrival_cycle
    kinds = set()
    for number, record in enumerate(records):
        events = [record.start_cycle]
        for parent, delay in zip(record.parents, record.delays, strict=True):
            own = records[parent].source == record.source
            kinds.add(own)
            events.append((out if own else arrived)[parent] + delay)
        assert results.start_cycle[number] == max(events)
    assert kinds == {False, True}


def test_worked_by_hand():
    # One switch, one-flit messages: injection the cycle after acceptance, delivery three cycles after that.
    network = Network(1, [], [0] * 3)
    records = [
        Message(0, [1], 1),
        Message(2, [1], 1, start_cycle=20),
        Message(1, [0], 1, parents=(0, 1), delay_cycles=(100, 3)),
        Message(0, [2], 1, parents=(0,), delay_cycles=7),
        Message(0, [2], 1, parents=(3,), start_cycle=60),
    ]
    results = simulate(spam_model(network, routing_cycles=2), records).run()
    first, second = results.arrival_cycle[:2].tolist()
    assert (first, second) == (4, 24)
    assert results.start_cycle.tolist() == [0, 20, 104, 1 + 7, 60]


# Requests and replies, measured in the network; and batches.

REQUESTING_NODES = 9
MODEL = TorusModel(TorusRouting(TorusNetwork(Grid(3, 3, wraps=False), 1), 32))
DELAY = 7


def drawn(replies, rate=0.2, cycles=400, injection=None):
    injection = injection or BernoulliInjection(rate)
    traffic = RandomTraffic(
        REQUESTING_NODES, injection, UniformPattern(REQUESTING_NODES), FixedLength(3), replies=replies
    )
    return traffic.draw(cycles, 1)


def simulated(columns):
    simulation = Simulation(MODEL, columns.checked(processors=REQUESTING_NODES, header_flits=MODEL.header_flits))
    results = simulation.run()
    assert (results.lost, results.duplicated, results.deadlocked) == (0, 0, False)
    return results


def most_outstanding(results, node):
    """By counting events: a request starts, its reply arrives."""
    requests = np.flatnonzero(results.messages.source[::2] == node) * 2
    events = [(int(results.start_cycle[number]), 1) for number in requests]
    events += [(int(results.arrival_cycle[number + 1]), -1) for number in requests]
    outstanding = most = 0
    for _, step in sorted(events):  # an arrival frees a slot in its own cycle
        outstanding += step
        most = max(most, outstanding)
    return most


@pytest.mark.parametrize("outstanding", [1, 2, 5])
def test_no_node_has_more_requests_outstanding(outstanding):
    columns = drawn(Replies(LengthMix({2: 0.5, 9: 0.5}), DELAY, outstanding))
    results = simulated(columns)
    assert {most_outstanding(results, node) for node in range(REQUESTING_NODES)} == {outstanding}
    assert (results.start_cycle[::2] >= columns.start_cycle[::2]).all()
    for node in range(REQUESTING_NODES):
        requests = np.flatnonzero(columns.source[::2] == node) * 2
        for earlier, later in zip(requests, requests[outstanding:], strict=False):
            back = results.arrival_cycle[earlier + 1]
            assert results.start_cycle[later] == max(back, columns.start_cycle[later])


def test_every_request_is_replied_to_after_the_delay():
    columns = drawn(Replies(FixedLength(4), DELAY, 3))
    results = simulated(columns)
    assert np.array_equal(columns.source[1::2], columns.destinations[::2])
    assert np.array_equal(columns.destinations[1::2], columns.source[::2])
    assert set(columns.flits[::2].tolist()) == {3}
    assert set(columns.flits[1::2].tolist()) == {4}
    assert np.array_equal(results.start_cycle[1::2], results.arrival_cycle[::2] + DELAY)
    trips = round_trip_cycles(results)
    assert np.array_equal(trips, results.latency_cycles[::2] + DELAY + results.latency_cycles[1::2])
    later = results.start_cycle[::2] >= 100
    assert np.array_equal(round_trip_cycles(results, 100), trips[later])


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"parents": [1]}, "Message 1: Parent is 1; it must be an earlier message"),
        ({"parents": [-1]}, "Message 1: Parent is -1; it must be an earlier message"),
        ({"delay_cycles": [-2]}, "Message 1: Delay is -2; it must be at least 0 cycles"),
        ({"source": [0, 2]}, "Message 1: Parent is 0; it must be a message that processor 2 gets or sends"),
    ],
)
def test_wrong_waits_are_named_like_those_of_records(change, problem):
    pair = Replies(FixedLength(4)).answered(
        MessageColumns.of(**{key: np.array([value]) for key, value in REQUEST.items()}), np.random.default_rng(1)
    )
    wrong = replace(pair, **{key: np.array(value, dtype=vars(pair)[key].dtype) for key, value in change.items()})
    with pytest.raises(ValueError, match=f"^{problem}$"):
        wrong.checked(processors=REQUESTING_NODES, header_flits=MODEL.header_flits)


REQUEST = {"source": 0, "destinations": 1, "flits": 3, "start_cycle": 5}


def test_batches():
    cycle, node = BatchInjection(0.04, 8).starts(np.random.default_rng(1), 500, 3)
    assert sorted(set(cycle.tolist())) == [0, 200, 400]
    assert np.bincount(node[cycle == 200]).tolist() == [8, 8, 8]
    assert (np.diff(cycle * 3 + node) >= 0).all()
    columns = drawn(Replies(FixedLength(4), 0, 2), injection=BatchInjection(0.01, 20), cycles=1)
    assert len(columns) == 2 * 20 * REQUESTING_NODES
    assert not columns.start_cycle.any()
    assert {most_outstanding(simulated(columns), node) for node in range(REQUESTING_NODES)} == {2}


@pytest.mark.parametrize(
    ("make", "problem"),
    [
        (lambda: Replies(FixedLength(4), -1), "Delay of replies is -1; it must be at least 0 cycles"),
        (lambda: Replies(FixedLength(4), 0, 0), "Outstanding requests are 0; they must be at least 1"),
        (lambda: BatchInjection(0.1, 0), "Messages of a batch are 0; they must be at least 1"),
        (
            lambda: RandomTraffic(
                REQUESTING_NODES,
                BernoulliInjection(0.1),
                UniformPattern(REQUESTING_NODES),
                FixedLength(4),
                Shares(broadcast=0.1),
                replies=Replies(FixedLength(4)),
            ),
            "Messages with replies must be unicasts, not multicasts or broadcasts",
        ),
    ],
)
def test_parameters_of_replies_are_checked(make, problem):
    with pytest.raises(ValueError, match=f"^{problem}$"):
        make()
