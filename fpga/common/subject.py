# (parts become modules of a library)
"""Subject of a measurement: a router with its tables as constants, or a whole network."""

from dataclasses import dataclass

from fpga.common.devices import Device
from fpga.common.wrappers import RegisteredPart, SerialPart, TiedPart
from rtl.generator.network import NetworkTop
from rtl.generator.plan import NetworkPlan, RouterInstance
from rtl.generator.verilog import ModuleLibrary
from rtl.parts.part import Part

TOP = "out_of_context"


@dataclass(frozen=True)
class Subject:
    """A part to be measured.

    Members
    -------
    name : str
        Name for files and tables.
    part : Part
        Without wrappers for timing.
    switch : int or None
        Switch of the router; None for a whole network.
    shape : str
        Shape of the router; empty for a whole network.
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

    Raises
    ------
    ValueError
        If there is no such switch.
    """
    if not 0 <= switch < len(plan.routers):
        raise ValueError(f"Switch must be 0 to {len(plan.routers) - 1}, not {switch!r}")
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
