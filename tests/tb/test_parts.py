"""The shared hardware parts next to their golden twins, faulty parts that benches must find, and the checks alone."""

import functools
import random
import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from rtl.parts import arbiter, crossbar, deep_ring, ejector, injector, input_buffer, output_register, pattern_source
from sim_model.parts.hosts import Descriptor
from sim_model.parts.switch import AgeMatrixTwin, InputBufferTwin, ReplicatingCrossbarTwin
from tb.common.parts.age_matrix import check_total_order
from tb.common.parts.arbiter import FairnessCheck
from tb.common.parts.injector import MessageFrames
from tb.common.parts.monitor import LinkMonitor, RuleBroken, Scoreboard, check_rate
from tb.common.parts.stream import PauseGenerator, StreamSink, StreamSource
from tests.tb.racks import Instance, Tampered, build_rack, copy_of, mutated, run_rack
from topology.common.flits import FlitFormat, HeaderFormat

# Every shared hardware part in many shapes, and faulty variants of each with the expected report of its bench.

CYCLES_PER_PHASE = 60
FILLS_PER_PHASE = 5
"""Cycles per flit in which a buffer can be filled and emptied in a phase."""
WIDTHS = (8, 32, 64, 512)
Shape = dict[str, int]
Make = Callable[[ModuleType, Shape], Any]


def injector_from(module: ModuleType, shape: Shape) -> Any:
    fields = (("key", shape["key_bits"]), ("source", shape["source_bits"]))
    return module.MessageInjector(HeaderFormat(fields, shape["destinations"], shape["flit_bits"]))


def buffer_shape(flit_bits: int, depth: int, header_flits: int = 1, decoded_bits: int = 0) -> Shape:
    return {"flit_bits": flit_bits, "depth": depth, "header_flits": header_flits, "decoded_bits": decoded_bits}


def header_shape(flit_bits: int, key_bits: int, source_bits: int, destinations: int) -> Shape:
    return {"flit_bits": flit_bits, "key_bits": key_bits, "source_bits": source_bits, "destinations": destinations}


class PartUnderTest:
    """A part and its tested variants.

    bench: Module of the bench in ``tb.common.parts``.
    module: Where the part is.
    make: Makes the part from its module, or a mutated one, and its shape.
    shapes: Parameters.
    outputs: Outputs of a part of the first shape.
    """

    def __init__(self, bench: str, module: ModuleType, make: Make, shapes: list[Shape], outputs: list[str]):
        self.bench = bench
        self.module = module
        self.make = make
        self.shapes = shapes
        self.outputs = outputs

    def _instance(self, name: str, shape: Shape, make: Callable[[], Any], symptom: str | None) -> Instance:
        cycles = max(CYCLES_PER_PHASE, FILLS_PER_PHASE * shape.get("depth", 0))
        parameters = {**shape, "cycles": cycles, "seed": sum(name.encode())}
        return Instance(f"{self.bench}_{name}", make, parameters, symptom)

    def sound(self) -> list[Instance]:
        """One instance per shape."""
        return [self._sound(shape) for shape in self.shapes]

    def _sound(self, shape: Shape) -> Instance:
        name = "_".join(f"{name}_{value}" for name, value in shape.items())
        return self._instance(name, shape, lambda: self.make(self.module, shape), None)

    def tampered(self) -> list[Instance]:
        """One instance per output, with a fault on that output."""
        return [self._tampered(port, self.shapes[0]) for port in self.outputs]

    def _tampered(self, port: str, shape: Shape) -> Instance:
        name = f"tampered_{port.replace('.', '_')}"
        return self._instance(
            name, shape, lambda: Tampered(self.make(self.module, shape), port), rf"{re.escape(port)} is 0x"
        )

    def mutant(self, name: str, shape: Shape, text: str, replacement: str, symptom: str) -> Instance:
        """An instance with one change of its source text."""
        return self._instance(
            f"mutant_{name}", shape, lambda: self.make(mutated(self.module, text, replacement), shape), symptom
        )

    def mutant_of(
        self, used: ModuleType, name: str, text: str, replacement: str, symptom: str, shape: Shape | None = None
    ) -> Instance:
        """An instance, of the first shape or another, with one change in a module that the part's own module uses."""
        shape = shape or self.shapes[0]
        copy, changed = copy_of(self.module), mutated(used, text, replacement)
        for key, value in vars(used).items():
            if getattr(value, "__module__", None) == used.__name__:  # what is defined there, and not what it imports
                setattr(copy, key, getattr(changed, key))
        return self._instance(f"mutant_{name}", shape, lambda: self.make(copy, shape), symptom)


