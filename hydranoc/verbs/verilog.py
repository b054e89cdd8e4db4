"""``verilog``: the network as hardware."""

from pathlib import Path
from typing import Any

import click

from hydranoc.api import load
from hydranoc.errors import shown
from hydranoc.reports.output import result_folder
from hydranoc.reports.progress import progress_bars
from hydranoc.reports.summary_text import table
from hydranoc.verbs.options import RESULTS, config_argument, json_option, output_option, say

# as rtl.common.axi_injector and rtl.common.axi_ends have them, which would load Amaranth for every verb's --help
DESTINATION_MODES = ("tuser", "leading-word", "tdest")
AXI_CLOCKS = ("network", "shared", "separate")
REGISTER_BUSES = ("axi-lite",)
LONGEST_TOP = 200
"""Letters of a top's name. File systems take 255, of which suffixes need some."""


@click.command()
@config_argument
@output_option("the Verilog")
@click.option("--top", default="noc", show_default=True, help="Name of the top module, prefix of all others.")
@click.option(
    "--axi-stream",
    type=click.Choice(DESTINATION_MODES),
    help="AXI4-Stream endpoints; packets name their destinations in tuser or in their leading words; "
    "in families without multicast in hardware the one destination in tdest.",
)
@click.option("--moved/--no-moved", default=True, show_default=True, help="An output with one bit per channel.")
@click.option(
    "--axi-clocks",
    type=click.Choice(AXI_CLOCKS),
    help="Clock of the AXI4-Stream ports: the network's, one other clock, or one for each node.  [default: network]",
)
@click.option("--tkeep", is_flag=True, help="AXI4-Stream words need not be full; flit_bits is a bit more than a word.")
@click.option(
    "--registers",
    type=click.Choice(REGISTER_BUSES),
    help="Registers behind AXI4-Lite in place of the ports of counters, tables and errors, with an interrupt.",
)
@click.option("--arrays", is_flag=True, help="Add a SystemVerilog module whose AXI4-Stream ports are arrays.")
@click.option(
    "--router", metavar="SWITCH", help="Only the router of one switch, by name or number; its links are its ports."
)
@json_option
def verilog(config: Path, folder: Path | None, top: str, as_json: bool, **options: Any) -> int:
    """Generate the hardware of CONFIG's network: one module per router shape, a top with one injector and one ejector
    port per processor, a manifest, and a FuseSoC core. The same configuration gives the same bytes.

    \b
    Examples:
      hydranoc verilog examples/demo.yaml -o build
      hydranoc verilog examples/demo.yaml -o build --axi-stream tuser
      hydranoc verilog examples/demo.yaml -o build --axi-stream tuser --axi-clocks separate
      hydranoc verilog examples/registers.yaml -o build --axi-stream tuser --registers axi-lite
      hydranoc verilog examples/demo.yaml -o build --router 3 --top router
    """
    from rtl.common.identifiers import is_identifier

    if not is_identifier(top):
        raise click.BadParameter(f"the top module must have a Verilog identifier as name, not {shown(top)}")
    if len(top) > LONGEST_TOP:
        text = f"the top module's name, which files have too, must have at most {LONGEST_TOP} letters, not {len(top)}"
        raise click.BadParameter(text)
    axi_stream, clocks = options["axi_stream"], options["axi_clocks"] or AXI_CLOCKS[0]
    for option in ("axi_clocks", "tkeep", "arrays"):
        if options[option] and axi_stream is None:
            raise click.UsageError(f"--{option.replace('_', '-')} needs --axi-stream as well")
    for option in ("axi_stream", "registers"):
        if options[option] and options["router"] is not None:
            raise click.UsageError(f"--router is one router without ends: --{option.replace('_', '-')} is of a network")
    design = load(config)
    folder = folder or RESULTS / design.config.name
    with result_folder(folder) as scratch, progress_bars("writing Verilog"):
        if options["router"] is not None:
            generated = design.router(options["router"], top)
        else:
            chosen = {name: options[name] for name in ("moved", "tkeep", "arrays")}
            generated = design.verilog(top, axi_stream, clocks=clocks, registers=bool(options["registers"]), **chosen)
        for name, text in generated.files.items():
            (scratch / name).write_text(text, encoding="utf-8")
    files = {str(folder / name): len(text.encode()) for name, text in generated.files.items()}
    say(
        {"top": generated.top, "files": list(files)},
        table((name, f"{size:,} bytes") for name, size in files.items()),
        as_json,
    )
    return 0
