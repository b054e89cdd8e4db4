"""Registers: names, addresses, accesses and fields. Hardware, headers and pages are generated from such a map."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

WORD_BITS = 32
WORD_BYTES = 4

READ = "R"
READ_WRITE = "RW"
WRITE = "W"
WRITE_ONE_TO_CLEAR = "W1C"
WRITE_TO_CLEAR = "WC"
ACCESSES = {
    READ: "read only",
    READ_WRITE: "read and write; a read gives what was written",
    WRITE: "write only; each write is a command",
    WRITE_ONE_TO_CLEAR: "read; a write clears the bits that are 1 in it",
    WRITE_TO_CLEAR: "read; a write of anything sets it to 0",
}
READABLE = frozenset(ACCESSES) - {WRITE}
WRITABLE = frozenset(ACCESSES) - {READ}


@dataclass(frozen=True)
class Field:
    """Bits of a register.

    Parameters:
        name: In lower case.
        low, bits (int): Lowest bit and width.
        description: Sentences for the page of registers.
        value: After reset; always, if the register is constant.

    Raises:
        ValueError: If the field does not fit a word, or the value not the field.
    """

    name: str
    low: int
    bits: int
    description: str
    value: int = 0

    def __post_init__(self):
        if self.low < 0 or self.bits < 1 or self.low + self.bits > WORD_BITS:
            raise ValueError(f"Field {self.name} must lie in {WORD_BITS} bits, not {self.bits} from bit {self.low} on")
        if not 0 <= self.value < 1 << self.bits:
            raise ValueError(f"Value of field {self.name} must have {self.bits} bits, not {self.value!r}")

    @property
    def mask(self) -> int:
        """Mask of its bits in a word."""
        return (1 << self.bits) - 1 << self.low


@dataclass(frozen=True)
class Register:
    """One word with fields, a mask over several words, or many numbers of one word each.

    Parameters:
        name: In upper case.
        address: Of the first word, in bytes.
        access: One of ``ACCESSES``.
        description: Sentences for the page of registers.
        fields: Of a register of one word.
        constant: The fields never change.
        mask_bits: Of a mask: its bits, 32 per word, the lowest first.
        numbers: Of numbers that are looked up when they are read: their count.

    Raises:
        ValueError: If the access is not one of ``ACCESSES``, the address is not that of a word, it is not one of the
            three kinds, fields overlap, or numbers do not begin at a multiple of their size.
    """

    name: str
    address: int
    access: str
    description: str
    fields: Sequence[Field] = ()
    constant: bool = False
    mask_bits: int = 0
    numbers: int = 0

    def __post_init__(self):
        if self.access not in ACCESSES:
            raise ValueError(f"Access of {self.name} is {self.access!r}; it must be one of {', '.join(ACCESSES)}")
        if self.address < 0 or self.address % WORD_BYTES:
            raise ValueError(f"Address of {self.name} is {self.address!r}; it must be a multiple of {WORD_BYTES}")
        if sum(map(bool, (self.fields, self.mask_bits, self.numbers))) != 1:
            raise ValueError(f"Register {self.name} must have either fields, or mask_bits, or numbers")
        size = WORD_BYTES << (self.words - 1).bit_length()
        if self.numbers and self.address % size:
            raise ValueError(f"Address of {self.name} is {self.address:#x}; it must be a multiple of {size:#x}")
        taken = [field.mask for field in self.fields]
        if sum(taken) != _either(taken):
            raise ValueError(f"Fields of {self.name} must not share bits")

    @property
    def words(self) -> int:
        """Number of its words."""
        return self.numbers or -(-self.bits // WORD_BITS)

    @property
    def bits(self) -> int:
        """Bits of all its words up to the highest that is used; of numbers: of each."""
        if self.numbers:
            return WORD_BITS
        return self.mask_bits or max(field.low + field.bits for field in self.fields)

    @property
    def value(self) -> int:
        """Value after reset."""
        return sum(field.value << field.low for field in self.fields)

    @property
    def port(self) -> str:
        """Name of its ports in hardware, or start of their names."""
        return self.name.lower()


def _either(masks: list[int]) -> int:
    result = 0
    for mask in masks:
        result |= mask
    return result


@dataclass(frozen=True)
class RegisterMap:
    """All registers of a block, in the order of their addresses.

    Raises:
        ValueError: If two have one name, or they are not in the order of their addresses.
    """

    registers: Sequence[Register]

    def __post_init__(self):
        end, names = 0, set()
        for register in self.registers:
            if register.name in names:
                raise ValueError(f"Register {register.name} must be in the map once, not twice")
            if register.address < end:
                raise ValueError(f"Address of {register.name} is {register.address:#x}; it must be {end:#x} or more")
            names.add(register.name)
            end = register.address + register.words * WORD_BYTES

    def __iter__(self) -> Iterator[Register]:
        return iter(self.registers)

    def __getitem__(self, name: str) -> Register:
        return self._by_name[name]

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    @cached_property
    def _by_name(self) -> dict[str, Register]:
        return {register.name: register for register in self.registers}

    @property
    def address_bits(self) -> int:
        """Bits of a byte address, at least 3."""
        last = self.registers[-1]
        return max(3, (last.address + last.words * WORD_BYTES - 1).bit_length())
