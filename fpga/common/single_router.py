"""One router of a network by itself, with its tables as constants, as files."""

import json

from fpga.common.subject import router_subject
from rtl.generator.manifest import lint_control, port_list
from rtl.generator.network import GeneratedDesign
from rtl.generator.plan import NetworkPlan
from rtl.generator.verilog import ModuleLibrary
from topology.common.virtual_channels import VcNetwork


def generate_router(plan: NetworkPlan, switch: int, top: str = "router") -> GeneratedDesign:
    """Generate the Verilog of the router of one switch.

    Its ports are the links of the switch as in the network, see docs/look_up/timing.md: ``inputs__{port}__...`` and
    ``outputs__{port}__...``. The manifest says which channel each port has.

    Parameters
    ----------
    plan : NetworkPlan
    switch : int
    top : str
        Name of the router's module, and prefix of all other module names.

    Raises
    ------
    ValueError
        If there is no such switch.
    """
    subject = router_subject(plan, switch)
    library = ModuleLibrary(prefix=f"{top}_")
    library.add(subject.part, top)
    verilog = library.verilog()
    network = plan.network
    links = network.links if isinstance(network, VcNetwork) else network
    files = [f"{top}.v", f"{top}.vlt", f"{top}.json"]
    manifest = {
        "top": top,
        "switch": switch,
        "name": network.vertex_name(switch),
        "shape": subject.shape,
        "input_channels": [links.channels[channel].name for channel in links.input_channel[switch]],
        "output_channels": [links.channels[channel].name for channel in links.output_channel[switch]],
        "modules": library.modules,
        "ports": port_list(subject.part),
        "files": files,
    }
    texts = [verilog, lint_control(top), json.dumps(manifest, indent=1) + "\n"]
    return GeneratedDesign(top, manifest, dict(zip(files, texts, strict=True)))
