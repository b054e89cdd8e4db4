"""Routers of plans: switches that share a shape, the order of shapes, and the constants of each router."""

import pytest

from rtl.generator.plan import plan_routers
from rtl.harts.network import harts_plan
from rtl.hypercube.network import hypercube_plan
from rtl.min.network import min_plan
from rtl.parts.part import Part
from rtl.spam.network import spam_plan
from rtl.torus.network import torus_plan
from tests.networks import figure_1
from topology.harts.graph import HexMesh
from topology.harts.routing import HartsRouting
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import HypercubeRouting
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting


class Named(Part):
    def __init__(self, size: int):
        super().__init__(f"size_{size}", {})


def test_switches_of_one_shape_share_it_and_constants_are_their_own():
    sizes = [30, 2, 2, 30, 7]
    shapes, routers = plan_routers(Named, sizes, lambda switch, size: {"switch": switch, "size": size})
    assert list(shapes) == ["size_30", "size_2", "size_7"]
    assert [make().module_name for make in shapes.values()] == list(shapes)
    assert [router.shape for router in routers] == [f"size_{size}" for size in sizes]
    assert [router.constants for router in routers] == [{"switch": i, "size": size} for i, size in enumerate(sizes)]
    assert list(plan_routers(Named, sizes, lambda _switch, _size: {}, order=int)[0]) == ["size_2", "size_7", "size_30"]


def test_routers_of_spam_are_listed_by_their_ports():
    network = figure_1()
    degrees = [network.degree(switch) for switch in range(network.switches)]
    plan = spam_plan(SpamRouting(SpamLabels(network), 16))
    assert sorted(set(degrees)) != list(dict.fromkeys(degrees))
    assert list(plan.shapes) == [f"spam_router_p{ports}" for ports in sorted(set(degrees))]
    assert [router.shape for router in plan.routers] == [f"spam_router_p{ports}" for ports in degrees]


def test_switches_are_listed_by_the_first_of_their_shape():
    network = MinNetwork("bi-butterfly", 2, 3, 2)
    plan = min_plan(MinRouting(network, 16))
    assert len(plan.shapes) > 1
    assert list(plan.shapes) == list(dict.fromkeys(router.shape for router in plan.routers))
    for switch, router in enumerate(plan.routers):
        size = plan.shapes[router.shape]()
        assert len(size.inputs) == len(network.input_channel[switch])
        assert len(size.outputs) == len(network.output_channel[switch])


PLANS = {
    "spam": lambda: spam_plan(SpamRouting(SpamLabels(figure_1()), 16)),
    "min": lambda: min_plan(MinRouting(MinNetwork("baseline", 2, 3), 16)),
    "harts": lambda: harts_plan(HartsRouting(HexMesh(2), 40), packet_flits=9),
    "torus": lambda: torus_plan(TorusRouting(TorusNetwork(Grid(3, 3), 2), 16)),
    "hypercube": lambda: hypercube_plan(HypercubeRouting(HypercubeNetwork(3, 2), 16)),
}


@pytest.mark.parametrize("family", PLANS)
def test_nobody_gets_what_nobody_asked_for(family):
    """The fault costs LUTs and changes no compared signal."""
    plan = PLANS[family]()
    assert (plan.counters, plan.loadable_tables, plan.clearable_status) == (False, False, False)


def test_keys_of_processors_are_those_of_unicasts_alone():
    """A unicast's header has no bits of destinations, so no sound one would show the fault."""
    labels = SpamLabels(figure_1())
    parameters = next(iter(spam_plan(SpamRouting(labels, 16)).shapes.values()))().parameters
    network = labels.network
    assert list(parameters.multicast_keys) == list(range(network.switches))
    assert network.processor_vertex(0) not in parameters.multicast_keys


@pytest.mark.parametrize(("family", "tells"), [("spam", False), ("min", True)])
def test_only_multistage_switches_say_which_requests_branch(family, tells):
    parameters = next(iter(PLANS[family]().shapes.values()))().parameters
    assert parameters.tells_branching == tells
