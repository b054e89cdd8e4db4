"""Reports of bad input by a network: the same in hardware and golden model (docs/look_up/bad_input.md)."""

from topology.common.channels import ChannelNetwork
from topology.common.observed import StatusOutput

STATUS_PART = "errors"
"""Name of the part that gathers errors, and prefix of its outputs."""

COUNT_BITS = 16
"""Width of the saturating number of discarded worms."""
MAX_COUNTED = (1 << COUNT_BITS) - 1

SUMMANDS = 8
"""Numbers that the hardware adds up in one cycle."""

REPORT_CYCLES = 3
"""Cycles from the reading of the last header flit of an unroutable worm to its channel's bit on the outputs."""


def sum_cycles(inputs: int) -> int:
    """Return the cycles for adding up one bit of each input, after the channel's bit."""
    cycles = 0
    while inputs > 1:
        inputs = -(-inputs // SUMMANDS)
        cycles += 1
    return cycles


def watched_channels(network: ChannelNetwork) -> list[int]:
    """Return the channels into switches, in the order of the switches and their ports."""
    return [channel for switch in range(network.switches) for channel in network.input_channel[switch]]


def error_outputs(network: ChannelNetwork) -> tuple[StatusOutput, ...]:
    """Return a bit per channel of the network for each kind of error, and the number of discarded worms."""
    channels = len(network.channels)
    outputs = (("unroutable", channels), ("misframed", channels), ("discarded", COUNT_BITS))
    return tuple(StatusOutput(f"{STATUS_PART}_{name}", bits) for name, bits in outputs)
