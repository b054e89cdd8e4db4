"""Tori and meshes under load, ready to be compared."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.torus.network import torus_plan
from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message, Messages
from sim_model.torus.model import TorusModel
from topology.common.host_pattern import EAGER, HostBehaviour
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

MAX_BODY_FLITS = 24
MEAN_FLITS = 13.5


def loads_up_to_overload(grid: Grid) -> tuple[float, ...]:
    """A light load, one near saturation and one beyond.

    With uniform traffic half of the messages cross the middle of the longer side, over two channels a row in each
    direction, one in a mesh; a host sends one flit per cycle at most.
    """
    capacity = min(1.0, (8 if grid.wraps else 4) / max(grid.rows, grid.columns))
    return tuple(share * capacity for share in (0.1, 0.3, 1.0))


def torus_routing(rows: int, columns: int, vcs: int, *, wraps: bool, flit_bits: int, rule: str) -> TorusRouting:
    return TorusRouting(TorusNetwork(Grid(rows, columns, wraps), vcs), flit_bits, rule)


def job(
    routing: TorusRouting,
    buffer_flits: int,
    routing_cycles: int,
    cycles: int = 2_500,
    seed: int = 3,
    hosts: HostBehaviour = EAGER,
    loads: Sequence[float] = (0.35, 0.7, 2.7),
    most_compared: int | None = None,
    **more: Any,
) -> Comparison:
    """Unicasts of 1 flit and more, one load after the other, in flits per node and cycle.

    They are compared to the end, or for so many cycles.
    """
    settings = {"buffer_flits": buffer_flits, "routing_cycles": routing_cycles, **more}
    model, random = TorusModel(routing, **settings), np.random.default_rng(seed)
    nodes, records = routing.network.grid.nodes, []
    for part, load in enumerate(loads):
        start = part * cycles / len(loads)
        while start < (part + 1) * cycles / len(loads):
            source, destination = map(int, random.choice(nodes, 2, replace=False))
            flits = model.header_flits([destination]) + int(random.integers(0, MAX_BODY_FLITS))
            records.append(Message(source, [destination], flits, start_cycle=int(start)))
            start += random.exponential(MEAN_FLITS / load / nodes)
    messages = Messages.build(records, processors=nodes, header_flits=model.header_flits)
    results = Simulation(model, messages, hosts=hosts).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    harness = harness_source(torus_plan(routing, **settings))
    compared = min(results.cycles + 16, most_compared or results.cycles + 16)
    return Comparison(model, messages, 0, compared, harness, hosts=hosts)
