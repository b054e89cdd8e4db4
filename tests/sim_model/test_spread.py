"""Messages over the injection channels of their hosts."""

from collections import Counter
from itertools import pairwise

from sim_model.messages.messages import Message
from sim_model.messages.software import software_multicasts
from sim_model.messages.spread import spread_unicasts

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


def test_with_one_channel_nothing_changes():
    assert spread_unicasts(UNICASTS, 1, 5) == UNICASTS


def test_what_has_a_channel_keeps_it():
    records = [Message(0, [1], 5, injection=4), Message(0, [1], 5), Message(0, [1], 5, injection=0)]
    spread = spread_unicasts(records, 6, 3)
    assert (spread[0], spread[2]) == (records[0], records[2])
    assert spread[1].injection is not None


def test_copies_of_a_multicast_go_over_one_channel_after_the_other():
    for seed in range(5):
        separate = software_multicasts([Message(3, range(9), 5)], "separate")
        own = [record.injection or 0 for record in spread_unicasts(separate, 4, seed)]
        assert [(later - earlier) % 4 for earlier, later in pairwise(own)] == [1] * 7
    chain = spread_unicasts(software_multicasts([Message(3, range(16), 5)]), 4, 1)
    for node in range(16):
        own = [message.injection for message in chain if message.source == node]
        assert len(set(own)) == min(4, len(own))
