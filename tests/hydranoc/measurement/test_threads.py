"""Threads and workers of a measurement: the same figures, and notices that reach the user once."""

import os
import signal
import threading
import time
from contextlib import contextmanager
from functools import partial

import pytest

from hydranoc.measurement.network import NetworkExperiment
from hydranoc.measurement.point import Plan, measure_point
from hydranoc.measurement.threads import NotWantedError, replication_threads, replications, run_wanted
from hydranoc.sweeps.workers import on_processes
from sim_model.engines.simulation import Simulation
from sim_model.loops import notices
from sim_model.spam.model import SpamModel
from sim_model.traffic import random_traffic
from topology.common.lattice import lattice_network
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

ENDLESS_CYCLES = 2_000_000_000
SOON_SECONDS = 20


@pytest.fixture(scope="module")
def model():
    return SpamModel(SpamRouting(SpamLabels(lattice_network(16, seed=1)), 64))


def traffic(model, seed, cycles, rate=0.0005, flits=16):
    return random_traffic(
        processors=len(model.network.processors),
        cycles=cycles,
        seed=seed,
        messages_per_node_per_cycle=rate,
        multicast_fraction=0.2,
        destinations=4,
        flits=flits,
    )


def test_runs_stand_in_the_order_of_their_numbers_whoever_is_first():
    def run(number):
        time.sleep(0.02 * (5 - number))
        return number, threading.current_thread() is threading.main_thread()

    with replication_threads(3):
        assert replications(run, range(5)) == [(number, False) for number in range(5)]
    assert replications(run, range(2)) == [(0, True), (1, True)]


def test_a_point_is_the_same_on_any_number_of_threads(model):
    experiment = NetworkExperiment((model,), traffic, seed=3)
    plan = Plan(40_000, relative_half_width=0.001, replications=5, most_replications=8)
    points = []
    for threads in (1, 2, 5):
        with replication_threads(threads):
            points.append(measure_point(experiment, plan))
    assert points[0].stable
    assert points[0].replications == 8
    assert repr(points[0]) == repr(points[1]) == repr(points[2])
    assert [kind.histogram for kind in points[0].kinds] == [kind.histogram for kind in points[2].kinds]


def endless(model, engine, number):
    """A run of a minute, which ends sooner only if it is cancelled."""
    run_wanted(Simulation(model, columns(model, number), engine=engine), ENDLESS_CYCLES)


def columns(model, seed):
    """Long messages without a gap, until long after the test."""
    records = traffic(model, seed, 4_000_000, rate=0.0001, flits=60_000)
    return records.checked(processors=len(model.network.processors), header_flits=model.header_flits)


def test_a_run_that_fails_ends_the_others(model):
    def run(number):
        if number == 0:
            begun.wait()
            raise ValueError("this one fails")
        begun.set()
        ended.append(_ended(partial(endless, model, "cycle", number)))

    ended: list[bool] = []
    begun = threading.Event()
    with replication_threads(2), pytest.raises(ValueError, match="this one fails"):
        replications(run, range(2))
    assert ended == [True]


def _ended(run):
    try:
        run()
    except NotWantedError:
        return True
    return False


@pytest.fixture
def interruptible():
    """Background jobs of a shell ignore interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_all_runs(model):
    before = threading.active_count()
    timer = threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    began = time.monotonic()
    with replication_threads(2), pytest.raises(KeyboardInterrupt):
        replications(partial(endless, model, "cycle"), range(2))
    timer.join()
    assert time.monotonic() - began < SOON_SECONDS
    assert threading.active_count() == before


def compile_loop(task: dict) -> dict:
    """Stand-in for a task whose loops are not cached."""
    with notices.compiling(task["loop"]):
        time.sleep(0.3)
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
