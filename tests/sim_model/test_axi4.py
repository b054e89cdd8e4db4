"""Golden model of AXI4 ends: rules of AXI4, data of memories, uncompiled code. Lock-step tests are in ``tests/tb``."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hydranoc import load
from sim_model.axi4.simulation import Axi4Simulation
from sim_model.axi4.state import AR, AW, B, R, W
from topology.axi4.address_map import Window
from topology.axi4.words import FIXED, WRAP

ROOT = Path(__file__).parents[2]
NONE = -1
PAUSES: dict[str, Any] = {"pause": 0.4, "stall": 0.4, "seed": 5}
BEATS, OUTSTANDING = 24, 6
RANDOM: dict[str, Any] = {
    "kind": "axi4",
    "transactions": 25,
    "beats": [1, BEATS],
    "outstanding": OUTSTANDING,
    "multicast_fraction": 0.4,
    "unmapped_fraction": 0.1,
    "error_fraction": 0.1,
}


def simulation(
    hosts: dict[str, Any] | None = None,
    *,
    masks: bool = False,
    listed: list[Any] | None = None,
    delivery_buffer_flits: int = 0,
    **traffic: Any,
) -> Axi4Simulation:
    """Return three managers and three memories on a mesh, one processor with both; a list replaces random traffic."""
    regions = [{"processor": p, "base": 0x1_0000 * p, "size": 0x2000} for p in (2, 4, 6)]
    windows = [{"processors": [2, 4, 6], "base": 0x8000_0000, "size": 0x1000}]
    given: dict[str, Any] = {
        "network": {"family": "spam", "topology": {"kind": "mesh", "shape": [3, 3]}},
        "axi4": {
            "managers": [0, 4, 8],
            "id_bits": 2,
            "regions": regions,
            "delivery_buffer_flits": delivery_buffer_flits,
            **({"multicast_mask": "awuser"} if masks else {"multicast": windows}),
        },
        "traffic": {"kind": "axi4", "transactions": listed} if listed else {**RANDOM, **traffic},
        "hosts": hosts or {},
    }
    return load(given).axi4_simulation()


def recorded(hosts: dict[str, Any] | None = None, **traffic: Any) -> tuple[Axi4Simulation, Any]:
    model = simulation(hosts, **traffic)
    cycles = model.run().cycles
    again = simulation(hosts, **traffic)
    return again, again.record(cycles + 4).ends


@pytest.fixture(scope="module")
def run():
    return recorded(PAUSES, other_bursts_fraction=0.4)


def test_offers_stay_until_they_are_taken(run):
    _, trace = run
    for offers, ready in (
        (trace.manager_offers, trace.manager_ready),
        (trace.subordinate_offers, trace.subordinate_ready),
    ):
        waits = (offers[:-1] != NONE) & (ready[:-1] == 0)
        assert waits.any()
        assert (offers[1:][waits] == offers[:-1][waits]).all()


def _owners(model: Axi4Simulation) -> np.ndarray:
    """Return the transaction of each response."""
    return model.messages.own.transaction[model.messages.request]


def taken(trace: Any, end: str, number: int, channel: int) -> list[int]:
    """Return the offers of a channel that were taken, in order."""
    offers, ready = (getattr(trace, f"{end}_{name}")[:, number, channel] for name in ("offers", "ready"))
    return offers[(offers != NONE) & (ready != 0)].tolist()


def test_every_transaction_is_offered_and_answered_once(run):
    model, trace = run
    given, results = model.transactions, model.results()
    for number, processor in enumerate(model.system.managers):
        own = np.flatnonzero(given.manager == processor)
        for channel, is_write in ((AW, True), (AR, False)):
            assert [v >> 8 for v in taken(trace, "manager", number, channel)] == own[
                given.is_write[own] == is_write
            ].tolist()
        beats = [(t, beat) for t in own[given.is_write[own]].tolist() for beat in range(given.beats[t])]
        assert [(v >> 8, v & 255) for v in taken(trace, "manager", number, W)] == beats
        assert sorted(v >> 8 for v in taken(trace, "manager", number, B)) == own[given.is_write[own]].tolist()
        answers: dict[int, list[int]] = {}
        for offer in taken(trace, "manager", number, R):
            packed = -2 - offer if offer < NONE else offer
            response = packed >> 8
            transaction = response if offer < NONE else int(_owners(model)[response])
            answers.setdefault(transaction, []).append(packed & 255)
        assert sorted(answers) == own[~given.is_write[own]].tolist()
        assert all(beats == list(range(given.beats[t])) for t, beats in answers.items())
    assert results.unfinished == 0
    assert not results.deadlocked


def test_limits_of_what_is_under_way(run):
    model, _ = run
    given, results = model.transactions, model.results()
    spans = list(zip(results.offered_cycle.tolist(), results.done_cycle.tolist(), strict=True))
    for processor in model.system.managers:
        own = [spans[t] for t in np.flatnonzero(given.manager == processor)]
        under_way = [sum(begin <= cycle <= end for begin, end in own) for cycle, _ in own]
        assert max(under_way) == OUTSTANDING


def test_memories_store_bytes(run):
    """Every beat of a read has the bytes that writes have left, or those that were read before."""
    model, trace = run
    data, owner = model.data, _owners(model)
    for number in range(len(model.system.areas.subordinates)):
        memory: dict[int, int] = {}
        for row in range(len(trace.subordinate_ready)):
            offers, ready = trace.subordinate_offers[row, number], trace.subordinate_ready[row, number]
            if offers[R] != NONE and _is_new(trace, row, number):
                response, beat = divmod(int(offers[R]), 256)
                word = int(model.state.read[data.first_place[response] + beat, 0])
                for byte, address in enumerate(_addresses(model, response, beat)):
                    assert memory.setdefault(address, word >> 8 * byte & 255) == word >> 8 * byte & 255
            if offers[W] != NONE and ready[W]:
                response, beat = divmod(int(offers[W]), 256)
                place = data.first_beat[owner[response]] + beat
                word, strobes = int(data.written[place, 0]), int(data.strobes[place])
                written = enumerate(_addresses(model, response, beat))
                memory |= {address: word >> 8 * byte & 255 for byte, address in written if strobes >> byte & 1}
        assert memory


def _addresses(model: Axi4Simulation, response: int, beat: int) -> range:
    """Return the addresses of the bytes of a beat's word at its subordinate."""
    given, owner = model.transactions, _owners(model)[response]
    first, size, burst = int(model.data.address[response]), int(given.size[owner]), int(given.burst[owner])
    own = first if burst == FIXED or beat == 0 else (first >> size << size) + (beat << size)
    if burst == WRAP:
        whole = int(given.beats[owner]) << size
        own = first // whole * whole + own % whole
    return range(own & -4, (own & -4) + 4)


