# (parts become modules of a library)
"""Subject of a measurement: a router with its tables as constants, also as files, or a whole network."""

import json
from dataclasses import dataclass

from fpga.common.devices import Device
from fpga.common.wrappers import RegisteredPart, SerialPart, TiedPart
from rtl.generator.manifest import lint_control, port_list
from rtl.generator.network import GeneratedDesign, NetworkTop
from rtl.generator.plan import NetworkPlan, RouterInstance
from rtl.generator.verilog import ModuleLibrary
from rtl.parts.part import Part
from topology.common.virtual_channels import VcNetwork

TOP = "out_of_context"


@dataclass(frozen=True)
class Subject:
    """A part to be measured.

    Members:
        name: Name for files and tables.
        part: Without wrappers for timing.
        switch: Switch of the router; None for a whole network.
        shape: Shape of the router; empty for a whole network.
    """

    name: str
    part: Part
    switch: int | None = None
    shape: str = ""

    def verilog(self, device: Device) -> str:
        """Return all modules: the part, and the module ``TOP``, which wraps the part for the device.

        Wrappers serve to measure the clock; for a device without a clock the part has none.
        """
        library = ModuleLibrary()
        if not device.has_clock:
            library.add(self.part, self.module)
            return library.verilog()
        wrapped = RegisteredPart(self.part)
        library.add(SerialPart(wrapped) if device.serial else wrapped, TOP)
        return library.verilog()

    @property
    def is_network(self) -> bool:
        """True for a whole network."""
        return self.switch is None

    @property
    def module(self) -> str:
        """Name of the part's module in that Verilog."""
        return self.part.module_name


def router_subject(plan: NetworkPlan, switch: int) -> Subject:
    """Return the router of one switch.

    Raises:
        ValueError: If there is no such switch.
    """
    if not 0 <= switch < len(plan.routers):
        raise ValueError(f"Switch is {switch!r}; it must be 0 to {len(plan.routers) - 1}")
    instance = plan.routers[switch]
    return Subject(
        f"router_s{switch}", TiedPart(plan.shapes[instance.shape](), instance.constants), switch, instance.shape
    )


def network_subject(plan: NetworkPlan) -> Subject:
    """Return the whole network, with its injectors and ejectors."""
    return Subject("network", NetworkTop(plan))


def representative_switches(plan: NetworkPlan) -> dict[str, int]:
    """Return for each router shape that is used, the switch with the largest tables.

    This is the root, if the family has one and it has that shape, otherwise the switch whose constants have the
    most ones; of several the lowest number.
    """
    chosen: dict[str, int] = {}
    for switch, instance in enumerate(plan.routers):
        best = chosen.get(instance.shape)
        if best is None or _table_size(plan, switch) > _table_size(plan, best):
            chosen[instance.shape] = switch
    return {shape: chosen[shape] for shape in plan.shapes if shape in chosen}


def _table_size(plan: NetworkPlan, switch: int) -> tuple[bool, int]:
    instance: RouterInstance = plan.routers[switch]
    ones = sum(value.bit_count() for value in instance.constants.values())
    return switch == plan.parameters.get("root"), ones


def generate_router(plan: NetworkPlan, switch: int, top: str = "router") -> GeneratedDesign:
    """Generate the Verilog of the router of one switch.

    Its ports are the links of the switch as in the network, see docs/look_up/timing.md: ``inputs__{port}__...`` and
    ``outputs__{port}__...``. The manifest says which channel each port has.

    Parameters:
        top: Name of the router's module, and prefix of all other module names.

    Raises:
        ValueError: If there is no such switch.
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
