"""State of a plane: arrays of records, one per switch, branch, endpoint, contribution, and pairs of these with groups.

Masks have one bit per branch of a switch, or one per group. Words are the bits of a word as a signed integer.

Links are rings of ``link_cycles + 1`` slots. Words and credits to branches are in the slot of the cycle in which the
output register shows them. Words and credits to a parent are in the slot of the cycle of their arrival; the words
themselves are in the parent's buffers from the start.
"""

from math import lcm
from typing import NamedTuple

import numpy as np

from sim_model.collective_plane.contributions import Contributions
from sim_model.collective_plane.control import join_control
from sim_model.collective_plane.parameters import ClearErrors, Event, Flush, PlaneParameters
from sim_model.collective_plane.word_places import word_places
from sim_model.engines.cycle.records import NEVER, NONE, aligned_words, byte, make_records, number, short
from topology.collectives.operators import MAX_WORD_BITS
from topology.collectives.tables import PlaneTables
from topology.common.host_pattern import (
    EAGER,
    RECEIVER,
    SOURCE,
    HostBehaviour,
    first_positions,
    ring_of_levels,
)

# Positions in ``counters``.
CYCLE = 0  # next cycle to be run
LEFT = 1  # contributions whose result is not complete and that are not abandoned
WORD_HOPS = 2  # words that arrived on links
NEXT_EVENT = 3  # position of the next event
FLUSHED = 4  # mask of groups: register of the flush wires
FLUSH_WIRES = 5  # mask of groups
RESETTING = 6  # 1 while reset is high
QUIET = 7  # cycles without a change, one after the other
STRAY = 8  # words and results of operations that the member has not begun
FRESH = 9  # 1 until registers have their first values
SILENT = 10  # mask of groups that are flushed or reset: what comes of them has been abandoned
STEADY_CYCLE = 11  # cycle in which ``steady.py`` acts next; the following ones are its own
STEADY_MODE = 12
STEADY_THEN = 13  # cycle that is remembered
STEADY_PERIOD = 14  # cycles from it to the comparison
STEADY_LEFT = 15  # contributions that were left
STEADY_HOPS = 16  # words that had arrived on links; while a stretch is skipped, those of a period
COUNTERS = 17

# Marks beside a word: last, error, and the group above them.
LAST, ERROR, GROUP_SHIFT = 1, 2, 2

# Kinds of events, in the order in which those of one cycle take effect.
FLUSH_ENDS, RESET_ENDS, FLUSH_STARTS, RESET_STARTS, CLEAR = range(5)

MIN_SKIPPED_HOPS = 10_000
HOP_BITS = 32
HOP = 1 << HOP_BITS
"""Unit in which steps count words that arrive; the rest of the number is other changes."""
FIFO_BEATS = 2
"""Beats between the user's stream and the link register of an endpoint."""

