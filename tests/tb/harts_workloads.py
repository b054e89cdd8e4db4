"""Hexagonal meshes under load, ready to be compared."""

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.harts.network import harts_plan
from sim_model.engines.simulation import Simulation
from sim_model.harts.model import HartsModel
from tests.sim_model.harts_traffic import broadcast, built, harts_model, mixed_traffic
from topology.harts.broadcast import ALGORITHM_A, ALGORITHMS
from topology.harts.faults import NO_FAULTS, Faults

PACKET_FLITS = 32


FAULTS = {2: Faults((), (3,), ((0, 1),)), 3: Faults((5,), (9, 11), ((0, 1), (14, 15)))}


FAULTS |= {4: Faults((5, 20), (9,), ((0, 1),)), 5: Faults((7, 33), (9, 50), ((0, 1), (30, 31)))}


def comparison(model: HartsModel, records) -> Comparison:
    """A run to the end, and some cycles more."""
    messages = built(model, records)
    cycles = Simulation(model, messages).run(until_cycle=10_000_000).cycles + 40
    settings = {name: value for name, value in vars(model).items() if name != "routing"}
    plan = harts_plan(model.routing, packet_flits=PACKET_FLITS, **settings)
    return Comparison(model, messages, 0, cycles, harness_source(plan))


def loaded(size: int, cycles: int, *, faults: Faults = NO_FAULTS, seed: int = 1, **settings) -> Comparison:
    """Packets and broadcasts of all kinds; at the highest load every transmitter has packets waiting."""
    model = harts_model(size, faults=faults, **settings)
    rate = {2: 0.006, 3: 0.004, 4: 0.003, 5: 0.002}[size]
    return comparison(model, mixed_traffic(model, cycles, rate, seed))


def every_broadcast(size: int, *, algorithm_a: bool = False) -> Comparison:
    """One broadcast by each procedure, one after the other, from nodes of which the last is the highest.

    Algorithm A is among them where distances are wide enough for it.
    """
    model = harts_model(size, algorithm_a=algorithm_a)
    names = [name for name in ALGORITHMS if algorithm_a or name != ALGORITHM_A]
    nodes, gap_cycles = model.routing.mesh.nodes, 30 * size * (2 if algorithm_a else 1)
    sources = [-number % nodes for number in range(1, len(names) + 1)]
    records = [
        broadcast(model, name, source, 2, gap_cycles * number)
        for number, (name, source) in enumerate(zip(names, sources, strict=True))
    ]
    return comparison(model, records)
