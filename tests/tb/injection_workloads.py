"""Tori and meshes whose processors have several injection channels, ready to be compared."""

from dataclasses import dataclass, replace

import numpy as np

from hydranoc.lockstep.compare import Comparison, harness_source
from rtl.generator.plan import NetworkPlan, plan_routers
from rtl.torus.network import torus_plan
from rtl.torus.parameters import TorusRouterParameters
from rtl.torus.router import TorusRouter
from rtl.vc.parameters import VcRouterShape
from sim_model.engines.simulation import Simulation
from sim_model.messages.messages import Message, Messages
from sim_model.torus.model import TorusModel
from tests.networks import InjectingTorus
from topology.common.host_pattern import EAGER, HostBehaviour
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting


@dataclass(frozen=True)
class InjectingParameters(TorusRouterParameters):
    """A switch with several inputs from its processor; all of them reach what the one of a torus does."""

    injection_channels: int = 1

    @property
    def shape(self) -> VcRouterShape:
        plain, more = super().shape, self.injection_channels - 1
        return replace(
            plain,
            input_vcs=(*plain.input_vcs, *(1,) * more),
            host_inputs=1 + more,
            reaches=(*plain.reaches, *(plain.reaches[-1],) * more),
        )


def injecting_routing(rows: int, columns: int, injection_channels: int, *, wraps: bool) -> TorusRouting:
    return TorusRouting(InjectingTorus(Grid(rows, columns, wraps), 2, injection_channels), 16)


def injecting_plan(routing: TorusRouting, **settings) -> NetworkPlan:
    """The plan of a torus with the switches that its network needs."""
    network, plain = routing.network, torus_plan(routing, **settings)
    parameters = [
        InjectingParameters(
            routing.header,
            network.grid.rows,
            network.grid.columns,
            network.grid.wraps,
            network.directions[switch],
            network.vcs,
            injection_channels=network.injection_channels_per_processor,
            **settings,
        )
        for switch in range(network.switches)
    ]
    shapes, routers = plan_routers(TorusRouter, parameters, lambda switch, _: plain.routers[switch].constants)
    return replace(plain, shapes=shapes, routers=routers)


def injecting_job(routing: TorusRouting, messages: int, hosts: HostBehaviour = EAGER, **settings) -> Comparison:
    """Unicasts over all injection channels, more than the network can carry, compared to the end."""
    model, random = TorusModel(routing, **settings), np.random.default_rng(11)
    nodes, channels = routing.network.grid.nodes, routing.network.injection_channels_per_processor
    records = []
    for number in range(messages):
        source, destination = map(int, random.choice(nodes, 2, replace=False))
        flits = model.header_flits([destination]) + int(random.integers(0, 12))
        injection = int(random.integers(channels))
        records.append(Message(source, [destination], flits, start_cycle=number, injection=injection))
    built = Messages.build(records, processors=nodes, header_flits=model.header_flits, injection_channels=channels)
    results = Simulation(model, built, 2, hosts=hosts).run()
    assert (results.lost, results.duplicated, results.disordered, results.deadlocked) == (0, 0, 0, False)
    return Comparison(
        model, built, 2, results.cycles + 16, harness_source(injecting_plan(routing, **settings)), hosts=hosts
    )
