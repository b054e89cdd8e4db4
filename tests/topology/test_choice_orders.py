"""The orders by which routers with adaptive routing choose are fair, by exhaustive counting."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice
from math import ceil, factorial

import numpy as np
import pytest

from topology.common.choice_orders import ORDER_SEED, cycle_order, lane_order_size, next_random_order, order_size

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


@pytest.mark.parametrize("size", [3, 5, 7, 9])
def test_orders_of_the_cycle_are_fair(size):
    orders = [cycle_order(size, cycle) for cycle in range(2 * size)]
    assert all(sorted(order) == list(range(size)) for order in orders)
    assert Counter(order[0] for order in orders) == dict.fromkeys(range(size), 2)
    for a in range(size):
        for b in range(size):
            if a != b:
                assert sum(order.index(a) < order.index(b) for order in orders) == size


@pytest.mark.parametrize("lanes", range(1, 9))
@pytest.mark.parametrize("inputs", range(2, 17))
def test_every_lane_is_first_together_with_every_input(inputs, lanes):
    ports = order_size(inputs)
    second = lane_order_size(lanes, ports)
    assert second >= lanes
    firsts = {(cycle_order(ports, c)[0], cycle_order(second, c)[0]) for c in range(2 * ports * second)}
    assert len(firsts) == ports * second


def random_orders(dimensions: int) -> Iterator[tuple[list[int], int]]:
    """Orders and states of the register that follow each other, without end."""
    order, state = list(range(dimensions)), ORDER_SEED
    while True:
        yield order, state
        order, state = next_random_order(order, state)


def period_of_the_register(dimensions: int) -> list[list[int]]:
    return [order for order, _ in islice(random_orders(dimensions), REGISTER_PERIOD)]


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


@pytest.mark.parametrize("dimensions", WORST_SHARES)
def test_the_random_order_is_fair_over_the_period_of_its_register(dimensions):
    following = random_orders(dimensions)
    states = [state for _, state in islice(following, REGISTER_PERIOD)]
    assert len(set(states)) == REGISTER_PERIOD
    assert next(following)[1] == states[0]
    assert worst_share(period_of_the_register(dimensions)) == WORST_SHARES[dimensions][0]


@pytest.mark.parametrize(
    "dimensions", [pytest.param(count, marks=pytest.mark.slow if count > 7 else ()) for count in WORST_SHARES]
)
def test_the_random_order_is_fair_over_the_period_of_order_and_register(dimensions):
    assert worst_share(period_of_both(dimensions)) == WORST_SHARES[dimensions][1]


@pytest.mark.parametrize("dimensions", [2, 3, 4, 5, 7])
def test_if_all_can_be_had_each_comes_first_equally_often(dimensions):
    orders = period_of_both(dimensions)
    assert len(orders) == dimensions * REGISTER_PERIOD
    assert Counter(order[0] for order in orders) == dict.fromkeys(range(dimensions), REGISTER_PERIOD)


@pytest.mark.parametrize("dimensions", [2, 3, 4, 5, 6])
def test_every_order_comes_in_a_period_of_the_register(dimensions):
    orders = Counter(map(tuple, period_of_the_register(dimensions)))
    assert len(orders) == factorial(dimensions)


def test_a_register_that_never_decides_would_be_found():
    """Without changes of places the order only goes round: neighbours would come first in turn far too often."""
    turning = [[(number + k) % 3 for number in range(3)] for k in range(REGISTER_PERIOD)]
    assert worst_share(turning) > 30
