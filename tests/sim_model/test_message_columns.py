"""Messages as columns: checked like records for every error, and the parts they are drawn from."""

from dataclasses import replace

import numpy as np
import pytest

from sim_model.messages.columns import ANY, MessageColumns, checked_messages
from sim_model.messages.header_lengths import header_lengths
from sim_model.messages.messages import Message, MessageError, Messages
from sim_model.messages.spread import spread_unicasts
from sim_model.traffic.counts import FixedCount, FixedLength, LengthMix, Shares
from sim_model.traffic.destination_sets import RandomSets, WholeSets, all_others, same_group
from sim_model.traffic.generate import RandomTraffic
from sim_model.traffic.injection import BernoulliInjection
from sim_model.traffic.patterns import FixedPattern, UniformPattern

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


def build(columns, **changes):
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
    with pytest.raises(IndexError, match=r"^Number of a message must be 0 to 1, not 2$"):
        _ = columns[2]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"source": (0, 8)}, "Message 1: Source must be a processor, 0 to 7, not 8"),
        ({"source": (-1, 3)}, "Message 0: Source must be a processor, 0 to 7, not -1"),
        ({"destinations": (1, 2, 8)}, "Message 1: Destination must be a processor, 0 to 7, not 8"),
        ({"flits": (0, 5)}, "Message 0: Length must be at least the 1 header flits, not 0"),
        ({"flits": (1, 1)}, "Message 1: Length must be at least the 2 header flits, not 1"),
        ({"flits": (1, 65_536)}, "Message 1: Length must be at most 65535 flits, not 65536"),
        ({"start_cycle": (0, -7)}, "Message 1: Start cycle must be at least 0, not -7"),
        ({"source": (1, 3)}, r"Message 0: Destinations must name a processor other than the source 1, not \[1\]"),
        ({"counts": (3, 0)}, r"Message 1: Destinations must name a processor other than the source 3, not \[\]"),
    ],
)
def test_wrong_columns_are_named_like_wrong_records(changes, problem):
    with pytest.raises(MessageError, match=f"^{problem}$"):
        build(columns_of(**changes))


def test_injection_channels_are_checked():
    columns = replace(columns_of(), injection=np.array([ANY, 2], dtype=np.int32))
    with pytest.raises(MessageError, match=r"^Message 1: Injection channel must be 0 to 1, not 2$"):
        build(columns)


@pytest.mark.parametrize("destinations", [(1, 4, 2), (1, 2, 2), (1, 2, 3)], ids=["order", "twice", "source"])
def test_sets_that_are_out_of_order_are_put_in_order(destinations):
    columns = columns_of(destinations=destinations)
    messages = build(columns)
    assert messages.destinations_of(1).tolist() == sorted(set(destinations[1:]) - {3})


def test_header_lengths_ask_once_for_each_number_of_destinations():
    asked = []

    def lengths(destinations):
        asked.append(len(destinations))
        return 10 * len(destinations)

    assert header_lengths(np.cumsum([0, 1, 3, 1, 3, 3]), np.zeros(11, dtype=np.int32), lengths).tolist() == [
        10,
        30,
        10,
        30,
        30,
    ]
    assert asked == [1, 3]
    assert header_lengths(np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.int32), lengths).tolist() == []


def test_injection_channels_are_those_that_records_get():
    columns = RandomTraffic(**PARTS).draw(200, 3)
    assert list(spread_unicasts(columns, 4, 9)) == spread_unicasts(list(columns), 4, 9)
    assert spread_unicasts(columns, 1, 9) is columns


def test_one_aspect_can_change_and_the_others_stay():
    usual = RandomTraffic(**PARTS).draw(500, 1)
    assert usual == RandomTraffic(**PARTS).draw(500, 1)
    assert usual != RandomTraffic(**PARTS).draw(500, 2)
    other = RandomTraffic(**{**PARTS, "lengths": FixedLength(7)}).draw(500, 1)
    assert [replace(record, flits=7) for record in usual] == list(other)
    unicasts = RandomTraffic(**{**PARTS, "shares": Shares()}).draw(500, 1)
    assert np.array_equal(unicasts.start_cycle, usual.start_cycle)
    assert np.array_equal(unicasts.source, usual.source)
    assert np.array_equal(unicasts.flits, usual.flits)


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
    build(columns)


def test_parts_are_checked():
    with pytest.raises(ValueError, match=r"^Multicasts must have destination sets, not None$"):
        RandomTraffic(**{**PARTS, "sets": None})
    with pytest.raises(ValueError, match=r"^Traffic must last at least 1 cycle, not 0$"):
        RandomTraffic(**PARTS).draw(0, 1)
