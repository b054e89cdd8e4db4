"""Words on the links of the plane: fields and positions of their bits, for hardware and model.

The first word of an operation is its header: the operator in the lowest 3 bits, all others 0. The words of the members
follow. ``last`` marks the last word of an operation, so a barrier is a header with ``last``. Beside each link, one
credit wire per group leads back.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from topology.collectives.operators import OPERATOR_BITS, check_operator, check_word_bits

MAX_GROUPS = 8


def check_groups(groups: int) -> None:
    """Check a number of groups.

    Raises:
        ValueError: If it is not 1 to 8.
    """
    if isinstance(groups, bool) or not isinstance(groups, int) or not 1 <= groups <= MAX_GROUPS:
        raise ValueError(f"groups is {groups!r}; it must be 1 to {MAX_GROUPS}")


@dataclass(frozen=True)
class WordFormat:
    """Layout of a word on a link.

    Parameters:
        word_bits: Bits of data, 8 to 64.
        groups: Number of groups, 1 to 8.

    Raises:
        ValueError: If a parameter is out of range.

    >>> WordFormat(32, 4).positions
    {'word': 0, 'last': 32, 'error': 33, 'group': 34, 'valid': 36}
    """

    word_bits: int
    groups: int

    def __post_init__(self):
        check_word_bits(self.word_bits)
        check_groups(self.groups)

    @property
    def group_bits(self) -> int:
        """Bits of a group's number; 0 for one group, which has no such field."""
        return (self.groups - 1).bit_length()

    @property
    def fields(self) -> tuple[tuple[str, int], ...]:
        """Names and widths in bits, lowest first; without ``group`` for one group."""
        group = (("group", self.group_bits),) if self.group_bits else ()
        return (("word", self.word_bits), ("last", 1), ("error", 1), *group, ("valid", 1))

    @property
    def positions(self) -> dict[str, int]:
        """Lowest bit of each field."""
        found, position = {}, 0
        for name, width in self.fields:
            found[name] = position
            position += width
        return found

    @property
    def width(self) -> int:
        """Bits of a link, without its credits."""
        return sum(width for _, width in self.fields)

    @property
    def mask(self) -> int:
        """The largest word."""
        return (1 << self.word_bits) - 1

    def pack(self, *, word: int, group: int = 0, last: bool = False, error: bool = False, valid: bool = True) -> int:
        """Return a link's bits as an integer.

        Raises:
            ValueError: If a value does not fit its field.
        """
        values = {"word": word, "last": last, "error": error, "group": group, "valid": valid}
        if not 0 <= group < self.groups:
            raise ValueError(f"group is {group!r}; it must be 0 to {self.groups - 1}")
        if not 0 <= word <= self.mask:
            raise ValueError(f"word is {word!r}; it must fit in {self.word_bits} bits")
        return sum(int(values[name]) << position for name, position in self.positions.items())

    def unpack(self, bits: int) -> Mapping[str, int]:
        """Return the value of each field, ``group`` always included."""
        positions = self.positions
        found = {name: bits >> positions[name] & (1 << width) - 1 for name, width in self.fields}
        return {"group": 0, **found}

    def header(self, operator: int) -> int:
        """Return the word of a header.

        Raises:
            ValueError: If there is no such operator.
        """
        check_operator(operator)
        return operator

    def operator_of(self, header: int) -> int:
        """Return the operator in the word of a header."""
        return header & (1 << OPERATOR_BITS) - 1
