"""Networks, jobs and simulations for the tests of the golden model."""

import numpy as np

from sim_model.engines.model import Model
from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message, Messages
from sim_model.spam.model import SpamModel
from topology.common.graph import Network
from topology.common.part_headers import BIT_STRING
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting


def build(model: Model, records: list[Message]) -> Messages:
    """Checked messages for a model."""
    return Messages.build(records, processors=len(model.network.processors), header_flits=model.header_flits)


def simulate(model: Model, records: list[Message], startup_cycles: int = 0) -> Simulation:
    """A simulation that has not begun."""
    return Simulation(model, build(model, records), startup_cycles)


def spam_model(
    network: Network, *, flit_bits=32, root=None, up_after_down=False, header_kind=BIT_STRING, **parameters
) -> SpamModel:
    """A model with default labels."""
    return SpamModel(SpamRouting(SpamLabels(network, root), flit_bits, up_after_down, header_kind), **parameters)


def random_network(random: np.random.Generator, processors: int | None = None) -> Network:
    """A random connected network of a few switches; ``processors`` (default 2 to 24) are spread evenly."""
    switches = int(random.integers(16, 20)) if processors else int(random.integers(1, 10))
    edges = {(int(random.integers(switch)), switch) for switch in range(1, switches)}
    for _ in range(int(random.integers(0, switches + 1))):
        a, b = sorted(int(end) for end in random.integers(0, switches, 2))
        if a != b:
            edges.add((a, b))
    count = processors or int(random.integers(2, 24))
    return Network(switches, sorted(edges), [processor % switches for processor in range(count)])


def random_records(random: np.random.Generator, model: Model, count: int, *, cycles: int, body: int) -> list[Message]:
    """Messages with random sources, destinations, lengths (up to ``body`` flits after the header) and starts."""
    processors = len(model.network.processors)
    records = []
    for _ in range(count):
        source = int(random.integers(processors))
        wanted = 1 if random.random() < 0.4 else int(random.integers(1, processors))
        others = random.choice(processors - 1, wanted, replace=False)
        destinations = [int(other) + int(other >= source) for other in others]
        flits = model.header_flits(destinations) + int(random.integers(0, body + 1))
        records.append(Message(source, destinations, flits, start_cycle=int(random.integers(cycles))))
    return records


def pick(random: np.random.Generator, *choices):
    """One of the choices."""
    return choices[int(random.integers(len(choices)))]
