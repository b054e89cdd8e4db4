"""The command ``hydranoc VERB CONFIG``.

Exit code 0: done and right. 1: done and wrong (mismatch, deadlock, lost message). 2: bad input, told in one
line on stderr.
"""

import os
import sys
from collections.abc import Sequence

import click

from hydranoc import __version__
from hydranoc.errors import ConfigError
from hydranoc.lockstep.tools import ToolMissing
from hydranoc.verbs import VERBS

RIGHT, WRONG, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

EPILOG = """
\b
Examples:
  hydranoc check examples/demo.yaml
  hydranoc draw examples/demo.yaml -o pictures
  hydranoc model examples/demo.yaml --json
  hydranoc compare examples/demo.yaml --sim verilator --waves
  hydranoc fpga examples/mesh.yaml
  hydranoc reproduce spam-fig2 --quick

\b
Exit code: 0 done and right, 1 done and wrong, 2 bad input.
"""


@click.group(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="hydranoc %(version)s")
def cli() -> None:
    """Networks on chip that multicast in hardware: check, draw, generate, simulate, compare and measure them."""


for _verb in VERBS:
    cli.add_command(_verb)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        code = cli.main(args=arguments, prog_name="hydranoc", standalone_mode=False)
    except (ConfigError, ToolMissing) as error:
        return _refuse(str(error))
    except click.ClickException as error:
        where = getattr(getattr(error, "ctx", None), "command_path", "hydranoc")
        return _refuse(f"{error.format_message().rstrip('.')} (see {where} --help)")
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    return code if isinstance(code, int) else RIGHT


def _refuse(message: str) -> int:
    click.echo(f"error: {' '.join(message.split())}", err=True)
    return BAD_INPUT


def main() -> None:
    """Entry point of the installed command."""
    code = run()
    if code == INTERRUPTED:
        # Python ends itself with the signal, whatever the exit code, if an interrupt has passed through an exec() such
        # as those that make dataclasses while modules load
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
