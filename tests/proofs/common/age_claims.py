"""Claims about ``AgeMatrix``: one order of all members, by their last entry."""

from typing import Any

from rtl.parts.arbiter import AgeMatrix
from rtl.parts.selection import concat
from tests.proofs.claims import Claims, Describe, at_most_one
from tests.proofs.inside import Inside


def age_matrix(count: int) -> Describe:
    """Claims about the ages of some number of members."""

    def describe(claims: Claims) -> None:
        ages = AgeMatrix(count)
        claims.free_inputs(ages)
        Inside(claims, ages)
        claims.assume(at_most_one(ages.enter))
        members = range(count)
        older = [[claims.named(ages.older[i][j], f"older_{i}_{j}") for j in members] for i in members]
        for i in members:
            claims.always("no request is older than itself", ~older[i][i])
            for j in range(count):
                if i == j:
                    continue
                claims.always("of two members exactly one is older", older[i][j] ^ older[j][i])
                entered_last = claims.was(ages.enter[j], f"enter_{i}_{j}")
                claims.always("a request that enters is the youngest of all", ~entered_last | older[i][j])
                unchanged = ~claims.was(ages.enter[i] | ages.enter[j], f"either_{i}_{j}")
                before = claims.was(older[i][j], f"older_{i}_{j}")
                kept = ~unchanged | ~_started(claims) | (older[i][j] == before)
                claims.always("an entry changes nothing between the others", kept)
                for k in members:
                    transitive = ~(older[i][j] & older[j][k]) | older[i][k]
                    claims.always("the ages are one order of all", transitive)
        claims.possible("the order is reversed", concat(older[i + 1][i] for i in range(count - 1)).all())

    return describe


def _started(claims: Claims) -> Any:
    """False in the first cycle only."""
    return claims.was(1, "started")
