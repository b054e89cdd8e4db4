"""Golden twin of the replicating crossbar."""

from collections.abc import Sequence

from sim_model.parts.twin import Inputs, Outputs, bit


class ReplicatingCrossbarTwin:
    """Output registers, each fed by any one input; one input may feed several at once.

    Parameters
    ----------
    inputs, outputs : int
        Numbers of inputs and outputs, at least 1 each.

    Members
    -------
    registers : list of (int or None)
        The flit in each output register; None while it is empty.
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
