"""Checks and columns of message sets."""

import pytest

from sim_model.messages.messages import Message, MessageError, Messages


def build(*records, **settings):
    settings = {"processors": 8, **settings}
    return Messages.build(records, header_flits=lambda destinations: 1 + (len(destinations) > 1), **settings)


def test_columns():
    messages = build(
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
    messages = build(Message(0, [3, 2], 9), Message(2, [0], 3), alike, apart)
    assert messages.parent_offsets.tolist() == [0, 0, 0, 2, 5]
    assert messages.parents.tolist() == [1, 0, 0, 2, 1]
    assert messages.delay_cycles.tolist() == [5, 5, 1, 0, 7]
    assert messages.start_cycle.tolist() == [0, 0, 0, 9]


def test_injection_channels():
    messages = build(Message(2, [5], 9, injection=5), Message(2, [5], 9), injection_channels=6)
    assert messages.injection.tolist() == [5, 0]
    for channel in (7, 6, -1):
        with pytest.raises(MessageError, match=f"^Message 0: Injection channel must be 0 to 5, not {channel}$"):
            build(Message(2, [5], 9, injection=channel), injection_channels=6)


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (Message(8, [1], 5), "Source must be a processor, 0 to 7, not 8"),
        (Message(-1, [1], 5), "Source must be a processor, 0 to 7, not -1"),
        (Message(0, [1, 9], 5), "Destination must be a processor, 0 to 7, not 9"),
        (Message(0, [0], 5), "Destinations must name a processor other than the source 0, not [0]"),
        (Message(0, [], 5), "Destinations must name a processor other than the source 0, not []"),
        (Message(0, [1, 2], 1), "Length must be at least the 2 header flits, not 1"),
        (Message(0, [1], 0), "Length must be at least the 1 header flits, not 0"),
        (Message(0, [1], 65_536), "Length must be at most 65535 flits, not 65536"),
        (Message(0, [1], 5, start_cycle=-3), "Start cycle must be at least 0, not -3"),
        (Message(3, [1], 5, parents=(0,), delay_cycles=-1), "Delay must be at least 0 cycles, not -1"),
        (Message(3, [1], 5, parents=(1,)), "Parent must be an earlier message, not 1"),
        (Message(3, [1], 5, parents=(0, -1)), "Parent must be an earlier message, not -1"),
        (Message(4, [1], 5, parents=(0,)), "Parent must be a message that processor 4 gets or sends, not 0"),
        (Message(3, [1], 5, parents=(0, 0), delay_cycles=(4,)), "Delays must be as many as the 2 parents, not 1"),
        (Message(0, [1], 5, parents=(0, 0), delay_cycles=(4, -2)), "Delay must be at least 0 cycles, not -2"),
        (Message(3, [1], 5, parents=(0,), start_cycle=-1), "Start cycle must be at least 0, not -1"),
        (Message(4, [1], 5, injection=1), "Injection channel must be 0, not 1"),
    ],
)
def test_broken_records_are_named(record, problem):
    with pytest.raises(MessageError) as caught:
        build(Message(0, [3], 5), record)
    assert str(caught.value) == f"Message 1: {problem}"
    assert caught.value.number == 1
    assert caught.value.problem == problem
