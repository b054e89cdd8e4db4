"""Work shared by processes: everything once, in batches, even if processes are killed."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from hydranoc.sweeps.workers import Batches, _drain, on_processes
from topology.common.errors import MachineTrouble


def square(task: dict) -> dict:
    if task.get("sleep"):
        time.sleep(task["sleep"])
    return {"square": task["number"] ** 2}


def killed_once(task: dict) -> dict:
    """Kills its own process at the first task that finds no mark."""
    mark = Path(task["mark"])
    if task["number"] == 7 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return square(task)


def always_killed(_task: dict) -> dict:
    os.kill(os.getpid(), signal.SIGKILL)
    return {}


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_every_task_is_done_once(processes):
    tasks = [{"number": number} for number in range(500)]
    found = list(on_processes(square, tasks, processes))
    assert sorted(position for position, _ in found) == list(range(500))
    assert all(row == {"square": position**2} for position, row in found)


def test_a_process_that_is_killed_is_replaced(tmp_path):
    tasks = [{"number": number, "mark": str(tmp_path / "mark")} for number in range(40)]
    found = dict(on_processes(killed_once, tasks, 2))
    assert found == {number: {"square": number**2} for number in range(40)}
    assert (tmp_path / "mark").exists()


def test_no_row_is_lost_if_the_pool_breaks_between_two_batches():
    batches, seen, left, submitted = Batches(10, 1), [], [], []

    def submit(some):
        submitted.append(some)
        if len(submitted) == 3:
            raise BrokenProcessPool
        future: Future = Future()
        future.set_result(([{"task": task} for task in some], 0.1))
        return future

    with pytest.raises(BrokenProcessPool):
        seen += (position for position, _ in _drain(submit, range(10), batches, 1))
    batches.give_back()
    while (batch := batches.take()) is not None:
        left += batch
    assert sorted(seen + left) == list(range(10))
    assert seen


def test_processes_that_are_always_killed_are_trouble_of_the_machine():
    with pytest.raises(MachineTrouble, match="were killed or crashed 3 times"):
        list(on_processes(always_killed, [{}, {}], 2))


def test_an_error_of_a_task_is_raised_and_leaves_no_process():
    with pytest.raises(KeyError):
        list(on_processes(square, [{"other": 1}, {"other": 2}], 2))


MAIN = """
import sys
from hydranoc.sweeps.workers import on_processes
from tests.hydranoc.sweeps.test_workers import square

for position, row in on_processes(square, [{"number": n, "sleep": 0.05} for n in range(2000)], 2):
    print(position, flush=True)
"""


def _children(pid: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout
    return [int(child) for child in found.split()]


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_no_process_outlives_a_main_process_that_is_killed():
    main = subprocess.Popen([sys.executable, "-c", MAIN], stdout=subprocess.PIPE, text=True)
    assert main.stdout is not None
    main.stdout.readline()
    children = _children(main.pid)
    assert children
    main.kill()
    main.wait()
    end = time.monotonic() + 20
    while any(map(_alive, children)) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(map(_alive, children))


def test_what_was_given_back_comes_again():
    batches = Batches(10, 1)
    first = batches.take()
    batches.open["key"] = first
    batches.give_back()
    seen: list[int] = []
    while (batch := batches.take()) is not None:
        seen += batch
    assert sorted(seen) == list(range(10))
    assert batches.finished
