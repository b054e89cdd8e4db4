"""Hosts that get packets where they are stored: what the paper's figures take for granted.

Hosts in hardware have a port, over which a node sends them one flit per frame, the rate of a link. A broadcast in six
copies brings six times as many words to a host as in one, so that these ports are nearly busy at half load, when the
links are not. The paper (Sec. 5) counts a packet as delivered on arrival, and does not model a path from there to the
host. Here a packet is delivered when the network processor has seen it.
"""

from dataclasses import dataclass

from sim_model.harts.model import HartsModel
from sim_model.harts.state import HartsState
from sim_model.messages.messages import Messages


@dataclass(frozen=True)
class MemoryHostsModel(HartsModel):
    """A mesh whose hosts get packets without a port. It has no hardware; the rest is as in ``HartsModel``."""

    @property
    def delivers_over_channels(self) -> bool:
        """Hosts get packets out of the node's memory and cannot stall them."""
        return False

    def make_state(self, messages: Messages) -> HartsState:
        """Return tables and registers of the nodes before cycle 0."""
        return super().make_state(messages)._replace(memory_hosts=1)
