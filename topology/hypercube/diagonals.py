"""Numbers of inputs and outputs on the diagonals of a switch: on diagonal d, input i meets output i ^ d.

Outputs have the numbers of their dimensions, and the delivery output comes behind them; so have inputs from other
switches. A host with one injection channel is there too. The channels of a host with several have the numbers P + c,
where P is the least power of two that is not below the number of dimensions: so all of them meet the output of their
own number on one diagonal, P, and the copies of a broadcast, each in the channel of its dimension, can leave at the
same time.
"""


def input_codes(dimensions: int, injection_channels: int) -> tuple[int, ...]:
    """Return the numbers of all inputs of a switch on diagonals, hosts' last.

    Parameters:
        dimensions: n, at least 1.
        injection_channels: 1 to n.
    """
    first = dimensions if injection_channels == 1 else 1 << (dimensions - 1).bit_length()
    return (*range(dimensions), *range(first, first + injection_channels))


def code_bits(dimensions: int, injection_channels: int) -> int:
    """Return the bits of these numbers, and of a diagonal."""
    return max(dimensions, *input_codes(dimensions, injection_channels)).bit_length()
