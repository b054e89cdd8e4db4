# amaranth: UnusedElaboratable=no
# (specimens of parts only say what ports there are)
"""Parts that watch a network's routers, and their outputs at its top."""

from typing import Any

from amaranth.lib.wiring import Out

from rtl.common.fabric import Fabric
from rtl.common.plan import NetworkPlan
from rtl.common.structure import SharedModule, Structure
from topology.common.observed import StatusOutput


def status_members(plan: NetworkPlan) -> dict[str, Any]:
    """Members of a top: the outputs of all status parts, ``{name}_{output}``."""
    return {output.name: Out(output.bits) for output in status_outputs(plan)}


def status_outputs(plan: NetworkPlan) -> tuple[StatusOutput, ...]:
    """The outputs of all status parts, in their order."""
    modules = {status.name: SharedModule(status.make) for status in plan.status}
    return tuple(
        StatusOutput(f"{name}_{port}", width)
        for name, module in modules.items()
        for port, width in module.outputs.items()
    )


def connect_status(structure: Structure, fabric: Fabric, plan: NetworkPlan) -> None:
    """Put the status parts of a plan into a top."""
    for status in plan.status:
        part = structure.instance(status.name, SharedModule(status.make))
        for port, watched in status.watched.items():
            part.connect(port, fabric.watched(watched))
        for port in part.module.outputs:
            structure.outputs[f"{status.name}_{port}"] = part.output(port)
