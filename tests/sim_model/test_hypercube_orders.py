"""The golden model's table of the orders of the cycle, against the rule that hardware and model share."""

import numpy as np
import pytest

from sim_model.hypercube.orders import first_in_order, make_orders
from topology.common.choice_orders import cycle_order, order_size, vc_order_size

SHAPES = [(2, 1), (3, 3), (4, 8), (7, 3), (8, 2), (12, 1)]  # inputs; VCs of all but the last two


@pytest.mark.parametrize(("inputs", "vcs"), SHAPES)
def test_who_comes_first_in_any_cycle(inputs, vcs):
    ends = np.cumsum([vcs] * (inputs - 2) + [1, 1]).tolist()
    masks = [(1 << end) - (1 << begin) for begin, end in zip([0, *ends], ends, strict=False)]
    orders, random = make_orders(masks, vcs), np.random.default_rng(inputs)
    for cycle in range(-1, len(orders) - 1):
        order, asking = orders[cycle + 1], int(random.integers(1, 1 << inputs))
        port = next(port for port in cycle_order(order_size(inputs), cycle) if asking >> port & 1)
        assert first_in_order(asking, order.input, order) == port
        vc_ports = sum(mask for number, mask in enumerate(masks) if asking >> number & 1)
        assert masks[port] >> first_in_order(vc_ports, order.vc_port, order) & 1


@pytest.mark.parametrize(("inputs", "vcs"), SHAPES)
def test_which_vc_of_an_input_comes_first(inputs, vcs):
    orders, random = make_orders([1] * inputs, vcs), np.random.default_rng(vcs)
    size = vc_order_size(vcs, order_size(inputs))
    for cycle in range(-1, len(orders) - 1):
        order, asking = orders[cycle + 1], int(random.integers(1, 1 << vcs))
        vc = next(vc for vc in cycle_order(size, cycle) if asking >> vc & 1)
        assert first_in_order(asking, order.vc, order) == vc


@pytest.mark.parametrize(("inputs", "vcs"), SHAPES)
def test_the_table_ends_where_both_orders_begin_anew(inputs, vcs):
    ports = order_size(inputs)
    cycles = len(make_orders([1] * inputs, vcs))
    for size in (ports, vc_order_size(vcs, ports)):
        assert [cycle_order(size, cycle + cycles) for cycle in range(4)] == [
            cycle_order(size, cycle) for cycle in range(4)
        ]