SWITCH_FIELDS = (
    number("parent"),  # row of the parent; never changes, like all down to tops
    number("parent_queue"),  # of its branch at the parent and group 0
    number("first_branch"),  # number of its own branch 0
    number("first_queue"),  # of branch 0 and group 0
    number("first_share"),  # of group 0
    number("processors"),  # mask of branches that are processors
    byte("is_root"),
    byte("port"),  # of its branch at the parent
    byte("present"),  # groups that take part
    byte("tops"),  # groups whose top it is
    byte("fronts"),  # groups that have a word of all branches that take part
    byte("drains"),  # groups with a draining branch
    byte("discards"),  # groups that drain and have a word of all draining branches
    byte("fresh"),  # groups that began to drain in the cycle before
    byte("resting"),  # groups that discarded in the cycle before
    byte("waiting"),  # groups with a word from the parent
    byte("up_credited"),  # groups with a credit for the up output
    byte("down_credited"),  # groups with a credit for all branches that take part
    byte("combine_turn"),
    byte("down_turn"),
    byte("denied"),  # 1 if the pipeline took the down bank from a word of the parent in the cycle before
    byte("moving"),  # words in the pipeline
    number("mismatches"),
    number("timeouts"),
)
SHARE_FIELDS = (
    number("taking"),  # branches that take part; never changes
    number("nonempty"),  # branches with a word
    number("draining"),  # branches that drain
    byte("inside"),  # 1 between header and last word
    byte("operator"),
    byte("failed"),
    byte("up_credits"),
    short("head"),  # words that left all branches; free-running, like the next two
    short("down_head"),  # place of the word from the parent that leaves next
    short("down_tail"),
    number("waited"),  # cycles that count towards a timeout
)
QUEUE_FIELDS = (
    short("sent"),  # place of the word that is sent next; it is written when it is sent
    short("skew"),  # words that left and did not leave the other branches
)
WORD_FIELDS = ("word", short("marks"))
STAGE_FIELDS = (
    "word",
    short("marks"),
    byte("valid"),
)
OUTPUT_FIELDS = (
    "word",  # down bank
    short("marks"),
    number("branches"),  # with a valid word; 0 for none
    number("credited"),  # branches that get a credit
    byte("credit_group"),
)
ENDPOINT_FIELDS = (
    number("home"),  # row of its switch; never changes, like the next three
    byte("port"),
    number("first_queue"),  # of its branch and group 0
    number("first_member"),  # of group 0
    byte("ready"),  # register of ``tready``
    byte("beats"),  # in the FIFO
    byte("first_beat"),  # position of the oldest of them
    byte("stream_had"),
    byte("credited"),  # groups with a credit
    byte("closed"),  # groups with as many operations under way as the window
    byte("requested"),  # groups with barriers requested and not sent
    byte("sending"),  # groups in a packet on the link
    byte("opened"),  # groups in a packet of the stream
    byte("receiving"),  # groups in a result on the link
    byte("done"),  # registers of ``barrier_done``
    byte("done_error"),
    byte("stored"),  # groups with result words that are not in the output register
    byte("valid"),  # result output register
    byte("group"),
    "word",
    short("marks"),
    byte("result_turn"),
    byte("owing"),  # groups with credits that fell due and did not leave
    byte("offered"),  # host: 1 while a beat is offered
    byte("offered_group"),
    byte("in_packet"),  # host: 1 from the offer of a packet's first beat to the end of its last one
    byte("packet"),  # host: its group
    byte("host_turn"),  # host: group of the beat before
    byte("streams"),  # host: groups whose next contribution has words and may start
    byte("barriers"),  # host: groups whose next contribution is a barrier and may start
    "wake_cycle",  # host: no contribution starts before
    number("source_phase"),
    number("receiver_phase"),
)
MEMBER_FIELDS = (
    byte("credits"),
    byte("owed"),
    short("under_way"),
    short("requests"),
    short("result_head"),  # free-running, like the next one
    short("result_tail"),
    short("barriers_out"),  # host: requests without a result
    number("next"),  # host: contribution that is offered next
    number("sent"),  # host: beats of it that were taken
    number("arriving"),  # host: contribution whose result is next on the link
    number("awaited"),  # host: contribution whose result beats come next
    number("done"),  # host: contribution that ``barrier_done`` is for
    number("end"),  # host: position behind the last contribution; never changes
)
BEAT_FIELDS = (byte("group"), byte("operator"), "word", byte("last"), byte("is_first"), short("before"))
JOB_FIELDS = (
    "start_cycle",  # of one that waits, when it no longer does
    number("held"),  # events outside of the plane that it waits for
    "after",  # job whose result it waits for; NONE if for none, or no longer
    "delay_cycles",  # from the end of that result; never changes, like the next four
    byte("operator"),
    number("first_word"),  # in ``words``
    number("stride"),  # from a word to the next one
    number("words"),
    "first_cycle",  # first beat taken, or request; NONE before
    "done_cycle",  # last result beat taken, or ``barrier_done``; NONE before
    number("received"),  # result words
    byte("error"),
    byte("by_wire"),  # 1 if its result has no words, which ``barrier_done`` tells
)
EVENT_FIELDS = ("cycle", byte("kind"), number("target"), "value", "other")


