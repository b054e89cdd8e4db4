"""Orders of choice in routers with adaptive routing: one that changes in every cycle, and a random one.

Both are the same in hardware and golden model.
"""

from math import gcd

ORDER_SEED = 1
"""First state of the linear feedback shift register behind a random order: 16 bits, Galois form, maximal."""
ORDER_FEEDBACK = 0xB400


def order_size(inputs: int) -> int:
    """Return the size of the order of the cycle: an odd number, so that each number is first in both directions."""
    return inputs | 1


def vc_order_size(vcs: int, order: int) -> int:
    """Return the size of a second order of the cycle: odd, and without a common factor with the first order's size.

    So each VC is first together with each input.
    """
    size = order_size(max(2, vcs))
    while gcd(size, order) > 1:
        size += 2
    return size


def cycle_order(size: int, cycle: int) -> list[int]:
    """Return the order of a cycle, first number first.

    With k = cycle + 1: in even k it goes up from k modulo the size, and in odd k down from k - 1, cyclically.

    Parameters:
        size: Odd.
        cycle: -1 or more; cycle 0 is the second one after reset.
    """
    steps = cycle + 1
    if steps % 2:
        return [(steps - 1 - place) % size for place in range(size)]
    return [(steps + place) % size for place in range(size)]


def next_random_order(order: list[int], state: int) -> tuple[list[int], int]:
    """Return the next random order after a choice: all numbers go up by one, cyclically; 0 and 1 may be swapped.

    The first order is 0, 1, 2 and so on, with the state ``ORDER_SEED``.

    Parameters:
        order: First number first.
        state: Of the shift register. Its lowest bit decides.

    Returns:
        order (list of int)
        state (int)
    """
    size = len(order)
    moved = [(number + 1) % size for number in order]
    if state & 1 and size > 1:
        moved = [1 - number if number < 2 else number for number in moved]
    return moved, state >> 1 ^ (ORDER_FEEDBACK if state & 1 else 0)
