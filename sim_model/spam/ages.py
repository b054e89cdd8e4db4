"""Ages of messages in SPAM routers, and the queues sorted by them (``topology/common/ages.py``).

All of it runs only with ages: ``SpamState.ages`` is None without. An age is stored with the cycle since which it
counts, so that no work is left to cycles in which nothing else happens.
"""

from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.records import NONE, make_records
from sim_model.loops.bits import index_of, lowest_bit, message_of
from sim_model.loops.compiled import compiled
from topology.common.ages import AGE_BITS, LAST_AGE, QUARTER_SHIFT, TICK_SHIFTS, hold_cycles
from topology.common.link_stages import STAGE_FLITS, LinkStages

AGE_FIELDS = (
    "entered_cycle",  # cycle in which the request was completed
    "header_age",  # age in the header
    "entry_age",  # age at the entry in the queues
    "held_until",  # last cycle in which the input waits for one that has left the queues
)


class Ages(NamedTuple):
    """Ages of all messages in the queues and on the channels behind them."""

    hold_cycles: int
    inputs: np.recarray  # AGE_FIELDS, by channel (for the input at its sink)
    newest: np.ndarray  # int64[switches], input whose request was completed in the cycle before, or NONE
    sent: np.ndarray  # int64[channels, heads], ring of heads that left on a channel: message and age
    sent_heads: np.ndarray  # int64[channels], all heads that left
    stage_channel: np.ndarray  # int64[stages], channel of each register stage, in the order of ``LinkStages.hops``


def make_ages(links: LinkStages, *, buffer_depth_flits: int, routing_cycles: int) -> Ages:
    """Return the state before cycle 0."""
    channels = len(links.network.channels)
    under_way = 1 + STAGE_FLITS * links.most + buffer_depth_flits
    return Ages(
        hold_cycles=hold_cycles(routing_cycles),
        inputs=make_records(channels, AGE_FIELDS),
        newest=np.full(links.network.switches, NONE),
        sent=np.full((channels, 1 << under_way.bit_length()), NONE),
        sent_heads=np.zeros(channels, dtype=np.int64),
        stage_channel=np.array([channel for channel, _ in links.hops], dtype=np.int64),
    )


@compiled
def age_in(cycle, number, ages):
    """Return the age of the message in the queues at an input, in a cycle after its request was completed."""
    age = ages.inputs[number].entry_age
    time = ages.inputs[number].entered_cycle + 1
    while age < LAST_AGE:
        shift = TICK_SHIFTS[max(age >> QUARTER_SHIFT, 1) - 1]
        time = ((time >> shift) + 1) << shift
        if time >= cycle:
            break
        age += 1
    return age


@compiled
def sent_age(number, message, ages):
    """Return the age in the head of a message on a channel; 0 if its source is a processor."""
    heads = ages.sent.shape[1]
    for back in range(1, heads + 1):
        entry = ages.sent[number, (ages.sent_heads[number] - back) & (heads - 1)]
        if entry == NONE:
            return 0
        if entry >> AGE_BITS == message:
            return entry & LAST_AGE
    return 0


@compiled
def note_entry(cycle, switch, port, state, spam, ages):
    """Store the age of a message whose request has been completed."""
    if ages is None:
        return
    number = state.input_channel[switch, port]
    record = ages.inputs[number]
    message = message_of(state.slots[number, state.channels[number].front])
    record.entered_cycle = cycle
    record.header_age = sent_age(number, message, ages)
    alone = spam.inputs[number].scanned == 1
    record.entry_age = min(LAST_AGE, (record.header_age if alone else 0) + 1)
    record.held_until = NONE
    ages.newest[switch] = port


@compiled
def find_order(cycle, switch, state, spam, ages):
    """Put a request that was completed in the cycle before before all those that wait and are younger."""
    if ages is None:
        return
    newest = ages.newest[switch]
    if newest == NONE:
        return
    number, waiting = state.input_channel[switch, newest], spam.routers[switch].queued
    if ages.inputs[number].entered_cycle + 1 != cycle or waiting >> newest & 1 == 0:
        return
    rest = waiting ^ 1 << newest
    while rest != 0:
        port = lowest_bit(rest)
        rest &= rest - 1
        other = state.input_channel[switch, port]
        if _is_older(cycle, number, other, ages):
            spam.older[other, 0] |= 1 << newest
            spam.older[number, 0] &= ~(1 << port)


@compiled
def _is_older(cycle, newest, number, ages):
    """Return whether the newest message in the queues is older than another one in them."""
    return ages.inputs[newest].entry_age > age_in(cycle, number, ages)


@compiled
def must_wait(cycle, switch, port, input_channel, ages):
    """Return whether a request that is first in all its queues is not granted yet.

    It waits for an input that has left the queues just now, or for an older message that comes in just now.
    """
    if ages is None:
        return False
    number, newest = input_channel[switch, port], ages.newest[switch]
    if newest == port and ages.inputs[number].entered_cycle + 1 == cycle:
        return False
    if cycle <= ages.inputs[number].held_until:
        return True
    if newest in (NONE, port):
        return False
    entered = input_channel[switch, newest]
    return ages.inputs[entered].entered_cycle + 1 == cycle and _is_older(cycle, entered, number, ages)


@compiled
def note_head(cycle, number, output, flit, ages):
    """Store the age in a head that is copied from an input into an output register."""
    if ages is None:
        return
    if index_of(flit) == 0:
        record = ages.inputs[number]
        age = record.header_age if record.entered_cycle + 1 == cycle else age_in(cycle, number, ages)
        ages.sent[output, ages.sent_heads[output] & (ages.sent.shape[1] - 1)] = message_of(flit) << AGE_BITS | age
        ages.sent_heads[output] += 1


@compiled
def hold_others(cycle, switch, request, state, spam, ages):
    """Keep the inputs waiting that waited for a released one."""
    if ages is None:
        return
    rest = spam.routers[switch].queued
    while rest != 0:
        number = state.input_channel[switch, lowest_bit(rest)]
        rest &= rest - 1
        if spam.inputs[number].request & request:
            ages.inputs[number].held_until = cycle + ages.hold_cycles


@compiled
def record_ages(trace, row, channels, ages):
    """Write the ages of heads that move into a recording, as the variants of their flits."""
    if ages is None:
        return
    for hop in range(trace.flits.shape[1]):
        flit = trace.flits[row, hop]
        if flit != NONE and index_of(flit) == 0:
            number = hop if hop < channels else ages.stage_channel[hop - channels]
            trace.variants[row, hop] = sent_age(number, message_of(flit), ages)
