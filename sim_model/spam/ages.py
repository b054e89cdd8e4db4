"""Ages of messages in SPAM routers, and the queues sorted by them (``topology/common/ages.py``).

All of it runs only with ages: ``SpamState.ages`` is None without. An age is stored with the cycle since which it
counts, so that no work is left to cycles in which nothing else happens.
"""

from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.records import NONE, make_records
from sim_model.loops.bits import index_of, lowest_bit, message_of
from sim_model.loops.compiled import compiled
from topology.common.ages import AGE_BITS, LAST_AGE, LONG_AGE, hold_cycles, step_shifts
from topology.common.link_stages import STAGE_FLITS, LinkStages

AGE_FIELDS = (
    "entered_cycle",  # cycle in which the request was completed
    "age",  # age of the head that arrived last while the input did not wait, at ``counted_cycle``
    "counted_cycle",  # cycle since which the age counts, or NONE
    "held_until",  # last cycle in which the input waits for one that has left the queues
)


class Ages(NamedTuple):
    """Ages of all messages in the queues and on the channels behind them."""

    hold_cycles: int
    short_shift: int  # logarithms of the cycles per step of the age
    long_shift: int
    inputs: np.recarray  # AGE_FIELDS, by channel (for the input at its sink)
    newest: np.ndarray  # int64[switches], input whose request was completed in the cycle before, or NONE
    sent: np.ndarray  # int64[channels, heads], ring of heads that left on a channel: message and age
    sent_heads: np.ndarray  # int64[channels], all heads that left
    stage_channel: np.ndarray  # int64[stages], channel of each register stage, in the order of ``LinkStages.hops``


def make_ages(links: LinkStages, *, buffer_depth_flits: int, routing_cycles: int, step_cycles: int) -> Ages:
    """Return the state before cycle 0."""
    channels = len(links.network.channels)
    short, long = step_shifts(step_cycles)
    under_way = 1 + STAGE_FLITS * links.most + buffer_depth_flits
    return Ages(
        hold_cycles=hold_cycles(routing_cycles),
        short_shift=short,
        long_shift=long,
        inputs=make_records(channels, AGE_FIELDS),
        newest=np.full(links.network.switches, NONE),
        sent=np.full((channels, 1 << under_way.bit_length()), NONE),
        sent_heads=np.zeros(channels, dtype=np.int64),
        stage_channel=np.array([channel for channel, _ in links.hops], dtype=np.int64),
    )


@compiled
def age_in(cycle, number, ages):
    """Return the age at an input."""
    age, time = ages.inputs[number].age, ages.inputs[number].counted_cycle
    while time != NONE and age < LAST_AGE:
        shift = ages.long_shift if age >= LONG_AGE else ages.short_shift
        time = ((time >> shift) + 1) << shift
        if time >= cycle:
            break
        age += 1
    return age


@compiled
def stop_counting(cycle, number, ages):
    """Keep the age of an input that is granted."""
    if ages is not None:
        record = ages.inputs[number]
        record.age, record.counted_cycle = age_in(cycle, number, ages), NONE


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
def update_ages(cycle, switch, state, spam, ages):
    """Step the age of the request that was completed in the cycle before, after the grants, and load those of heads.

    A head that arrives at an input that waits leaves its age alone.
    """
    if ages is None:
        return
    newest, queued = ages.newest[switch], spam.routers[switch].queued
    if newest != NONE:
        record = ages.inputs[state.input_channel[switch, newest]]
        if record.entered_cycle + 1 == cycle:
            record.age = min(LAST_AGE, record.age + 1)
            record.counted_cycle = cycle if queued >> newest & 1 else NONE
    rest = state.vertices[switch].arrived & ~queued
    while rest != 0:
        number = state.input_channel[switch, lowest_bit(rest)]
        rest &= rest - 1
        channel, record = state.channels[number], ages.inputs[number]
        flit = state.slots[number, (channel.front + channel.count - 1) & state.slot_mask]
        if index_of(flit) == 0 and record.entered_cycle + 1 != cycle:
            record.age, record.counted_cycle = sent_age(number, message_of(flit), ages), NONE


@compiled
def note_entry(cycle, switch, port, input_channel, ages):
    """Note that a request has been completed."""
    if ages is None:
        return
    record = ages.inputs[input_channel[switch, port]]
    record.entered_cycle, record.held_until = cycle, NONE
    ages.newest[switch] = port


@compiled
def find_order(cycle, switch, input_channel, spam, ages):
    """Put a request that was completed in the cycle before before all those that wait and are younger."""
    if ages is None:
        return
    newest, router = ages.newest[switch], spam.routers[switch]
    if newest == NONE or router.queued >> newest & 1 == 0:
        return
    number = input_channel[switch, newest]
    if ages.inputs[number].entered_cycle + 1 != cycle:
        return
    age = min(LAST_AGE, age_in(cycle, number, ages) + 1)
    rest = router.queued ^ 1 << newest
    while rest != 0:
        port = lowest_bit(rest)
        rest &= rest - 1
        other = input_channel[switch, port]
        if age > age_in(cycle, other, ages):
            spam.older[other, 0] |= 1 << newest
            spam.older[number, 0] &= ~(1 << port)
            router.recheck = 1


@compiled
def is_held(cycle, number, ages):
    """Return whether an input waits for one that has left the queues."""
    return ages is not None and cycle <= ages.inputs[number].held_until


@compiled
def note_head(cycle, number, output, flit, ages):
    """Store the age in a head that is copied from an input into an output register."""
    if ages is None:
        return
    if index_of(flit) == 0:
        age = age_in(cycle, number, ages)
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
