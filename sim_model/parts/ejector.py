"""Golden twin of the message ejector."""

from sim_model.parts.input_buffer import InputBufferTwin
from sim_model.parts.twin import Inputs, Outputs

EJECTOR_FLITS = 2


class MessageEjectorTwin:
    """A buffer of two flits between a delivery channel and the user.

    Members
    -------
    buffer : InputBufferTwin
    """

    def __init__(self):
        self.buffer = InputBufferTwin(EJECTOR_FLITS)

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``link.*`` and ``user.*``."""
        pop = int(self.buffer.present and inputs["user.ready"])
        link = {port: inputs[port] for port in ("link.valid", "link.payload")}
        inside = self.buffer.step({**link, "pop": pop})
        return {"link.ready": inside["link.ready"], "user.valid": inside["present"], "user.payload": inside["flit"]}
