"""The orders of the cycle for planes: for each input the inputs after it, and the VCs in a row."""

import numpy as np

from topology.common.choice_orders import cycle_order, order_size, vc_order_size
from topology.hypercube.diagonals import input_codes


def input_orders(dimensions: int, inputs: int, width: int) -> np.ndarray:
    """Return the precedence among inputs: int64[cycles, width * width], by cycle + 1 modulo their number.

    From ``code * width`` on there is a vector that is -1 for all inputs that come after the one with this code
    (``topology/hypercube/diagonals.py``).
    """
    size, codes = order_size(inputs), input_codes(dimensions, inputs - dimensions)
    table = np.zeros((2 * size, width, width), dtype=np.int64)
    for step in range(2 * size):
        order = [codes[number] for number in cycle_order(size, step - 1) if number < inputs]
        for position, code in enumerate(order):
            table[step, code, order[position + 1 :]] = -1
    return table.reshape(2 * size, width * width)


def vc_orders(inputs: int, vcs: int) -> np.ndarray:
    """Return the VCs of any input, the first one first: int64[cycles, VCs], by cycle + 1 modulo their number."""
    size = vc_order_size(vcs, order_size(inputs))
    orders = [[vc for vc in cycle_order(size, step - 1) if vc < vcs] for step in range(2 * size)]
    return np.array(orders, dtype=np.int64)
