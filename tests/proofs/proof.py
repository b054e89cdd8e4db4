"""An entry of the catalogue of proofs."""

from dataclasses import dataclass

from tests.proofs.claims import Describe


@dataclass(frozen=True)
class Proof:
    """A part of some size, and the depth of the search for possible states.

    Members
    -------
    part : str
        Proofs of one part have the same properties.
    describe : function
    cover_cycles : int
        Cycles within which everything that must be possible is reached.
    quick : bool
        Part of the quick tests.
    fault_cycles : int
        Cycles within which the properties find the faults of this part.
    induction_cycles : int
        Cycles over which induction goes: 1 where invariants say what every register holds, one more than the latency of
        a part without a loop that has none.
    quick_cover : bool
        Looking for what must be possible is part of the quick tests.
    """

    part: str
    describe: Describe
    cover_cycles: int = 12
    quick: bool = True
    fault_cycles: int = 12
    induction_cycles: int = 1
    quick_cover: bool = True
