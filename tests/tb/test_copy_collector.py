"""The copy collector next to its golden twin and an untimed oracle; faulty ones that the bench must find.

The oracle also judges the twin alone, and faulty twins, without a simulator.
"""

import asyncio
import functools
import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from rtl.harts import copy_collector, copy_emission, copy_entries, copy_vote, finished_broadcasts
from sim_model.harts import copy_collector as twins
from tb.common.parts.monitor import LinkMonitor, RuleBroken
from tb.common.parts.parameters import phases
from tb.common.parts.stream import PauseGenerator, StreamSink, StreamSource
from tb.harts.copy_collector import (
    ABANDONED,
    CROWDED,
    ORDERLY,
    STEADY,
    CollectorBench,
    PacketsOut,
    check_latency,
    collector_keywords,
)
from tb.harts.copy_oracle import CrowdedOracle, ExactOracle, Oracle, Packet
from tests.sampled import sampled
from tests.tb.racks import ALL_TESTS, Instance, build_rack, mutated, run_rack
from topology.common.flits import FlitFormat
from topology.harts.broadcast import algorithm_number
from topology.harts.graph import HexMesh
from topology.harts.header import PacketHeader, harts_header
from topology.harts.reception import VOTE

CYCLES_PER_PHASE, SLOW_CYCLES_PER_PHASE, MUTANT_CYCLES_PER_PHASE = 400, 1_500, 3_000
TWIN_CYCLES_PER_PHASE, FAULTY_TWIN_CYCLES_PER_PHASE = 300, 8_000
BENCH = "tb.harts.copy_collector"
PARTS = ("CopyEmission", "CopyEntries", "CopyVote", "FinishedBroadcasts")
BENCH_TESTS = 4
Shape = dict[str, int]


def shape(size: int, flit_bits: int, packet_flits: int, *, votes: int, entries: int, least_copies: int) -> Shape:
    return {
        "size": size,
        "flit_bits": flit_bits,
        "packet_flits": packet_flits,
        "votes": votes,
        "entries": entries,
        "least_copies": least_copies,
    }


SMALL, STRICT, FIRST_COPY = (
    shape(2, 64, 5, votes=1, entries=4, least_copies=1),
    shape(2, 40, 4, votes=1, entries=2, least_copies=3),
    shape(2, 64, 4, votes=0, entries=2, least_copies=1),
)
SHAPES = [
    SMALL,
    STRICT,
    FIRST_COPY,
    shape(2, 40, 2, votes=1, entries=3, least_copies=1),
    shape(3, 64, 9, votes=0, entries=4, least_copies=3),
]
MORE_SHAPES = [
    shape(size, flit_bits, packet_flits, votes=votes, entries=entries, least_copies=least_copies)
    for size, flit_bits, packet_flits in ((2, 40, 12), (3, 64, 3))
    for votes in (0, 1)
    for entries in (2, 4)
    for least_copies in (1, 3)
]


def name_of(of: Shape) -> str:
    return "_".join(f"{name}_{value}" for name, value in of.items())


def instance(of: Shape, make: Any, name: str, symptom: str | None = None, cycles: int = CYCLES_PER_PHASE) -> Instance:
    return Instance(name, make, {**of, "cycles": cycles, "seed": sum(name.encode())}, symptom)


def sound(of: Shape, cycles: int) -> Instance:
    make = functools.partial(copy_collector.CopyCollector, **collector_keywords(of))
    return instance(of, make, name_of(of), cycles=cycles)


@dataclass(frozen=True)
class Mutant:
    """A collector in which one line is changed, of itself or of a part of it.

    module: Where the line is.
    text: A piece of it that occurs in the module exactly once.
    symptom: Regular expression of the expected report.
    tests: Regular expression of the bench's tests to run.
    """

    name: str
    module: ModuleType
    text: str
    replacement: str
    symptom: str
    shape: Shape = field(default_factory=lambda: SMALL)
    tests: str = "all_copies_come"

    def make(self) -> Any:
        changed = mutated(self.module, self.text, self.replacement)
        collector = changed if self.module is copy_collector else copy_of(copy_collector)
        for part in PARTS:
            if hasattr(changed, part):
                setattr(collector, part, getattr(changed, part))
        return collector.CopyCollector(**collector_keywords(self.shape))


def copy_of(module: ModuleType) -> ModuleType:
    line = "class CopyCollector(Part):"
    return mutated(module, line, line)


