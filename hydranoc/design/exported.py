"""A configured network as hardware: Verilog of the network or of one router, Amaranth, and for a bench."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from hydranoc.config.load import NETWORK
from hydranoc.design.parts import Parts
from hydranoc.errors import shown

if TYPE_CHECKING:
    from hydranoc.lockstep.simulator import BenchSource
    from rtl.endpoints.stream_component import StreamNetwork
    from rtl.generator.network import GeneratedDesign


class Exported(Parts):
    """Hardware exports of a design; see ``Design``."""

    @property
    def destination_modes(self) -> tuple[str, ...]:
        """Ways in which packets at AXI4-Stream endpoints may name their destinations.

        Raises
        ------
        ConfigError
            If the network has no such endpoints.
        """
        from rtl.endpoints.axi_network import plan_modes

        modes = plan_modes(self.plan)
        if not modes:
            text = f"family {self.family.name!r} has no AXI4-Stream endpoints yet"
            raise self.config.source.error((*NETWORK, "family"), text)
        return modes

    def verilog(
        self,
        top: str = "noc",
        axi_stream: str | None = None,
        *,
        moved: bool = True,
        clocks: str = "network",
        tkeep: bool = False,
        registers: bool = False,
        arrays: bool = False,
    ) -> "GeneratedDesign":
        """Return the network as Verilog, manifest and FuseSoC core.

        Parameters
        ----------
        top : str
            Name of the top module, and prefix of all other module names.
        axi_stream : str or None
            ``tuser``, ``leading-word`` or ``tdest``: AXI4-Stream endpoints whose packets name destinations this way.
            Default endpoints with message descriptors.
        moved : bool
            The top has the output ``moved``, a bit per channel.
        clocks, tkeep
            Of AXI4-Stream endpoints, see ``rtl.endpoints.axi_ends.StreamOptions``.
        registers : bool
            Counters, tables and errors are registers behind AXI4-Lite, with an interrupt, and have no ports.
        arrays : bool
            Add a SystemVerilog module whose AXI4-Stream ports are arrays.

        Returns
        -------
        GeneratedDesign
            Its ``files`` are texts by file name, its ``top`` is the top module's name.

        Raises
        ------
        ConfigError
            If the network cannot be written as hardware, or has no such endpoints.
        """
        from rtl.generator.network import generate_design, generate_network
        from rtl.registers.top import generate_with_registers

        plan, generate = replace(self.plan, moved=moved), generate_with_registers if registers else generate_design
        if axi_stream is None:
            return generate_network(plan, top, generate)
        from rtl.endpoints.axi_ends import StreamOptions
        from rtl.endpoints.axi_network import generate_axi_network
        from rtl.endpoints.port_arrays import with_port_arrays

        modes = self.destination_modes
        if axi_stream not in modes:
            choice = " or ".join(map(repr, modes))
            text = f"--axi-stream must be {choice} in family {self.family.name!r}, not {axi_stream!r}"
            raise self.config.source.error((*NETWORK, "family"), text)
        options = StreamOptions(clocks, tkeep)
        try:
            options.word_bits(plan.flit_bits)
        except ValueError as error:
            raise self.config.source.error((*NETWORK, "flit_bits"), str(error)) from None
        generated = generate_axi_network(plan, axi_stream, top, options, generate)
        return with_port_arrays(generated) if arrays else generated

    def router(self, switch: int | str, top: str = "router") -> "GeneratedDesign":
        """Return one router as Verilog, by itself: its links are its ports, its tables are constants.

        Parameters
        ----------
        switch : int or str
            Number or name of its switch.
        top : str
            Name of the router's module, and prefix of all other module names.

        Returns
        -------
        GeneratedDesign
            Its manifest names the channel of each port.

        Raises
        ------
        ConfigError
            If there is no such switch, or the network cannot be written as hardware.
        """
        from fpga.common.single_router import generate_router

        names = self.network.switch_names
        numbers = {**{str(number): number for number in range(len(names))}, **{n: i for i, n in enumerate(names)}}
        if str(switch) not in numbers:
            known = f"{names[0]} to {names[-1]}" + ("" if names[0] == "0" else f", or 0 to {len(names) - 1}")
            text = f"a router must be that of a switch ({known}), not {shown(switch)}"
            raise self.config.source.error((*NETWORK, "topology"), text)
        return generate_router(self.plan, numbers[str(switch)], top)

    def component(self, axi_stream: str, *, registers: bool = False) -> "StreamNetwork":
        """Return the network with AXI4-Stream ends as an Amaranth component, for a design in Amaranth around it.

        Its ends are arrays of ``amaranth.lib.stream`` streams, ``sinks`` and ``sources``, in clock domain ``sync``: see
        ``docs/look_up/ports.md``.

        Parameters
        ----------
        axi_stream : str
            One of ``destination_modes``.
        registers : bool
            Counters, tables and errors are registers behind AXI4-Lite, with an interrupt, and have no ports; the
            component's member ``registers`` is their map.

        Returns
        -------
        StreamNetwork

        Raises
        ------
        ValueError
            If there is no such mode.
        """
        from rtl.endpoints.axi_network import AxiStreamTop
        from rtl.endpoints.stream_component import StreamNetwork
        from rtl.registers.top import RegisterTop

        if axi_stream not in self.destination_modes:
            choice = " or ".join(map(repr, self.destination_modes))
            raise ValueError(f"axi_stream must be {choice} in family {self.family.name!r}, not {axi_stream!r}")
        top = partial(AxiStreamTop, mode=axi_stream)
        return StreamNetwork(RegisterTop(top, self.plan) if registers else top(self.plan))

    def harness(self) -> "BenchSource":
        """Return the network as Verilog for a lock-step bench."""
        from hydranoc.lockstep.compare import harness_source

        return harness_source(self.plan)
