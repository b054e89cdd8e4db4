"""What a configuration may say: keys, types, ranges and defaults."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from topology.common.channels import ChannelNetwork
from topology.common.flits import MAX_FLIT_BITS, MAX_MESSAGE_FLITS, MIN_FLIT_BITS
from topology.common.link_stages import MOST_LINK_CYCLES
from topology.common.named_graph import MAX_PROCESSORS_PER_SWITCH

MAX_SWITCHES = 1024
MAX_PROCESSORS = 4096
MAX_CYCLES = 10**12

Count = Annotated[int, Field(ge=1)]
Switches = Annotated[int, Field(ge=1, le=MAX_SWITCHES)]
ProcessorsPerSwitch = Annotated[int, Field(ge=1, le=MAX_PROCESSORS_PER_SWITCH)]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
Cycles = Annotated[int, Field(ge=0, le=MAX_CYCLES)]
Flits = Annotated[int, Field(ge=1, le=MAX_MESSAGE_FLITS)]
Number = Annotated[int, Field(ge=0)]


class Section(BaseModel):
    """A mapping that has these keys and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Configuration(Section):
    """The whole file."""

    network: dict[Any, Any]
    traffic: dict[Any, Any] | None = None
    hosts: dict[Any, Any] | None = None


@dataclass(frozen=True)
class OwnTopology:
    """A kind of topology that a family takes in a form of its own.

    Members
    -------
    section : type
        What ``topology`` may say.
    build : callable
        Makes the network of what it says besides ``kind``, as keyword arguments. Raises TopologyError.
    """

    section: type[Section]
    build: Callable[..., ChannelNetwork]


class NetworkSection(Section):
    """``network``: keys of every family; a family adds its own.

    Members
    -------
    OWN_TOPOLOGIES : mapping of str to OwnTopology
        Kinds of topologies that the family takes in a form of its own.
    flit_bits : int
        Data bits of a flit.
    buffer_flits : int
        Input buffer of a switch in flits, beyond what the longest header needs.
    routing_cycles : int
        Cycles from a header's arrival in an empty buffer to the output register.
    link_cycles : int
        Cycles from one switch to the next: all links and side wires between switches have one register stage less.
    counters : bool
        Count flits, stalled cycles and bubbles of every channel, in hardware and model.
    tables : str
        Routing tables and reach sets in hardware: ``fixed``, constants of the synthesis; or ``loadable``, registers.
    """

    OWN_TOPOLOGIES: ClassVar[Mapping[str, OwnTopology]] = {}

    family: str
    topology: dict[Any, Any]
    flit_bits: Annotated[int, Field(ge=MIN_FLIT_BITS, le=MAX_FLIT_BITS)] = 32
    buffer_flits: Annotated[int, Field(ge=1, le=1024)] = 2
    routing_cycles: Annotated[int, Field(ge=1, le=1024)] = 1
    link_cycles: Annotated[int, Field(ge=1, le=MOST_LINK_CYCLES)] = 1
    counters: bool = False
    tables: Literal["fixed", "loadable"] = "fixed"


class Topology(Section):
    """Keys of every topology.

    Members
    -------
    ports : int or None
        Links that a switch may have, those to processors included.
    """

    ports: Count | None = None


class Lattice(Topology):
    """A random patch of the integer lattice."""

    kind: Literal["lattice"]
    switches: Switches
    ports: Count = 8
    seed: Seed = 0
    max_switch_links: Annotated[int, Field(ge=2, le=4)] = 4
    processors_per_switch: ProcessorsPerSwitch = 1


class Irregular(Topology):
    """A random tree with random extra links."""

    kind: Literal["irregular"]
    switches: Switches
    ports: Count = 8
    extra_links: Number | None = None
    seed: Seed = 0
    processors_per_switch: ProcessorsPerSwitch = 1


class Grid(Topology):
    """A mesh or torus of any number of dimensions."""

    kind: Literal["mesh", "torus"]
    shape: Annotated[list[Switches], Field(min_length=1)]
    processors_per_switch: ProcessorsPerSwitch = 1


class Hypercube(Topology):
    """A hypercube."""

    kind: Literal["hypercube"]
    dimensions: Annotated[int, Field(ge=0, le=10)]
    processors_per_switch: ProcessorsPerSwitch = 1


class Ring(Topology):
    """A ring."""

    kind: Literal["ring"]
    switches: Annotated[int, Field(ge=3, le=MAX_SWITCHES)]
    processors_per_switch: ProcessorsPerSwitch = 1


class Tree(Topology):
    """A complete tree."""

    kind: Literal["tree"]
    arity: Switches
    levels: Annotated[int, Field(ge=1, le=10)]
    processors_per_switch: ProcessorsPerSwitch = 1
    leaves_only: bool = True


class Multistage(Section):
    """A multistage network.

    Members
    -------
    radix : int
        Ports on each side of a switch.
    consumption_channels : int
        Channels into each processor: 1, or the radix.
    """

    kind: Literal["baseline", "butterfly", "omega", "bi-butterfly"]
    radix: Count = 2
    stages: Count
    consumption_channels: Count = 1


