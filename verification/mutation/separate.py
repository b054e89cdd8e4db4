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

POLL_SECONDS = 0.05


@dataclass(frozen=True)
class Answer:
    """Result of a process.

    Members:
        value (object or None): Result of the function, if it returned; a JSON value.
        error: Reason of the failure.
        cpu_seconds: CPU time of the process and its ended children.
    """

    value: Any
    error: str | None
    cpu_seconds: float


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
        return Answer(given.get("value"), given.get("error"), seconds)
    return Answer(None, "out of time" if status is None or os.WIFSIGNALED(status) else "crashed", seconds)


def _run(function: Callable[[], Any], folder: Path, answer: Path) -> None:
    """Run the function in the new process; never return."""
    os.setpgid(0, 0)
    with (folder / "output.txt").open("ab") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    try:
        given = {"value": function()}
    except BaseException as error:
        traceback.print_exc()
        given = {"error": f"{type(error).__name__}: {error}"[:300]}
    partial = answer.with_suffix(".part")
    partial.write_text(json.dumps(given))
    partial.rename(answer)
    os._exit(0)


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
