"""Golden twins of the round-robin arbiter and the age matrix."""

from sim_model.parts.twin import Inputs, Outputs, bit


class RoundRobinArbiterTwin:
    """Chooses the first eligible requester at or after ``turn``; the turn then goes to the one after it, cyclically.

    Parameters
    ----------
    count : int
        Number of requesters, at least 1.

    Members
    -------
    turn : int
        Requester that is first in turn in the coming cycle.
    """

    def __init__(self, count: int):
        self.count = count
        self.turn = 0

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``eligible`` and ``chosen``."""
        for distance in range(self.count):
            candidate = (self.turn + distance) % self.count
            if bit(inputs["eligible"], candidate):
                self.turn = (candidate + 1) % self.count
                return {"chosen": 1 << candidate}
        return {"chosen": 0}


class AgeMatrixTwin:
    """Records the order in which its members entered last.

    Parameters
    ----------
    count : int
        Number of members, at least 1.

    Members
    -------
    entered : list of int
        The members that have entered since reset, oldest first. All others are older than these, in an order that is
        left open.
    """

    def __init__(self, count: int):
        self.count = count
        self.entered: list[int] = []

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``enter`` and ``older.0``, ``older.1``, ..."""
        entering = inputs["enter"]
        if entering & entering - 1:
            raise ValueError(f"At most 1 member may enter in a cycle, not {entering.bit_count()}")
        outputs: Outputs = {f"older.{member}": self._row(member) for member in range(self.count)}
        if entering:
            member = entering.bit_length() - 1
            self.entered = [other for other in self.entered if other != member] + [member]
        return outputs

    def _row(self, member: int) -> int | None:
        """Return the mask of all members younger than one."""
        if member in self.entered:
            return sum(1 << other for other in self.entered[self.entered.index(member) + 1 :])
        never_entered = self.count - len(self.entered)
        return sum(1 << other for other in self.entered) if never_entered == 1 else None
