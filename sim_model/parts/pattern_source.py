"""Golden twin of the payload generator."""

from sim_model.parts.twin import Inputs, Outputs
from topology.common.pattern import payload_word


class PatternSourceTwin:
    """Endless stream of payload words, started anew for each message.

    Parameters
    ----------
    flit_bits : int
        Width of a word.

    Members
    -------
    seed : int or None
        Seed of the message; None before the first start, when the words are open.
    index : int
        Number of the word that is offered.
    """

    def __init__(self, flit_bits: int):
        self.flit_bits = flit_bits
        self.seed: int | None = None
        self.index = 0

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``start``, ``seed``, ``words.*``."""
        word = None if self.seed is None else payload_word(self.seed, self.index, self.flit_bits)
        if inputs["start"]:
            self.seed, self.index = inputs["seed"], 0
        elif inputs["words.ready"]:
            self.index += 1
        return {"words.valid": 1, "words.payload": word}
