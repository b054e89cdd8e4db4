"""Stepping, running, recording, going back: consistent, compiled or not."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sim_model.messages.messages import Message
from sim_model.spam.model import SpamModel
from tests.networks import random_irregular
from tests.sim_model.builders import random_records, simulate, spam_model

ROOT = Path(__file__).parents[2]
CYCLES = 400


def example(startup_cycles=4):
    """A contended network with all features."""
    model = spam_model(random_irregular(5, switches=8), flit_bits=16, routing_cycles=3)
    records = random_records(np.random.default_rng(1), model, 80, cycles=200, body=12)
    relay = records[0].destinations[0]
    records.append(Message(relay, [(relay + 1) % len(model.network.processors)], 20, parents=(0,), delay_cycles=7))
    return simulate(model, records, startup_cycles)


def fingerprint(simulation) -> str:
    """Digest of a recording and of the results."""
    trace = simulation.record(CYCLES)
    digest = hashlib.sha256()
    for part in (*trace, simulation.run().arrival_cycle):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()


def test_step_run_and_record_agree():
    stepped, recorded, ran = example(), example(), example()
    trace = recorded.record(CYCLES)
    for cycle in range(CYCLES):
        report = stepped.step()
        assert (report.moved == trace.moved[cycle]).all()
        assert report.accepted == [
            (node, int(message)) for node, message in enumerate(trace.accepted_message[cycle]) if message >= 0
        ]
        assert report.ejected == [
            (node, int(message), int(trace.ejected_flit[cycle, node]))
            for node, message in enumerate(trace.ejected_message[cycle])
            if message >= 0
        ]
    results = ran.run(CYCLES)
    assert ran.cycle == stepped.cycle == CYCLES
    assert results.flit_hops == trace.moved.sum() == stepped.results().flit_hops
    assert (results.arrival_cycle == stepped.results().arrival_cycle).all()
    assert (stepped.run().arrival_cycle == recorded.run().arrival_cycle).all()


def test_a_run_ends_with_the_last_tail():
    simulation = example()
    results = simulation.run()
    assert results.cycles == results.arrival_cycle.max() + 1
    assert simulation.finished


def test_a_recording_goes_on_after_the_end():
    simulation = simulate(spam_model(random_irregular(5, switches=4)), [Message(0, [1], 5)])
    trace = simulation.record(100)
    assert trace.moved.shape == (100, len(simulation.model.network.channels))
    assert simulation.cycle == 100
    assert simulation.finished
    assert not simulation.step().moved.any()


def test_no_messages_is_an_end():
    simulation = simulate(spam_model(random_irregular(5, switches=4)), [])
    assert simulation.run().deliveries == 0
    assert simulation.finished


def test_snapshots_can_be_used_again():
    simulation = example()
    simulation.run(50)
    snapshot = simulation.snapshot()
    first = fingerprint(simulation)
    for _ in range(2):
        simulation.restore(snapshot)
        assert simulation.cycle == 50
        assert not simulation.finished
        assert fingerprint(simulation) == first


def test_idle_time_is_skipped_without_being_lost():
    model = spam_model(random_irregular(5, switches=4))
    records = [Message(0, [1], 5), Message(1, [0], 5, start_cycle=10**12)]
    results = simulate(model, records, startup_cycles=1000).run()
    assert results.start_cycle[1] == 10**12
    assert results.latency_cycles[1] == results.latency_cycles[0]


def test_same_messages_same_result():
    assert fingerprint(example()) == fingerprint(example())


def test_uncompiled_code_gives_the_same_result():
    code = "from tests.sim_model.test_simulation import *; print(fingerprint(example()))"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.strip() == fingerprint(example()), done.stderr


@pytest.mark.parametrize("family", ["torus", "hypercube"])
def test_uncompiled_routers_with_vcs_give_the_same_result(family):
    """Their vectors of eight switches are arrays then, whose words are numbers of Python or of NumPy."""
    code = (
        "from hydranoc import load; from sim_model.engines.simulation import Simulation; "
        f"design = load('examples/{family}.yaml'); "
        "results = Simulation(design.model, design.messages, engine='cycle').run(400); "
        "print(results.flit_hops, results.arrival_cycle.tolist())"
    )
    printed = []
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    assert int(printed[0].split()[0]) > 1000


def test_describe_router_names_everything():
    simulation = example()
    simulation.run(60)
    network = simulation.model.network
    text = "\n".join(simulation.describe_router(switch) for switch in range(network.switches))
    assert all(channel.name in text for channel in network.channels)
    for word in ("scanned", "delay", "request", "age order", "turn", "active", "owned by input"):
        assert word in text


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"buffer_flits": 0}, "Buffer must hold at least 1 flit, not 0"),
        ({"routing_cycles": 0}, "Routing must take at least 1 cycle, not 0"),
        ({"enqueue": "lucky"}, "Enqueue must be 'atomic' or 'split', not 'lucky'"),
    ],
)
def test_model_parameters_are_checked(parameters, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        SpamModel(spam_model(random_irregular(1)).routing, **parameters)


def test_startup_is_checked():
    with pytest.raises(ValueError, match=r"^Start-up must take at least 0 cycles, not -1$"):
        example(startup_cycles=-1)


def test_results_of_messages_that_are_groups_of_their_own_need_no_gathering():
    model = spam_model(random_irregular(5, switches=8), flit_bits=16, routing_cycles=3)
    several = random_records(np.random.default_rng(1), model, 80, cycles=200, body=12)
    unicasts = [replace(record, destinations=record.destinations[:1]) for record in several]
    for records in (several, unicasts, unicasts[::-1]):
        simulation = simulate(model, records)
        for results in (simulation.run(150), simulation.run()):
            gathered = replace(results)
            vars(gathered)["_all_alone"] = False  # the value with messages of one group
            assert vars(results).keys().isdisjoint({"_all_alone"})
            assert results._all_alone
            for name in ("groups", "group_start_cycle", "group_latency_cycles", "group_destinations"):
                assert np.array_equal(getattr(results, name), getattr(gathered, name)), name
            per_message = np.split(results.arrival_cycle, results.messages.offsets[1:-1])
            last = [arrivals.max() if (arrivals >= 0).all() else -1 for arrivals in per_message]
            assert results.last_arrival_cycle.tolist() == last
            for multicast in (False, True):
                latencies = results.complete_latencies(multicast=multicast, warmup_cycles=20)
                columns = (results.start_cycle, results.latency_cycles, results.messages.destination_counts)
                rows = zip(*columns, strict=True)
                wanted = [row for row in rows if row[0] >= 20 and row[1] >= 0 and (row[2] > 1) == multicast]
                assert latencies.tolist() == [row[1] for row in sorted(wanted, key=lambda row: row[0])]
