"""Jobs for multistage networks that deadlock without tokens."""

import numpy as np

from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message, Messages
from sim_model.min.model import MinModel

# Both multicasts branch at stage 0 and again towards 4 and 19; the unicast holds the channel to 19 up. With buffers of
# one flit the paper's rule lets the token go after 6 flits, when a header that is held up may still be two switches
# from the end; the exact rule waits for 9.
PRINTED_NETWORK = ("baseline", 2, 5)


PRINTED_FLIT_BITS = 64


PRINTED_DEADLOCK = [
    Message(0, [4, 19], 24, start_cycle=3),
    Message(29, [4, 19], 24, start_cycle=3),
    Message(17, [19], 24, start_cycle=10),
]


def simulate(model: MinModel, records: list[Message]) -> Simulation:
    messages = Messages.build(records, processors=len(model.network.processors), header_flits=model.header_flits)
    simulation = Simulation(model, messages)
    simulation.run()
    return simulation


def heavy_jobs(random: np.random.Generator, nodes: int) -> list[Message]:
    """Three to seven multicasts of 24 flits that start nearly together."""
    records = []
    for _ in range(int(random.integers(3, 8))):
        source = int(random.integers(nodes))
        others = random.choice(nodes - 1, int(random.integers(2, nodes)), replace=False)
        destinations = [int(other) + int(other >= source) for other in others]
        records.append(Message(source, destinations, 24, start_cycle=int(random.integers(6))))
    return records
