"""Golden twins of the parts of a switch: input buffer, round-robin arbiter, age matrix and replicating crossbar."""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Protocol

Inputs = Mapping[str, int]
"""Value of every input port in one cycle, by dotted name."""

Outputs = dict[str, int | None]
"""Value of every output port in one cycle, by dotted name; None where the part's contract leaves it open."""


class GoldenTwin(Protocol):
    """A part, one cycle at a time."""

    def step(self, inputs: Inputs) -> Outputs:
        """Return the outputs of this cycle, then go on to the next.

        Parameters:
            inputs (mapping of str to int): Every input port.

        Raises:
            ValueError: If the inputs break a rule of the part: the part's behaviour is not defined then.
        """
        ...


def bit(mask: int, position: int) -> int:
    """Return one bit of a mask."""
    return mask >> position & 1


class InputBufferTwin:
    """FIFO at the sink of a link, with a registered ``ready`` and a read cursor.

    Parameters:
        depth: Flits that the buffer holds, at least 1.
        header_flits: With 1 there is no cursor: the front is read always.
        decoded_bits: With 0 nothing is kept besides.

    Members:
        entries (deque of (int, int)): Contents of the buffer, front first: flits with their decoded bits.
        cursor (int): Position of the next flit to be read, counted from the front; it may lie just behind the last
            flit.
        ready (int): The link's ``ready`` register: fewer than ``depth`` flits are in the buffer; 0 in the first cycle.
    """

    def __init__(self, depth: int, header_flits: int = 1, decoded_bits: int = 0):
        self.depth = depth
        self.header_flits = header_flits
        self.decoded_bits = decoded_bits
        self.entries: deque[tuple[int, int]] = deque()
        self.cursor = 0
        self.ready = 0

    @property
    def present(self) -> bool:
        """True if there is a flit at the front."""
        return bool(self.entries)

    @property
    def readable(self) -> bool:
        """True if there is a flit at the cursor."""
        return self.cursor < len(self.entries)

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``link.valid``, ``link.payload``, ``pop``, and where they exist ``arriving_decoded``,
        ``at_front``, ``advance``."""
        arriving = bool(inputs["link.valid"] and self.ready)
        at_front, advance = inputs.get("at_front", 1), inputs.get("advance", 0)
        self._check(inputs["pop"], at_front, advance, arriving)
        position = 0 if at_front else self.cursor
        outputs = self._outputs(position)
        self.cursor = position + advance
        if inputs["pop"]:
            self.entries.popleft()
        if arriving:
            self.entries.append((inputs["link.payload"], inputs.get("arriving_decoded", 0)))
        self.ready = int(len(self.entries) < self.depth)
        return outputs

    def _outputs(self, position: int) -> Outputs:
        flit, decoded = self.entries[position] if position < len(self.entries) else (None, None)
        outputs: Outputs = {"link.ready": self.ready, "present": int(self.present), "flit": flit}
        if self.header_flits > 1:
            outputs["readable"] = int(self.readable)
        if self.decoded_bits:
            outputs["decoded"] = decoded
        return outputs

    def _check(self, pop: int, at_front: int, advance: int, arriving: bool) -> None:
        if pop and not (self.present and at_front):
            raise ValueError("pop is allowed only at the front, and while a flit is there")
        if advance and at_front:
            raise ValueError("Of at_front and advance at most 1 may be high in a cycle")
        visible = self.readable or (arriving and self.cursor == len(self.entries))
        if advance and not visible:
            raise ValueError("The cursor may move only while the flit at it is in the buffer or moving in")


class RoundRobinArbiterTwin:
    """Chooses the first eligible requester at or after ``turn``; the turn then goes to the one after it, cyclically.

    Parameters:
        count: Number of requesters, at least 1.

    Members:
        turn (int): Requester that is first in turn in the coming cycle.
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

    Parameters:
        count: Number of members, at least 1.

    Members:
        entered (list of int): The members that have entered since reset, oldest first. All others are older than these,
            in an order that is left open.
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


class ReplicatingCrossbarTwin:
    """Output registers, each fed by any one input; one input may feed several at once.

    Parameters:
        inputs, outputs (int): Numbers of inputs and outputs, at least 1 each.

    Members:
        registers (list of (int or None)): The flit in each output register; None while it is empty.
    """

    def __init__(self, inputs: int, outputs: int):
        self.inputs = inputs
        self.outputs = outputs
        self.registers: list[int | None] = [None] * outputs

    def free(self, ready: Sequence[int]) -> int:
        """Return the mask of the outputs that may load in a cycle, given the ``ready`` of their links."""
        return sum(1 << output for output, flit in enumerate(self.registers) if flit is None or ready[output])

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``flits.i``, ``select.o``, ``load``, ``free``, ``links.o.*``."""
        ready = [inputs[f"links.{output}.ready"] for output in range(self.outputs)]
        free = self.free(ready)
        if inputs["load"] & ~free:
            raise ValueError(f"Only free outputs ({free:#b}) may load, not {inputs['load']:#b}")
        outputs: Outputs = {"free": free}
        for output, flit in enumerate(self.registers):
            outputs[f"links.{output}.valid"] = int(flit is not None)
            outputs[f"links.{output}.payload"] = flit
        for output in range(self.outputs):
            if bit(inputs["load"], output):
                self.registers[output] = self._taken(inputs, output)
            elif ready[output]:
                self.registers[output] = None
        return outputs

    def _taken(self, inputs: Inputs, output: int) -> int:
        select = inputs[f"select.{output}"]
        if select.bit_count() != 1:
            raise ValueError(f"An output that loads must select 1 input, not {select.bit_count()}")
        return inputs[f"flits.{select.bit_length() - 1}"]
