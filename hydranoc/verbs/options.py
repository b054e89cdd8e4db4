"""Arguments that several verbs share, and how they print."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from hydranoc.errors import reason
from topology.common.trouble import MachineTrouble

RESULTS = Path("results")

config_argument = click.argument("config", type=click.Path(path_type=Path))
json_option = click.option("--json", "as_json", is_flag=True, help="Print a machine-readable summary.")


def output_option(what: str) -> Callable[[Any], Any]:
    """``-o DIR`` for the results of a verb."""
    text = f"Folder for {what}.  [default: {RESULTS}/NAME, with the configuration's name]"
    return click.option("-o", "--output", "folder", type=click.Path(path_type=Path), metavar="DIR", help=text)


def say(summary: dict[str, Any], text: str, as_json: bool) -> None:
    """Print a summary for machines or for people.

    Raises
    ------
    MachineTrouble
        If it cannot be printed, such as on a full disk.
    """
    try:
        click.echo(json.dumps(summary, indent=2) if as_json else text)
    except BrokenPipeError:  # a reader such as head has seen enough: that says nothing about the work
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise MachineTrouble(f"cannot print the summary: {reason(error)}") from None
