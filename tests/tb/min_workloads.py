"""Multistage networks under load, ready to be compared."""

import numpy as np

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.min.network import min_plan
from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message, Messages
from sim_model.min.model import MinModel
from topology.common.part_headers import BIT_STRING
from topology.common.total_order import NO_ORDER
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting

FAULTY = ("bi-butterfly", 2, 3, 1, 16, 2, 1)


def job(
    kind,
    radix,
    stages,
    channels,
    flit_bits,
    buffer_flits,
    routing_cycles,
    cycles=2_500,
    seed=3,
    token="exact",
    header_kind=BIT_STRING,
    ordering=NO_ORDER,
    **more,
):
    """Unicasts and multicasts at three loads, the last one past saturation."""
    routing = MinRouting(MinNetwork(kind, radix, stages, channels), flit_bits, header_kind, ordering)
    settings = {"buffer_flits": buffer_flits, "routing_cycles": routing_cycles, "token": token, **more}
    model, random = MinModel(routing, **settings), np.random.default_rng(seed)
    nodes, records = radix**stages, []
    for third, gap in enumerate((12.0, 4.0, 1.5)):
        start = third * cycles / 3
        while start < (third + 1) * cycles / 3:
            source = int(random.integers(nodes))
            wanted = 1 if random.random() < 0.5 else int(random.integers(1, nodes))
            others = random.choice(nodes - 1, wanted, replace=False)
            destinations = [int(other) + int(other >= source) for other in others]
            flits = model.header_flits(destinations) + int(random.integers(0, 24))
            records.append(Message(source, destinations, flits, start_cycle=int(start)))
            start += random.exponential(gap * wanted**0.5)
    messages = Messages.build(records, processors=nodes, header_flits=model.header_flits)
    results = Simulation(model, messages).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    return Comparison(model, messages, 0, results.cycles + 16, harness_source(min_plan(routing, **settings)))
