"""``traffic`` from files of other tools: programs and traces whose messages wait for one another."""

from typing import Annotated, Any, Literal

from hydranoc.config.schema.base import Count, Number
from hydranoc.config.schema.fields import Discriminator, Field, Tag
from hydranoc.config.schema.traffic import Traffic

WRAP = "wrap"


def _map_tag(value: Any) -> str:
    return "list" if isinstance(value, list) else "word"


class ProgramTraffic(Traffic):
    """Messages of a program's ranks, which wait for one another.

    Members
    -------
    file : str
        The file, relative to the configuration.
    map : list of int, ``wrap``, or None
        Processor of each rank; ``wrap`` begins anew when all processors have one. Without it rank r is processor r.
        Ranks may share a processor; what they send to each other takes no time.
    bytes_per_flit : int or None
        Bytes of a message for which a flit of its body stands; those of the network's flits if left out. More of them
        make the messages shorter.
    cycles_per_unit : float
        Cycles in a unit of the file's time.
    multicast : str
        How a broadcast that the program names is carried: ``hardware``, as one message; or ``software``, as unicasts,
        ``binomial`` ones if ``software`` does not say which.
    algorithm : str or None
        What broadcasts in hardware are in families with broadcast procedures (harts).
    """

    file: str
    map: (
        Annotated[
            Annotated[list[Number], Tag("list")] | Annotated[Literal["wrap"], Tag("word")], Discriminator(_map_tag)
        ]
        | None
    ) = None
    bytes_per_flit: Count | None = None
    cycles_per_unit: Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)] = 1.0
    multicast: Literal["hardware", "software"] = "hardware"
    algorithm: str | None = None


class NetraceTraffic(ProgramTraffic):
    """A Netrace trace: packets of a cache hierarchy, decompressed by bzip2. A unit of time is a cycle of the trace.

    Members
    -------
    kind : str
        Where the messages come from.
    region : int or None
        Only this region of the trace; time begins with it.
    packets : int or None
        No more than so many packets.
    memory_controllers : list of int, or None
        Processors of the memory controllers of nodes 0, 1 and so on; where the node's caches are if left out.
    """

    kind: Literal["netrace"]
    region: Number | None = None
    packets: Count | None = None
    memory_controllers: list[Number] | None = None


class GoalTraffic(ProgramTraffic):
    """A GOAL program. A unit of time is that of its ``calc``.

    Members
    -------
    kind : str
        Where the messages come from.
    """

    kind: Literal["goal"]


class ChakraTraffic(ProgramTraffic):
    """Chakra execution traces, a file for each rank. A unit of time is a microsecond.

    Members
    -------
    kind : str
        Where the messages come from.
    ranks : int or None
        How many ranks there are. Each has the file whose name has its number in place of ``{rank}``; all have the same
        one if the name has no such place. If left out, as many as there are processors.
    control_dependencies : bool
        Nodes wait for their control dependencies as well.
    """

    kind: Literal["chakra"]
    ranks: Count | None = None
    control_dependencies: bool = False


class MscclTraffic(ProgramTraffic):
    """An MSCCL program, whose ranks are GPUs. Nothing in it takes time but its messages.

    Members
    -------
    kind : str
        Where the messages come from.
    bytes_per_chunk : int
        Size of a chunk.
    """

    kind: Literal["mscclxml"]
    bytes_per_chunk: Count


PROGRAMS: dict[str, type[Traffic]] = {
    "netrace": NetraceTraffic,
    "goal": GoalTraffic,
    "chakra": ChakraTraffic,
    "mscclxml": MscclTraffic,
}
