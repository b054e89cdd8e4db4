"""The network and the loads that all speed figures are measured on.

A 64-switch lattice with one processor on each switch, 32-bit flits, buffers of 2 and the fast setting of the routers;
messages of 128 flits, of which 10 % go to 16 processors.
"""

from sim_model.common.messages import Messages
from sim_model.common.traffic import random_traffic
from sim_model.spam.model import SpamModel
from topology.common.lattice import lattice_network
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

SWITCHES = 64
# Messages per node and cycle, from a third of what the network takes to beyond it.
LOADS = {"light": 0.00008, "near saturation": 0.00025, "overload": 0.001}


def lattice_routing() -> SpamRouting:
    """Tables of the benchmark network."""
    return SpamRouting(SpamLabels(lattice_network(SWITCHES, seed=7)), 32)


def traffic(model: SpamModel, messages_per_node_per_cycle: float, cycles: int) -> Messages:
    """Messages of one load, starting in ``cycles`` cycles."""
    records = random_traffic(
        processors=SWITCHES,
        cycles=cycles,
        seed=1,
        messages_per_node_per_cycle=messages_per_node_per_cycle,
        multicast_fraction=0.1,
        destinations=16,
        flits=128,
    )
    return Messages.build(records, processors=SWITCHES, header_flits=model.header_flits)
