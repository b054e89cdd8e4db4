"""Counts of each channel (``engines/counts.py``) as numbers in planes: bit k of those of 64 routers is a word."""

from collections.abc import Sequence

import numpy as np

from sim_model.engines.counts import IN_MESSAGE, KINDS, events
from sim_model.engines.plane.layout import RouterLayout
from sim_model.loops.compiled import compiled
from topology.common.counter_bus import ChannelCounts
from topology.common.virtual_channels import VcNetwork

COUNT_BITS = 48
"""Bits of a count."""


@compiled
def count_planes(cycles, word, first_cycle, planes, at: RouterLayout):
    """Count a cycle that is about to run, or several equal ones in which nothing moves, in 64 routers.

    Parameters:
        cycles, word, first_cycle (int): Number of cycles, group of routers, and the first of the cycles.
    """
    row, left, counts = planes.rows[word], planes.outputs[first_cycle & 1, word], planes.counts[word]
    for slot in range(at.SLOTS):
        valid, tail = left[at.OUT_VALID + slot], left[at.OUT_TAIL + slot]
        if slot == at.HOST_OUTPUT:
            valid, tail = row[at.REGISTER], row[at.REGISTER_TAIL]
        elif slot % at.WIDTH >= at.HOST_OUTPUT:
            continue
        _count(cycles, slot, valid, -1, tail, row, counts, at)
    for channel in range(at.CHANNELS):
        place = at.FIRST_HOST + channel
        valid, full = row[at.INJECTOR_VALID + place], row[at.HELD + (planes.depth - 1) * at.HELD_STEP + place]
        _count(cycles, at.SLOTS + channel, valid, ~full, row[at.INJECTOR_LAST + place], row, counts, at)


@compiled
def _count(cycles, slot, valid, ready, tail, row, counts, at: RouterLayout):
    happens = events(valid, ready, tail, row[at.IN_MESSAGE + slot])
    for kind in range(KINDS):
        add_to_planes(counts[kind, slot], happens[kind], cycles)
    row[at.IN_MESSAGE + slot] = happens[IN_MESSAGE]


@compiled
def add_to_planes(numbers, routers, amount):
    """Add an amount to the numbers of some routers; additions with ripple carry.

    Parameters:
        numbers (int64[bits])
        routers (int)
        amount (int): At least 0.
    """
    place = 0
    while amount != 0:
        carry, bit = routers if amount & 1 else 0, place
        while carry != 0:
            number = numbers[bit]
            numbers[bit] = number ^ carry
            carry &= number
            bit += 1
        amount >>= 1
        place += 1


def counts_by_planes(counts: np.ndarray, slots: np.ndarray, switches: np.ndarray) -> ChannelCounts:
    """Return the counts so far in the plane engine.

    Parameters:
        counts (int64[words, kinds, slots, bits])
        slots, switches (int64[channels]): As ``places_of_counts`` gives them.
    """
    bits = np.ascontiguousarray(np.moveaxis(counts, 0, -1)).view(np.uint8)
    planes = np.unpackbits(bits, axis=-1, bitorder="little")  # [kinds, slots, bits, routers]
    numbers = (planes.astype(np.int64) << np.arange(COUNT_BITS)[:, None]).sum(axis=2)
    return ChannelCounts(*numbers[:, slots, switches])


def places_of_counts(
    network: VcNetwork, outputs: Sequence[int | None], at: RouterLayout
) -> tuple[np.ndarray, np.ndarray]:
    """Return slot and switch of the counts of each channel.

    Parameters:
        outputs (sequence of int or None): Place of each channel among the outputs of its router; None for delivery
            channels and those from processors.
    """
    slots, switches = [], []
    for channel, output in zip(network.channels, outputs, strict=True):
        injects = not network.is_switch(channel.source)
        place = network.vc_of[channel.index] * at.WIDTH + (at.HOST_OUTPUT if output is None else output)
        slots.append(at.SLOTS + channel.source_port if injects else place)
        switches.append(channel.sink if injects else channel.source)
    return np.array(slots), np.array(switches)
