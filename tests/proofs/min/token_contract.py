"""Use of the token station by a switch: assumed for the ring, and proved of the switch (``tree_claims``)."""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Mux, Signal

from tests.proofs.claims import Claims, at_most_one
from tests.proofs.inside import Inside


class TokenUse:
    """State of the inputs of one switch with respect to the token, recorded cycle by cycle.

    Parameters
    ----------
    claims : Claims
    tree, granted, popped, tail : Value
        As in ``TokenStation``.
    release_flits : Value
        As in ``TokenStation``, at least 1.
    name : str
        For waveforms.

    Members
    -------
    asking, holding : Signal
        Inputs that wait for the token, and that have it.
    flits : Signal
        Flits that the holder has popped.
    releases : Signal
        It pops the last one to wait for, or the tail, in this cycle.
    """

    def __init__(self, claims: Claims, tree: Any, granted: Any, popped: Any, tail: Any, release_flits: Any, name: str):
        inputs = len(tree)
        self.tree = tree
        self.asking: Any = Signal(inputs, name=f"asking_{name}")
        self.holding: Any = Signal(inputs, name=f"holding_{name}")
        self.flits: Any = Signal(len(release_flits), name=f"flits_{name}")
        pops = claims.named((self.holding & popped).any(), f"pops_{name}")
        ends = (self.holding & popped & tail).any() | (self.flits + 1 == release_flits)
        self.releases: Any = claims.named(pops & ends, f"releases_{name}")
        claims.m.d.sync += [
            self.asking.eq((self.asking | tree) & ~granted),
            self.holding.eq(Mux(self.releases, 0, self.holding) | granted),
            self.flits.eq(Mux(granted.any(), 0, self.flits + pops)),
        ]

    def contract(self) -> Iterator[tuple[str, Any]]:
        """Conditions by name."""
        again = self.tree & (self.asking | self.holding)
        yield (
            "one input requests the token at a time, and none that waits for it or has it",
            (at_most_one(self.tree) & ~again.any()),
        )


def holder_in(inside: Inside, instance: str) -> Any:
    """The register ``holder`` of a station.

    Amaranth finds no name for the first one of two signals that one line of the source makes.
    """
    try:
        return inside.register("holder", instance)
    except KeyError:
        return inside.register("$signal", instance)
