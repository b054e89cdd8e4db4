"""Golden twin of the input buffer."""

from collections import deque

from sim_model.common.parts.twin import Inputs, Outputs


class InputBufferTwin:
    """FIFO at the sink of a link, with a registered ``ready`` and a read cursor.

    Parameters
    ----------
    depth : int
        Flits that the buffer holds, at least 1.

    Members
    -------
    flits : deque of int
        What is in the buffer, front first.
    cursor : int
        Position of the flit that can be read, counted from the front; it may lie just behind the last flit.
    ready : int
        The link's ``ready`` register: fewer than ``depth`` flits are in the buffer.
    """

    def __init__(self, depth: int):
        self.depth = depth
        self.flits: deque[int] = deque()
        self.cursor = 0
        self.ready = 1

    @property
    def present(self) -> bool:
        """Whether the flit at the cursor is in the buffer."""
        return self.cursor < len(self.flits)

    def step(self, inputs: Inputs) -> Outputs:
        """One cycle; ports ``link.valid``, ``link.payload``, ``advance``, ``rewind``, ``pop``."""
        arriving = bool(inputs["link.valid"] and self.ready)
        self._check(inputs, arriving)
        outputs: Outputs = {
            "link.ready": self.ready,
            "present": int(self.present),
            "flit": self.flits[self.cursor] if self.present else None,
        }
        if inputs["pop"]:
            self.flits.popleft()
        if inputs["advance"]:
            self.cursor += 1
        if inputs["rewind"]:
            self.cursor = 0
        if arriving:
            self.flits.append(inputs["link.payload"])
        self.ready = int(len(self.flits) < self.depth)
        return outputs

    def _check(self, inputs: Inputs, arriving: bool) -> None:
        if inputs["pop"] + inputs["advance"] + inputs["rewind"] > 1:
            raise ValueError("Of pop, advance and rewind at most 1 may be high in a cycle")
        if inputs["pop"] and not (self.present and self.cursor == 0):
            raise ValueError("pop is allowed only while the cursor is at the front and a flit is present")
        visible = self.present or (arriving and self.cursor == len(self.flits))
        if (inputs["advance"] or inputs["rewind"]) and not visible:
            raise ValueError("The cursor may move only while the flit at it is in the buffer or moving in")
