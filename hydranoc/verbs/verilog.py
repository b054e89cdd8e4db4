"""``verilog``: the network as hardware."""

from pathlib import Path
from typing import Any

import click

from hydranoc.api import load
from hydranoc.errors import shown
from hydranoc.reports.output import result_folder
from hydranoc.reports.progress import progress_bars
from hydranoc.reports.table import table
from hydranoc.verbs.options import (
    RESULTS,
    config_argument,
    json_option,
    network_choices,
    network_options,
    output_option,
    print_summary,
    refuse_with_axi4,
)

MAX_TOP = 200
"""Maximum length of a top's name. File systems allow 255, of which suffixes need some."""


@click.command()
@config_argument
@output_option("the Verilog")
@click.option("--top", default="noc", show_default=True, help="Name of the top module, prefix of all others.")
@network_options
@click.option("--axi4", is_flag=True, help="The networks with the AXI4 ends of the section axi4.")
@click.option(
    "--router", metavar="SWITCH", help="Only the router of one switch, by name or number; its links are its ports."
)
@json_option
def verilog(config: Path, folder: Path | None, top: str, as_json: bool, **options: Any) -> int:
    """Generate the hardware of CONFIG's network: one module per router shape, a top with one injector and one ejector
    port per processor, a manifest, and a FuseSoC core. A collective plane has files of its own beside them, named
    after the top module and "_plane". The same configuration gives the same bytes.

    \b
    Examples:
      hydranoc verilog examples/demo.yaml -o build
      hydranoc verilog examples/demo.yaml -o build --axi-stream tuser
      hydranoc verilog examples/demo.yaml -o build --axi-stream tuser --axi-clocks separate
      hydranoc verilog examples/registers.yaml -o build --axi-stream tuser --registers axi-lite
      hydranoc verilog examples/axi4.yaml -o build --axi4
      hydranoc verilog examples/demo.yaml -o build --router 3 --top router
    """
    from rtl.generator.identifiers import is_identifier

    if not is_identifier(top):
        text = "the top module must have a Verilog identifier as name, no keyword of Verilog or SystemVerilog"
        raise click.BadParameter(f"{text}, not {shown(top)}")
    if len(top) > MAX_TOP:
        text = f"the top module's name, which files have too, must have at most {MAX_TOP} letters, not {len(top)}"
        raise click.BadParameter(text)
    axi_stream = options["axi_stream"]
    if options["axi4"]:
        refuse_with_axi4(options)
    for option in ("axi_clocks", "tkeep", "user_bits", "delivery_buffer_flits"):
        if options[option] and axi_stream is None:
            raise click.UsageError(f"--{option.replace('_', '-')} needs --axi-stream as well")
    if options["arrays"] and axi_stream is None and not options["axi4"]:
        raise click.UsageError("--arrays needs --axi-stream or --axi4 as well")
    for option, given in (
        ("axi-stream", axi_stream),
        ("registers", options["registers"]),
        ("no-moved", not options["moved"]),
    ):
        if given and options["router"] is not None:
            raise click.UsageError(f"--router is one router without ends: --{option} is of a network")
    design = load(config)
    folder = folder or RESULTS / design.config.name
    with result_folder(folder) as scratch, progress_bars("writing Verilog"):
        if options["axi4"]:
            generated = design.axi4_verilog(top, arrays=options["arrays"])
        elif options["router"] is not None:
            generated = design.router(options["router"], top)
        else:
            generated = design.verilog(top, axi_stream, **network_choices(options))
        plane = None
        if options["router"] is None:
            plane = design.plane_verilog(f"{top}_plane", registers=options["registers"] is not None)
        texts = {**generated.files, **(plane.files if plane else {})}
        for name, text in texts.items():
            (scratch / name).write_text(text, encoding="utf-8")
    files = {str(folder / name): len(text.encode()) for name, text in texts.items()}
    print_summary(
        {"top": generated.top, **({"plane_top": plane.top} if plane else {}), "files": list(files)},
        table((name, f"{size:,} bytes") for name, size in files.items()),
        as_json,
    )
    return 0
