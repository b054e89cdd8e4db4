"""The shared hardware parts next to their golden twins, faulty parts that the benches must find, and the checks alone.

All instances of a part run in one simulator, every mixture of idle cycles and back-pressure in one run.
"""

import functools
import random
import re
from typing import Any

import pytest

from sim_model.parts.hosts import Descriptor
from sim_model.parts.switch import AgeMatrixTwin, InputBufferTwin, ReplicatingCrossbarTwin
from tb.common.parts.age_matrix import check_total_order
from tb.common.parts.arbiter import FairnessCheck
from tb.common.parts.injector import MessageFrames
from tb.common.parts.monitor import LinkMonitor, RuleBroken, Scoreboard, check_rate
from tb.common.parts.stream import PauseGenerator, StreamSink, StreamSource
from tests.tb.parts_catalog import BUFFER, FAULTY, INJECTOR, SOUND
from tests.tb.parts_runner import Instance, build_rack, run_rack
from topology.common.flits import FlitFormat

BENCHES = "tb.common.parts."
IDLE_BUFFER = {"link.valid": 0, "link.payload": 0, "pop": 0, "at_front": 0, "advance": 0}
IDLE_CROSSBAR = {"flits.0": 5, "select.0": 1, "load": 0, "links.0.ready": 0}


def cases(racks: dict[str, list[Instance]]) -> list[Any]:
    return [pytest.param(bench, instance, id=instance.name) for bench in racks for instance in racks[bench]]


@pytest.fixture(scope="module", autouse=True)
def _own_cache(tmp_path_factory):
    """Faulty simulators are not worth keeping."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HYDRANOC_CACHE", str(tmp_path_factory.mktemp("simulators")))
        yield


@pytest.fixture(scope="module")
def outcomes_of(require_tool, tmp_path_factory):
    """Outcomes of all instances in a rack under Icarus, which runs at the first call."""
    require_tool("icarus")

    @functools.cache
    def outcomes(bench: str, sound: bool) -> dict[str, list[str | None]]:
        instances = (SOUND if sound else FAULTY)[bench]
        return run_rack(build_rack(instances, "icarus"), BENCHES + bench, instances, tmp_path_factory.mktemp(bench))

    return outcomes


@pytest.mark.parametrize(("bench", "instance"), cases(SOUND))
def test_part_agrees_with_its_golden_twin(bench, instance, outcomes_of):
    outcomes = outcomes_of(bench, True)[instance.name]
    assert outcomes
    assert [outcome for outcome in outcomes if outcome] == []


@pytest.mark.parametrize(("bench", "instance"), cases(FAULTY))
def test_bench_finds_the_fault(bench, instance, outcomes_of):
    failures = [outcome for outcome in outcomes_of(bench, False)[instance.name] if outcome]
    assert failures, "the bench found nothing wrong"
    assert re.search(instance.symptom, failures[0])


def test_parts_agree_with_their_golden_twins_under_verilator(require_tool, tmp_path):
    for tool in ("verilator", "make", "c++", "perl"):
        require_tool(tool)
    chosen = {part.bench: part.sound()[:1] for part in (BUFFER, INJECTOR)}
    built = build_rack([instance for instances in chosen.values() for instance in instances], "verilator")
    for bench, instances in chosen.items():
        outcomes = run_rack(built, BENCHES + bench, instances, tmp_path / bench)[instances[0].name]
        assert outcomes
        assert not any(outcomes), bench


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


def test_scoreboard_finds_lost_doubled_and_altered_items():
    scoreboard = Scoreboard("buffer")
    for item in (1, 2, 3):
        scoreboard.expect(item)
    scoreboard.receive(1)
    with pytest.raises(RuleBroken, match="item 1 came out as 0x3 and not as 0x2"):
        scoreboard.receive(3)
    with pytest.raises(RuleBroken, match="1 items went in and never came out"):
        scoreboard.check_empty()
    scoreboard.receive(3)
    scoreboard.check_empty()
    with pytest.raises(RuleBroken, match=r"\(0x3\) came out but none went in"):
        scoreboard.receive(3)


def test_rate_check_wants_neither_less_nor_more():
    check_rate("link", 63, 63, 64)
    for moved in (62, 64):
        with pytest.raises(RuleBroken, match=f"link: {moved} items moved in 64 cycles and not 63"):
            check_rate("link", moved, 63, 64)


def test_fairness_check_finds_wrong_choices_and_starvation():
    for eligible, chosen in ((0b01, 0b10), (0b11, 0b11), (0b01, 0), (0, 0b01)):
        with pytest.raises(RuleBroken, match="not one was chosen"):
            FairnessCheck(2).observe(eligible, chosen)
    fairness = FairnessCheck(2)
    fairness.observe(0b11, 0b01)
    with pytest.raises(RuleBroken, match="requester 1 was passed over 2 times in a row"):
        fairness.observe(0b11, 0b01)


def test_order_check_finds_circles_and_members_older_than_themselves():
    check_total_order([0b110, 0b100, 0b000])
    with pytest.raises(RuleBroken, match="not one order"):
        check_total_order([0b010, 0b100, 0b001])
    with pytest.raises(RuleBroken, match="member 0 is older than itself"):
        check_total_order([0b001])


def test_frames_find_words_that_no_message_needs_and_messages_cut_short():
    frames = MessageFrames(FlitFormat(8))
    with pytest.raises(RuleBroken, match="took a payload word beyond the message"):
        frames.word_taken(1)
    frames.descriptor_taken(Descriptor((9,), 2))
    with pytest.raises(RuleBroken, match="1 body flits of the message were never loaded"):
        frames.check_complete()


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


@pytest.mark.parametrize(
    ("twin", "inputs", "message"),
    [
        (InputBufferTwin(2, 2), {**IDLE_BUFFER, "pop": 1}, "pop is allowed only"),
        (InputBufferTwin(2, 2), {**IDLE_BUFFER, "advance": 1}, "The cursor may move only"),
        (InputBufferTwin(2, 2), {**IDLE_BUFFER, "advance": 1, "at_front": 1}, "at most 1 may be high"),
        (AgeMatrixTwin(3), {"enter": 0b101}, "At most 1 member may enter in a cycle, not 2"),
        (ReplicatingCrossbarTwin(1, 1), {**IDLE_CROSSBAR, "load": 1, "select.0": 0}, "must select 1 input, not 0"),
    ],
)
def test_twins_refuse_inputs_outside_the_contract(twin, inputs, message):
    with pytest.raises(ValueError, match=message):
        twin.step(inputs)


def test_crossbar_twin_refuses_to_load_a_full_register():
    twin = ReplicatingCrossbarTwin(1, 1)
    twin.step({**IDLE_CROSSBAR, "load": 1})
    with pytest.raises(ValueError, match=r"Only free outputs \(0b0\) may load, not 0b1"):
        twin.step({**IDLE_CROSSBAR, "load": 1})
