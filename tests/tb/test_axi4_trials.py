"""Trials in which managers and subordinates wait for each other: nothing blocks for ever (docs/do/axi4.md)."""

import json
import pickle
import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hydranoc import load
from hydranoc.lockstep.simulator import BenchSource, build_simulator, run_bench
from rtl.axi4.network import Axi4Plan
from tb.common.axi4.trial_job import DATA_FIRST, JOB_VARIABLE, REQUEST_FIRST, Event, Transfer, Trial, TrialResult
from tests.sampled import sampled
from tests.tb.mutations import as_parameters, copy_hardware, mutations, python_in_copy
from tests.tb.test_axi4 import source_of

BENCH = "tb.common.axi4.trial_bench"
PROCESSORS = range(4)
"""Each has a manager and a subordinate."""
SIZE = 0x1000
WINDOW = 0x8000
NETWORKS: dict[str, dict[str, Any]] = {
    "spam": {"family": "spam", "topology": {"kind": "mesh", "shape": [2, 2]}},
    "min": {"family": "min", "topology": {"kind": "bi-butterfly", "radix": 2, "stages": 2}},
    "torus": {"family": "torus", "topology": {"kind": "torus", "rows": 2, "columns": 2}},
    "hypercube": {"family": "hypercube", "topology": {"kind": "hypercube", "dimensions": 2}},
}
BY_DAY = "spam"
HOLD = 10_000
"""Cycles in which a manager takes no answer."""


def plan_of(name: str, **changes: Any) -> Axi4Plan:
    section: dict[str, Any] = {"managers": [*PROCESSORS], "id_bits": 2, **changes}
    section["regions"] = [{"processor": p, "base": p * SIZE, "size": SIZE} for p in PROCESSORS]
    section["multicast"] = [{"processors": [0, 1, 3], "base": WINDOW, "size": SIZE}]
    axi4 = load({"network": NETWORKS[name], "axi4": section}).axi4
    assert axi4 is not None
    return axi4.plan


@cache
def source(name: str, *, store_writes: bool = True) -> BenchSource:
    return source_of(plan_of(name, store_writes=store_writes))


def run(source: BenchSource, trial: Trial, folder: Path) -> TrialResult:
    trial = replace(trial, result=str(folder / "result.json"))
    (folder / "trial.pickle").write_bytes(pickle.dumps(trial))
    built = build_simulator(source, "icarus", waves=False)
    run_bench(built, BENCH, {JOB_VARIABLE: str(folder / "trial.pickle")}, folder)
    return TrialResult(**json.loads((folder / "result.json").read_text()))


