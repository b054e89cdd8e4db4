"""The sampler of the sweep's benchmark: time in which threads waited for a core, and no time in which they had one."""

import os
import time
from pathlib import Path

import pytest

from benchmarks import sweep_busy

SECOND = 1_000_000_000
"""In the nanoseconds of /proc."""


def _thread(proc: Path, process: int, thread: int, ran: float, waited: float) -> None:
    """What Linux tells of a thread: time on a core, time waiting for one, and how often it got one."""
    folder = proc / str(process) / "task" / str(thread)
    folder.mkdir(parents=True, exist_ok=True)
    part = folder / "new"
    part.write_text(f"{int(ran * SECOND)} {int(waited * SECOND)} 17\n")
    part.replace(folder / "schedstat")  # whoever reads meanwhile sees the old one or the new one


@pytest.fixture(name="proc")
def _proc(tmp_path, monkeypatch):
    """A folder in place of /proc, and a process 77 as the only child."""

    class Child:
        pid = 77

    monkeypatch.setattr(sweep_busy, "PROC", tmp_path)
    monkeypatch.setattr(sweep_busy, "SAMPLE_SECONDS", 0.001)
    monkeypatch.setattr(sweep_busy.multiprocessing, "active_children", lambda: [Child])
    return tmp_path


def test_all_threads_of_a_process_wait(proc):
    _thread(proc, 77, 77, ran=1000, waited=1.5)
    _thread(proc, 77, 78, ran=2000, waited=0.25)
    assert sweep_busy.waited_seconds(77) == pytest.approx(1.75)


def test_nobody_tells_of_a_process_that_has_ended(proc):
    assert sweep_busy.waited_seconds(77) is None
    (proc / "77" / "task").mkdir(parents=True)
    assert sweep_busy.waited_seconds(77) is None


def test_what_was_waited_in_the_block_counts(proc):
    own = os.getpid()
    _thread(proc, own, own, ran=500, waited=40)
    with sweep_busy.core_waits() as waits:
        _thread(proc, own, own, ran=900, waited=42)
        _thread(proc, 77, 77, ran=600, waited=3)
        _wait_for(lambda: waits.get(77) == pytest.approx(3) and waits.get(own) == pytest.approx(42))
    assert waits == {own: pytest.approx(2), 77: pytest.approx(3)}


def test_a_child_that_has_ended_keeps_what_it_waited(proc):
    own = os.getpid()
    _thread(proc, own, own, ran=1, waited=0)
    _thread(proc, 77, 77, ran=1, waited=3)
    with sweep_busy.core_waits() as waits:
        _wait_for(lambda: 77 in waits)
        (proc / "77" / "task" / "77" / "schedstat").unlink()
        time.sleep(0.02)
    assert waits[77] == pytest.approx(3)


def test_a_system_that_does_not_tell_gives_nothing(proc):
    with sweep_busy.core_waits() as waits:
        time.sleep(0.02)
    assert not waits
    assert not any(proc.iterdir())


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="only Linux tells")
def test_linux_tells_of_a_process_that_shares_its_core():
    """Two busy processes on one core: each waits while the other runs."""
    cores = os.sched_getaffinity(0)
    before = sweep_busy.waited_seconds(os.getpid())
    assert before is not None
    child = os.fork()
    if child == 0:  # a competitor, until it is killed
        os.sched_setaffinity(0, {min(cores)})
        while True:
            pass
    try:
        os.sched_setaffinity(0, {min(cores)})
        began = time.thread_time()
        while (sweep_busy.waited_seconds(os.getpid()) or 0) < before + 0.2:  # for ever if nothing is counted
            assert time.thread_time() < began + 30
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
        os.sched_setaffinity(0, cores)


def _wait_for(seen) -> None:
    end = time.monotonic() + 60
    while not seen():
        assert time.monotonic() < end
        time.sleep(0.002)
