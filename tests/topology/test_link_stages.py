"""Register stages of links: their channels, names, and maximum number."""

import pytest

from tests.networks import figure_1
from topology.common.graph import Network
from topology.common.link_stages import LinkStages, check_link_cycles
from topology.harts.frame import most_link_cycles
from topology.min.deadlock import check_min_deadlock
from topology.min.graph import MinNetwork
from topology.min.groups import PRINTED, TokenGroups
from topology.min.routing import MinRouting


def test_links_of_one_cycle_have_no_stages():
    links = LinkStages(figure_1())
    assert (links.per_side_wire, links.most, links.channels, links.hops) == (0, 0, (), ())
    assert links.moved_bits == len(links.network.channels)
    assert all(links.hops_of(channel.index) == () for channel in links.network.channels)


def test_stages_stand_between_switches_only():
    links = LinkStages(figure_1(), 3)
    network = links.network
    for channel in network.channels:
        between = network.is_switch(channel.source) and network.is_switch(channel.sink)
        stages = ((channel.index, 1), (channel.index, 2)) if between else ()
        assert links.hops_of(channel.index) == stages
    assert len(links.channels) == 2 * len(network.edges)
    assert links.hops == tuple(hop for channel in links.channels for hop in links.hops_of(channel))
    assert links.moved_bits == len(network.channels) + 2 * len(links.channels)
    first = links.hops[0]
    assert links.name(first) == f"{network.channels[first[0]].name} stage 1"


def test_a_network_may_give_the_length_of_channels_each_way_for_itself():
    network = Network(3, [(0, 1), (1, 2), (0, 2)], [0, 1, 2], link_cycles={(0, 1): 4, (1, 0): 1, (2, 1): 3})
    links = LinkStages(network, 2)
    stages = {network.channels[c].name: links.stages_of(c) for c in links.channels}
    assert stages == {"s0->s1": 3, "s0->s2": 1, "s1->s2": 1, "s2->s0": 1, "s2->s1": 2}
    assert (links.most, links.per_side_wire, len(links.hops)) == (3, 1, 8)
    assert links.moved_bits == len(network.channels) + 8
    longest = next(c for c in links.channels if links.stages_of(c) == 3)
    assert links.hops_of(longest) == ((longest, 1), (longest, 2), (longest, 3))
    assert all(links.stages_of(c) == 0 for c in (*network.injection_channels, *network.delivery_channels))


def test_a_length_that_the_network_gives_has_bounds():
    with pytest.raises(ValueError, match="Cycles of a link must be an integer from 1 to 16, not 17"):
        LinkStages(Network(2, [(0, 1)], [0, 1], link_cycles={(0, 1): 17}))


@pytest.mark.parametrize("value", [0, -1, 17, 2.0, True, "3", None])
def test_bad_lengths(value):
    with pytest.raises(ValueError, match="Cycles of a link must be an integer from 1 to 16, not"):
        LinkStages(figure_1(), value)
    with pytest.raises(ValueError, match="Cycles of a link must be an integer from 1 to 3, not"):
        check_link_cycles(value if value != 2.0 else 4, 3)


def test_flits_until_a_token_goes_on_count_those_in_stages():
    """Worked by hand: per switch behind this one a register, two flits in each stage, and a buffer."""
    groups = TokenGroups(MinNetwork("baseline", 2, 3))
    levels = groups.levels[0]
    assert levels == 2
    assert [groups.release_flits(0, 4, cycles) for cycles in (1, 2, 3, 5)] == [11, 15, 19, 27]
    assert [groups.release_flits(0, 4, cycles, PRINTED) for cycles in (1, 5)] == [13, 13]


def test_the_static_check_knows_that_the_paper_s_release_counts_no_stages():
    routing = MinRouting(MinNetwork("baseline", 2, 3), 16)
    assert check_min_deadlock(routing, 2, PRINTED).free
    verdict = check_min_deadlock(routing, 2, PRINTED, 2)
    assert not verdict.free
    assert "passes the token on after 7 flits" in verdict.reason
    assert check_min_deadlock(routing, 2, link_cycles=2).free


def test_links_of_hexagonal_meshes_are_bounded_by_gap_and_frame():
    assert [most_link_cycles(gap_frames) for gap_frames in (1, 2, 3, 255)] == [3, 6, 6, 6]