ANY_OUTPUT = r"(i\.ready|o\.valid|o\.payload|refused|undecided) is 0x"
MUTANTS = [
    Mutant("votes_twice", copy_collector, "seen | beaten", "beaten", "refused is 0x0 and not 0x1"),
    Mutant("takes_the_entry_that_is_sent", copy_entries, "~in_use & ~emitted", "~in_use", r"o\.payload is 0x"),
    Mutant(
        *("does_not_sweep", finished_broadcasts, "self.sweeping | self.write", "self.write"),
        *("refused is 0x1 and not 0x0", SMALL, ALL_TESTS),
    ),
    Mutant("forgets_differences", copy_vote, "equal.eq(equal & ~compared)", "equal.eq(~compared)", ANY_OUTPUT),
    Mutant("loads_late", copy_emission, "& register.free", "& ~link.valid", r"o\.valid is 0x0", SMALL, ALL_TESTS),
    Mutant(
        *("drives_out_the_same_always", copy_entries, "turn.eq(self._after(self.entry))", "turn.eq(turn)"),
        *(ANY_OUTPUT, SMALL, "entries_do_not_suffice"),
    ),
    Mutant(
        *("refuses_too_much", copy_collector, "COPIES[algorithm] < self.least", "COPIES[algorithm] <= self.least"),
        *("refused is 0x1 and not 0x0", STRICT),
    ),
    Mutant("stores_late_copies", copy_collector, "eq(~refused & ~late)", "eq(~refused)", ANY_OUTPUT, FIRST_COPY),
]
CAME_OUT = "came out and (not|none)"
TWIN_FAULTS = [
    ("threshold(entry.copies, self.mode)", "(entry.copies + 1) // 2", SMALL, ORDERLY, CAME_OUT),
    ("if beaten or fields.direction in entry.seen:", "if beaten:", SMALL, ORDERLY, f"{CAME_OUT}|refused and not"),
    ("self.finished[arrival.fields.source, low] = high", "pass", SMALL, ORDERLY, CAME_OUT),
    (".get((fields.source, low)) == high", ".get((fields.source, low)) is not None", SMALL, ORDERLY, CAME_OUT),
    ("entry.key == arrival.key", "(entry.key or ())[:2] == arrival.key[:2]", SMALL, ORDERLY, CAME_OUT),
    ("(0 if head else data, tail)", "(0 if head or tail else data, tail)", SMALL, ORDERLY, CAME_OUT),
    ("== entry.copies:", "> entry.copies:", SMALL, ORDERLY, f"{CAME_OUT}|(undecided|refused) and not"),
    ("not entry.delivered and self._is_finished(fields)", "False", SMALL, ORDERLY, "came out and"),
    ("== (source, number)", "== ()", SMALL, ORDERLY, f"{CAME_OUT}|refused and not"),
    ("lanes(self.mode)", "2", SMALL, ABANDONED, f"{CAME_OUT}|never came out"),
    ("free + in_turn", "in_turn", SMALL, ORDERLY, CAME_OUT),
    ("int(not evicted.delivered)", "0", SMALL, ABANDONED, "undecided and not"),
    ("< self.least_copies", "<= self.least_copies", STRICT, ORDERLY, CAME_OUT),
    ("[arrival.header,", "[arrival.header ^ 1 << 60,", SMALL, CROWDED, "without enough copies|before the ordinary"),
    ("threshold(entry.copies, self.mode)", "(entry.copies + 1) // 2", SMALL, CROWDED, "without enough|before the ord"),
    ("self.finished[arrival.fields.source, low] = high", "pass", SMALL, CROWDED, "is the second of its broadcast"),
    ("LOAD_STEP = 6", "LOAD_STEP = 5", SMALL, STEADY, "headers came out in the cycles"),
]


def run(instances: list[Instance], folder: Path, tests: str = ALL_TESTS) -> dict[str, list[str | None]]:
    """Run tests of the bench on all instances. Returns, per instance and test, None or why it failed."""
    return run_rack(build_rack(instances, "icarus"), BENCH, instances, folder, tests)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    """Faulty simulators are not worth keeping."""
    monkeypatch.setenv("HYDRANOC_CACHE", str(tmp_path / "simulators"))


@pytest.mark.parametrize("of", sampled([*SHAPES, *MORE_SHAPES], (SMALL, FIRST_COPY)), ids=name_of)
def test_collector_agrees_with_its_golden_twin_and_the_oracle(of, require_tool, tmp_path):
    require_tool("icarus")
    part = sound(of, CYCLES_PER_PHASE if of in SHAPES else SLOW_CYCLES_PER_PHASE)
    outcomes = run([part], tmp_path)[part.name]
    assert outcomes == [None] * BENCH_TESTS


