# (specimens of parts only provide their ports)
"""Parts that monitor a network's routers, and their outputs at its top."""

from typing import Any

from amaranth.lib.wiring import In, Out

from rtl.generator.fabric import Fabric
from rtl.generator.plan import NetworkPlan, StatusPart
from rtl.generator.structure import SharedModule, Structure
from topology.common.observed import StatusOutput

CLEAR = "clear_"


def status_members(plan: NetworkPlan) -> dict[str, Any]:
    """Return the members of a top for all status parts: ``{name}_{output}`` and ``{name}_clear_{output}``."""
    outputs: dict[str, Any] = {output.name: Out(output.bits) for output in status_outputs(plan)}
    for status in plan.status:
        inputs = _module(plan, status).inputs
        outputs |= {f"{status.name}_{port}": In(inputs[port]) for port in inputs if port.startswith(CLEAR)}
    return outputs


def status_outputs(plan: NetworkPlan) -> tuple[StatusOutput, ...]:
    """Return the outputs of all status parts, in their order."""
    modules = {status.name: _module(plan, status) for status in plan.status}
    return tuple(
        StatusOutput(f"{name}_{port}", width)
        for name, module in modules.items()
        for port, width in module.outputs.items()
    )


def _module(plan: NetworkPlan, status: StatusPart) -> SharedModule:
    return SharedModule(lambda: status.make(plan.clearable_status))


def connect_status(structure: Structure, fabric: Fabric, plan: NetworkPlan) -> None:
    """Add the status parts of a plan to a top."""
    for status in plan.status:
        part = structure.instance(status.name, _module(plan, status))
        for port, watched in status.watched.items():
            part.connect(port, fabric.watched(watched))
        for port in part.module.inputs:
            if port.startswith(CLEAR):
                part.connect(port, structure.ports[f"{status.name}_{port}"])
        for port in part.module.outputs:
            structure.outputs[f"{status.name}_{port}"] = part.output(port)
