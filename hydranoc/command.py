"""Verbs of the command, and message and exit code of each error that ends one."""

import contextlib
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import click

from hydranoc import __version__
from hydranoc.errors import ConfigError, reason
from hydranoc.exit_codes import BAD_INPUT, INTERRUPTED, RIGHT, TROUBLE
from hydranoc.reports.fallback_dirs import fallback_cache_dirs
from hydranoc.verbs import VERBS, load_verb
from topology.common.errors import FileRemark, MachineTrouble

MAX_ERROR = 1500
"""Characters of an error; paths and lines of files that it repeats may have any length."""

EPILOG = """
\b
Examples:
  hydranoc init
  hydranoc examples
  hydranoc check examples/demo.yaml
  hydranoc draw examples/demo.yaml -o pictures
  hydranoc model examples/demo.yaml --json
  hydranoc compare examples/demo.yaml --sim verilator --waves
  hydranoc fpga examples/mesh.yaml
  hydranoc reproduce spam-fig2 --quick

\b
Exit code: 0 done and right, 1 done and wrong, 2 bad input, 3 environment failure.
"""


class VerbGroup(click.Group):
    """The verbs by name and line of help; the file of a verb is loaded when it is run or completed."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return name, loaded command and arguments of the verb that a command line names."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, load_verb(name) if name and listed else listed, rest


@click.group(
    cls=VerbGroup,
    commands={name: click.Command(name, short_help=text) for name, text in VERBS.items()},
    epilog=EPILOG,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, message="hydranoc %(version)s")
@click.pass_context
def group(context: click.Context) -> None:
    """Networks on chip that multicast in hardware: check, draw, generate, simulate, compare and measure them."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def execute(arguments: Sequence[str] | None) -> int:
    """Run one command and return its exit code; errors are one line on stderr."""
    return exit_code_of(lambda: group.main(args=arguments, prog_name="hydranoc", standalone_mode=False))


def exit_code_of(work: Callable[[], Any]) -> int:
    """Return the exit code of some work of a command, which returns one or nothing; an error is one line on stderr."""
    warnings.showwarning = print_remark
    try:
        with fallback_cache_dirs():
            code = work()
    except ConfigError as error:
        return _ended(BAD_INPUT, str(error))
    except click.ClickException as error:
        where = getattr(getattr(error, "ctx", None), "command_path", "hydranoc")
        return _ended(BAD_INPUT, f"{error.format_message().rstrip('.')} (see {where} --help)")
    except MachineTrouble as error:
        return _ended(TROUBLE, str(error))
    except MemoryError:
        return _ended(TROUBLE, "the machine has too little memory for this network and traffic")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _ended(TROUBLE, f"{where}{reason(error)}")
    except click.Abort:
        return INTERRUPTED
    except RuntimeError as error:
        if not _is_broken_executor(error):
            raise
        return _ended(TROUBLE, "a process that shares the work was killed; the machine may lack memory")
    return code if isinstance(code, int) else RIGHT


def _is_broken_executor(error: RuntimeError) -> bool:
    """Return whether processes that share the work are the cause; they load only where work is shared."""
    futures = sys.modules.get("concurrent.futures")
    return futures is not None and isinstance(error, futures.BrokenExecutor)


def print_remark(message: Warning | str, category: type[Warning], *_where: Any, **_options: Any) -> None:
    """Print a warning as one line on stderr, without the position in the sources."""
    prefix = "remark" if issubclass(category, FileRemark) else category.__name__
    with contextlib.suppress(OSError):
        click.echo(f"{prefix}: {message}", err=True)


def _ended(code: int, message: str) -> int:
    """Print an error in one line; input that it repeats must not move the cursor or colour the terminal."""
    line = "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in " ".join(message.split()))
    if len(line) > MAX_ERROR:
        line = f"{line[: MAX_ERROR // 2]} ... {line[-MAX_ERROR // 2 :]}"
    with contextlib.suppress(OSError):  # of a stderr that cannot be written the exit code is all that is left
        click.echo(f"error: {line}", err=True)
    return code