def _is_new(trace: Any, row: int, number: int) -> bool:
    """Return whether a memory offers another beat than in the cycle before: it reads it then."""
    offers, ready = trace.subordinate_offers[:, number, R], trace.subordinate_ready[:, number, R]
    return row == 0 or offers[row - 1] == NONE or bool(ready[row - 1])


def test_responses_are_the_worst_of_all_receivers():
    model = simulation()
    results, areas = model.run(), model.system.areas
    for t in range(len(model.transactions)):
        answers = model.answers[_owners(model) == t]
        target = areas.target(int(model.transactions.address[t]))
        receivers = () if target is None else areas.receivers(target, int(model.transactions.manager[t]))
        if target is not None and isinstance(areas.areas[target], Window) and not model.transactions.is_write[t]:
            receivers = ()
        assert results.receivers[t] == len(receivers)
        assert results.response[t] == (answers.max() if receivers else 3)


def test_masks_reach_the_regions_of_the_address_map():
    model = simulation(masks=True, transactions=60, read_fraction=0.2, multicast_fraction=0.7)
    given, results, areas = model.transactions, model.run(), model.system.areas
    for t in range(len(given)):
        reached = areas.masked_target(int(given.address[t]), int(given.mask[t]))
        assert results.receivers[t] == len(set(reached) - {int(given.manager[t])})
    assert set(results.receivers.tolist()) >= {0, 1, 2}
    listed = [
        {"manager": 0, "kind": "write", "address": address, "mask": mask}
        for address, mask in ((0x2_0000, 0x6_0000), (0x2_0000, 0x4), (0x2_1FFC, 0x4_0000), (0x1_0000, 0x7_0000))
    ]
    found = simulation(masks=True, listed=listed).run()
    assert found.receivers.tolist() == [3, 0, 2, 3]
    assert found.response.tolist() == [0, 3, 0, 0]


@pytest.mark.parametrize("flits", [0, 64])
def test_a_receiver_that_stalls_holds_multicasts_of_others_only_without_a_buffer(flits):
    """Memory 4 takes nothing of the first multicast; the second one, from another manager, shares memory 2 with it."""
    blocked = 2_000
    listed = [
        {"manager": 0, "kind": "write", "address": 0x2_0000, "mask": 0x6_0000, "beats": 20},
        {"manager": 8, "kind": "write", "address": 0x2_0000, "mask": 0x4_0000, "beats": 20, "start_cycle": 30},
    ]
    hosts = {"blocked": [{"processor": 4, "start_cycle": 0, "cycles": blocked}]}
    found = simulation(hosts, masks=True, listed=listed, delivery_buffer_flits=flits).run()
    assert found.receivers.tolist() == [3, 2]
    assert found.response.tolist() == [0, 0]
    first, second = found.done_cycle.tolist()
    assert first > blocked
    assert second < 200 if flits else second > blocked


def test_uncompiled_code_gives_the_same_cycles():
    code = (
        "from tests.sim_model.test_axi4 import PAUSES, simulation; "
        "results = [simulation(hosts, transactions=4).run() for hosts in (None, PAUSES)]; "
        "print([(r.offered_cycle.tolist(), r.done_cycle.tolist(), r.response.tolist(), r.stalls) for r in results])"
    )
    printed = []
    for disabled in ("0", "1"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-W", "error", "-c", code]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT, check=False)
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert printed[0] == printed[1]


def test_a_recorded_run_has_the_cycles_of_a_run():
    model = simulation(PAUSES)
    cycles = model.run().cycles
    again = simulation(PAUSES)
    again.record(cycles // 2)
    assert again.run().done_cycle.tolist() == model.results().done_cycle.tolist()
