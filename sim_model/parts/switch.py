"""Golden twin of the input buffer."""

from collections import deque
from collections.abc import Mapping
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
