"""Numbers that hardware and model share: back-pressure of hosts, orders of choice, register stages of links."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from math import ceil

import numpy as np
import pytest

from tests.each import each
from tests.networks import figure_1
from topology.common.choice_orders import ORDER_SEED, cycle_order, next_random_order, order_size, vc_order_size
from topology.common.graph import Network
from topology.common.host_pattern import (
    EAGER,
    LEVELS,
    PERIOD_CYCLES,
    RECEIVER,
    SOURCE,
    Blockade,
    HostBehaviour,
    endpoint_salt,
    first_state,
    holds_back,
    level_of,
    next_state,
    next_state_masks,
    positions_in_ring,
    ring_of_states,
)
from topology.common.link_stages import LinkStages, check_link_cycles
from topology.harts.frame import most_link_cycles
from topology.min.deadlock import check_min_deadlock
from topology.min.graph import MinNetwork
from topology.min.groups import AS_PUBLISHED, TokenGroups
from topology.min.routing import MinRouting


def test_the_register_runs_through_all_states_but_0():
    ring = ring_of_states()
    assert sorted(ring.tolist()) == list(range(1, PERIOD_CYCLES + 1))
    assert next_state(int(ring[-1])) == int(ring[0]) == 1
    assert (ring[positions_in_ring()[1:]] == np.arange(1, PERIOD_CYCLES + 1)).all()
    assert next_state(0) == 0


def test_masks_say_what_a_state_becomes():
    masks = next_state_masks()
    for state in (1, 0x8000, 0x1234, 0xFFFF):
        assert sum(((state & mask).bit_count() & 1) << row for row, mask in enumerate(masks)) == next_state(state)


@each("level", [0, 1, 77, 230, 255])
def test_levels_are_probabilities_and_cycles_independent(level):
    held = np.array([holds_back(state, level) for state in ring_of_states().tolist()], dtype=float)
    assert held.mean() == pytest.approx(level / LEVELS, abs=1e-4)
    if level:
        for distance in range(1, 9):
            assert abs(np.corrcoef(held[:-distance], held[distance:])[0, 1]) < 0.05


@each("seed", [0, 4, 0xFFFF])
def test_endpoints_of_large_networks_begin_at_different_states(seed):
    salts = [endpoint_salt(role, number) for role in (SOURCE, RECEIVER) for number in range(4096)]
    states = {first_state(seed, salt) for salt in salts}
    assert 0 not in states
    assert len(states) >= len(salts) - 1


def test_levels_of_probabilities():
    assert [level_of(p) for p in (0, 1 / 256, 0.3, 0.9, 255 / 256)] == [0, 1, 77, 230, 255]
    for wrong in (0.001, 0.999, 1.0, -0.5):
        with pytest.raises(ValueError, match=r"Probability is .*; it must be 0, or 1/256 to 255/256"):
            level_of(wrong)


@each(
    "make, message",
    [
        (lambda: HostBehaviour(pause_level=256), "Pause level is 256; it must be 0 to 255"),
        (lambda: HostBehaviour(stall_level=-1), "Stall level is -1; it must be 0 to 255"),
        (lambda: HostBehaviour(seed=65_536), "Seed of the hosts is 65536; it must be 0 to 65535"),
        (lambda: Blockade(-1, 0, 1), "Blocked processor is -1; it must be at least 0"),
        (lambda: Blockade(0, -1, 1), "Start of a blockade is -1; it must be at least cycle 0"),
        (lambda: Blockade(0, 0, 0), "A blockade must take at least 1 cycle, not 0"),
    ],
)
def test_wrong_behaviour_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_who_stalls():
    assert not EAGER.stalls
    assert not HostBehaviour(pause_level=1).stalls
    assert HostBehaviour(stall_level=1).stalls
    assert HostBehaviour(blocked=(Blockade(0, 5, 7),)).stalls
    assert Blockade(0, 5, 7).end_cycle == 12


REGISTER_PERIOD = (1 << 16) - 1
WORST_SHARES = {
    2: (0.51, 0.00),
    3: (0.55, 0.01),
    4: (0.54, 0.03),
    5: (1.39, 0.20),
    6: (0.93, 0.33),
    7: (2.08, 0.44),
    8: (2.82, 2.81),
}
"""By dimensions: by how many percent of its fair share any member of any set of them comes first too often or too
rarely, in the worst case, rounded up: over a period of the shift register from reset on, and over a period of register
and order together."""


@each("size", [3, 5, 7, 9])
def test_orders_of_the_cycle_are_fair(size):
    orders = [cycle_order(size, cycle) for cycle in range(2 * size)]
    assert all(sorted(order) == list(range(size)) for order in orders)
    assert Counter(order[0] for order in orders) == dict.fromkeys(range(size), 2)
    for a in range(size):
        for b in range(size):
            if a != b:
                assert sum(order.index(a) < order.index(b) for order in orders) == size


@each("vcs", range(1, 9))
@each("inputs", range(2, 17))
def test_every_vc_is_first_together_with_every_input(inputs, vcs):
    ports = order_size(inputs)
    second = vc_order_size(vcs, ports)
    assert second >= vcs
    firsts = {(cycle_order(ports, c)[0], cycle_order(second, c)[0]) for c in range(2 * ports * second)}
    assert len(firsts) == ports * second


def random_orders(dimensions: int) -> Iterator[tuple[list[int], int]]:
    """Orders and states of the register that follow each other, without end."""
    order, state = list(range(dimensions)), ORDER_SEED
    while True:
        yield order, state
        order, state = next_random_order(order, state)


def period_of_both(dimensions: int) -> list[list[int]]:
    following = random_orders(dimensions)
    begin = next(following)
    orders = [begin[0]]
    for now in following:
        if now == begin:
            return orders
        orders.append(now[0])
    raise AssertionError


def times_first(orders: list[list[int]]) -> Iterator[np.ndarray]:
    """Of every set of numbers: how often each member comes first in it, shape (members,)."""
    places = np.argsort(orders, axis=1)
    count = places.shape[1]
    for mask in range(1, 1 << count):
        members = [number for number in range(count) if mask >> number & 1]
        yield np.bincount(np.argmin(places[:, members], axis=1), minlength=len(members))


def worst_share(orders: list[list[int]]) -> float:
    """By how many percent of its fair share any member of any set comes first too often or too rarely, rounded up."""
    worst = max(np.abs(times * len(times) / len(orders) - 1).max() for times in times_first(orders))
    return ceil(worst * 10_000) / 100


@pytest.mark.parametrize(
    "dimensions", [pytest.param(count, marks=pytest.mark.slow if count > 5 else ()) for count in WORST_SHARES]
)
def test_the_random_order_is_fair_over_its_periods(dimensions):
    following = random_orders(dimensions)
    states = [state for _, state in islice(following, REGISTER_PERIOD)]
    assert len(set(states)) == REGISTER_PERIOD
    assert next(following)[1] == states[0]
    orders = period_of_both(dimensions)
    assert (worst_share(orders[:REGISTER_PERIOD]), worst_share(orders)) == WORST_SHARES[dimensions]
    if dimensions in (2, 3, 4, 5, 7):  # if all can be had, each comes first equally often
        assert len(orders) == dimensions * REGISTER_PERIOD
        assert Counter(order[0] for order in orders) == dict.fromkeys(range(dimensions), REGISTER_PERIOD)


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


@each("value", [0, -1, 17, 2.0, True, "3", None])
def test_bad_lengths(value):
    with pytest.raises(ValueError, match=r"Cycles of a link are .*; they must be an integer from 1 to 16"):
        LinkStages(figure_1(), value)
    with pytest.raises(ValueError, match=r"Cycles of a link are .*; they must be an integer from 1 to 3"):
        check_link_cycles(value if value != 2.0 else 4, 3)


def test_flits_until_a_token_goes_on_count_those_in_stages():
    """Worked by hand: per switch behind this one a register, two flits in each stage, and a buffer."""
    groups = TokenGroups(MinNetwork("baseline", 2, 3))
    levels = groups.levels[0]
    assert levels == 2
    assert [groups.release_flits(0, 4, cycles) for cycles in (1, 2, 3, 5)] == [11, 15, 19, 27]
    assert [groups.release_flits(0, 4, cycles, AS_PUBLISHED) for cycles in (1, 5)] == [13, 13]


def test_the_static_check_knows_that_the_paper_s_release_counts_no_stages():
    routing = MinRouting(MinNetwork("baseline", 2, 3), 16)
    assert check_min_deadlock(routing, 2, AS_PUBLISHED).free
    verdict = check_min_deadlock(routing, 2, AS_PUBLISHED, 2)
    assert not verdict.free
    assert "passes the token on after 7 flits" in verdict.reason
    assert check_min_deadlock(routing, 2, link_cycles=2).free


def test_links_of_hexagonal_meshes_are_bounded_by_gap_and_frame():
    assert [most_link_cycles(gap_frames) for gap_frames in (1, 2, 3, 255)] == [3, 6, 6, 6]
    assert [most_link_cycles(gap_frames, guard=True) for gap_frames in (1, 2, 255)] == [3, 4, 4]