class PlaneState(NamedTuple):
    """Everything of a plane and its hosts."""

    link_cycles: int
    stages: int  # of the combiner's pipeline
    groups: int
    window: int
    buffer_words: int
    result_words: int
    timeout_cycles: int
    word_mask: int  # -1 for 64 bits
    unsigned_flip: int  # what makes the order of signed integers that of unsigned words
    signed_flip: int  # and that of signed words
    built: int
    lowest_built: int
    interleaved: int  # 1 if the beats of a host's packets to several groups take turns
    switch_count: int
    buffer_bits: int  # a buffer has 2^bits places
    buffer_mask: int
    result_bits: int
    result_mask: int
    switches: np.recarray  # SWITCH_FIELDS, by row
    shares: np.recarray  # SHARE_FIELDS, by row and group
    down_credits: np.ndarray  # int64[shares, planes]: bit b of plane k is bit k of branch b's credits
    first_credits: np.ndarray  # int64[switches, planes], as after reset
    queues: np.recarray  # QUEUE_FIELDS, by branch and group
    up_buffers: np.recarray  # WORD_FIELDS, by queue and place
    down_buffers: np.recarray  # WORD_FIELDS, by share and place
    outputs: np.recarray  # OUTPUT_FIELDS, by slot and row
    pipelines: np.recarray  # STAGE_FIELDS, by row and cycle modulo ``stages``: the word leaves in such a cycle
    up_counts: np.ndarray  # int64[shares, planes], words that each branch has, as ``down_credits``
    arriving_groups: np.ndarray  # int64, by slot and row, groups with words that arrive
    arriving: np.ndarray  # int64, by slot, row and group, branches whose word arrives
    returned_groups: np.ndarray  # int64, by slot and row, groups with credits that arrive
    returned: np.ndarray  # int64, by slot, row and group, branches whose credit arrives
    endpoints: np.recarray  # ENDPOINT_FIELDS, by processor
    members: np.recarray  # MEMBER_FIELDS, by processor and group
    beats: np.recarray  # BEAT_FIELDS, FIFO_BEATS of each processor
    results: np.recarray  # WORD_FIELDS, by member and place
    jobs: np.recarray  # JOB_FIELDS, by processor, group and position
    words: np.ndarray  # int64, of all contributions; those of one operation lie side by side
    result_values: np.ndarray  # int64, as ``words``
    events: np.recarray  # EVENT_FIELDS, by cycle
    control: np.ndarray  # int64, see ``control.py``; all of shares to results but ``first_credits``
    control_mask: np.ndarray
    control_then: np.ndarray
    min_skipped_hops: int  # words over links for which a skip saves time
    period: int  # cycles after which positions in all rings are the same, if words stream at full rate
    sent_then: np.ndarray  # int64, by member, beats that were taken, as remembered by ``steady.py``
    pattern: np.ndarray  # uint8, see ``host_pattern``; empty if no host ever holds back
    pause_level: int
    stall_level: int
    counters: np.ndarray  # int64[COUNTERS]


def order_of_jobs(contributions: Contributions) -> np.ndarray:
    """Return the positions of contributions in the order of their jobs, int64."""
    return np.lexsort((np.arange(len(contributions)), contributions.group, contributions.processor))


