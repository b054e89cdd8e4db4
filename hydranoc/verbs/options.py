"""Common arguments and output of verbs."""

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hydranoc.errors import ConfigError, reason, shown
from topology.common.errors import MachineTrouble

if TYPE_CHECKING:
    from hydranoc.design import Design


RESULTS = Path("results")
GOAL_RESULT = "messages.goal"
"""File that only ``model --goal`` writes, and that all other runs remove."""
MESSAGE_RESULTS, TRANSACTION_RESULTS = ("messages.csv", "channels.csv", GOAL_RESULT), ("transactions.csv",)
"""Files of runs of one kind of traffic, which runs of the other kind remove."""
RUN_RESULTS = (
    *(*MESSAGE_RESULTS, *TRANSACTION_RESULTS, "summary.json", "mismatch.txt"),
    *(f"{name}.{suffix}" for name in ("waves", "plane", "axi4") for suffix in ("vcd", "fst")),
)
"""Files of all runs of traffic."""
EXAMPLES = Path("examples")
MANY_MESSAGES = 50_000
MAX_DIGITS = 18
"""Maximum digits of a cycle."""


class NamedPath(click.Path):
    """A non-empty path: an empty text, such as an unset variable, does not mean the current folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path without further checks."""
        if value == "":
            self.fail("a file or folder must have a name, not ''; the current folder is '.'", param, ctx)
        if "\0" in str(value):
            self.fail("a file's or folder's name must not hold the character 0", param, ctx)
        return super().convert(value, param, ctx)


class CycleWindow(click.ParamType):
    """A part of a run, ``FIRST:LAST``: cycles FIRST to LAST - 1."""

    name = "window"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Return first and last cycle."""
        first, _, last = str(value).partition(":")
        cycles = [int(text) for text in (first, last) if text.isdecimal() and len(text) <= MAX_DIGITS]
        if len(cycles) < 2 or cycles[0] >= cycles[1]:
            self.fail(f"a window is {shown(value)}; it must be FIRST:LAST in cycles with FIRST < LAST", param, ctx)
        return cycles[0], cycles[1]


def _config(_context: click.Context, _parameter: click.Parameter, path: Path) -> Path:
    """Return the path; for a missing example the error suggests ``hydranoc examples``."""
    if path.parent == EXAMPLES and not path.exists():
        raise ConfigError("there is no such file; 'hydranoc examples' writes that folder", file=path)
    return path


config_argument = click.argument("config", type=NamedPath(), callback=_config)
json_option = click.option("--json", "as_json", is_flag=True, help="Print a machine-readable summary.")


def output_option(what: str) -> Callable[[Any], Any]:
    """Return ``-o DIR`` for the results of a verb."""
    text = f"Folder for {what}.  [default: {RESULTS}/NAME, with the configuration's name]"
    return click.option("-o", "--output", "folder", type=NamedPath(), metavar="DIR", help=text)


def suggest_trace_format(design: "Design") -> None:
    """Suggest a trace file for configurations with many messages in YAML."""
    from hydranoc.config.schema import ListTraffic

    traffic = design.config.traffic
    count = len(traffic.messages) if isinstance(traffic, ListTraffic) else 0
    if count >= MANY_MESSAGES:
        click.echo(f"{count:,} messages in YAML: as 'kind: trace' they would be read several times as fast", err=True)


def print_summary(summary: dict[str, Any], text: str, as_json: bool) -> None:
    """Print a summary as JSON or text.

    Raises:
        MachineTrouble: If it cannot be printed, such as on a full disk.
    """
    try:
        click.echo(json.dumps(summary, indent=2) if as_json else text)
    except BrokenPipeError:  # a reader such as head has closed the pipe, which is no error of the work
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise MachineTrouble(f"cannot print the summary: {reason(error)}") from None


# copies from rtl.endpoints.axi_injector and axi_ends, which would load Amaranth for every verb's --help
DESTINATION_MODES = ("tuser", "leading-word", "tdest")
AXI_CLOCKS = ("network", "shared", "separate")
REGISTER_BUSES = ("axi-lite",)
MAX_USER_BITS = 64
MIN_BUFFER_FLITS, MAX_BUFFER_FLITS = 4, 65_536


class BufferFlits(click.IntRange):
    """Flits of a delivery buffer; 0 for none."""

    name = "integer"

    def __init__(self) -> None:
        super().__init__(MIN_BUFFER_FLITS, MAX_BUFFER_FLITS)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        return 0 if value in (0, "0") else super().convert(value, param, ctx)


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
        "--user-bits",
        type=click.IntRange(0, MAX_USER_BITS),
        default=0,
        help="AXI4-Stream words have a sideband in tuser from source to receiver; flit_bits is as many bits more than "
        "a word.",
    ),
    click.option(
        "--delivery-buffer-flits",
        type=BufferFlits(),
        default=0,
        help="Buffer in block RAM in front of each AXI4-Stream receiver: packets that fit hold no channels while it "
        "stalls.",
    ),
    click.option(
        "--registers",
        type=click.Choice(REGISTER_BUSES),
        help="Registers behind AXI4-Lite in place of the ports of counters, tables and errors, with an interrupt.",
    ),
    click.option(
        "--arrays", is_flag=True, help="Add a SystemVerilog module whose AXI4-Stream or AXI4 ports are arrays."
    ),
)


def network_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a network's ports to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def network_choices(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options except ``axi_stream`` as arguments of ``Design.verilog``."""
    chosen = {name: options[name] for name in ("moved", "tkeep", "user_bits", "delivery_buffer_flits", "arrays")}
    return {**chosen, "clocks": options["axi_clocks"] or AXI_CLOCKS[0], "registers": bool(options["registers"])}


def refuse_with_axi4(options: Mapping[str, Any]) -> None:
    """Refuse options of other ends than AXI4.

    Raises:
        UsageError: For the first of them.
    """
    for name in ("axi_stream", "axi_clocks", "tkeep", "user_bits", "delivery_buffer_flits", "registers", "router"):
        if options.get(name):
            raise click.UsageError(f"--axi4 and --{name.replace('_', '-')} cannot be given together")
    if not options["moved"]:
        raise click.UsageError("--axi4 and --no-moved cannot be given together: there is no such output")
