"""``network.collectives``: the collective plane. It does not import ``base``, which imports this."""

from typing import Annotated, Any, Literal

from hydranoc.config.schema.fields import Discriminator, Field, Tag, WithJsonSchema
from hydranoc.config.schema.section import Section
from topology.collectives.operators import MAX_WORD_BITS, MIN_WORD_BITS, OPERATORS
from topology.collectives.words import MAX_GROUPS

MAX_WINDOW = 16
MIN_BUFFER_WORDS, MAX_BUFFER_WORDS = 2, 16
MAX_PLANE_LINK_CYCLES = 8
MAX_TIMEOUT_CYCLES = 65_535
"""Limits of the hardware (``rtl/collectives/parameters.py``)."""
AUTO, EVERYONE = "auto", "all"
OperatorName = Literal["sum", "min", "max", "signed-min", "signed-max", "and", "or", "xor"]
Words = Annotated[int, Field(ge=MIN_BUFFER_WORDS, le=MAX_BUFFER_WORDS)]


def _tag(value: Any) -> str:
    return "list" if isinstance(value, list) else "number" if isinstance(value, int) else "word"


Members = Annotated[
    Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1), Tag("list")]
    | Annotated[Literal["all"], Tag("word")],
    Discriminator(lambda value: "list" if isinstance(value, list) else "word"),
]
Groups = Annotated[
    Annotated[int, Field(ge=1, le=MAX_GROUPS), Tag("number")]
    | Annotated[Literal["all"], Tag("word")]
    | Annotated[list[Members], Field(min_length=1, max_length=MAX_GROUPS), Tag("list")],
    Discriminator(_tag),
]
Tree = Annotated[
    Annotated[list[Annotated[list[int | str], Field(min_length=2, max_length=2)]], Tag("list")]
    | Annotated[Literal["auto"], Tag("word")],
    Discriminator(lambda value: "list" if isinstance(value, list) else "word"),
]


class CollectivePlane(Section):
    """A collective plane: barriers and all-reduces in hardware, on a tree of links beside the network
    (docs/understand/collective_plane.md). Its links take ``link_cycles``.

    Members:
        groups: Groups of processors that call operations together: the members of each group, a list or ``all``; or a
            number of groups of all processors.
        window: Operations of a group that a processor may have under way.
        word_bits: Bits of a word.
        operators (list of str): Operators in hardware; an empty list for barriers alone. ``min`` and ``max`` are of
            numbers without a sign.
        tree: Tree of the plane: ``auto``, or pairs of child and parent, switches by name or number. ``auto`` is the
            spanning tree of SPAM, and breadth-first in other families.
        root (int, str or None): Root of the tree: name or number of a switch; default a centre of the network, or the
            root of the given tree.
        buffer_words (int or None): Words per group of each buffer of a switch; default as many as full rate needs.
        result_words: Words per group that an endpoint stores until the user takes them.
        timeout_cycles: Cycles that a switch waits for a missing processor before it records a timeout; 0 for ever.
    """

    groups: Groups = EVERYONE
    window: Annotated[int, Field(ge=1, le=MAX_WINDOW)] = 2
    word_bits: Annotated[int, Field(ge=MIN_WORD_BITS, le=MAX_WORD_BITS)] = 32
    operators: list[OperatorName] = [*OPERATORS]
    tree: Tree = AUTO
    root: Annotated[Any, WithJsonSchema({"type": ["integer", "string", "null"]})] = None
    buffer_words: Words | None = None
    result_words: Words = 7
    timeout_cycles: Annotated[int, Field(ge=0, le=MAX_TIMEOUT_CYCLES)] = 0
