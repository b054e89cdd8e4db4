"""Orders of the cycle (docs/look_up/timing_hypercube.md): cyclically up or down from a number."""

from collections.abc import Sequence

import numpy as np

from sim_model.engines.cycle.state import make_records
from sim_model.loops.bits import first_at_or_after, highest_bit, last_at_or_before, lowest_bit
from sim_model.loops.compiled import compiled
from topology.common.choice_orders import cycle_order, lane_order_size, order_size
from topology.common.lanes import MAX_LANE_PORTS

ORDER_FIELDS = (
    "descends",  # 1 if numbers go down
    "input",  # the first one, as all that follows
    "lane_port",  # of that input: its first VC, or its last one if numbers go down
    "lane",  # of any input
)


def make_orders(lanes_of: Sequence[int], most_lanes: int) -> np.recarray:
    """Return all orders of the cycle, until those of inputs and VCs begin anew together.

    Parameters
    ----------
    lanes_of : sequence of int
        Mask of the lane-ports of each input.
    most_lanes : int
        VCs of an input.

    Returns
    -------
    recarray
        ``ORDER_FIELDS`` by cycle + 1.
    """
    ports = order_size(len(lanes_of))
    lanes = lane_order_size(most_lanes, ports)
    steps = range(2 * ports * lanes)
    first = np.array([cycle_order(ports, step - 1)[0] for step in steps])
    descends = np.arange(len(steps)) % 2
    ends = np.array([*((highest_bit(mask), lowest_bit(mask)) for mask in lanes_of), (MAX_LANE_PORTS,) * 2])
    return make_records(
        len(steps),
        ORDER_FIELDS,
        descends=descends,
        input=first,
        lane_port=np.where(descends, *ends[first].T),
        lane=[cycle_order(lanes, step - 1)[0] for step in steps],
    )


@compiled
def order_of(cycle, family):
    """Return the record of a cycle."""
    return family.orders[(cycle + 1) % len(family.orders)]


@compiled
def first_in_order(mask, first, order):
    """Return the position of the first 1 in the order of a cycle, from ``first`` on; the mask is not 0."""
    return last_at_or_before(mask, first) if order.descends else first_at_or_after(mask, first)
