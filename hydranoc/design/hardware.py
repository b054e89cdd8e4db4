"""Hardware of a configured network: Verilog of the network or of one router, and Amaranth components."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from hydranoc.config.load import NETWORK, Config
from hydranoc.errors import shown

if TYPE_CHECKING:
    from rtl.endpoints.stream_component import StreamNetwork
    from rtl.generator.network import GeneratedDesign
    from rtl.generator.plan import NetworkPlan


def destination_modes(plan: "NetworkPlan", config: Config) -> tuple[str, ...]:
    """Return the modes of AXI4-Stream endpoints; see ``Design.destination_modes``."""
    from rtl.endpoints.axi_network import plan_modes

    modes = plan_modes(plan)
    if not modes:
        text = f"family {config.family.name!r} has no AXI4-Stream endpoints yet"
        raise config.source.error((*NETWORK, "family"), text)
    return modes


def network_verilog(
    plan: "NetworkPlan",
    config: Config,
    top: str,
    axi_stream: str | None,
    *,
    moved: bool,
    clocks: str,
    tkeep: bool,
    user_bits: int,
    delivery_buffer_flits: int,
    registers: bool,
    arrays: bool,
) -> "GeneratedDesign":
    """Return the network as Verilog, manifest and FuseSoC core; see ``Design.verilog``."""
    from rtl.endpoints.axi_ends import StreamOptions
    from rtl.generator.network import generate_design, generate_network
    from rtl.registers.top import generate_with_registers

    plan, generate = replace(plan, moved=moved), generate_with_registers if registers else generate_design
    options = StreamOptions(clocks, tkeep, user_bits, delivery_buffer_flits)
    if axi_stream is None:
        if arrays or options != StreamOptions():
            raise ValueError("axi_stream is None; it must be a mode where an option of AXI4-Stream ports is given")
        return generate_network(plan, top, generate)
    from rtl.endpoints.axi_network import generate_axi_network
    from rtl.endpoints.port_arrays import with_port_arrays

    modes = destination_modes(plan, config)
    if axi_stream not in modes:
        choice = " or ".join(map(repr, modes))
        text = f"--axi-stream is {axi_stream!r}; it must be {choice} in family {config.family.name!r}"
        raise config.source.error((*NETWORK, "family"), text)
    try:
        options.word_bits(plan.flit_bits)
    except ValueError as error:
        raise config.source.error((*NETWORK, "flit_bits"), str(error)) from None
    generated = generate_axi_network(plan, axi_stream, top, options, generate)
    return with_port_arrays(generated) if arrays else generated


def router_verilog(plan: "NetworkPlan", config: Config, switch: int | str, top: str) -> "GeneratedDesign":
    """Return one router as Verilog; see ``Design.router``."""
    from fpga.common.subject import generate_router

    names = plan.network.switch_names
    numbers = {**{str(number): number for number in range(len(names))}, **{n: i for i, n in enumerate(names)}}
    if str(switch) not in numbers:
        known = f"{names[0]} to {names[-1]}" + ("" if names[0] == "0" else f", or 0 to {len(names) - 1}")
        text = f"a router is {shown(switch)}; it must be that of a switch ({known})"
        raise config.source.error((*NETWORK, "topology"), text)
    return generate_router(plan, numbers[str(switch)], top)


def stream_component(plan: "NetworkPlan", config: Config, axi_stream: str, *, registers: bool) -> "StreamNetwork":
    """Return the network as an Amaranth component; see ``Design.component``."""
    from rtl.endpoints.axi_network import AxiStreamTop
    from rtl.endpoints.stream_component import StreamNetwork
    from rtl.registers.top import RegisterTop

    modes = destination_modes(plan, config)
    if axi_stream not in modes:
        choice = " or ".join(map(repr, modes))
        raise ValueError(f"axi_stream is {axi_stream!r}; it must be {choice} in family {config.family.name!r}")
    top = partial(AxiStreamTop, mode=axi_stream)
    return StreamNetwork(RegisterTop(top, plan) if registers else top(plan))
