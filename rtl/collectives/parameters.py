"""Parameters of a collective plane, and the shapes of its switches."""

from collections.abc import Iterable
from dataclasses import dataclass

from amaranth.lib import data, wiring
from amaranth.lib.wiring import Out

from topology.collectives.operators import check_operator
from topology.collectives.words import WordFormat

MIN_BUFFER_WORDS, MAX_BUFFER_WORDS = 2, 16
MAX_WINDOW = 16
MAX_LINK_CYCLES = 8
TIMEOUT_BITS = 16
"""Width of the timeout, a number of cycles."""


def check_number(name: str, value: object, low: int, high: int) -> None:
    """Raise ``ValueError`` unless a value is an integer of a range."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(f"{name} is {value!r}; it must be {low} to {high}")


@dataclass(frozen=True)
class PlaneParameters:
    """Parameters of all switches and endpoints of a plane.

    Members:
        groups: Groups, 1 to 8.
        word_bits: Bits of a word, 8 to 64.
        operators (tuple of int): Numbers of the operators in hardware, ascending. Without any, the plane has barriers
            alone: no data path, and a wire per group in place of a link.
        buffer_words: Words per group of each buffer of a switch, 2 to 16.
        result_words: Words per group of an endpoint's result buffer, 2 to 16.
        window: Operations of a group that a member may have under way, 1 to 16.
        link_cycles: Cycles of a link between switches, 1 to 8.
        timeouts: Switches record the branches that a group waits for too long.

    Raises:
        ValueError: If a value is out of range, or operators are not ascending.
    """

    groups: int
    word_bits: int = 32
    operators: tuple[int, ...] = tuple(range(8))
    buffer_words: int = 7
    result_words: int = 7
    window: int = 2
    link_cycles: int = 1
    timeouts: bool = True

    def __post_init__(self):
        WordFormat(self.word_bits, self.groups)
        for operator in self.operators:
            check_operator(operator)
        if list(self.operators) != sorted(set(self.operators)):
            raise ValueError(f"operators is {self.operators!r}; it must be ascending")
        check_number("buffer_words", self.buffer_words, MIN_BUFFER_WORDS, MAX_BUFFER_WORDS)
        check_number("result_words", self.result_words, MIN_BUFFER_WORDS, MAX_BUFFER_WORDS)
        check_number("window", self.window, 1, MAX_WINDOW)
        check_number("link_cycles", self.link_cycles, 1, MAX_LINK_CYCLES)

    @property
    def barriers_only(self) -> bool:
        """True if there are no data words."""
        return not self.operators

    @property
    def group_bits(self) -> int:
        """Bits of a group's number; 0 for one group."""
        return (self.groups - 1).bit_length()

    @property
    def default_operator(self) -> int:
        """Operator in the header of a barrier, and in place of one that is not in hardware."""
        return self.operators[0]

    @property
    def name(self) -> str:
        """For names of modules."""
        operators = "".join(map(str, self.operators))
        return f"g{self.groups}_w{self.word_bits}_o{operators}"


@dataclass(frozen=True)
class SwitchShape:
    """Parameters that determine the logic of a switch.

    Members:
        plane
        depths (tuple of int): Words per group of the buffer behind each branch, children first.
        has_parent: False for the root.
    """

    plane: PlaneParameters
    depths: tuple[int, ...]
    has_parent: bool = True

    @property
    def branches(self) -> int:
        """Children and processors."""
        return len(self.depths)

    @property
    def name(self) -> str:
        """For names of modules."""
        plane = self.plane
        depths = sorted({plane.buffer_words, *self.depths})
        buffers = str(depths[0]) if len(depths) == 1 else f"{plane.buffer_words}_" + "".join(map(str, self.depths))
        root = "" if self.has_parent else "_root"
        return f"{self.branches}_{plane.name}_b{buffers}{root}" + ("_t" if plane.timeouts else "")


def switch_shape(plane: PlaneParameters, children: int, processors: int, *, has_parent: bool) -> SwitchShape:
    """Return the shape of a switch.

    Parameters:
        plane
        children, processors (int): Branches of each kind.
        has_parent
    """
    return SwitchShape(plane, (plane.buffer_words,) * children + (plane.result_words,) * processors, has_parent)


def word_layout(plane: PlaneParameters) -> data.StructLayout:
    """Return the layout of a word on a link, without ``valid``: ``WordFormat``, lowest field first."""
    fields: Iterable[tuple[str, int]] = WordFormat(plane.word_bits, plane.groups).fields
    return data.StructLayout({name: width for name, width in fields if name != "valid"})


def stored_bits(plane: PlaneParameters) -> int:
    """Return the bits of a word in a buffer: ``word``, ``last``, ``error``."""
    return plane.word_bits + 2


def plane_link(plane: PlaneParameters, sinks: int = 1) -> wiring.Signature:
    """Return the signature of a link, seen from its source: a word moves in every cycle with ``valid``.

    Parameters:
        plane
        sinks: Branches that share the word; each has its bit of ``valid``.
    """
    return wiring.Signature({"valid": Out(sinks), "payload": Out(word_layout(plane))})
