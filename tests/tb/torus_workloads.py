"""Tori and meshes under load, ready to be compared."""

from typing import Any

import numpy as np

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.torus.network import torus_plan
from sim_model.common.messages import Message, Messages
from sim_model.common.simulation import Simulation
from sim_model.torus.model import TorusModel
from topology.common.host_pattern import EAGER, HostBehaviour
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting


def torus_routing(rows: int, columns: int, lanes: int, *, wraps: bool, flit_bits: int, rule: str) -> TorusRouting:
    return TorusRouting(TorusNetwork(Grid(rows, columns, wraps), lanes), flit_bits, rule)


def job(
    routing: TorusRouting,
    buffer_flits: int,
    routing_cycles: int,
    cycles: int = 2_500,
    seed: int = 3,
    hosts: HostBehaviour = EAGER,
    **more: Any,
) -> Comparison:
    """Unicasts of 1 flit and more at three loads, the last one past saturation."""
    settings = {"buffer_flits": buffer_flits, "routing_cycles": routing_cycles, **more}
    model, random = TorusModel(routing, **settings), np.random.default_rng(seed)
    nodes, records = routing.network.grid.nodes, []
    for third, gap in enumerate((40.0 / nodes, 20.0 / nodes, 5.0 / nodes)):
        start = third * cycles / 3
        while start < (third + 1) * cycles / 3:
            source, destination = map(int, random.choice(nodes, 2, replace=False))
            flits = model.header_flits([destination]) + int(random.integers(0, 24))
            records.append(Message(source, [destination], flits, start_cycle=int(start)))
            start += random.exponential(gap)
    messages = Messages.build(records, processors=nodes, header_flits=model.header_flits)
    results = Simulation(model, messages, hosts=hosts).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    harness = harness_source(torus_plan(routing, **settings))
    return Comparison(model, messages, 0, results.cycles + 16, harness, hosts=hosts)