@pytest.mark.parametrize(
    "mutant",
    sampled(MUTANTS, MUTANTS[:2]),
    ids=lambda mutant: mutant.name,
)
def test_bench_finds_the_fault(mutant, require_tool, tmp_path):
    require_tool("icarus")
    name = f"mutant_{mutant.name}"
    part = instance(mutant.shape, mutant.make, name, mutant.symptom, MUTANT_CYCLES_PER_PHASE)
    failures = [outcome for outcome in run([part], tmp_path, mutant.tests)[part.name] if outcome]
    assert failures, "the bench found nothing wrong"
    assert re.search(mutant.symptom, failures[0])


class TwinAlone:
    """A twin in the place of a part in the simulator."""

    def __init__(self, twin: Any):
        self.cycle = 0
        self._twin = twin

    async def step(self, inputs: Any) -> Any:
        self.cycle += 1
        return self._twin.step(inputs)


def judge(module: ModuleType, of: Shape, traffic: str, cycles: int = TWIN_CYCLES_PER_PHASE) -> None:
    """Check a twin with the oracle."""
    parameters = {**of, "seed": sum(name_of(of).encode())}
    twin = module.CopyCollectorTwin(**collector_keywords(of))
    bench = CollectorBench(TwinAlone(twin), parameters, traffic)
    if traffic == STEADY:
        asyncio.run(check_latency(bench))
        return
    for phase in phases():
        asyncio.run(bench.traffic(phase, cycles))


@pytest.mark.parametrize("traffic", [ORDERLY, ABANDONED, CROWDED, STEADY])
@pytest.mark.parametrize("of", sampled([*SHAPES, *MORE_SHAPES], SHAPES), ids=name_of)
def test_twin_agrees_with_the_oracle(of, traffic):
    judge(twins, of, traffic)


@pytest.mark.parametrize(("text", "replacement", "of", "traffic", "symptom"), TWIN_FAULTS)
def test_oracle_finds_faults_of_the_twin(text, replacement, of, traffic, symptom):
    with pytest.raises(RuleBroken, match=symptom):
        judge(mutated(twins, text, replacement), of, traffic, FAULTY_TWIN_CYCLES_PER_PHASE)


LAYOUT = harts_header(HexMesh(2), 64)


def copy(direction: int, body: tuple[int, ...], number: int = 0, algorithm: str = "3-bcast", **fields: int) -> Packet:
    values = {"broadcast": 1, "algorithm": algorithm_number(algorithm), "direction": direction, "id": number, **fields}
    return Packet(PacketHeader(**values).pack(LAYOUT), body)


ORDINARY = Packet(PacketHeader(id=3).pack(LAYOUT), (9,))


def exact() -> ExactOracle:
    return ExactOracle(LAYOUT, VOTE, 2, 4, gives_up=False)


def crowded() -> CrowdedOracle:
    return CrowdedOracle(LAYOUT, VOTE, 2)


def taken(oracle: Oracle, *packets: Packet) -> Oracle:
    for packet in packets:
        oracle.take(packet)
    return oracle


def test_exact_oracle_knows_what_is_due():
    oracle = taken(exact(), copy(0, (1,)), copy(4, (2,)), ORDINARY, copy(2, (1,)))
    # a fourth of three, and one by an algorithm with too few
    taken(oracle, copy(1, (1,)), copy(5, (), 1, "sbcast"))
    oracle.receive(ORDINARY)
    oracle.receive(copy(2, (1,)))
    oracle.check_settled(refused=2, undecided=0)
    # half of the ids later the first id may be used again
    taken(oracle, copy(1, (7,), 128), copy(3, (7,), 128), copy(5, (8,), 128))
    taken(oracle, copy(2, (5,)), copy(3, (5,)), copy(4, (6,)))
    oracle.receive(copy(3, (7,), 128))
    oracle.receive(copy(3, (5,)))
    taken(oracle, *(copy(way, (way,), 77) for way in range(3)))
    oracle.check_settled(refused=2, undecided=1)


@pytest.mark.parametrize(
    ("came", "left", "symptom"),
    [
        ([copy(0, (1,)), copy(2, (1,))], [copy(0, (1,))], "came out and not"),
        ([copy(0, (1,)), copy(2, (2,))], [copy(2, (2,))], "came out and none is due"),
        ([copy(0, (1,)), copy(0, (1,))], [copy(0, (1,))], "came out and none is due"),
        ([copy(0, (1,)), copy(2, (1,))], [], "1 packets never came out"),
        ([copy(0, (1,)), copy(0, (1,))], [], "0 copies were refused and not 1"),
        ([copy(0, (1,)), copy(2, (2,)), copy(3, (3,))], [], "0 broadcasts remained undecided and not 1 to 1"),
    ],
)
def test_exact_oracle_finds_what_is_wrong(came, left, symptom):
    oracle = taken(exact(), *came)
    with pytest.raises(RuleBroken, match=symptom):
        receive_all(oracle, left)


