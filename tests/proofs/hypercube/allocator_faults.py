"""Faults of the allocator: at least one for every property."""

from tests.proofs.fault_lines import CYCLE_ORDER, ESCAPES_OVER_THE_HIGHEST, HEAD_ALLOCATOR
from tests.proofs.faults import Fault
from tests.proofs.hypercube.allocator_claims import ALONE, LAST_RESORT, LEADER, LOOKS, OTHERS, WAIT_BOUND
from tests.proofs.hypercube.allocator_contract import FREE, ONE_HEAD, ONE_LANE, RIGHT_ESCAPE, TAKEN, WANTED

WHO_MAY_LOOK = "~leads[i].replicate(high - low) | leader[low:high]"

PICKS_WHAT_COMES_LAST = (
    CYCLE_ORDER,
    "requests[j] & comes_first(before, j, i)",
    "requests[j] & comes_first(before, i, j)",
)

OWN_FAULTS = tuple(
    Fault(f"head-allocator-{size}", claim, HEAD_ALLOCATOR, text, replacement)
    for size, claim, text, replacement in (
        ("2x2", ONE_HEAD, "Mux(free, lowest_one(wants), 0)", "Mux(free, wants, 0)"),
        ("2x2", ONE_HEAD, WHO_MAY_LOOK, "Const(-1, high - low)"),
        (
            "2x2",
            ONE_LANE,
            "lines[output ^ p.input_codes[port]] for",
            "lines[output ^ p.input_codes[port]] | lines[0] for",
        ),
        ("2x2", WANTED, "heads & concat(row.any() for row in rows)", "heads"),
        ("2x2", FREE, "self._free()[o] & line", "line"),
        ("2x2", FREE, "(picked.escape & self.free_escapes).any()", "1"),
        ("2x2", TAKEN, "tries.append(wants.any() & ~escapes)", "tries.append(~escapes)"),
        ("2x2", TAKEN, "wants.any() & ~escapes", "wants.any()"),
        ("2x2", TAKEN, "heads.any() & escapes", "escapes"),
        ("2x2", LAST_RESORT, "usable.any() if p.has_escapes", "usable[0] if p.has_escapes"),
        ("2x1", RIGHT_ESCAPE, *ESCAPES_OVER_THE_HIGHEST[1:]),
        ("3x1-wrong-escape", RIGHT_ESCAPE, "Mux(self.odd,", "Mux(~self.odd,"),
        ("2x2", LOOKS, "c)) ^ d for", "c)) for"),
        ("2x2", LOOKS, "order.step.eq(chose)", "order.step.eq(1)"),
        ("2x2", LOOKS, "order.step.eq(chose)", "order.step.eq(0)"),
        ("2x2", LEADER, "Mux(escape_free, heads, 0)", "0"),
        ("2x2", ALONE, WHO_MAY_LOOK, "Const(-1, high - low)"),
        ("2x2", OTHERS, WHO_MAY_LOOK, "leader[low:high]"),
        ("2x1", WAIT_BOUND, "range(len(asking)), self.before,", "range(len(asking)), Const(-1, len(self.before)),"),
    )
)

ALLOCATOR_FAULTS = (*OWN_FAULTS, Fault("head-allocator-2x2", LOOKS, *PICKS_WHAT_COMES_LAST))
