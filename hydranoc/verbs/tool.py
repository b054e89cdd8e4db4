"""``tool``: runs of a program that comes as a Python package."""

import os
import sys

import click

from hydranoc.lockstep.tool_folder import user_tool
from hydranoc.lockstep.tools import SHIPPED, tool_environment


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("name", type=click.Choice(SHIPPED), metavar="NAME")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def tool(name: str, arguments: tuple[str, ...]) -> int:
    """Run the program NAME with ARGUMENTS: verilator, yosys, nextpnr-ecp5, ecppack, nextpnr-ice40 or icepack. It
    replaces this command, and its exit code is the program's. `hydranoc env` adds all of them to the PATH of a shell.

    \b
    Examples:
      hydranoc tool verilator --lint-only -Wall noc.v
      hydranoc tool yosys -p "read_verilog noc.v; synth_ecp5; stat"
    """
    found = user_tool(name)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(found.command[0], [*found.command, *arguments], tool_environment(found))
