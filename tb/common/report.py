"""The report on the first cycle in which hardware and golden model differ, with the routers around it."""

import functools

from sim_model.engines.cycle.state import Trace
from sim_model.engines.simulation import Simulation
from sim_model.loops.bits import index_of, message_of
from tb.common.difference import Difference, flit_text
from tb.common.message_flits import MessageFlits
from topology.common.flit_signature import flit_signature
from topology.common.observed import ObservedLayout

CHUNK_CYCLES = 512


class MismatchReport:
    """A difference, with the state of the golden model's routers around it at the start of that cycle.

    The model is rerun up to that cycle. This is rare, and cheaper than copies of its state, which grow with the number
    of messages.
    """

    def __init__(self, simulation: Simulation, flits: MessageFlits, layout: ObservedLayout):
        self._simulation, self._flits, self._layout = simulation, flits, layout

    def of(self, modelled: int, cycle: int, seen: str, expected: str) -> str:
        """Return the report on a cycle: its number since the last reset, and among all that are compared."""
        simulation = self._simulation
        while simulation.cycle < modelled:
            simulation.record(min(CHUNK_CYCLES, modelled - simulation.cycle))
        at_its_start = simulation.snapshot()
        recording = simulation.record(1)
        simulation.restore(at_its_start)
        carried = functools.partial(self._carried, recording)
        text, switches = Difference(simulation.links, self._layout, cycle, seen, expected, carried).describe()
        return "\n".join([text, *(simulation.describe_router(switch) for switch in sorted(switches))])

    def _carried(self, recording: Trace, hop: int) -> str:
        """Return the flit that the model moves on a channel or from a stage of its link."""
        flit, flits = int(recording.flits[0, hop]), self._flits
        packed = flits.packed(flit, int(recording.variants[0, hop]))
        message, index = message_of(flit), index_of(flit)
        signature = flit_signature(packed, flits.format.width)
        whole = f"message {message}, flit {index} of {int(flits.messages.flits[message])}"
        return f"{whole}, {flit_text(packed, flits.format)}, signature {signature:#04x}"
