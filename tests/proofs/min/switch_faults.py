"""Faults of a switch as a whole: copy rule and tree operations."""

from tests.proofs.common.links import HOLDS
from tests.proofs.common.pair_claims import SOUND
from tests.proofs.fault_lines import (
    CHOOSES_TWO,
    DISCARDS_WITHOUT_A_WORM,
    FORGETS_BRANCHES,
    GIVES_ONE_OUTPUT_TO_TWO,
    GRANTS_WHILE_HELD,
    KEEPS_WHAT_HAS_MOVED,
    LEAVES_AFTER_EACH_FLIT,
    LETS_TREES_IN_WITHOUT_TOKEN,
    LOSES_THE_SECOND_FLIT,
    MIN_ROUTER,
    MIXES_INPUTS,
    OVERTAKES_FROM_BELOW,
    OVERWRITES_A_WAITING_FLIT,
    OWES_ALL_THE_FIRST_OUTPUT,
    REMEMBERS_EARLIER_TAILS,
    SEEKS_FOR_EVER,
    STALLS_BETWEEN_FLITS,
    STATION,
    TAKES_ALL_FOR_TREES,
    TAKES_NO_CARE_OF_COPIES,
    WAITS_ONLY_FOR_ITS_TURNS,
)
from tests.proofs.faults import Fault

COPY_FAULTS = (
    Fault("branch-copies-3x3", HOLDS, *OVERWRITES_A_WAITING_FLIT),
    Fault("branch-copies-3x3", "an output gets its flit from one input", *GIVES_ONE_OUTPUT_TO_TWO),
    Fault("branch-copies-3x3", "worms never mix on an output", *OVERTAKES_FROM_BELOW),
    Fault("branch-copies-3x3", "each requested output gets the flit unaltered", *MIXES_INPUTS),
    Fault(
        "branch-copies-3x3",
        "a branch takes a flit as soon as it is first and its output has room",
        *STALLS_BETWEEN_FLITS,
    ),
    Fault("branch-copies-3x3", "a flit leaves when all its outputs have it", *REMEMBERS_EARLIER_TAILS),
    Fault(
        "branch-copies-3x3",
        "valid is high from a copy until the flit moves, and never else",
        *KEEPS_WHAT_HAS_MOVED,
    ),
    Fault("branch-copies-3x3", "no output gets a flit twice", *TAKES_NO_CARE_OF_COPIES),
    Fault(
        "branch-copies-3x3",
        "the release is the pop of the tail",
        MIN_ROUTER,
        "route_unit.release[i].eq(buffer.pop & tail)",
        "route_unit.release[i].eq(buffer.present & tail)",
    ),
)

TREE_FAULTS = (
    Fault(
        "tree-operations-3x3", "a request for several outputs enters only with the token", *LETS_TREES_IN_WITHOUT_TOKEN
    ),
    Fault(
        "tree-operations-3x3",
        "no flit of a tree operation is copied before it gets the token",
        *LETS_TREES_IN_WITHOUT_TOKEN,
    ),
    Fault(
        "tree-operations-3x3",
        "a request for one output enters when it is complete, without the token",
        *TAKES_ALL_FOR_TREES,
    ),
    Fault("tree-operations-3x3", "one tree operation at most has the token", *CHOOSES_TWO),
    Fault("tree-operations-3x3", "no input gets the token while a tree operation has it", *GRANTS_WHILE_HELD),
    Fault("tree-operations-3x3", "two inputs at most enter the queues at once", *CHOOSES_TWO),
    Fault("tree-operations-3x3", "no input enters the queues while it stands in them", *SEEKS_FOR_EVER),
    Fault(
        "tree-operations-3x3",
        "an input that leaves the queues has given all its outputs the tail",
        *WAITS_ONLY_FOR_ITS_TURNS,
    ),
    Fault(
        "tree-operations-3x3",
        "an input that gets the token enters the queues in that cycle",
        MIN_ROUTER,
        "route_unit.completed & ~trees | station.granted",
        "route_unit.completed & ~trees",
    ),
    Fault(
        "tree-operations-3x3",
        "a tree operation is older than an input that enters with it",
        MIN_ROUTER,
        "queues.enters_first.eq(station.waited)",
        "queues.enters_first.eq(0)",
    ),
    Fault(
        "tree-operations-3x3",
        "a tree operation that has the token is in the queues",
        MIN_ROUTER,
        "queues.leave[i].eq(buffer.pop & tail)",
        "queues.leave[i].eq(buffer.pop)",
    ),
    Fault(
        "tree-operations-3x3",
        "the token stays here while a tree operation has it",
        STATION,
        "popped & (left == 1)",
        "popped",
    ),
    Fault(
        "tree-operations-3x3",
        "one input requests the token at a time, and none that waits for it or has it",
        MIN_ROUTER,
        "station.tree.eq(trees)",
        "station.tree.eq(route_unit.queued)",
    ),
    Fault(
        "tree-operations-3x3",
        "an output gets the tail from its owner",
        MIN_ROUTER,
        "queues.first[i] & crossbar.free & ~copied",
        "queues.owed[i] & crossbar.free & ~copied",
    ),
    Fault(
        "tree-operations-3x3",
        "a request in the queues does not change",
        MIN_ROUTER,
        "route_unit.release[i].eq(buffer.pop & tail)",
        "route_unit.release[i].eq(buffer.pop)",
    ),
)

WHOLE_FAULTS = (
    *(
        Fault(proof, claim, *line)
        for proof in ("min-router-3x3", "min-router-pair-2x2")
        for claim, line in (
            (HOLDS, OVERWRITES_A_WAITING_FLIT),
            ("worms never mix on an output", OVERTAKES_FROM_BELOW),
            ("flits come out unaltered in order", LOSES_THE_SECOND_FLIT),
            ("flits that entered and have not come out are inside", TAKES_NO_CARE_OF_COPIES),
            ("only flits that entered for this output come out", OWES_ALL_THE_FIRST_OUTPUT),
            ("heads come first and only first", LEAVES_AFTER_EACH_FLIT),
        )
    ),
    Fault("min-router-pair-2x2", SOUND, *LEAVES_AFTER_EACH_FLIT),
    Fault(
        "min-router-3x3",
        "an unroutable worm never waits",
        MIN_ROUTER,
        "buffer.present & queues.standing[i] & ~waits.any()",
        "buffer.present & queues.owed[i].any() & ~waits.any()",
    ),
    Fault("min-router-3x3", "a worm is drained if and only if it is unroutable", *FORGETS_BRANCHES),
    Fault("min-router-3x3", "discarding marks the draining inputs", *DISCARDS_WITHOUT_A_WORM),
    Fault(
        "min-router-3x3",
        "a drain lasts until the tail",
        MIN_ROUTER,
        "route_unit.release[i].eq(buffer.pop & tail)",
        "route_unit.release[i].eq(buffer.pop)",
    ),
    Fault(
        "min-router-3x3",
        "a drain ends with the tail",
        MIN_ROUTER,
        "route_unit.release[i].eq(buffer.pop & tail)",
        "route_unit.release[i].eq(buffer.pop & tail & queues.owed[i].any())",
    ),
)