@pytest.mark.parametrize(
    ("came", "left", "symptom"),
    [
        ([copy(0, (1,)), copy(2, (2,))], [copy(2, (2,))], "without enough copies that agree"),
        ([copy(0, (1,)), copy(0, (1,))], [copy(0, (1,))], "without enough copies that agree"),
        ([copy(way, (1,)) for way in range(4)], [copy(1, (1,)), copy(3, (1,))], "is the second of its broadcast"),
        ([ORDINARY, copy(0, (1,)), copy(2, (1,))], [copy(2, (1,))], "came out before the ordinary"),
        ([copy(0, (1,)), ORDINARY], [], "the ordinary .* never came out"),
    ],
)
def test_crowded_oracle_finds_what_is_wrong(came, left, symptom):
    oracle = taken(crowded(), *came)
    with pytest.raises(RuleBroken, match=symptom):
        receive_all(oracle, left)


def receive_all(oracle: Oracle, packets: list[Packet]) -> None:
    for packet in packets:
        oracle.receive(packet)
    oracle.check_settled(refused=0, undecided=0)


def test_crowded_oracle_lets_broadcasts_be_given_up():
    oracle = taken(crowded(), *(copy(way, (1,)) for way in range(3)), ORDINARY)
    receive_all(oracle, [copy(2, (1,)), ORDINARY])


def test_packets_out_must_begin_with_a_head_and_end_with_a_tail():
    flits = FlitFormat(8)
    head, tail = flits.pack(data=1, head=True, tail=False), flits.pack(data=2, head=False, tail=True)
    out = PacketsOut(flits)
    assert out.flit_moved(head) is None
    with pytest.raises(RuleBroken, match="1 flits came out of a packet without a tail"):
        out.check_complete()
    assert out.flit_moved(tail) == Packet(1, (2,))
    out.check_complete()
    with pytest.raises(RuleBroken, match="flit 0 of a packet has the head bit 0"):
        out.flit_moved(tail)


@pytest.mark.parametrize(
    ("flits", "symptom"),
    [
        ([(0, 0)], "Packets must be a head and the rest up to a tail"),
        ([(1, 0), (1, 0)], "Packets must be a head and the rest up to a tail"),
        ([(1, 0), *[(0, 0)] * 5], "Packet must have at most 5 flits, not more"),
    ],
)
def test_twin_refuses_inputs_outside_the_contract(flits, symptom):
    twin = twins.CopyCollectorTwin(**collector_keywords(SMALL))
    waiting = [FlitFormat(64).pack(data=0, head=bool(head), tail=bool(tail)) for head, tail in flits]

    def offer() -> None:
        for _ in range(twin.sweep_cycles + 100):
            seen = twin.step({"i.valid": int(bool(waiting)), "i.payload": waiting[0] if waiting else 0, "o.ready": 1})
            if waiting and seen["i.ready"]:
                waiting.pop(0)

    with pytest.raises(ValueError, match=symptom):
        offer()


def test_crowded_oracle_counts_pulses():
    oracle = taken(crowded(), copy(0, (1,)), copy(2, (1,)))
    oracle.check_settled(refused=1, undecided=1)
    with pytest.raises(RuleBroken, match="2 copies were refused and 1 broadcasts given up, of 2 copies"):
        oracle.check_settled(refused=2, undecided=1)


def test_monitor_finds_what_breaks_the_link_rules():
    monitor = LinkMonitor("link")
    assert not monitor.observe(1, 7, 0)
    with pytest.raises(RuleBroken, match="link: valid fell before 0x7 had moved"):
        monitor.observe(0, 7, 0)
    with pytest.raises(RuleBroken, match="link: payload changed from 0x7 to 0x8 before it had moved"):
        monitor.observe(1, 8, 1)
    monitor.start_phase()
    with pytest.raises(RuleBroken, match="nothing moved while ready waited for valid"):
        monitor.check_progress()
    assert monitor.observe(1, 7, 1)
    monitor.check_progress()


def test_source_holds_what_it_offers_and_sink_can_wait_for_valid():
    numbers = random.Random(1)
    source = StreamSource(iter([3, 4]), 8, PauseGenerator(numbers), numbers)
    assert source.offer() == (1, 3)
    assert source.settle(0) is None
    source.pause.probability = 1.0
    assert source.offer() == (1, 3)
    assert source.settle(1) == 3
    assert source.offer()[0] == 0
    sink = StreamSink(PauseGenerator(numbers))
    sink.waits_for_valid = True
    assert sink.offer() == 0
    sink.settle(1, 0)
    assert sink.offer() == 1
