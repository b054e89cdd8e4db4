"""Use of the branch queues by a switch: assumed for the queues, and proved of the switch (``tree_claims``)."""

from collections.abc import Iterator
from itertools import permutations
from typing import Any

from amaranth.hdl import Const, Mux, Signal

from rtl.parts.selection import concat
from tests.proofs.claims import Claims
from tests.proofs.inside import Inside

MAX_AT_ONCE = 2


class BranchUse:
    """Inputs in the queues, their order, and the outputs that have got the tail, recorded cycle by cycle.

    Parameters
    ----------
    claims : Claims
    queues : BranchQueues
    inputs, outputs : int
        At least two inputs.

    Members
    -------
    standing : Signal
        Inputs in the queues.
    given : list of Signal
        Outputs that have got the tail, per input.
    owed : list of Signal
        Outputs that have to get it, per input in the queues.
    earlier : dict of (int, int) to Signal
        ``earlier[i, j]``: both are in the queues, and i came before j.
    """

    def __init__(self, claims: Claims, queues: Any, inputs: int, outputs: int):
        self.queues, self.inputs, self.outputs = queues, inputs, outputs
        m, everyone = claims.m, range(inputs)
        self._claims = claims
        self.standing: Any = Signal(inputs, name="standing_reference")
        m.d.sync += self.standing.eq((self.standing | queues.enter) & ~queues.leave)
        self.given: list[Any] = [Signal(outputs, name=f"given_{i}") for i in everyone]
        self.owed: list[Any] = []
        for i, given in enumerate(self.given):
            m.d.sync += given.eq(Mux(queues.enter[i], 0, given | queues.finished[i]))
            owed = Mux(self.standing[i], queues.request[i] & ~given, 0)
            self.owed.append(claims.named(owed, f"owed_reference_{i}"))
        self.earlier: dict[tuple[int, int], Any] = {}
        self._stood = claims.was(self.standing, "standing")
        self._first: Any = claims.was(queues.enters_first, "enters_first")
        for i, j in permutations(everyone, 2):
            self.earlier[i, j] = self._came_before(i, j)

    def _came_before(self, i: int, j: int) -> Signal:
        """Of two that have entered in one step, ``enters_first`` is high if the lower one is the older."""
        claims, stood = self._claims, self._stood
        was_earlier: Any = Signal(name=f"was_earlier_{i}_{j}")
        together = self._first[i] if i < j else ~self._first[j]
        entered = Mux(stood[i] == stood[j], together, stood[i])
        first = Mux(stood[i] & stood[j], was_earlier, entered)
        earlier = claims.named(self.standing[i] & self.standing[j] & first, f"earlier_{i}_{j}")
        claims.m.d.sync += was_earlier.eq(earlier)
        return earlier

    def first_at(self, i: int, o: int) -> Any:
        """True if no input before input i is owed an output."""
        others = (j for j in range(self.inputs) if j != i)
        return ~concat((0, *(self.earlier[j, i] & self.owed[j][o] for j in others))).any()

    def contract(self) -> Iterator[tuple[str, Any]]:
        """Conditions by name."""
        claims, queues, standing = self._claims, self.queues, self.standing
        entering: Any = sum((queues.enter[i] for i in range(self.inputs)), Const(0))
        yield "two inputs at most enter the queues at once", entering <= MAX_AT_ONCE
        yield "no input enters the queues while it stands in them", ~(queues.enter & standing).any()
        stays = claims.was(standing & ~queues.leave, "standing_and_stays")
        for i in range(self.inputs):
            request, finished = queues.request[i], queues.finished[i]
            changed = request != claims.was(request, f"standing_request_{i}")
            yield "a request in the queues does not change", ~(standing[i] & stays[i] & changed)
            yield "an output gets the tail from its owner", ~(finished & ~queues.first[i]).any()
            through = standing[i] & ~(self.owed[i] & ~finished).any()
            yield "an input that leaves the queues has given all its outputs the tail", ~queues.leave[i] | through

    def tie(self, inside: Inside, instance: str | None = None) -> None:
        """Tie the registers of ``BranchQueues`` to the reference model.

        Parameters
        ----------
        inside : Inside
        instance : str or None
            Instance name of the queues, unless they are the part under proof.
        """
        claims, everyone = self._claims, range(self.inputs)
        claims.invariant("those in the queues are noted", inside.register("standing", instance) == self.standing)
        for i in everyone:
            done = inside.register(f"done_{i}", instance)
            claims.invariant("outputs that have got the tail are noted", ~self.standing[i] | (done == self.given[i]))
        for i, j in permutations(everyone, 2):
            both = self.standing[i] & self.standing[j]
            earlier = self.earlier[i, j]
            if i < j:
                older = inside.register(f"older_{i}_{j}", instance)
                claims.invariant("the order of the inputs is noted", ~both | (older == earlier))
            claims.invariant("of two inputs in the queues one is earlier", ~both | (earlier ^ self.earlier[j, i]))
        for i, j, k in permutations(everyone, 3):
            transitive = ~(self.earlier[i, j] & self.earlier[j, k]) | self.earlier[i, k]
            claims.invariant("the inputs in the queues are in one order", transitive)
