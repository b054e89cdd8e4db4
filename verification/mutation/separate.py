"""Runs a function in a process of its own, whose CPU time and life are limited."""

import json
import os
import resource
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from topology.common.errors import how_it_ended
from verification.mutation.environment import SIGNALS, is_environment_failure

POLL_SECONDS = 0.05
OUT_OF_TIME = "out of time"
UNWRITTEN = "could not write its answer"


@dataclass(frozen=True)
class Answer:
    """Result of a process.

    Members:
        value (object or None): Result of the function, if it returned; a JSON value.
        error: Reason of the failure.
        cpu_seconds: CPU time of the process and its ended children.
        environment: True if the failure is of the environment, not of the function.
    """

    value: Any
    error: str | None
    cpu_seconds: float
    environment: bool = False


def limit_cpu(seconds: int) -> None:
    """Limit the CPU time of this process so far and to come, and that of each process that it starts."""
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))


def separately(function: Callable[[], Any], folder: Path, wall_seconds: float) -> Answer:
    """Run a function in a forked process; kill it and its children when its time is over.

    Parameters:
        function: Function without arguments; returns a JSON value.
        folder: Folder for its result and its output.
    """
    folder.mkdir(parents=True, exist_ok=True)
    answer = folder / "answer.json"
    answer.unlink(missing_ok=True)
    process = os.fork()
    if not process:
        _run(function, folder, answer)
    status, used = _wait(process, time.monotonic() + wall_seconds)
    seconds = round(used.ru_utime + used.ru_stime, 2) if used else wall_seconds
    if answer.exists():
        given = json.loads(answer.read_text())
        return Answer(given.get("value"), given.get("error"), seconds, given.get("environment", False))
    error, environment = _ending(status)
    return Answer(None, error, seconds, environment)


def _ending(status: int | None) -> tuple[str, bool]:
    """Return how a process without an answer has ended, and whether the environment has ended it."""
    if status is None:
        return OUT_OF_TIME, False
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGXCPU:
        return OUT_OF_TIME, False
    if code < 0:
        return how_it_ended(code), -code in SIGNALS
    return (UNWRITTEN, True) if code == os.EX_IOERR else ("crashed", False)


def _run(function: Callable[[], Any], folder: Path, answer: Path) -> None:
    """Run the function in the new process; never return."""
    code = os.EX_IOERR
    try:
        os.setpgid(0, 0)
        with (folder / "output.txt").open("ab") as output:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
        partial = answer.with_suffix(".part")
        partial.write_text(json.dumps(_given(function)))
        partial.rename(answer)
        code = 0
    finally:
        os._exit(code)


def _given(function: Callable[[], Any]) -> dict[str, Any]:
    """Return the members of an answer that the new process knows."""
    try:
        return {"value": function()}
    except BaseException as error:
        traceback.print_exc()
        said = f"{type(error).__name__}: {error}"[:300]
        return {"error": said, "environment": is_environment_failure(error)}


def _wait(process: int, until: float) -> tuple[int | None, Any]:
    while time.monotonic() < until:
        ended, status, used = os.wait4(process, os.WNOHANG)
        if ended:
            _end_group(process)
            return status, used
        time.sleep(POLL_SECONDS)
    _end_group(process)
    _, _, used = os.wait4(process, 0)
    return None, used


def _end_group(process: int) -> None:
    """Kill the remains of the process and its children, which are a group."""
    try:
        os.killpg(process, signal.SIGKILL)
    except ProcessLookupError:
        return
