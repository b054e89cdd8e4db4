"""``fpga``: area and clock frequency of the routers, or of the whole network."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from fpga.boards.registry import BOARDS
from fpga.common.devices import DEVICES, NO_CLOCK
from hydranoc.api import load
from hydranoc.errors import shown
from hydranoc.reports.output import result_folder
from hydranoc.reports.progress import progress_bars
from hydranoc.verbs.options import RESULTS, NamedPath, json_option, output_option, print_summary

if TYPE_CHECKING:
    from fpga.common.subject import Subject
    from hydranoc.design import Design
    from hydranoc.fpga.report import Result
    from topology.common.channels import ChannelNetwork

MAX_SEEDS = 100
SHOWN_SWITCHES = 8


@click.command()
@click.argument("config", type=NamedPath(), required=False)
@click.option("--switch", metavar="SWITCH", help="Measure the router of this switch (name or number).")
@click.option("--network", "whole", is_flag=True, help="Measure the whole network.")
@click.option(
    "--device",
    "device_name",
    type=click.Choice(list(DEVICES)),
    default="ecp5",
    show_default=True,
    help="xc7 (Xilinx 7 series) and cmos (gates of a chip) are only synthesised: cells, and no clock.",
)
@click.option(
    "--seeds",
    type=click.IntRange(1, MAX_SEEDS),
    default=3,
    show_default=True,
    help="Number of placements for the median.",
)
@click.option("--board", "board_name", type=click.Choice(list(BOARDS)), help="Build a bitstream with a self-test.")
@output_option("Verilog, scripts, reports and fpga.json or board.json")
@json_option
@click.pass_context
def fpga(
    context: click.Context,
    config: Path | None,
    switch: str | None,
    whole: bool,
    device_name: str,
    seeds: int,
    board_name: str | None,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Synthesise, place and route hardware of CONFIG's network out of context, between registers; print its area, its
    clock frequency, and its critical path. Default is one router of each shape, the one
    with the largest tables. Exit code 1 if something does not fit the device.

    For Xilinx 7 (--device xc7) and chips (--device cmos) hardware is only synthesised: there are counts of LUTs or
    gates, flip-flops and memories, but no clock is given, because no place-and-route tool of that family comes along.

    With --board it builds a bitstream in which the network tests itself, and reports over the board's serial line;
    without CONFIG it is the board's own network. Exit code 1 if it does not fit the board or is too slow for its clock.

    \b
    Examples:
      hydranoc fpga examples/mesh.yaml
      hydranoc fpga examples/mesh.yaml --device xc7
      hydranoc fpga --board ulx3s-85f -o build
      hydranoc fpga examples/fig1.yaml --network --device ice40-hx8k --seeds 1
    """
    if board_name:
        return _build_board(context, board_name, config, folder, as_json)
    if config is None:
        raise click.UsageError("Missing argument 'CONFIG'")
    if whole and switch is not None:
        raise click.UsageError("--switch and --network cannot be given together")
    device = DEVICES[device_name]
    if not device.has_clock and _is_given(context, "seeds"):
        raise click.UsageError(f"--seeds and --device {device_name} cannot be given together: a clock is {NO_CLOCK}")
    from hydranoc.fpga.report import figures, report_text
    from hydranoc.fpga.run import fpga_tools, measure, tool_versions

    fpga_tools(device)  # a missing program is reported before any work
    design = load(config)
    folder = folder or RESULTS / design.config.name
    subjects = _subjects(design, switch, whole)
    with result_folder(folder) as scratch, progress_bars() as progress:
        measured = [measure(item, device, seeds, scratch / item.name, progress) for item in subjects]
        results = [_result(design, item, device_name) for item in measured]
        tools = tool_versions(device)
        summary = {"network": design.config.name, **figures(results, device, tools, seeds)}
        (scratch / "fpga.json").write_text(json.dumps(summary, indent=2) + "\n")
    print_summary(summary, f"{report_text(results, device, tools)}\n\n{folder / 'fpga.json'}", as_json)
    return 0 if all(item.fits for item in measured) else 1


def _build_board(
    context: click.Context, board_name: str, config: Path | None, folder: Path | None, as_json: bool
) -> int:
    for name, option in (("switch", "switch"), ("whole", "network"), ("device_name", "device"), ("seeds", "seeds")):
        if _is_given(context, name):
            raise click.UsageError(f"--board and --{option} cannot be given together")
    from hydranoc.fpga.board import DoesNotFit, board_figures, board_text, build_board

    board = BOARDS[board_name]
    design = load(config or board.config)
    folder = folder or RESULTS / board_name
    try:
        with result_folder(folder) as scratch, progress_bars() as progress:
            built = build_board(board, design, scratch, progress)
            (scratch / "board.json").write_text(json.dumps(board_figures(built), indent=2) + "\n")
    except DoesNotFit as error:
        click.echo(f"error: {error}", err=True)
        return 1
    print_summary(board_figures(built), f"{board_text(built)}\n\n{folder / (built.bitstream or 'board.json')}", as_json)
    return 0 if built.right else 1


def _is_given(context: click.Context, name: str) -> bool:
    """Return True if an option is given, rather than at its default."""
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def _subjects(design: "Design", switch: str | None, whole: bool) -> list["Subject"]:
    from fpga.common.subject import network_subject, representative_switches, router_subject  # loads Amaranth

    if whole:
        return [network_subject(design.plan)]
    if switch is not None:
        return [router_subject(design.plan, _switch(design.network, switch))]
    return [router_subject(design.plan, number) for number in representative_switches(design.plan).values()]


def _switch(network: "ChannelNetwork", text: str) -> int:
    """Return a switch by name or number."""
    names = network.switch_names
    if text in names:
        return names.index(text)
    if text in map(str, range(network.switches)):
        return int(text)
    first = ", ".join(names[:SHOWN_SWITCHES]) + (", ..." if len(names) > SHOWN_SWITCHES else "")
    numbers = f"0 to {network.switches - 1}"
    raise click.BadParameter(f"--switch is {shown(text)}; it must be a name ({first}) or a number ({numbers})")


def _result(design: "Design", measurement, device_name: str) -> "Result":
    from hydranoc.fpga.baseline import find_entry, read_baseline
    from hydranoc.fpga.report import Result

    subject, plan = measurement.subject, design.plan
    if subject.switch is None:
        network = design.network
        title = f"network: {network.switches} switches, {len(network.processors)} processors"
        return Result(measurement, title, 1, None, network.switch_names)
    instances = sum(use.shape == subject.shape for use in plan.routers)
    root = ", root" if subject.switch == plan.parameters.get("root") else ""
    title = f"switch {design.network.switch_names[subject.switch]}{root}: one of {instances} {subject.shape}"
    entry = find_entry(read_baseline(), plan, subject.switch, DEVICES[device_name])
    return Result(measurement, title, instances, entry, design.network.switch_names)
