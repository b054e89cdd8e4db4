"""Registers of a collective plane and their addresses. Those that networks have too are at the same addresses."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rtl.collectives.parameters import TIMEOUT_BITS
from rtl.collectives.plan import PlanePlan
from rtl.registers.register_map import (
    READ,
    READ_WRITE,
    WORD_BITS,
    WORD_BYTES,
    WRITE,
    WRITE_ONE_TO_CLEAR,
    Field,
    Register,
    RegisterMap,
)
from rtl.version import VERSION

IDENTIFICATION = int.from_bytes(b"HNCP", "big")
FIRST_ARRAY_ADDRESS = 0x40
MASKS = ("mismatches", "timeouts")
"""Error masks of switches that can interrupt, in the order of their bits in ``INTERRUPT_PENDING``."""
KINDS = ("operations", "words", "contribution_stalls", "result_stalls")
"""Counters of a group, in the order of their numbers."""


@dataclass(frozen=True)
class PlaneRegisters:
    """Registers of a plane.

    Parameters:
        plan
        timeout_cycles: First value of ``TIMEOUT``.
        counters: Registers count operations, words and stalls of each group.
    """

    plan: PlanePlan
    timeout_cycles: int = 0
    counters: bool = False

    @cached_property
    def masks(self) -> tuple[str, ...]:
        """Names of the error masks that the switches have."""
        plane = self.plan.parameters
        here = {"mismatches": not plane.barriers_only, "timeouts": plane.timeouts}
        return tuple(name for name in MASKS if here[name])

    @cached_property
    def branch_bits(self) -> dict[int, int]:
        """Position of each switch's lowest branch in an error mask; branches are counted over all switches."""
        found, position = {}, 0
        for switch, shape in self.plan.shapes.items():
            found[switch] = position
            position += shape.branches
        return found

    @property
    def branches(self) -> int:
        """Branches of all switches: bits of an error mask."""
        return sum(shape.branches for shape in self.plan.shapes.values())

    @cached_property
    def members(self) -> list[int]:
        """Words of ``MEMBERS``: for each group the mask of its members, the lowest word first."""
        words = -(-len(self.plan.tree.processors) // WORD_BITS)
        masks = [sum(1 << member for member in group.members) for group in self.plan.tables.groups]
        return [mask >> WORD_BITS * word & (1 << WORD_BITS) - 1 for mask in masks for word in range(words)]

    @cached_property
    def taking_part(self) -> list[int]:
        """Words of ``TAKING_PART``: for each switch the mask of each group."""
        return [int(mask) for row in self.plan.tables.taking_part for mask in row]

    @cached_property
    def map(self) -> RegisterMap:
        """Registers, in the order of their addresses."""
        registers = [*self._identification(), *self._control(), *self._counters()]
        registers.sort(key=lambda register: register.address)
        free = FIRST_ARRAY_ADDRESS
        for name, description, mask_bits, numbers in self._arrays():
            access = WRITE_ONE_TO_CLEAR if mask_bits else READ
            words = max(2, numbers) if numbers else -(-mask_bits // WORD_BITS)  # an index has at least one bit
            size = WORD_BYTES << (words - 1).bit_length()
            address = -(-free // size) * size
            registers.append(Register(name, address, access, description, mask_bits=mask_bits, numbers=numbers))
            free = address + registers[-1].words * WORD_BYTES
        return RegisterMap(tuple(registers))

    def _identification(self) -> Iterator[Register]:
        plane, tree = self.plan.parameters, self.plan.tree
        major, minor, patch = map(int, VERSION.split("."))
        yield _constant("ID", 0x00, "Kind of the block.", Field("id", 0, 32, "`HNCP` in ASCII.", IDENTIFICATION))
        yield _constant(
            *("VERSION", 0x04, "Version of the generator that made the plane."),
            Field("patch", 0, 8, "Third number.", patch),
            Field("minor", 8, 8, "Second number.", minor),
            Field("major", 16, 8, "First number.", major),
        )
        processors = Field("processors", 0, 20, "Number of processors.", len(tree.processors))
        yield _constant("PROCESSORS", 0x08, "Processors of the plane.", processors)
        switches = Field("switches", 0, 20, "Number of switches; the manifest has their branches.", len(tree.switches))
        yield _constant("SWITCHES", 0x0C, "Switches of the plane.", switches)
        built = sum(1 << operator for operator in plane.operators)
        yield _constant(
            *("CAPABILITIES", 0x10, "Parameters of the plane."),
            Field("groups", 0, 4, "Number of groups.", plane.groups),
            Field("counters", 4, 1, "There are counters.", int(self.counters)),
            Field("timeouts", 5, 1, "There are timeouts.", int(plane.timeouts)),
            Field("window", 8, 5, "Operations of a group that a member may have under way.", plane.window),
            Field("word_bits", 16, 7, "Bits of a word.", plane.word_bits),
            Field("operators", 24, 8, "Mask of the operators; 0 for barriers alone.", built),
        )

    def _control(self) -> Iterator[Register]:
        groups = self.plan.parameters.groups
        reset = Field("reset", 0, 1, "Hold the plane in reset; registers are not touched.")
        yield Register("CONTROL", 0x14, READ_WRITE, "Control of the plane.", (reset,))
        if self.masks:
            bits = {name: MASKS.index(name) for name in self.masks}
            pending = tuple(Field(name, bit, 1, f"`{name.upper()}` is not 0.") for name, bit in bits.items())
            enable = tuple(Field(name, bit, 1, f"Interrupt for `{name}`.") for name, bit in bits.items())
            text = "Masks in which something is marked; cleared there."
            yield Register("INTERRUPT_PENDING", 0x18, READ, text, pending)
            text = "Bits of `INTERRUPT_PENDING` that drive `irq`, which is high as long as one of them is 1."
            yield Register("INTERRUPT_ENABLE", 0x1C, READ_WRITE, text, enable)
        flush = Field("groups", 0, groups, "A 1 flushes the group: its words are dropped, its operations end.")
        yield Register("FLUSH", 0x20, WRITE, "Commands to groups.", (flush,))
        state = Field("groups", 0, groups, "1 while the group is flushed.")
        yield Register("FLUSHING", 0x24, READ, "State of flushes.", (state,))
        if self.plan.parameters.timeouts:
            cycles = Field("cycles", 0, TIMEOUT_BITS, "Cycles; 0 for ever.", self.timeout_cycles)
            text = "Time that a switch waits for a branch before it marks it in `TIMEOUTS`."
            yield Register("TIMEOUT", 0x28, READ_WRITE, text, (cycles,))

    def _counters(self) -> Iterator[Register]:
        if self.counters:
            enable = Field("enable", 0, 1, "Count.")
            yield Register("COUNTERS_CONTROL", 0x2C, READ_WRITE, "Control of the counters.", (enable,))
            clear = Field("clear", 0, 1, "1: set all counters to 0.")
            yield Register("COUNTERS_COMMAND", 0x30, WRITE, "Commands to the counters.", (clear,))

    def _arrays(self) -> Iterator[tuple[str, str, int, int]]:
        """Yield masks and numbers: name, description, bits of a mask, number of elements."""
        where = "Branches of all switches, in ascending order"
        texts = {
            "mismatches": f"{where}, whose operator or number of words differed from that of others.",
            "timeouts": f"{where}, for which a group waited too long.",
        }
        for name in self.masks:
            yield name.upper(), texts[name], self.branches, 0
        words = len(self.members) // self.plan.parameters.groups
        text = f"Members of the groups: word w of group g is number {words} g + w." if words > 1 else ""
        yield "MEMBERS", text or "Mask of the members of each group.", 0, len(self.members)
        yield "TOPS", "Switch that is the top of each group.", 0, self.plan.parameters.groups
        text = f"Branches that take part: group g of the n-th switch is number {self.plan.parameters.groups} n + g."
        yield "TAKING_PART", text, 0, len(self.taking_part)
        if self.counters:
            kinds = ", ".join(f"{kind} {name.replace('_', ' ')}" for kind, name in enumerate(KINDS))
            text = f"Counts of the first member of each group: number `4 * group + kind`; {kinds}."
            yield "COUNTERS", text, 0, len(KINDS) * self.plan.parameters.groups

    def constant_numbers(self) -> dict[str, Sequence[int]]:
        """Return the values of registers with numbers that never change."""
        return {"MEMBERS": self.members, "TOPS": self.plan.tables.top_switch, "TAKING_PART": self.taking_part}


def _constant(name: str, address: int, description: str, *fields: Field) -> Register:
    return Register(name, address, READ, description, fields, constant=True)
