"""Notices of worker processes about compilation, which their parent shows."""

import os
import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from hydranoc.measurement.kept_points import measure_points
from hydranoc.sweeps.workers import on_processes
from sim_model.loops import notices


@dataclass(frozen=True)
class Point:
    """Result of a task."""

    number: int


def compile_loop(task: dict) -> dict:
    """Stand-in for a task whose loops are not cached."""
    with notices.compiling(task["loop"]):
        time.sleep(0.3)
    return task


def compile_for_point(number: int) -> Point:
    compile_loop({"loop": f"loop {number}"})
    return Point(number)


def killed_while_it_compiles(task: dict) -> dict:
    with notices.compiling(task["loop"]):
        if not os.path.exists(task["mark"]):
            Path(task["mark"]).touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return task


@pytest.fixture
def seen():
    """Loops in the order in which their notices are entered and left."""
    found: list[tuple[str, bool]] = []

    @contextmanager
    def record(loop: str):
        found.append((loop, True))
        yield
        found.append((loop, False))

    notices.set_notice(record)
    yield found
    notices.set_notice(notices.nullcontext)


def test_workers_of_a_sweep_send_their_notices(seen):
    list(on_processes(compile_loop, [{"loop": "first"}, {"loop": "second"}], 2))
    assert sorted(seen) == [("first", False), ("first", True), ("second", False), ("second", True)]


def test_workers_of_a_figure_send_their_notices(seen):
    assert measure_points(compile_for_point, [1, 2], point_type=Point, processes=2) == [Point(1), Point(2)]
    assert sorted(seen) == [("loop 1", False), ("loop 1", True), ("loop 2", False), ("loop 2", True)]


def test_a_worker_that_is_killed_leaves_no_notice(seen, tmp_path):
    tasks = [{"loop": "killed", "mark": str(tmp_path / "mark")} for _ in range(2)]
    list(on_processes(killed_while_it_compiles, tasks, 2))
    entered = [begins for _, begins in seen]
    assert entered.count(True) == entered.count(False) >= 3
    assert not [thread for thread in threading.enumerate() if "pass_on" in thread.name]