def make_state(
    tables: PlaneTables,
    parameters: PlaneParameters,
    contributions: Contributions,
    hosts: HostBehaviour = EAGER,
    events: tuple[Event, ...] = (),
    *,
    interleaved: bool = False,
) -> PlaneState:
    """Return the state before the first cycle; a run gives registers their first values. Arguments were checked."""
    tree = tables.tree
    groups, switches, branches = len(tables.groups), len(tree.switches), len(tree.branches)
    processors, slots = len(tree.processors), parameters.link_cycles + 1
    buffer_bits, result_bits = (parameters.buffer_words - 1).bit_length(), (parameters.result_words - 1).bit_length()
    order = order_of_jobs(contributions)
    jobs, words = _make_jobs(contributions, order, parameters)
    wide = parameters.word_bits == MAX_WORD_BITS
    counters = np.zeros(COUNTERS, dtype=np.int64)
    counters[LEFT] = len(contributions)
    counters[FRESH] = 1
    counters[STEADY_CYCLE] = 0 if hosts == EAGER else NEVER
    buffer_mask, result_mask = (1 << buffer_bits) - 1, (1 << result_bits) - 1
    control = {
        "switches": _make_switches(tables),
        "shares": make_records(switches * groups, SHARE_FIELDS, taking=tables.taking_part.ravel()),
        "down_credits": aligned_words(switches * groups, _planes(parameters)),
        "queues": make_records(branches * groups, QUEUE_FIELDS),
        "up_buffers": make_records(branches * groups << buffer_bits, WORD_FIELDS),
        "down_buffers": make_records(switches * groups << buffer_bits, WORD_FIELDS),
        "outputs": make_records(slots * switches, OUTPUT_FIELDS),
        "pipelines": make_records(switches * parameters.stages, STAGE_FIELDS),
        "up_counts": aligned_words(switches * groups, parameters.buffer_words.bit_length()),
        "arriving_groups": aligned_words(slots * switches),
        "arriving": aligned_words(slots * switches * groups),
        "returned_groups": aligned_words(slots * switches),
        "returned": aligned_words(slots * switches * groups),
        "endpoints": _make_endpoints(tables, hosts),
        "members": _make_members(contributions, order, processors, groups),
        "beats": make_records(processors * FIFO_BEATS, BEAT_FIELDS),
        "results": make_records(processors * groups << result_bits, WORD_FIELDS),
    }
    data = {"word": 0}
    free = {
        "shares": {"head": buffer_mask, "down_head": buffer_mask, "down_tail": buffer_mask},
        "queues": {"sent": buffer_mask, "skew": buffer_mask},
        "members": {"sent": 0, "result_head": result_mask, "result_tail": result_mask},
        **dict.fromkeys(("up_buffers", "down_buffers", "outputs", "pipelines", "endpoints", "beats", "results"), data),
    }
    return PlaneState(
        link_cycles=parameters.link_cycles,
        stages=parameters.stages,
        groups=groups,
        window=parameters.window,
        buffer_words=parameters.buffer_words,
        result_words=parameters.result_words,
        timeout_cycles=parameters.timeout_cycles,
        word_mask=-1 if wide else (1 << parameters.word_bits) - 1,
        unsigned_flip=-(1 << MAX_WORD_BITS - 1) if wide else 0,
        signed_flip=0 if wide else 1 << parameters.word_bits - 1,
        built=parameters.built,
        lowest_built=min(parameters.operators),
        interleaved=int(interleaved),
        switch_count=switches,
        buffer_bits=buffer_bits,
        buffer_mask=buffer_mask,
        result_bits=result_bits,
        result_mask=result_mask,
        **join_control(control, free),
        first_credits=_first_credits(tables, parameters),
        min_skipped_hops=MIN_SKIPPED_HOPS,
        period=lcm(slots, parameters.stages, 1 << buffer_bits, 1 << result_bits),
        sent_then=np.zeros(processors * groups, dtype=np.int64),
        jobs=jobs,
        words=words,
        result_values=np.zeros(len(words), dtype=np.int64),
        events=_make_events(events, tables),
        pattern=ring_of_levels(hosts),
        pause_level=hosts.pause_level,
        stall_level=hosts.stall_level,
        counters=counters,
    )


def _planes(parameters: PlaneParameters) -> int:
    return max(parameters.buffer_words, parameters.result_words).bit_length()


def _make_switches(tables: PlaneTables) -> np.recarray:
    tree = tables.tree
    own = {branch.number: (place, branch) for place, branch in enumerate(tree.branches) if not branch.is_processor}
    above = [own.get(switch) for switch in tree.switches]
    bits = 1 << np.arange(len(tables.groups))
    first = np.concatenate(([0], np.cumsum([len(tree.branches_of(switch)) for switch in tree.switches])))
    return make_records(
        len(tree.switches),
        SWITCH_FIELDS,
        parent=[0 if found is None else tree.position[found[1].switch] for found in above],
        port=[0 if found is None else found[1].port for found in above],
        parent_queue=[0 if found is None else found[0] * len(tables.groups) for found in above],
        first_branch=first[:-1],
        first_queue=first[:-1] * len(tables.groups),
        first_share=np.arange(len(tree.switches)) * len(tables.groups),
        is_root=[found is None for found in above],
        processors=[
            sum(1 << branch.port for branch in tree.branches_of(switch) if branch.is_processor)
            for switch in tree.switches
        ],
        present=((tables.taking_part != 0) * bits).sum(axis=1),
        tops=(tables.top * bits).sum(axis=1),
    )


def _first_credits(tables: PlaneTables, parameters: PlaneParameters) -> np.ndarray:
    found = np.zeros((len(tables.tree.switches), _planes(parameters)), dtype=np.int64)
    for branch in tables.tree.branches:
        words = parameters.result_words if branch.is_processor else parameters.buffer_words
        for plane in range(found.shape[1]):
            found[tables.tree.position[branch.switch], plane] |= (words >> plane & 1) << branch.port
    return found


