"""Multicasts in columns become the unicasts that their records become, one by one."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from sim_model.hypercube.multicasts import OWN_SOFTWARE
from sim_model.hypercube.multicasts import software_sends as cube_sends
from sim_model.messages.columns import ANY, MessageColumns, checked_messages
from sim_model.messages.messages import MessageError, Messages
from sim_model.messages.recursive_doubling import Unicast
from sim_model.messages.schedule import software_schedule
from sim_model.messages.software import COMMON_SOFTWARE, software_multicasts
from sim_model.messages.spread import spread_unicasts
from sim_model.torus.multinode import software_names
from sim_model.torus.multinode import software_sends as torus_sends
from topology.hypercube.graph import HypercubeNetwork
from topology.torus.grid import Grid

NODES = 16
TORUS, CUBE = Grid(4, 4), HypercubeNetwork(4, 2, 3)


def multicasts(seed=1, messages=300):
    """Unicasts, multicasts to any number of nodes, and broadcasts, in random order."""
    random = np.random.default_rng(seed)
    counts = random.choice([1, 2, 3, 5, 8, NODES - 1], messages)
    source = random.integers(NODES, size=messages)
    others = [random.permutation(np.delete(np.arange(NODES), one)) for one in source]
    goes = [np.sort(nodes[:count]) for nodes, count in zip(others, counts, strict=True)]
    return MessageColumns.of(
        source=source,
        destinations=np.concatenate(goes),
        counts=counts,
        flits=random.integers(4, 20, messages),
        start_cycle=np.sort(random.integers(0, 1_000, messages)),
    )


SENDERS = {
    **{name: partial(software_multicasts, software=name) for name in COMMON_SOFTWARE},
    **{f"torus {name}": partial(torus_sends, TORUS, software=name, seed=3) for name in software_names(TORUS)},
    **{f"cube {name}": partial(cube_sends, CUBE, software=name) for name in OWN_SOFTWARE},
}


def checked(records):
    channels = CUBE.injection_channels_per_processor
    build = {"processors": NODES, "header_flits": lambda _: 1, "injection_channels": channels}
    return checked_messages(spread_unicasts(records, channels, 5), **build)


@pytest.mark.parametrize("name", SENDERS)
def test_columns_become_what_records_become(name, monkeypatch):
    columns = multicasts()
    from_records = checked(SENDERS[name](list(columns)))
    assert len(from_records) >= len(columns.destinations)  # partitioned multicasts have representatives as well
    assert set(np.diff(from_records.parent_offsets).tolist()) == ({0} if name == "separate" else {0, 1})
    monkeypatch.setattr(Messages, "build", None)  # valid columns skip this
    from_columns = checked(SENDERS[name](columns))
    for member, column in vars(from_records).items():
        assert np.array_equal(vars(from_columns)[member], column), member
        assert vars(from_columns)[member].dtype == column.dtype, member


@pytest.mark.parametrize("name", SENDERS)
def test_without_messages_there_is_nothing_to_send(name):
    none = multicasts()
    none = MessageColumns.of(
        source=none.source[:0],
        destinations=none.destinations[:0],
        counts=none.counts[:0],
        flits=none.flits[:0],
        start_cycle=none.start_cycle[:0],
    )
    assert len(checked(SENDERS[name](none))) == 0


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
    with pytest.raises(MessageError, match=f"^Message {number}: Destination must be a processor, 0 to 15, not 16$"):
        SENDERS[name](replace(columns, destinations=wrong))


def test_what_comes_back_to_the_source_starts_nothing():
    def there_and_back(source, destinations):
        first, *others = destinations
        return [Unicast(source, first), Unicast(first, source), *(Unicast(source, other) for other in others)]

    columns = multicasts()
    from_records, from_columns = (
        checked(software_schedule(records, NODES, there_and_back)) for records in (list(columns), columns)
    )
    for member, column in vars(from_records).items():
        assert np.array_equal(vars(from_columns)[member], column), member


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
