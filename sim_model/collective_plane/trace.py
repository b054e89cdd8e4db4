"""Recording of a plane: every register that lock-step compares and every input, cycle by cycle."""

from typing import NamedTuple

import numpy as np

from sim_model.collective_plane.folding import wide
from sim_model.collective_plane.state import FLUSH_WIRES, RESETTING
from sim_model.engines.cycle.records import NONE
from sim_model.loops.bits import lowest_bit
from sim_model.loops.compiled import compiled, compiled_apart
from topology.collectives.tables import PlaneTables


class PlaneTrace(NamedTuple):
    """Lines of a recording, one per cycle; none if nothing is recorded.

    Branches are in the order of ``PlaneTree.branches``, switches in that of ``PlaneTree.switches``. Marks of a word
    are bit 0 ``last``, bit 1 ``error`` and its group above; NONE is no word. Values beside NONE are 0.
    """

    up_marks: np.ndarray  # int16[lines, branches], output register at the lower end of a branch
    up_words: np.ndarray  # int64
    down_marks: np.ndarray  # int16[lines, branches], output register at its upper end
    down_words: np.ndarray  # int64
    up_credits: np.ndarray  # uint8[lines, branches], masks of groups: register at the upper end, for words upwards
    down_credits: np.ndarray  # uint8, register at the lower end, for words downwards
    mismatches: np.ndarray  # uint32[lines, switches]
    timeouts: np.ndarray  # uint32
    ready: np.ndarray  # uint8[lines, processors], register of tready
    result_marks: np.ndarray  # int16[lines, processors], NONE: not valid
    result_words: np.ndarray  # int64
    done: np.ndarray  # uint8[lines, processors], masks of groups
    done_error: np.ndarray  # uint8
    beat_marks: np.ndarray  # int16[lines, processors], input: beat that is offered; error is always 0
    beat_words: np.ndarray  # int64
    beat_operators: np.ndarray  # uint8
    requests: np.ndarray  # uint8[lines, processors], input: masks of groups
    takes: np.ndarray  # uint8[lines, processors], input: ready of the result stream
    flushes: np.ndarray  # uint8[lines], input: masks of groups
    resets: np.ndarray  # uint8[lines], input


def make_trace(lines: int, tables: PlaneTables) -> PlaneTrace:
    """Return an empty recording of some cycles."""
    tree = tables.tree
    branches, switches, processors = len(tree.branches), len(tree.switches), len(tree.processors)

    def marks(width: int) -> np.ndarray:
        return np.full((lines, width), NONE, dtype=np.int16)

    def words(width: int) -> np.ndarray:
        return np.zeros((lines, width), dtype=np.int64)

    def masks(width: int) -> np.ndarray:
        return np.zeros((lines, width), dtype=np.uint8)

    return PlaneTrace(
        up_marks=marks(branches),
        up_words=words(branches),
        down_marks=marks(branches),
        down_words=words(branches),
        up_credits=masks(branches),
        down_credits=masks(branches),
        mismatches=np.zeros((lines, switches), dtype=np.uint32),
        timeouts=np.zeros((lines, switches), dtype=np.uint32),
        ready=masks(processors),
        result_marks=marks(processors),
        result_words=words(processors),
        done=masks(processors),
        done_error=masks(processors),
        beat_marks=marks(processors),
        beat_words=words(processors),
        beat_operators=masks(processors),
        requests=masks(processors),
        takes=masks(processors),
        flushes=np.zeros(lines, dtype=np.uint8),
        resets=np.zeros(lines, dtype=np.uint8),
    )


@compiled_apart
def record_registers(line, now, last_slot, trace, state):
    """Record all registers at the start of a cycle.

    Parameters:
        now: Entry of this cycle in rings of slots.
        last_slot: Entry of the cycle in which a parent gets what a switch shows now.
    """
    trace.flushes[line] = state.counters[FLUSH_WIRES]
    trace.resets[line] = state.counters[RESETTING]
    for row in range(len(state.switches)):
        _record_switch(line, row, now, last_slot, trace, state)
    for processor in range(len(state.endpoints)):
        endpoint = state.endpoints[processor]
        trace.ready[line, processor] = endpoint.ready
        trace.done[line, processor] = endpoint.done
        trace.done_error[line, processor] = endpoint.done_error
        if endpoint.valid != 0:
            trace.result_marks[line, processor] = endpoint.marks
            trace.result_words[line, processor] = endpoint.word


@compiled
def _record_switch(line, row, now, last_slot, trace, state):
    """Record the error masks of a switch, and both ends of its branches."""
    switch, out = state.switches[row], state.outputs[now * state.switch_count + row]
    trace.mismatches[line, row] = switch.mismatches
    trace.timeouts[line, row] = switch.timeouts
    rest = wide(out.branches)
    while rest != 0:
        branch = switch.first_branch + lowest_bit(rest)
        rest &= rest - 1
        trace.down_marks[line, branch] = out.marks
        trace.down_words[line, branch] = out.word
    rest = wide(out.credited)
    while rest != 0:
        trace.up_credits[line, switch.first_branch + lowest_bit(rest)] = 1 << out.credit_group
        rest &= rest - 1
    _record_lower_ends(line, row, now, switch.processors, trace, state)
    _record_lower_ends(line, row, last_slot, ~switch.processors, trace, state)


@compiled
def _record_lower_ends(line, row, slot, branches, trace, state):
    """Record registers at the lower ends of some branches of a switch, which are in an entry of the rings."""
    switch, here = state.switches[row], slot * state.switch_count + row
    groups = state.arriving_groups[here] | state.returned_groups[here]
    while groups != 0:
        group = lowest_bit(groups)
        groups &= groups - 1
        entry = here * state.groups + group
        rest = state.arriving[entry] & branches
        while rest != 0:
            branch = switch.first_branch + lowest_bit(rest)
            rest &= rest - 1
            number = branch * state.groups + group
            place = (state.queues[number].sent - 1) & state.buffer_mask
            word = state.up_buffers[(number << state.buffer_bits) + place]
            trace.up_marks[line, branch] = word.marks
            trace.up_words[line, branch] = word.word
        rest = state.returned[entry] & branches
        while rest != 0:
            trace.down_credits[line, switch.first_branch + lowest_bit(rest)] |= 1 << group
            rest &= rest - 1
