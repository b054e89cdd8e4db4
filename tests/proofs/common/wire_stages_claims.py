"""Claims about ``WireStages``: a side wire with additional registers."""

from typing import Any

from rtl.parts.link_stage import WireStages
from tests.proofs.claims import Claims, Describe
from tests.proofs.inside import Inside


def wire_stages(bits: int, stages: int) -> Describe:
    """Claims about a wire of some width with some registers; with any values."""

    def describe(claims: Claims) -> None:
        part: Any = WireStages(bits, stages)
        claims.free_inputs(part)
        Inside(claims, part)
        earlier: Any = part.source
        for stage in range(stages):
            earlier = claims.was(earlier, f"source_{stage + 1}_ago")
            here = part.underway[stage * bits : (stage + 1) * bits]
            claims.always("each register has an earlier value of the source, the last one highest", here == earlier)
        claims.always("the sink is the source delayed by the number of registers", part.sink == earlier)
        claims.possible("every register holds something else", part.underway == (1 << bits * stages) // 3)

    return describe
