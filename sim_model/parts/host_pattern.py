"""Golden twins of hosts with back-pressure."""

from sim_model.parts.pattern_source import PatternSourceTwin
from sim_model.parts.twin import Inputs, Outputs
from topology.common.host_pattern import first_state, holds_back, next_state


class HostPatternTwin:
    """Selects the cycles in which an endpoint pauses or stalls.

    Members
    -------
    state : int
        State of the shift register; 0 before cycle 0.
    begun : bool
        True after the first cycle after reset, the one before cycle 0.
    """

    def __init__(self):
        self.state = 0
        self.begun = False

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``seed``, ``salt``, ``level`` and ``holds``."""
        state = self.state or first_state(inputs["seed"], inputs["salt"])
        if inputs["level"] and self.begun:
            self.state = next_state(state)
        self.begun = True
        return {"holds": int(holds_back(state, inputs["level"]))}


class PausingSourceTwin:
    """Source of the words of a message, with pauses.

    Parameters
    ----------
    flit_bits : int
        Width of a word.

    Members
    -------
    offered : bool
        True if a word was offered at the end of the last cycle, and was not taken.
    """

    def __init__(self, flit_bits: int):
        self.offered = False
        self._pattern = HostPatternTwin()
        self._words = PatternSourceTwin(flit_bits)

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``start``, ``payload_seed``, ``words.*`` and those of the pattern."""
        pauses = self._pattern.step(inputs)["holds"]
        valid = self.offered or not pauses
        taken = valid and inputs["words.ready"]
        self.offered = bool(valid and not taken and not inputs["start"])
        words = {"start": inputs["start"], "seed": inputs["payload_seed"], "words.ready": int(taken)}
        return {"words.valid": int(valid), "words.payload": self._words.step(words)["words.payload"]}


class StallingReceiverTwin:
    """A reader that stalls in some cycles."""

    def __init__(self):
        self._pattern = HostPatternTwin()

    def step(self, inputs: Inputs) -> Outputs:
        """Run one cycle; ports ``blocked``, ``ready`` and those of the pattern."""
        holds = self._pattern.step(inputs)["holds"]
        return {"ready": int(not holds and not inputs["blocked"])}
