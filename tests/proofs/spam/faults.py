"""Faults of the SPAM router: at least one for every property."""

from tests.proofs.common.links import HOLDS
from tests.proofs.common.pair_claims import SOUND
from tests.proofs.common.progress import PROGRESS
from tests.proofs.fault_lines import (
    COPIES_TO_ONE_OUTPUT,
    DISCARDS_WITHOUT_A_WORM,
    FORGETS_BRANCHES,
    LETS_NEWCOMERS_OVERTAKE,
    LOSES_THE_SECOND_FLIT,
    MISSES_TWO_IN_THE_UPPER_HALF,
    MIXES_INPUTS,
    MULTICAST_KEY,
    OVERWRITES_A_WAITING_FLIT,
    QUEUES,
    RELEASES_AFTER_EACH_FLIT,
    ROUTER,
    SEES_EQUAL_REQUESTS_ONLY,
    STALLS_BETWEEN_FLITS,
    SWAPS_CLASSES,
)
from tests.proofs.faults import Fault

QUEUE_FAULTS = (
    Fault("request-queues-3", "two that are granted share no output", *SEES_EQUAL_REQUESTS_ONLY),
    Fault("request-queues-3", "no request is granted before one that enqueued earlier", *LETS_NEWCOMERS_OVERTAKE),
    Fault("request-queues-3", "at most ports - 1 releases before the grant", *LETS_NEWCOMERS_OVERTAKE),
    Fault("request-queues-3", "an output has one first input at most", *LETS_NEWCOMERS_OVERTAKE),
    Fault(
        "request-queues-3",
        "only the queued are granted",
        QUEUES,
        "unhindered.eq(self.queued[i] & ~",
        "unhindered.eq(~",
    ),
    Fault(
        "request-queues-3",
        "a request is granted if any is queued",
        QUEUES,
        "wait.eq((wait | begins) & ~self.release[older])",
        "wait.eq(wait | begins)",
    ),
    Fault(
        "request-queues-3",
        "a grant lasts until the release",
        QUEUES,
        "newest[younger] & self.queued[older]",
        "newest[older] & self.queued[younger]",
    ),
    Fault(
        "request-queues-3",
        "a request that is first in all its queues is granted",
        QUEUES,
        "Mux(self.queued[i] & ~self.release[i], self.request[i], 0)",
        "Mux(self.queued[i], self.request[i], 0)",
    ),
    Fault(
        "request-queues-3",
        "a request that is granted an output is its first",
        QUEUES,
        "Mux(unhindered, self.request[i] & free, 0)",
        "Mux(unhindered, self.request[i] & ~free, 0)",
    ),
)

REPLICATION_FAULTS = (
    Fault("replication-3", "each requested output gets the flit unaltered", *MIXES_INPUTS),
    Fault("replication-3", HOLDS, *OVERWRITES_A_WAITING_FLIT),
    Fault("replication-3", "valid is high from a copy until the flit moves, and never else", *COPIES_TO_ONE_OUTPUT),
    Fault("replication-3", "a worm that is first waits only for full outputs", *STALLS_BETWEEN_FLITS),
    Fault("replication-3", "an output gets one flit at a time", *SEES_EQUAL_REQUESTS_ONLY),
    Fault("replication-3", "worms never mix on an output", *SEES_EQUAL_REQUESTS_ONLY),
    Fault("replication-3", "no request overtakes another one in a queue", *LETS_NEWCOMERS_OVERTAKE),
    Fault(
        "replication-3",
        "no flit is copied onto one that waits",
        ROUTER,
        "~(request & ~crossbar.free).any()",
        "(request & crossbar.free).any()",
    ),
    Fault(
        "replication-3",
        "only flits that are there are copied",
        ROUTER,
        "queues.granted[i] & buffer.present",
        "queues.granted[i]",
    ),
    Fault(
        "replication-3",
        "the release is the copy of the tail",
        ROUTER,
        "copied & buffer.flit.tail",
        "queues.granted[i] & buffer.flit.tail",
    ),
)

