"""Every shared hardware part in many shapes, and faulty variants of each with the expected report of its bench.

Widths and depths are crossed where both matter.
"""

import re
from collections.abc import Callable
from types import ModuleType
from typing import Any

from rtl.parts import arbiter, crossbar, deep_ring, ejector, injector, input_buffer, output_register, pattern_source
from tests.tb.parts_runner import Instance, Tampered, copy_of, mutated
from topology.common.flits import HeaderFormat

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
