"""Claims about ``WireStages``: a side wire that is so many cycles longer."""

from typing import Any

from rtl.parts.link_stage import WireStages
from tests.proofs.claims import Claims, Describe
from tests.proofs.inside import Inside


def wire_stages(bits: int, stages: int) -> Describe:
    """Claims about a wire of some width with some registers; what is on it may be anything."""

    def describe(claims: Claims) -> None:
        part: Any = WireStages(bits, stages)
        claims.free_inputs(part)
        Inside(claims, part)
        earlier: Any = part.source
        for stage in range(stages):
            earlier = claims.was(earlier, f"source_{stage + 1}_ago")
            here = part.underway[stage * bits : (stage + 1) * bits]
            claims.always("each register holds what the source was, the last one highest", here == earlier)
        claims.always("the sink is what the source was so many cycles ago", part.sink == earlier)
        claims.possible("every register holds something else", part.underway == (1 << bits * stages) // 3)

    return describe