BUFFER = PartUnderTest(
    "input_buffer",
    input_buffer,
    lambda module, shape: module.InputBuffer(*shape.values()),
    [
        *(buffer_shape(flit_bits, depth) for flit_bits in (8, 32, 64) for depth in (1, 2, 4, 8)),
        buffer_shape(512, 4),
        buffer_shape(32, 2, 1, 3),
        buffer_shape(32, 2, 2),
        buffer_shape(32, 4, 3, 11),
        buffer_shape(8, 5, 4),
        buffer_shape(16, 8, 8),
        # in block RAM, all but a front
        buffer_shape(32, 33),
        buffer_shape(16, 64, 3, 5),
        buffer_shape(8, 90, 29),
        buffer_shape(8, 70, 30),
    ],
    ["link.ready", "present", "flit"],
)
EJECTOR = PartUnderTest(
    "ejector",
    ejector,
    lambda module, shape: module.MessageEjector(*shape.values()),
    [{"flit_bits": flit_bits} for flit_bits in WIDTHS],
    ["link.ready", "user.valid", "user.payload"],
)
ARBITER = PartUnderTest(
    "arbiter",
    arbiter,
    lambda module, shape: module.RoundRobinArbiter(*shape.values()),
    [{"count": count} for count in (5, 1, 2, 8, 32)],
    ["chosen"],
)
AGES = PartUnderTest(
    "age_matrix",
    arbiter,
    lambda module, shape: module.AgeMatrix(*shape.values()),
    [{"count": count} for count in (5, 1, 2, 8, 16)],
    [f"older.{member}" for member in range(5)],
)
CROSSBAR = PartUnderTest(
    "crossbar",
    crossbar,
    lambda module, shape: module.ReplicatingCrossbar(*shape.values()),
    [
        {"flit_bits": flit_bits, "inputs": inputs, "outputs": outputs}
        for flit_bits, inputs, outputs in ((32, 3, 2), (8, 1, 1), (8, 5, 5), (64, 2, 4), (512, 2, 2))
    ],
    ["free", "links.0.valid", "links.0.payload", "links.1.valid", "links.1.payload"],
)
INJECTOR = PartUnderTest(
    "injector",
    injector,
    injector_from,
    [header_shape(16, 5, 4, 40), header_shape(8, 9, 7, 64), header_shape(64, 5, 4, 16), header_shape(512, 9, 8, 256)],
    ["message.ready", "payload.ready", "link.valid", "link.payload", "error"],
)
PATTERN = PartUnderTest(
    "pattern_source",
    pattern_source,
    lambda module, shape: module.PatternSource(*shape.values()),
    [{"flit_bits": flit_bits} for flit_bits in WIDTHS],
    ["words.valid", "words.payload"],
)
PARTS = (BUFFER, EJECTOR, ARBITER, AGES, CROSSBAR, INJECTOR, PATTERN)
TAIL_MOVES = "link.valid & link.ready & link.payload.tail"
DEEP = buffer_shape(8, 40, 3)
DEEP_FAULTS = (
    ("overtakes_in_the_front", "self.write & has_room & ~waiting", "self.write & has_room", "flit is"),
    ("fills_a_full_front", "has_room.eq(near != self.slots)", "has_room.eq(1)", "flit is"),
    ("forgets_what_lands", "slot.eq(filled + fetched)", "slot.eq(filled)", "flit is"),
    ("lands_in_the_wrong_slot", "Mux(lands, filled[1:], slot[1:])", "slot[1:]", "flit is"),
    ("swaps_parities", "Mux(self.position[0], rows[1], rows[0])", "Mux(self.position[0], rows[0], rows[1])", "flit is"),
)
MUTANTS = {
    "input_buffer": [
        BUFFER.mutant(
            "full_for_good", buffer_shape(8, 2), "ready.eq(self.pop | ~fills)", "ready.eq(~fills)", "link.ready is"
        ),
        BUFFER.mutant(
            "ready_chain",
            buffer_shape(8, 4),
            "link.ready.eq(ready)",
            "link.ready.eq(ready | self.pop)",
            "link.ready is (no register|unknown)",
        ),
        BUFFER.mutant(
            "loses_second",
            buffer_shape(8, 2),
            "Mux(count == self.depth, Value.cast(slots[1]), Value.cast(entry))",
            "entry",
            "flit is",
        ),
        BUFFER.mutant("always_front", buffer_shape(8, 4, 3), "Mux(self.at_front, front, cursor)", "front", "flit is"),
        BUFFER.mutant(
            "counts_from_front", buffer_shape(8, 4, 3), "Mux(self.at_front, count, unread)", "count", "readable is"
        ),
        BUFFER.mutant(
            "ready_in_reset", buffer_shape(8, 2), "ready = Signal()", "ready = Signal(init=1)", "link.ready is"
        ),
        *(BUFFER.mutant_of(deep_ring, *fault, DEEP) for fault in DEEP_FAULTS),
        BUFFER.mutant("swaps_decoded", buffer_shape(8, 4, 3, 2), "entry.decoded", "entry.decoded ^ 1", "decoded is"),
    ],
    "ejector": [
        EJECTOR.mutant("one_flit", {"flit_bits": 8}, "EJECTOR_FLITS = 2", "EJECTOR_FLITS = 1", "link.ready is")
    ],
    "arbiter": [
        ARBITER.mutant("keeps_turn", {"count": 4}, "chosen[:i].any() for", "chosen[: i + 1].any() for", "chosen is")
    ],
    "age_matrix": [AGES.mutant("never_younger", {"count": 4}, "first.eq(0)", "first.eq(1)", "older.. is")],
    "crossbar": [
        CROSSBAR.mutant_of(output_register, "half_rate", "~link.valid | link.ready", "~link.valid", "free is"),
        CROSSBAR.mutant("first_input", CROSSBAR.shapes[0], ".eq(choice)", ".eq(flits[0])", "payload is"),
        CROSSBAR.mutant_of(output_register, "drops_flit", "link.valid & ~link.ready", "0", "valid is"),
    ],
    "injector": [
        INJECTOR.mutant(
            "all_heads", INJECTOR.shapes[0], "following.head.eq(0)", "following.head.eq(1)", "link.payload is"
        ),
        INJECTOR.mutant("ready_in_reset", INJECTOR.shapes[0], "ready = Signal()", "ready = Signal(init=1)", "ready is"),
        INJECTOR.mutant("sends_without_end", INJECTOR.shapes[0], "counted & ends", "counted", "is"),
        INJECTOR.mutant(
            "sends_without_header",
            INJECTOR.shapes[0],
            "= message.header_flits.any()",
            "= message.header_flits.any() | 1",
            "is",
        ),
        INJECTOR.mutant(
            "impatient", INJECTOR.shapes[0], TAIL_MOVES, "link.valid & link.payload.tail", "message.ready is"
        ),
        INJECTOR.mutant(
            "ready_chain",
            INJECTOR.shapes[0],
            "message.ready.eq(ready)",
            f"message.ready.eq(ready | {TAIL_MOVES})",
            "message.ready is ",
        ),
    ],
    "pattern_source": [
        PATTERN.mutant("other_step", {"flit_bits": 8}, "state + STEP)", "state - STEP)", "words.payload is")
    ],
}
SOUND = {part.bench: part.sound() for part in PARTS}
FAULTY = {part.bench: [*part.tampered(), *MUTANTS[part.bench]] for part in PARTS}


# The shared hardware parts next to their golden twins, faulty parts that the benches must find, and the checks alone.

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
