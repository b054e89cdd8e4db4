"""A hardware part that becomes one Verilog module, however often it is used."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from amaranth.hdl import Module
from amaranth.lib import wiring

MAX_PORT_BITS = 65_536
"""Amaranth's netlist numbers the bits of a port with 16 bits, and Verilog tools need not accept longer vectors."""


class Part(wiring.Component):
    """A component whose Verilog module name encodes the parameters that determine its logic.

    Parts with equal names and different content are different modules, see ``rtl.generator.verilog``.

    Parameters:
        module_name: Name of the module, with its main parameters, such as ``crossbar_5x5``.
        members: Members of the signature.
    """

    _MustUse__silence = True  # parts are also made to ask them for their names, parameters and signatures

    def __init__(self, module_name: str, members: Mapping[str, wiring.Member]):
        self.module_name = module_name
        super().__init__(dict(members))

    if TYPE_CHECKING:
        # the members of the signature are attributes, which a type checker does not see
        def __getattr__(self, name: str) -> Any: ...


@runtime_checkable
class Exporter(Protocol):
    """A platform that turns parts into modules and their uses into instances."""

    def instance(self, m: Module, name: str, part: Part) -> Any:
        """Add an instance of ``part`` to ``m`` and return an interface with the part's members."""
        ...


def instantiate(m: Module, platform: object, name: str, part: Part) -> Any:
    """Add a part to a module.

    Under an ``Exporter`` it becomes an instance of a shared Verilog module; otherwise (simulation, FPGA builds) it is
    a plain Amaranth submodule.

    Parameters:
        platform: Argument of ``elaborate``.
        name: Instance name.

    Returns:
        Part or wiring.PureInterface: An object with the members of the part as attributes.
    """
    if isinstance(platform, Exporter):
        return platform.instance(m, name, part)
    m.submodules[name] = part
    return part
