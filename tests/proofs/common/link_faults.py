"""Faults of the parts on a link: buffers, deep rings, register stages, guards."""

from tests.proofs.common.links import HOLDS
from tests.proofs.fault_lines import (
    BUFFER,
    DEEP_RING,
    LINK_STAGE,
    LOSES_THE_SECOND_FLIT,
    READY_FOR_ONE_TOO_MANY,
    WORM_GUARD,
)
from tests.proofs.faults import Fault

BUFFER_FAULTS = (
    Fault("input-buffer-depth-2", "ready shows whether a place is free", *READY_FOR_ONE_TOO_MANY),
    Fault(
        "input-buffer-depth-2",
        "present shows whether there is a front",
        BUFFER,
        "self.present.eq(arriving | count[1:].any())",
        "self.present.eq(count[1:].any())",
    ),
    Fault("input-buffer-depth-2", "flits are read unaltered in the order of arrival", *LOSES_THE_SECOND_FLIT),
    Fault(
        "input-buffer-depth-1",
        "flits are read unaltered in the order of arrival",
        BUFFER,
        "m.d.sync += slots[0].eq(entry)",
        "m.d.sync += slots[0].eq(~Value.cast(entry))",
    ),
    Fault(
        "input-buffer-depth-3",
        "flits are read unaltered in the order of arrival",
        "parts/ring_pointer.py",
        "pointer.eq(pointer + 1)",
        "pointer.eq(pointer + 2)",
    ),
    Fault(
        "input-buffer-depth-4-header-3",
        "flits are read unaltered in the order of arrival",
        BUFFER,
        "cursor.eq(position + Mux(self.at_front, self.pop, self.advance))",
        "cursor.eq(position + Mux(self.at_front, self.pop, 0))",
    ),
    Fault(
        "input-buffer-depth-4-header-3",
        "readable shows whether there is a flit at the cursor",
        BUFFER,
        "self.readable.eq(before[1:].any() | before[0] & arriving)",
        "self.readable.eq(before[1:].any())",
    ),
)

RING_FAULTS = (
    Fault(
        "deep-ring-11",
        "flits near the front are read unaltered in order",
        DEEP_RING,
        "self.write & has_room & ~waiting",
        "self.write & has_room",
    ),
    Fault(
        "deep-ring-11",
        "flits near the front are read unaltered in order",
        DEEP_RING,
        "slot.eq(filled + fetched)",
        "slot.eq(filled)",
    ),
)

STAGE_FAULTS = (
    Fault("link-stage", HOLDS, LINK_STAGE, "with m.If(~stalled):", "with m.If(1):"),
    Fault(
        "link-stage",
        "a flit that is in is on the next link",
        LINK_STAGE,
        "self.onward.valid.eq(full | arriving)",
        "self.onward.valid.eq(arriving)",
    ),
    Fault(
        "link-stage",
        "flits come out unaltered in order",
        LINK_STAGE,
        "Mux(full, Value.cast(spare), Value.cast(self.link.payload))",
        "Value.cast(self.link.payload)",
    ),
    Fault(
        "link-stage",
        "ready shows whether a place is free",
        LINK_STAGE,
        "fills.eq(stalled & (full | arriving))",
        "fills.eq(stalled & arriving)",
    ),
    Fault(
        "link-stage",
        "a link that is always ready is never stalled",
        LINK_STAGE,
        "self.link.ready.eq(~fills)",
        "self.link.ready.eq(~fills & ~arriving)",
    ),
)

WIRE_FAULTS = (
    Fault(
        "wire-stages-2x3",
        "the sink is the source delayed by the number of registers",
        LINK_STAGE,
        "self.sink.eq(self.underway[-self.bits :])",
        "self.sink.eq(self.underway[: self.bits])",
    ),
    Fault(
        "wire-stages-2x3",
        "each register has an earlier value of the source, the last one highest",
        LINK_STAGE,
        "concat([self.source, self.underway])",
        "concat([self.source, self.underway[1:]])",
    ),
)

GUARD_FAULTS = (
    Fault(
        "worm-guard-3",
        "a head goes on first and only first",
        WORM_GUARD,
        "onward.head.eq(flit.head & ~in_worm)",
        "onward.head.eq(flit.head)",
    ),
    Fault(
        "worm-guard-3",
        "flits are dropped between worms alone, heads never",
        WORM_GUARD,
        "self.link.valid & (flit.head | in_worm)",
        "self.link.valid",
    ),
    Fault(
        "worm-guard-3",
        "dropped flits move like all others",
        WORM_GUARD,
        "self.link.ready.eq(self.onward.ready)",
        "self.link.ready.eq(self.onward.ready & self.onward.valid)",
    ),
    Fault("worm-guard-3", "data goes on unaltered", WORM_GUARD, "onward.data.eq(flit.data)", "onward.data.eq(0)"),
    Fault(
        "worm-guard-3",
        "no worm is longer than the watchdog allows",
        WORM_GUARD,
        "self.watchdog_flits - 1",
        "self.watchdog_flits",
    ),
    Fault(
        "worm-guard-3",
        "a worm ends with its tail, or when it is too long",
        WORM_GUARD,
        "onward.tail.eq(flit.tail | too_long)",
        "onward.tail.eq(flit.tail)",
    ),
    Fault(
        "worm-guard-3",
        "misframed marks flits that were dropped or altered",
        WORM_GUARD,
        "too_long & ~flit.tail)",
        "too_long)",
    ),
    Fault(
        "worm-guard-3", HOLDS, WORM_GUARD, "moves.eq(self.link.valid & self.onward.ready)", "moves.eq(self.link.valid)"
    ),
)

LINK_FAULTS = (*BUFFER_FAULTS, *RING_FAULTS, *STAGE_FAULTS, *WIRE_FAULTS, *GUARD_FAULTS)
