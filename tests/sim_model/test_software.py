"""Software multicast schedules, and those of columns, which become the unicasts of their records."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from sim_model.hypercube.multicasts import OWN_SOFTWARE
from sim_model.hypercube.multicasts import software_sends as cube_sends
from sim_model.messages.columns import ANY, MessageColumns, checked_messages
from sim_model.messages.messages import Message, MessageError, Messages
from sim_model.messages.recursive_doubling import Unicast
from sim_model.messages.schedule import software_schedule
from sim_model.messages.software import COMMON_SOFTWARE, binomial_chain, software_multicasts, software_steps
from sim_model.messages.spread import spread_unicasts
from sim_model.torus.multinode import software_names
from sim_model.torus.multinode import software_sends as torus_sends
from tests.networks import random_irregular
from tests.sim_model.builders import simulate, spam_model
from topology.common.graph import Network
from topology.hypercube.graph import HypercubeNetwork
from topology.torus.grid import Grid


def test_chain_of_eight_worked_by_hand():
    # Chain 2 3 4 5 6 7 0 1; 2 sends to 6, then 4, then 3; 6 to 0, then 7; and so on.
    chain = binomial_chain(2, [0, 1, 3, 4, 5, 6, 7], flits=5)
    sends = [(message.source, message.destinations[0], message.parents) for message in chain]
    wanted = [(2, 6, ()), (2, 4, ()), (6, 0, (0,)), (2, 3, ()), (4, 5, (1,)), (6, 7, (0,)), (0, 1, (2,))]
    assert sends == wanted


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 8, 15, 16, 100, 255])
def test_everyone_is_reached_once_in_the_least_number_of_steps(count):
    destinations = list(range(1, count + 1))
    chain = binomial_chain(0, destinations, flits=5, first_number=10, group=3)
    assert sorted(message.destinations[0] for message in chain) == destinations
    assert {message.group for message in chain} == {3}
    step = {}
    sent: dict[int, int] = {}
    reached = {0: 0}
    for number, message in enumerate(chain, start=10):
        assert all(parent < number for parent in message.parents)
        step[number] = max(reached[message.source], sent.get(message.source, 0)) + 1
        sent[message.source] = step[number]
        reached[message.destinations[0]] = step[number]
    assert max(step.values()) == software_steps(count)


def test_steps():
    assert [software_steps(d) for d in (1, 2, 3, 4, 7, 8, 255, 256)] == [1, 2, 2, 3, 3, 4, 8, 9]


def test_simulated_latency_is_steps_of_startup_and_message():
    # One switch: a step is start-up, link, routing, link, and 19 more flits. The source's second send starts up one
    # cycle before the first has arrived, the relay's in the cycle of the arrival.
    network = Network(1, [], [0] * 4)
    records = software_multicasts([Message(0, range(1, 4), 20, start_cycle=100)])
    results = simulate(spam_model(network), records, startup_cycles=1000).run()
    assert results.lost == 0
    assert results.group_destinations.tolist() == [3]
    unicast = 1000 + 1 + 2 + 19
    assert results.group_latency_cycles[0] == 2 * unicast


def test_unicasts_stay_and_groups_are_the_records():
    model = spam_model(random_irregular(5, switches=8))
    records = software_multicasts([Message(0, [1], 5), Message(1, [0, 2, 3], 5, start_cycle=9), Message(2, [2, 0], 5)])
    assert [message.group for message in records] == [0, 1, 1, 1, 2]
    results = simulate(model, records).run()
    assert results.groups.tolist() == [0, 1, 2]


def test_what_waits_for_a_multicast_waits_for_its_unicasts_worked_by_hand():
    # 0 sends to 2 and 1, 2 to 3. Messages 3 to 5: the answer of 3, what 0 sends behind both, what 3 sends behind that.
    records = [
        Message(0, [1, 2, 3], 5, start_cycle=7),
        Message(3, [0], 4, parents=(0,), delay_cycles=30),
        Message(0, [1], 4, parents=(0, 1), delay_cycles=(2, 1)),
        Message(3, [1, 2], 6, start_cycle=9, parents=(1,)),
    ]
    assert software_multicasts(records) == [
        Message(0, (2,), 5, start_cycle=7, group=0),
        Message(0, (1,), 5, start_cycle=7, group=0),
        Message(2, (3,), 5, parents=(0,), group=0),
        Message(3, (0,), 4, parents=(2,), delay_cycles=(30,), group=1),
        Message(0, (1,), 4, parents=(0, 1, 3), delay_cycles=(2, 2, 1), group=2),
        Message(3, (1,), 6, start_cycle=9, parents=(3,), delay_cycles=(0,), group=3),
        Message(1, (2,), 6, parents=(5,), group=3),
    ]


@pytest.mark.parametrize(
    ("source", "parent", "problem"),
    [
        (1, 1, "Message 1: Parent is 1; it must be an earlier message"),
        (1, -1, "Message 1: Parent is -1; it must be an earlier message"),
        (3, 0, "Message 1: Parent is 0; it must be a message that processor 3 gets or sends"),
    ],
)
def test_waits_for_what_is_not_there(source, parent, problem):
    with pytest.raises(MessageError, match=problem):
        software_multicasts([Message(0, [1, 2], 5), Message(source, [4], 5, parents=(parent,))])


def test_separate_unicasts_worked_by_hand():
    record = Message(2, [0, 1, 2, 3, 3, 5], 5, start_cycle=7)
    assert software_multicasts([Message(4, [1], 9), record], "separate") == [
        Message(4, (1,), 9, group=0),
        *(Message(2, (node,), 5, start_cycle=7, group=1) for node in (3, 5, 0, 1)),
    ]


def test_separate_unicasts_take_as_many_startups_as_destinations():
    network = Network(1, [], [0] * 4)
    records = software_multicasts([Message(0, range(1, 4), 20, start_cycle=100)], "separate")
    results = simulate(spam_model(network), records, startup_cycles=1000).run()
    assert (results.lost, results.group_destinations.tolist()) == (0, [3])
    # link, routing, link and 19 more flits; a start-up begins when the tail before it has left, 21 cycles after its end
    assert results.group_latency_cycles[0] == 2 * (1000 + 21) + 1000 + 1 + 2 + 19


# Multicasts in columns become the unicasts that their records become, one by one.

NODES = 16
TORUS, CUBE = Grid(4, 4), HypercubeNetwork(4, 2, 3)
GRIDS = [
    *(Grid(*sides) for sides in ((8, 4), (6, 6), (1, 7), (9, 2))),
    *(Grid(*sides, wraps=False) for sides in ((3, 7), (1, 5))),
]


def multicasts(nodes=NODES, seed=1, messages=300):
    """Unicasts, multicasts to any number of nodes, and broadcasts, in random order; some nodes send often."""
    random = np.random.default_rng(seed)
    counts = np.minimum(random.choice([1, 2, 3, 5, 8, nodes - 1], messages), nodes - 1)
    source = random.integers(nodes, size=messages) % random.integers(nodes // 2, nodes + 1)
    others = [random.permutation(np.delete(np.arange(nodes), one)) for one in source]
    return MessageColumns.of(
        source=source,
        destinations=np.concatenate([np.sort(to[:count]) for to, count in zip(others, counts, strict=True)]),
        counts=counts,
        flits=random.integers(4, 20, messages),
        start_cycle=random.integers(0, 1_000, messages),
    )


SENDERS = {
    **{name: partial(software_multicasts, software=name) for name in COMMON_SOFTWARE},
    **{f"torus {name}": partial(torus_sends, TORUS, software=name, seed=3) for name in software_names(TORUS)},
    **{f"cube {name}": partial(cube_sends, CUBE, software=name) for name in OWN_SOFTWARE},
}
ON_GRIDS = {
    f"{grid} {name}": (grid.nodes, partial(torus_sends, grid, software=name, seed=3))
    for grid in GRIDS
    for name in software_names(grid)
}
"""Numbers of nodes, and senders."""


def checked(records, nodes=NODES):
    channels = CUBE.injection_channels_per_processor
    build = {"processors": nodes, "header_flits": lambda _: 1, "injection_channels": channels}
    return checked_messages(spread_unicasts(records, channels, 5), **build)


def compare_columns(columns, send, nodes=NODES):
    """Compare the unicasts of columns with those of their records, member by member; return them."""
    from_records, from_columns = (checked(send(each), nodes) for each in (list(columns), columns))
    for member, column in vars(from_records).items():
        assert np.array_equal(vars(from_columns)[member], column), member
        assert vars(from_columns)[member].dtype == column.dtype, member
    return from_columns


@pytest.mark.parametrize("name", [*SENDERS, *ON_GRIDS])
def test_columns_become_what_records_become(name, monkeypatch):
    nodes, send = ON_GRIDS[name] if name in ON_GRIDS else (NODES, SENDERS[name])
    columns = multicasts(nodes)
    found = compare_columns(columns, send, nodes)
    assert len(found) >= len(columns.destinations)  # partitioned multicasts have representatives as well
    assert set(np.diff(found.parent_offsets).tolist()) == ({0} if name == "separate" else {0, 1})
    monkeypatch.setattr(Messages, "build", None)  # valid columns skip this
    assert len(checked(send(columns), nodes)) == len(found)


@pytest.mark.parametrize("name", SENDERS)
def test_columns_out_of_order_are_sent_as_their_records(name):
    columns = multicasts()
    begin = columns.offsets[:-1][columns.counts > 2][0]
    turned = columns.destinations.copy()
    turned[begin : begin + 2] = turned[begin : begin + 2][::-1]
    turned = replace(columns, destinations=turned)
    assert not turned.in_order()
    assert SENDERS[name](turned) == SENDERS[name](list(turned))


@pytest.mark.parametrize("name", SENDERS)
def test_columns_that_wait_for_others_are_sent_as_their_records(name):
    """Every message waits for the one before, which comes from or to its source."""
    source = np.arange(20) % NODES
    columns = MessageColumns.of(
        source=source,
        destinations=np.sort(np.stack(((source + 1) % NODES, (source + 3) % NODES), axis=1)).ravel(),
        counts=np.full(20, 2),
        flits=np.full(20, 5),
        start_cycle=np.zeros(20, dtype=np.int64),
    )
    waiting = replace(
        columns,
        parent_offsets=np.maximum(np.arange(-1, 20), 0),
        parents=np.arange(19, dtype=np.int32),
        delay_cycles=np.full(19, 7),
    )
    sends = SENDERS[name](waiting)
    assert sends == SENDERS[name](list(waiting))
    assert sum(7 in record.delays for record in sends) >= 19


@pytest.mark.parametrize("name", ["torus u-torus", "cube recursive-doubling"])
def test_wrong_nodes_are_named_with_their_record(name):
    columns = multicasts()
    number = int(np.flatnonzero(columns.counts > 1)[3])
    last = columns.offsets[number + 1] - 1  # still in ascending order
    wrong = np.where(np.arange(len(columns.destinations)) == last, NODES, columns.destinations)
    with pytest.raises(MessageError, match=f"^Message {number}: Destination is 16; it must be a processor, 0 to 15$"):
        SENDERS[name](replace(columns, destinations=wrong))


def test_what_comes_back_to_the_source_starts_nothing():
    def there_and_back(source, destinations):
        first, *others = destinations
        return [Unicast(source, first), Unicast(first, source), *(Unicast(source, other) for other in others)]

    compare_columns(multicasts(), partial(software_schedule, nodes=NODES, tree=there_and_back))


def test_a_chosen_injection_channel_is_no_turn():
    """Two senders of one group, whose second unicasts have channels."""
    columns = replace(
        MessageColumns.of(
            source=np.array([0, 1, 0, 1, 0, 1, 0]),
            destinations=np.array([1, 2, 3, 4, 5, 6, 7]),
            flits=np.full(7, 5),
            start_cycle=np.zeros(7),
        ),
        group=np.array([0, 0, 0, 0, 0, 0, 1], dtype=np.int32),
        injection=np.array([ANY, ANY, 2, 0, ANY, ANY, ANY], dtype=np.int32),
    )
    for seed in range(10):
        injection = [record.injection or 0 for record in spread_unicasts(columns, 3, seed)]
        assert injection == [record.injection or 0 for record in spread_unicasts(list(columns), 3, seed)]
        assert injection[2:4] == [2, 0]
        assert (injection[4] - injection[0]) % 3 == (injection[5] - injection[1]) % 3 == 1
