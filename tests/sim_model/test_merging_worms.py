"""Merging worms: they deadlock on shared channels, and not on a plane of their own."""

from itertools import pairwise

import pytest

from sim_model.collective_plane.merging_worms import Worm, crossing_multicast, crossing_reductions, run_worms


@pytest.mark.parametrize(
    ("worms", "channels"),
    [
        (crossing_reductions(), {"X->T", "Y->T", "T->root"}),
        (crossing_multicast(), {"X->T", "Y->T", "T->root", "W->X", "W->Y", "m->W"}),
    ],
    ids=["reductions", "multicast"],
)
def test_worms_that_merge_on_shared_channels_deadlock_and_those_of_a_plane_do_not(worms, channels):
    outcome = run_worms(worms)
    assert {name.split(" on ")[1] for name in outcome.circle} == channels
    assert {name.split(" on ")[0] for name in outcome.circle} == {worm.name for worm in worms}
    assert outcome.text.count(" -> ") == len(outcome.circle)
    assert outcome.text.endswith(f" -> {outcome.circle[0]}")
    alone = run_worms(worms, plane=True)
    assert alone.circle == ()
    assert alone.text == "no deadlock"


@pytest.mark.parametrize("worms", [crossing_reductions(), crossing_multicast()], ids=["reductions", "multicast"])
def test_any_of_them_missing_the_others_arrive(worms):
    for missing in worms:
        assert run_worms([worm for worm in worms if worm is not missing]).circle == ()


def test_a_worm_takes_a_cycle_per_channel_and_word():
    path = [f"{a}->{b}" for a, b in pairwise(range(6))]
    worm = Worm("A", dict(zip(path, [(), *((before,) for before in path)], strict=False)), 7)
    assert run_worms([worm]).cycles == 5 + 7 - 1
