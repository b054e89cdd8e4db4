"""Orders of the cycle (docs/look_up/timing_hypercube.md): cyclically up or down from a number."""

from collections.abc import Sequence

import numpy as np

from sim_model.engines.cycle.state import make_records
from sim_model.loops.bits import first_at_or_after, highest_bit, last_at_or_before, lowest_bit
from sim_model.loops.compiled import compiled
from topology.common.choice_orders import cycle_order, order_size, vc_order_size
from topology.common.virtual_channels import MAX_VC_PORTS

ORDER_FIELDS = (
    "descends",  # 1 if numbers go down
    "input",  # the first one, as all that follows
    "vc_port",  # of that input: its first VC, or its last one if numbers go down
    "vc",  # of any input
)


def make_orders(vcs_of: Sequence[int], most_vcs: int) -> np.recarray:
    """Return all orders of the cycle, until those of inputs and VCs begin anew together.

    Parameters:
        vcs_of: Mask of the VC ports of each input.
        most_vcs: VCs of an input.

    Returns:
        ``ORDER_FIELDS`` by cycle + 1.
    """
    ports = order_size(len(vcs_of))
    vcs = vc_order_size(most_vcs, ports)
    steps = range(2 * ports * vcs)
    first = np.array([cycle_order(ports, step - 1)[0] for step in steps])
    descends = np.arange(len(steps)) % 2
    ends = np.array([*((highest_bit(mask), lowest_bit(mask)) for mask in vcs_of), (MAX_VC_PORTS,) * 2])
    return make_records(
        len(steps),
        ORDER_FIELDS,
        descends=descends,
        input=first,
        vc_port=np.where(descends, *ends[first].T),
        vc=[cycle_order(vcs, step - 1)[0] for step in steps],
    )


@compiled
def order_of(cycle, family):
    """Return the record of a cycle."""
    return family.orders[(cycle + 1) % len(family.orders)]


@compiled
def first_in_order(mask, first, order):
    """Return the position of the first 1 in the order of a cycle, from ``first`` on; the mask is not 0."""
    return last_at_or_before(mask, first) if order.descends else first_at_or_after(mask, first)