NEVER_GOES_AFTER_ANOTHER = (
    QUEUES,
    "wait.eq((wait | begins) & ~self.release[older])",
    "wait.eq(wait | begins)",
)
PROGRESS_FAULTS = (Fault("router-progress", PROGRESS, *NEVER_GOES_AFTER_ANOTHER),)
ROUTER_FAULTS = (
    Fault("router-buffer-2", "flits that entered and have not come out are inside", *COPIES_TO_ONE_OUTPUT),
    Fault("router-buffer-2", HOLDS, *OVERWRITES_A_WAITING_FLIT),
    Fault("router-buffer-2", "worms never mix on an output", *SEES_EQUAL_REQUESTS_ONLY),
    Fault("router-buffer-2", "only flits that entered for this output come out", *SWAPS_CLASSES),
    Fault("router-buffer-2", "flits come out unaltered in order", *LOSES_THE_SECOND_FLIT),
    Fault("router-buffer-2", "heads come first and only first", *RELEASES_AFTER_EACH_FLIT),
    Fault(
        "router-buffer-2",
        "an unroutable worm never waits",
        ROUTER,
        "~(request & ~crossbar.free).any()",
        "request.any() & ~(request & ~crossbar.free).any()",
    ),
    Fault("router-buffer-2", "a worm is drained if and only if it is unroutable", *FORGETS_BRANCHES),
    Fault("router-buffer-2", "discarding marks the draining inputs", *DISCARDS_WITHOUT_A_WORM),
    Fault("router-buffer-2", "a drain lasts until the tail", *RELEASES_AFTER_EACH_FLIT),
    Fault(
        "router-buffer-2",
        "a drain ends with the tail",
        ROUTER,
        "copied & buffer.flit.tail",
        "copied & buffer.flit.tail & request.any()",
    ),
)

PAIR_FAULTS = (
    Fault("router-pair-2", SOUND, *RELEASES_AFTER_EACH_FLIT),
    Fault("router-pair-2", "flits that entered and have not come out are inside", *COPIES_TO_ONE_OUTPUT),
    Fault("router-pair-2", HOLDS, *OVERWRITES_A_WAITING_FLIT),
    Fault("router-pair-2", "worms never mix on an output", *SEES_EQUAL_REQUESTS_ONLY),
    Fault("router-pair-2", "only flits that entered for this output come out", *SWAPS_CLASSES),
    Fault("router-pair-2", "flits come out unaltered in order", *LOSES_THE_SECOND_FLIT),
    Fault("router-pair-2", "heads come first and only first", *RELEASES_AFTER_EACH_FLIT),
)

KEY_FAULTS = (
    Fault("multicast-key-figure-1", "multicast marks several destinations", *MISSES_TWO_IN_THE_UPPER_HALF),
    Fault(
        "multicast-key-figure-1", "the key is a vertex", MULTICAST_KEY, "concat(a | b & ~self.multicast", "concat(a | b"
    ),
    Fault(
        "multicast-key-figure-1",
        "all destinations are below the key",
        MULTICAST_KEY,
        "branch & ~above[switch]",
        "branch",
    ),
    Fault(
        "multicast-key-figure-1",
        "the destinations are below no child of the key",
        MULTICAST_KEY,
        "branches[switch].eq(several)",
        "branches[switch].eq(found)",
    ),
    Fault(
        "multicast-key-arms",
        "all destinations are below the key",
        MULTICAST_KEY,
        "max((registers + 1 for registers",
        "max((registers for registers",
    ),
)

SPAM_FAULTS = (
    *PROGRESS_FAULTS,
    *QUEUE_FAULTS,
    *REPLICATION_FAULTS,
    *ROUTER_FAULTS,
    *PAIR_FAULTS,
    *KEY_FAULTS,
)
