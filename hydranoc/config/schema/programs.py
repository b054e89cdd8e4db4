"""``traffic`` from files of other tools: programs and traces with dependent messages."""

from typing import Annotated, Any, Literal

from hydranoc.config.schema.base import Count, Number
from hydranoc.config.schema.fields import Discriminator, Field, Tag
from hydranoc.config.schema.traffic import Traffic

WRAP = "wrap"


def _map_tag(value: Any) -> str:
    return "list" if isinstance(value, list) else "word"


class ProgramTraffic(Traffic):
    """Dependent messages of a program's ranks.

    Members:
        file: The file, relative to the configuration.
        map (list of int, ``wrap``, or None): Processor of each rank; ``wrap`` starts over when all processors have one.
            Without it rank r is processor r. Ranks may share a processor; what they send to each other takes no time.
        bytes_per_flit (int or None): Message bytes per body flit; default the bytes of the network's flits. Larger
            values make messages shorter.
        cycles_per_unit: Cycles in a unit of the file's time.
        multicast (str): Broadcasts of the program: ``hardware`` sends one message; ``software`` sends unicasts,
            ``binomial`` ones unless the key ``software`` names another scheme.
        algorithm: Procedure of broadcasts in hardware, in families with broadcast procedures (harts).
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

    Members:
        kind (str): Source of the messages.
        region (int or None): Region of the trace; time begins with it. Default the whole trace.
        packets (int or None): Maximum number of packets; default all.
        memory_controllers (list of int, or None): Processors of the memory controllers of nodes 0, 1 and so on; default
            those of the node's caches.
    """

    kind: Literal["netrace"]
    region: Number | None = None
    packets: Count | None = None
    memory_controllers: list[Number] | None = None


class NamedTraffic(ProgramTraffic):
    """A program that names collective operations.

    Members:
        algorithms (mapping of str to str, or None): Algorithms of collective operations by name
            (docs/do/collectives.md); ``auto`` chooses by size and distances, ``plane`` is the collective plane of the
            network. Default those of docs/look_up/traces.md.
    """

    algorithms: dict[str, str] | None = None


class GoalTraffic(NamedTraffic):
    """A GOAL program. A unit of time is that of its ``calc``.

    Members:
        kind (str): Source of the messages.
    """

    kind: Literal["goal"]


class ChakraTraffic(NamedTraffic):
    """Chakra execution traces, a file for each rank. A unit of time is a microsecond.

    Members:
        kind (str): Source of the messages.
        ranks (int or None): Number of ranks; default the number of processors. In each rank's file name its number
            replaces ``{rank}``; a name without ``{rank}`` is the file of all ranks.
        control_dependencies: Nodes also wait for their control dependencies.
    """

    kind: Literal["chakra"]
    ranks: Count | None = None
    control_dependencies: bool = False


class MscclTraffic(NamedTraffic):
    """An MSCCL program, whose ranks are GPUs. Only its messages take time.

    Members:
        kind (str): Source of the messages.
        bytes_per_chunk (int): Size of a chunk.
    """

    kind: Literal["mscclxml"]
    bytes_per_chunk: Count


PROGRAMS: dict[str, type[Traffic]] = {
    "netrace": NetraceTraffic,
    "goal": GoalTraffic,
    "chakra": ChakraTraffic,
    "mscclxml": MscclTraffic,
}
