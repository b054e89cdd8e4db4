"""Faults of the allocator: at least one for every property."""

from tests.proofs.fault_lines import ESCAPES_OVER_THE_HIGHEST, HEAD_ALLOCATOR
from tests.proofs.faults import Fault
from tests.proofs.hypercube.allocator_claims import ALONE, LAST_RESORT, LEADER, LOOKS, OTHERS, WAIT_BOUND
from tests.proofs.hypercube.allocator_contract import FREE, ONE_HEAD, ONE_LANE, RIGHT_ESCAPE, TAKEN, WANTED

WHO_MAY_LOOK = "~leads[port] | leader[lane] & adaptive"

ALLOCATOR_FAULTS = tuple(
    Fault(f"head-allocator-{size}", claim, HEAD_ALLOCATOR, text, replacement)
    for size, claim, text, replacement in (
        ("2x2", ONE_HEAD, "Mux(free, lowest_one(wants), 0)", "Mux(free, wants, 0)"),
        ("2x2", ONE_HEAD, WHO_MAY_LOOK, "1"),
        (
            "2x2",
            ONE_LANE,
            "lines[output ^ p.input_codes[port]] if",
            "lines[output ^ p.input_codes[port]] | lines[0] if",
        ),
        ("2x2", WANTED, "(self.wanted[lane] & row).any()", "row.any()"),
        ("2x2", FREE, "free.eq((row & self._free()).any())", "free.eq(row.any())"),
        ("2x2", FREE, "(taken_escape & self.free_escapes).any()", "1"),
        ("2x2", TAKEN, "tries.append(wants.any())", "tries.append(Const(1))"),
        ("2x2", TAKEN, "(takes_escape & self.waiting).any()", "1"),
        ("2x2", LAST_RESORT, "usable.any() if p.has_escapes", "usable[0] if p.has_escapes"),
        ("2x1", RIGHT_ESCAPE, *ESCAPES_OVER_THE_HIGHEST[1:]),
        ("3x1-wrong-escape", RIGHT_ESCAPE, "Mux(self.odd,", "Mux(~self.odd,"),
        ("2x2", LOOKS, "b) ^ c for", "b) for"),
        ("2x2", LOOKS, "order.step.eq(chose)", "order.step.eq(1)"),
        ("2x2", LOOKS, "order.step.eq(chose)", "order.step.eq(0)"),
        ("2x2", LEADER, "Mux(has_escape, takes_escape", "Mux(0, takes_escape"),
        ("2x2", ALONE, WHO_MAY_LOOK, "1"),
        ("2x2", OTHERS, WHO_MAY_LOOK, "leader[lane] & adaptive"),
        ("2x1", WAIT_BOUND, "range(len(asking)), self.before,", "range(len(asking)), Const(-1, len(self.before)),"),
    )
)
