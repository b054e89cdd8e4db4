"""Routers of plans: which switches share a shape, in what order shapes are listed, whose constants a router gets."""

from rtl.common.part import Part
from rtl.common.plan_routers import plan_routers
from rtl.min.network import min_plan
from rtl.spam.network import spam_plan
from tests.networks import figure_1
from topology.min.graph import MinNetwork
from topology.min.routing import MinRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting


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
