# (a router is built only for its ports)
"""Networks with routers for unicasts only, to measure the cost of multicast."""

from collections.abc import Callable
from dataclasses import replace

from rtl.generator.plan import NetworkPlan, RouterInstance
from rtl.parts.part import Part


def without_multicast(plan: NetworkPlan, unicast_router: Callable[[Part], Part]) -> NetworkPlan:
    """Return a plan whose routers, and their constants, support unicasts only.

    Parameters
    ----------
    plan : NetworkPlan
    unicast_router : callable
        Returns a router without multicast in the place of one with it.
    """
    shapes: dict[str, Callable[[], Part]] = {}
    inputs: dict[str, set[str]] = {}
    for shape, make in plan.shapes.items():
        shapes[shape] = lambda make=make: unicast_router(make())
        inputs[shape] = set(shapes[shape]().signature.members)
    routers = tuple(
        RouterInstance(
            instance.shape,
            {name: value for name, value in instance.constants.items() if name in inputs[instance.shape]},
        )
        for instance in plan.routers
    )
    return replace(
        plan,
        shapes=shapes,
        routers=routers,
        parameters={**plan.parameters, "multicast": False},
        side_wires=(),
        status=(),
    )