def _make_endpoints(tables: PlaneTables, hosts: HostBehaviour) -> np.recarray:
    tree = tables.tree
    of = {branch.number: (place, branch) for place, branch in enumerate(tree.branches) if branch.is_processor}
    number = range(len(tree.processors))
    branch = np.array([of[processor][0] for processor in number])
    return make_records(
        len(tree.processors),
        ENDPOINT_FIELDS,
        home=[tree.position[switch] for switch in tree.processors],
        port=[of[processor][1].port for processor in number],
        first_queue=branch * len(tables.groups),
        first_member=np.arange(len(number)) * len(tables.groups),
        host_turn=len(tables.groups) - 1,
        source_phase=first_positions(hosts.seed, ((SOURCE, i) for i in number)) if hosts.pause_level else 0,
        receiver_phase=first_positions(hosts.seed, ((RECEIVER, i) for i in number)) if hosts.stall_level else 0,
    )


def _make_members(contributions: Contributions, order: np.ndarray, processors: int, groups: int) -> np.recarray:
    key = contributions.processor[order] * groups + contributions.group[order]
    places = np.searchsorted(key, np.arange(processors * groups + 1))
    return make_records(
        processors * groups, MEMBER_FIELDS, end=places[1:], next=places[:-1], arriving=places[:-1], awaited=places[:-1]
    )


def _make_jobs(
    contributions: Contributions, order: np.ndarray, parameters: PlaneParameters
) -> tuple[np.recarray, np.ndarray]:
    """Return all jobs and their words.

    The words of one operation lie side by side, since members read them in about the same cycles: word k of all
    members, then word k + 1.
    """
    lengths = np.diff(contributions.offsets)[order]
    group = contributions.group[order]
    owner = contributions.processor[order] * (group.max(initial=0) + 1) + group
    is_first = np.concatenate(([True], owner[1:] != owner[:-1]))[: len(order)]
    position = np.arange(len(order)) - np.flatnonzero(is_first)[np.cumsum(is_first) - 1]
    key = (group * (len(order) + 1) + position) * (lengths.max(initial=0) + 1) + lengths
    _, operation, stride = np.unique(key, return_inverse=True, return_counts=True)
    by_operation = np.argsort(operation, kind="stable")
    first_of = np.concatenate(([0], np.cumsum(stride)))[:-1]
    place = np.empty(len(order), dtype=np.int64)
    place[by_operation] = np.arange(len(order)) - np.repeat(first_of, stride)
    room = np.zeros(len(stride), dtype=np.int64)
    np.add.at(room, operation, lengths)
    first_word = (np.cumsum(room) - room)[operation] + place
    words = np.zeros(int(lengths.sum()), dtype=np.uint64)
    for spread, dense in word_places(first_word, stride[operation], lengths, contributions.offsets[order]):
        words[spread] = contributions.words[dense]
    jobs = make_records(
        len(order),
        JOB_FIELDS,
        start_cycle=contributions.start_cycle[order],
        held=contributions.held[order],
        after=_after(contributions, order),
        delay_cycles=contributions.delay_cycles[order],
        operator=contributions.operator[order] if len(set(parameters.operators)) > 1 else parameters.operators[0],
        first_word=first_word,
        stride=stride[operation],
        words=lengths,
        first_cycle=NONE,
        done_cycle=NONE,
    )
    return jobs, words.view(np.int64)


def _after(contributions: Contributions, order: np.ndarray) -> np.ndarray:
    """Return the job that each job waits for; NONE for none."""
    job = np.empty(len(order) + 1, dtype=np.int64)
    job[order], job[-1] = np.arange(len(order)), NONE
    return job[contributions.after[order]]


def _make_events(events: tuple[Event, ...], tables: PlaneTables) -> np.recarray:
    rows: list[tuple[int, int, int, int, int]] = []
    for event in events:
        if isinstance(event, ClearErrors):
            row = tables.tree.position[event.switch]
            rows.append((event.cycle, CLEAR, row, event.mismatches, event.timeouts))
        elif isinstance(event, Flush):
            rows.append((event.start_cycle, FLUSH_STARTS, event.group, event.end_cycle, 0))
            rows.append((event.end_cycle, FLUSH_ENDS, event.group, 0, 0))
        else:
            rows.append((event.start_cycle, RESET_STARTS, 0, event.end_cycle, 0))
            rows.append((event.end_cycle, RESET_ENDS, 0, 0, 0))
    rows.append((NEVER, CLEAR, 0, 0, 0))
    cycle, kind, target, value, other = zip(*sorted(rows), strict=True)
    return make_records(len(rows), EVENT_FIELDS, cycle=cycle, kind=kind, target=target, value=value, other=other)