def traffic(count: int, seed: int = 1) -> dict[int, tuple[Transfer, ...]]:
    """Return reads and writes of all managers, to all others and to the window."""
    numbers = random.Random(seed)

    def one(manager: int, number: int) -> Transfer:
        channel = numbers.choice(["read", "write"])
        beats = numbers.randint(1, 16)
        page = numbers.choice([p for p in PROCESSORS if p != manager]) * SIZE
        if channel == "write" and numbers.random() < 0.3:
            page = WINDOW
        return Transfer(channel, page + 4 * numbers.randrange(SIZE // 4 - beats), beats, number % 4)

    return {i: tuple(one(i, number) for number in range(count)) for i in PROCESSORS}


def trial_of(kind: str) -> Trial:
    """Return a trial with random traffic."""
    trial = Trial(traffic(24), tuple(PROCESSORS))
    if kind in (REQUEST_FIRST, DATA_FIRST):
        return replace(trial, rule=kind, pause=0.2)
    channel = kind[-1].lower()
    return replace(trial, holds={(0, channel): HOLD}, cycles=HOLD + 5_000)


def ended(result: TrialResult, trial: Trial) -> bool:
    assert result.report is None
    return all(len(result.ended[str(i)]) == len(own) for i, own in trial.transfers.items())


NAMES = sampled(NETWORKS, (BY_DAY,))
RULES = (REQUEST_FIRST, DATA_FIRST)


@pytest.mark.slow
@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("rule", RULES)
def test_subordinates_that_wait_for_one_of_request_and_data(rule, name, tmp_path, require_tool):
    require_tool("icarus")
    trial = trial_of(rule)
    assert ended(run(source(name), trial, tmp_path), trial)


@pytest.mark.slow
@pytest.mark.parametrize("name", NETWORKS)
def test_a_manager_that_takes_no_b_holds_no_other_manager(name, tmp_path, require_tool):
    require_tool("icarus")
    trial = trial_of("holds B")
    result = run(source(name), trial, tmp_path)
    assert ended(result, trial)
    assert max(cycle for i in (1, 2, 3) for cycle in result.ended[str(i)]) < HOLD < result.ended["0"][-1]
    reads = sum(t.channel == "read" for t in trial.transfers[0])
    assert sum(cycle < HOLD for cycle in result.ended["0"]) == reads


@pytest.mark.slow
@pytest.mark.parametrize("name", NETWORKS)
def test_a_manager_that_takes_no_r_holds_others_no_longer_than_it_does(name, tmp_path, require_tool):
    require_tool("icarus")
    trial = trial_of("holds R")
    result = run(source(name), trial, tmp_path)
    assert ended(result, trial)
    assert result.ended["0"][-1] > HOLD


def chains(rounds: int) -> Trial:
    """Return chains around the processors: a subordinate answers when its own manager has been answered.

    Chains of writes go from 0 over 1, 2 and 3 to 0, those of reads the other way around. The next one begins with the
    end of the one before.
    """
    transfers: dict[int, list[Transfer]] = {i: [] for i in PROCESSORS}
    answers_after = {}
    count = len(PROCESSORS)
    for channel, step in (("write", 1), ("read", -1)):
        for number in range(rounds):
            for place in range(count):
                manager, subordinate = place * step % count, (place + 1) * step % count
                after = Event("arrived", manager, channel, number) if place else None
                if not place and number:
                    after = Event("ended", manager, channel, number - 1)
                transfers[manager].append(Transfer(channel, subordinate * SIZE, 16, number % 4, after))
                if place < count - 1:
                    arrival = Event("arrived", subordinate, channel, number)
                    answers_after[arrival] = Event("ended", subordinate, channel, number)
    return Trial({i: tuple(own) for i, own in transfers.items()}, tuple(PROCESSORS), answers_after=answers_after)


@pytest.mark.slow
@pytest.mark.parametrize("name", NETWORKS)
def test_chains_of_processors_with_both_ends(name, tmp_path, require_tool):
    require_tool("icarus")
    trial = chains(6)
    assert ended(run(source(name), trial, tmp_path), trial)


def copy_of_memory() -> Trial:
    """Return a trial in which each manager announces a write, gives one beat, reads, and gives the rest."""
    others = {i: (i + 1) % len(PROCESSORS) for i in PROCESSORS}
    transfers = {
        i: tuple(
            transfer
            for number in range(6)
            for transfer in (
                Transfer("write", to * SIZE, 16, number % 4, data_after=Event("ended", i, "read", number)),
                Transfer(
                    "read",
                    to * SIZE + 0x100,
                    16,
                    number % 4,
                    after=Event("ended", i, "write", number - 1) if number else None,
                ),
            )
        )
        for i, to in others.items()
    }
    return Trial(transfers, tuple(PROCESSORS))


@pytest.mark.parametrize("name", NAMES)
def test_a_read_before_the_data_of_a_write(name, tmp_path, require_tool):
    require_tool("icarus")
    trial = copy_of_memory()
    assert ended(run(source(name), trial, tmp_path), trial)


def test_without_the_store_such_a_read_waits_for_ever(tmp_path, require_tool):
    require_tool("icarus")
    trial = replace(copy_of_memory(), cycles=1_000)
    result = run(source(BY_DAY, store_writes=False), trial, tmp_path)
    assert not ended(result, trial)
    assert result.cycles == trial.cycles


TRIALS = {
    DATA_FIRST: lambda: trial_of(DATA_FIRST),
    "holds-b": lambda: replace(trial_of("holds B"), holds={(0, "b"): 1_000}, cycles=3_000),
    "chains": lambda: replace(chains(2), cycles=2_000),
}
"""Trials in which faults have to be seen."""
WRITE_SOURCE = """
import pickle, sys
from tests.tb.test_axi4_trials import BY_DAY, source

sys.stdout.buffer.write(pickle.dumps(source(BY_DAY)))
"""


@pytest.mark.parametrize("mutation", as_parameters(mutations("bench", "trials")))
def test_trial_sees_the_fault(mutation, tmp_path, require_tool):
    require_tool("icarus")
    copy_hardware(tmp_path, mutation)
    faulty: BenchSource = pickle.loads(python_in_copy(tmp_path, WRITE_SOURCE))
    trial = TRIALS[mutation.workload.split()[1]]()
    result = run(faulty, trial, tmp_path)
    assert result.report or any(len(result.ended[str(i)]) < len(own) for i, own in trial.transfers.items())
