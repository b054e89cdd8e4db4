"""``daemon``: a background process with loaded modules, for fast commands."""

import os
import shlex
import signal
import subprocess
import sys
import time

import click

from hydranoc.daemon import server
from hydranoc.daemon.client import connect, peer
from hydranoc.reports.table import table
from hydranoc.verbs.options import json_option, print_summary
from topology.common.errors import MachineTrouble

START_SECONDS = 30.0
SECONDS_PER_MINUTE = 60


@click.group()
def daemon() -> None:
    """Keep the command loaded in a process in the background, which forks for each command: a short `model` then takes
    a tenth of the time. It loads the modules that commands need, restarts when a source file changes, and ends
    when it has been idle. HYDRANOC_DAEMON=off runs a command without it.

    \b
    Examples:
      hydranoc daemon start --idle 60
      hydranoc daemon status
      hydranoc daemon stop
    """


@daemon.command()
@click.option(
    "--idle",
    type=click.FloatRange(min=0, min_open=True),
    default=30,
    metavar="MINUTES",
    show_default=True,
    help="End after this time without a command.",
)
def start(idle: float) -> None:
    """Start the daemon. It serves commands of this user, installation and environment of Python."""
    if sys.platform != "linux":
        raise MachineTrouble("the daemon needs Linux")
    if _process() is None:
        # not from the working folder, where Python would search for packages
        command = [sys.executable, "-c", f"import hydranoc.cli; hydranoc.cli.serve({idle * SECONDS_PER_MINUTE})"]
        started = subprocess.Popen(
            command,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        _wait_for(started, command)
    click.echo(f"process {_process()} runs commands until it has been idle for {idle:g} minutes")


def _wait_for(started: "subprocess.Popen[bytes]", command: list[str]) -> None:
    last = time.monotonic() + START_SECONDS
    while _process() is None:
        if started.poll() is not None or time.monotonic() > last:
            started.kill()
            raise MachineTrouble(f"the daemon does not start; `{shlex.join(command)}` shows why")
        time.sleep(0.01)


@daemon.command()
def stop() -> None:
    """End the daemon; running commands continue to their end."""
    process = _process()
    if process is not None:
        os.kill(process, signal.SIGTERM)
        while _process() == process:
            time.sleep(0.01)
    click.echo("no daemon runs" if process is None else f"process {process} has ended")


@daemon.command()
@json_option
def status(as_json: bool) -> None:
    """Print the daemon's process, the number of its commands, and their CPU time."""
    figures = server.running.figures if server.running else {}
    text = table([(name.replace("_", " "), value) for name, value in figures.items()])
    print_summary(figures, text or "no daemon runs commands of this user, installation and environment", as_json)


def _process() -> int | None:
    """Return the process of the user's daemon, or None."""
    connection = connect()
    if connection is None:
        return None
    process, _ = peer(connection)
    connection.close()
    return process
