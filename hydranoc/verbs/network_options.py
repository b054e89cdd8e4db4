"""Options of verbs that write a network as hardware."""

from collections.abc import Callable, Mapping
from typing import Any

import click

# copies from rtl.endpoints.axi_injector and axi_ends, which would load Amaranth for every verb's --help
DESTINATION_MODES = ("tuser", "leading-word", "tdest")
AXI_CLOCKS = ("network", "shared", "separate")
REGISTER_BUSES = ("axi-lite",)

_OPTIONS = (
    click.option(
        "--axi-stream",
        type=click.Choice(DESTINATION_MODES),
        help="AXI4-Stream endpoints; packets name their destinations in tuser or in their leading words; "
        "in families without multicast in hardware the one destination in tdest.",
    ),
    click.option("--moved/--no-moved", default=True, show_default=True, help="An output with one bit per channel."),
    click.option(
        "--axi-clocks",
        type=click.Choice(AXI_CLOCKS),
        help="Clock of the AXI4-Stream ports: the network's, one other clock, or one for each node.  "
        "[default: network]",
    ),
    click.option(
        "--tkeep", is_flag=True, help="AXI4-Stream words may be partial; flit_bits is a bit more than a word."
    ),
    click.option(
        "--registers",
        type=click.Choice(REGISTER_BUSES),
        help="Registers behind AXI4-Lite in place of the ports of counters, tables and errors, with an interrupt.",
    ),
    click.option("--arrays", is_flag=True, help="Add a SystemVerilog module whose AXI4-Stream ports are arrays."),
)


def network_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a network's ports to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def network_choices(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options except ``axi_stream`` as arguments of ``Design.verilog``."""
    chosen = {name: options[name] for name in ("moved", "tkeep", "arrays")}
    return {**chosen, "clocks": options["axi_clocks"] or AXI_CLOCKS[0], "registers": bool(options["registers"])}
