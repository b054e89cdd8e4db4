"""``traffic`` of collective operations."""

from typing import Annotated, Any, Literal

from hydranoc.config.schema.base import Count, Number, Section
from hydranoc.config.schema.fields import Discriminator, Field, Tag
from hydranoc.config.schema.section import REQUIRED
from hydranoc.config.schema.traffic import Traffic

AUTO, EVERYONE = "auto", "all"
Name = Literal[
    "barrier",
    "broadcast",
    "reduce",
    "gather",
    "scatter",
    "all-reduce",
    "all-gather",
    "reduce-scatter",
    "all-to-all",
    "scan",
]


def _group_tag(value: Any) -> str:
    return "list" if isinstance(value, list) else "word"


Group = Annotated[
    Annotated[list[Number], Field(min_length=2), Tag("list")] | Annotated[Literal["all"], Tag("word")],
    Discriminator(_group_tag),
]


class CollectiveKeys(Section):
    """Keys of a collective operation.

    Members:
        operation (str or None): The operation.
        algorithm: Algorithm (docs/do/collectives.md); ``auto`` chooses by members and their distances, flits and
            start-up.
        group (list of int, or ``all``): Processors that take part, in the order of their numbers as members.
        flits (int or None): Flits of one member's vector, its contribution or its result, whichever is longer; headers
            of messages are not counted. Needed by all operations but barriers, which have none.
        root (int or None): Processor that sends or gets everything, in broadcast, reduce, gather and scatter; default
            the first of the group.
        rounds (int): Times that the operation is performed, each after the one before.
        compute_cycles_per_flit: Cycles in which a host combines a received flit with its own.
        segment_flits (int or None): Flits of a segment of algorithm ``chain``; default the length with the least time
            without contention.
        procedure: Broadcast procedure of multicasts in hardware, in families that have such (harts); they are
            broadcasts to all processors there.
    """

    operation: Name | None = None
    algorithm: str = AUTO
    group: Group = EVERYONE
    flits: Count | None = None
    root: Number | None = None
    rounds: Count = 1
    compute_cycles_per_flit: Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)] = 0.0
    segment_flits: Count | None = None
    procedure: str | None = None


class CollectiveOperation(CollectiveKeys):
    """One collective operation of several.

    Members:
        operation (str): The operation.
    """

    operation: Name = REQUIRED


class CollectiveTraffic(Traffic, CollectiveKeys):
    """Collective operations by name, sent by software as messages that wait for each other, or by multicasts in
    hardware. Either one ``operation`` or a list of ``operations``. Each member performs its operations in the order of
    the list, and begins one when its previous one has ended there; groups without common members overlap in time.

    Members:
        kind (str): Source of the messages.
        operations (list of CollectiveOperation, or None): Several operations, with the other keys in each of them.
    """

    kind: Literal["collective"]
    operations: Annotated[list[CollectiveOperation], Field(min_length=1)] | None = None
