# (a specimen of a router only provides its ports)
"""The routers of a plan: one shape for all switches whose routers are alike."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from rtl.generator.plan import RouterInstance
from rtl.parts.part import Part

Shape = TypeVar("Shape", bound=Hashable)


def plan_routers(
    make: Callable[[Shape], Part],
    parameters: Sequence[Shape],
    constants: Callable[[int, Shape], Mapping[str, int]],
    order: Callable[[Shape], int] = lambda _shape: 0,
) -> tuple[dict[str, Callable[[], Part]], tuple[RouterInstance, ...]]:
    """Return ``shapes`` and ``routers`` of a ``NetworkPlan``.

    Parameters
    ----------
    make : function
        Makes a router from its parameters. Routers of one network with different parameters have different names.
    parameters : sequence
        By switch: all parameters that determine the logic of its router.
    constants : function
        (switch, its parameters) -> values of the router's constant input ports.
    order : function
        Sort key of the shapes, for printed lists; equal ones are in the order of their first switch.
    """
    names = {shape: make(shape).module_name for shape in sorted(dict.fromkeys(parameters), key=order)}
    shapes = {name: partial(make, shape) for shape, name in names.items()}
    routers = (RouterInstance(names[shape], constants(switch, shape)) for switch, shape in enumerate(parameters))
    return shapes, tuple(routers)
