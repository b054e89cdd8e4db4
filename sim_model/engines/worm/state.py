"""State of the worm engine: times of the last flits of each channel, and scheduled events.

A flit has three times. It is loaded into the output register of a channel, it moves on the channel into the buffer, and
it is popped from there when all copies of it are made. Each follows from times of other flits by a maximum of sums
(docs/look_up/timing.md). So times are found as soon as the times in these sums are known, long before the cycle itself.
Only decisions of routers are made in their cycle.
"""

from typing import NamedTuple

import numpy as np

from sim_model.engines.cycle.records import make_records
from sim_model.engines.cycle.state import NEVER, NONE, EngineState

WORM_FIELDS = (
    "loaded",  # flits that have been loaded so far, counted over all worms; those known to be, like the next two
    "moved",
    "popped",
    "load_cycle",  # of the last one
    "move_cycle",
    "pop_cycle",
    "feeder",  # input whose worm is copied into the output register, or NONE
    "grant_cycle",  # first cycle in which that may be done
    "sending",  # its message
    "head_last",  # 1 if the flit that was loaded last is a head; kept only if channels are counted
    "unloaded",  # flits of it that are still to be loaded
    "front",  # message that stands first in the buffer, or is going to; NONE if none is on its way
    "front_begin",  # number of its head, as ``loaded`` counts
    "front_end",
    "first_in_line",  # messages behind it are entries of ``line`` from here (modulo its length)
    "end_of_line",
    "copying",  # 1 if its flits are being copied
    "start_cycle",  # first cycle in which that may be done
    "granted",  # outputs that it may use
    "copied",  # outputs that have got the first flit in the buffer
    "copy_cycle",  # of the last of them
    "later_cycles",  # what has to be added to the times in ``moves`` and ``pops``
    "move_break",  # number of the last flit that did not move in the cycle after the one before it
    "pop_break",  # the same for pops
    "awaited",  # number of the header flit that the route unit waits for, or NONE
    "noted",  # number of the flit whose pop is to be entered in the calendar, or NONE
    "listed",  # 1 if it stands on the agenda
)
"""Fields per channel, for its output register and the input at its sink."""

# Kinds of entries in the calendar, before those of the hosts.
HOST_SIDE, READY, SENT, POP = 0, 1, 2, 3  # by channel
AGAIN, TOKEN = 4, 5  # by switch
CHANNEL_KINDS, SWITCH_KINDS = 4, 2

# Positions in ``counters``.
HORIZON = 0  # times from this cycle on are not looked for
ALIVE = 1  # worms, each branch counted, whose tail has not arrived
LAST_CHANGE = 2  # cycle in which a router last changed
AGENDA = 3  # length of the agenda
STREAMS = 4  # messages all of whose heads have got through in this cycle
MAX_COPIES = 5  # flits of an input that are copied before the next input
WORM_COUNTERS = 6

ALL_COPIES = 1 << 32


class WormState(NamedTuple):
    """Times of flits, and scheduled events."""

    channels: np.recarray  # WORM_FIELDS
    moves: np.ndarray  # int64[channels, places], when a flit moved, by its number modulo the number of places
    pops: np.ndarray  # int64[channels, places]
    line: np.ndarray  # int64[channels, places], messages on the way to the front
    mask: int  # places - 1
    agenda: np.ndarray  # int64[channels], inputs whose flits may have got something to do
    ready: np.ndarray  # int64[switches], inputs with a header flit whose time for the route unit is known
    ready_cycle: np.ndarray  # int64[channels], that time
    complete: np.ndarray  # int64[switches], input whose request becomes complete in this cycle, or NONE
    woken: np.ndarray  # int64[switches], switches in which something happens in this cycle
    woken_cycle: np.ndarray  # int64[switches], when they last were
    reached: np.ndarray  # int64[channels], channels over which a tail reaches or leaves a host in this cycle
    heads: np.ndarray  # int64[messages], heads that have not got through to their processors
    streams: np.ndarray  # int64[channels], injection channels of messages whose heads all have
    tree: np.ndarray  # int64[channels], channels of one message, from its source on
    ended: np.ndarray  # int64[entries], tails and pops of this cycle
    counters: np.ndarray  # int64[WORM_COUNTERS]


def calendar_entries(state: EngineState) -> int:
    """Return the number of entries that the engine has in the calendar."""
    return CHANNEL_KINDS * len(state.channels) + SWITCH_KINDS * state.switches


def make_worm_state(state: EngineState) -> WormState:
    """Return the state before cycle 0."""
    channels, switches = len(state.channels), state.switches
    places = 1 << (state.buffer_depth_flits + 3).bit_length()
    entries = state.first_host_entry
    return WormState(
        channels=make_records(
            channels,
            WORM_FIELDS,
            load_cycle=NONE,
            move_cycle=NONE,
            pop_cycle=NONE,
            feeder=NONE,
            sending=NONE,
            front=NONE,
            copy_cycle=NONE,
            awaited=NONE,
            noted=NONE,
        ),
        moves=np.zeros((channels, places), dtype=np.int64),
        pops=np.zeros((channels, places), dtype=np.int64),
        line=np.zeros((channels, places), dtype=np.int64),
        mask=places - 1,
        agenda=np.zeros(channels, dtype=np.int64),
        ready=np.zeros(switches, dtype=np.int64),
        ready_cycle=np.full(channels, NEVER),
        complete=np.full(switches, NONE),
        woken=np.zeros(switches, dtype=np.int64),
        woken_cycle=np.full(switches, NONE),
        reached=np.zeros(channels, dtype=np.int64),
        heads=np.zeros(len(state.jobs), dtype=np.int64),
        streams=np.zeros(channels, dtype=np.int64),
        tree=np.zeros(channels, dtype=np.int64),
        ended=np.zeros(entries, dtype=np.int64),
        counters=_make_counters(),
    )


def _make_counters() -> np.ndarray:
    counters = np.zeros(WORM_COUNTERS, dtype=np.int64)
    counters[MAX_COPIES] = ALL_COPIES
    return counters