class HexagonalMesh(Section):
    """A wrapped hexagonal mesh.

    Members
    -------
    size : int
        Nodes on a side of the hexagon.
    """

    kind: Literal["hexmesh"]
    size: Count


class RowsAndColumns(Section):
    """A mesh or torus of two dimensions whose switches know their row and column."""

    kind: Literal["mesh", "torus"]
    rows: Count
    columns: Count


class FileTopology(Topology):
    """A network from a file, relative to the configuration."""

    file: str


class InlineTopology(Topology):
    """A network written out.

    Members
    -------
    names : list of (str or int), or None
        Names of the switches.
    processors : list of int, or None
        Switch of each processor; default one on each switch.
    """

    switches: Switches
    edges: list[Annotated[list[int], Field(min_length=2, max_length=2)]]
    processors: Annotated[list[int], Field(min_length=1)] | None = None
    names: list[str | int] | None = None


TOPOLOGIES: dict[str, type[Section]] = {
    "lattice": Lattice,
    "irregular": Irregular,
    "mesh": Grid,
    "torus": Grid,
    "hypercube": Hypercube,
    "tree": Tree,
    "ring": Ring,
    "baseline": Multistage,
    "butterfly": Multistage,
    "omega": Multistage,
    "bi-butterfly": Multistage,
    "hexmesh": HexagonalMesh,
}


class Gaussian(Section):
    """A number of destinations with a normal distribution, rounded and clipped to what there is."""

    mean: Annotated[float, Field(ge=1)]
    stddev: Annotated[float, Field(ge=0, allow_inf_nan=False)]


def _destinations_tag(value: Any) -> str:
    return "distribution" if isinstance(value, dict) else "number"


class Traffic(Section):
    """Keys of every traffic.

    Members
    -------
    startup_cycles : int
        Cycles that a host prepares each message.
    warmup_cycles : int
        Messages that start earlier are left out of the statistics.
    software : str or None
        Send each multicast as unicasts from host to host: ``binomial``, a chain, in multistage networks also by the
        names that it has there, ``cmin`` in unidirectional and ``umin`` in bidirectional ones; ``separate``, all from
        the source; and whatever else the family has. The seed of random traffic is also that of software with random
        choices, and of injection channels where hosts have several.
    """

    startup_cycles: Cycles = 0
    warmup_cycles: Cycles = 0
    software: str | None = None


class RandomTraffic(Traffic):
    """A Poisson process of messages on every processor.

    Members
    -------
    multicast_fraction, broadcast_fraction : float
        Shares of messages to several ``destinations``, and to all other processors.
    algorithm : str or None
        What multicasts are in families with broadcast procedures: broadcasts by this one, to all other processors.
    """

    kind: Literal["random"]
    seed: Seed = 0
    cycles: Annotated[int, Field(ge=1, le=MAX_CYCLES)]
    messages_per_node_per_cycle: Annotated[float, Field(gt=0, le=1)]
    multicast_fraction: Annotated[float, Field(ge=0, le=1)] = 0.0
    broadcast_fraction: Annotated[float, Field(ge=0, le=1)] = 0.0
    destinations: Annotated[
        Annotated[Count, Tag("number")] | Annotated[Gaussian, Tag("distribution")], Discriminator(_destinations_tag)
    ] = 2
    flits: Flits
    algorithm: str | None = None


class ListedMessage(Section):
    """One message of a list: its destinations, or in families with broadcast procedures the name of one."""

    source: int
    destinations: Annotated[list[int], Field(min_length=1)] | None = None
    algorithm: str | None = None
    flits: Flits
    start_cycle: Cycles = 0


class ListTraffic(Traffic):
    """Messages written out."""

    kind: Literal["list"]
    messages: Annotated[list[ListedMessage], Field(min_length=1)]


class BroadcastTraffic(Traffic):
    """A single message to all other processors.

    Members
    -------
    algorithm : str or None
        By which procedure, in families that have such; others send it as a multicast, by ``software`` if need be.
    bytes : int or None
        Length of the body; ``flits``, header included, says the same in another way.
    """

    kind: Literal["broadcast"]
    algorithm: str | None = None
    source: int
    bytes: Count | None = None
    flits: Flits | None = None
    start_cycle: Cycles = 0


class TraceTraffic(Traffic):
    """Messages from a CSV file, relative to the configuration."""

    kind: Literal["trace"]
    file: str


class MultinodeTraffic(Traffic):
    """Many sources at once, each with a multicast of its own (multi-node multicast).

    Members
    -------
    scheme : str or None
        The same as ``software``.
    sources, destinations : int
        How many nodes send, and to how many each; all of them random.
    hot_spot : float
        So large a share of the destinations is common to all multicasts.
    """

    kind: Literal["multinode"]
    scheme: str | None = None
    sources: Count
    destinations: Count
    hot_spot: Annotated[float, Field(ge=0, le=1)] = 0.0
    flits: Flits
    seed: Seed = 0


TRAFFICS: dict[str, type[Traffic]] = {
    "random": RandomTraffic,
    "list": ListTraffic,
    "trace": TraceTraffic,
    "broadcast": BroadcastTraffic,
    "multinode": MultinodeTraffic,
}
