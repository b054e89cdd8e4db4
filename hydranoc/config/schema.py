"""What a configuration may say: keys, types, ranges and defaults."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, GetJsonSchemaHandler, Tag
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from hydranoc.config.descriptions import described
from topology.common.channels import ChannelNetwork
from topology.common.flits import MAX_FLIT_BITS, MAX_MESSAGE_FLITS, MIN_FLIT_BITS
from topology.common.link_stages import MOST_LINK_CYCLES
from topology.common.named_graph import MAX_PROCESSORS_PER_SWITCH

MAX_SWITCHES = 1024
MAX_PROCESSORS = 4096
MAX_DIMENSIONS = 10
"""Two switches along each are as many as a network may have."""
MAX_CYCLES = 10**12

Count = Annotated[int, Field(ge=1)]
Switches = Annotated[int, Field(ge=1, le=MAX_SWITCHES)]
ProcessorsPerSwitch = Annotated[int, Field(ge=1, le=MAX_PROCESSORS_PER_SWITCH)]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
Cycles = Annotated[int, Field(ge=0, le=MAX_CYCLES)]
Flits = Annotated[int, Field(ge=1, le=MAX_MESSAGE_FLITS)]
Number = Annotated[int, Field(ge=0)]


class Section(BaseModel):
    """A mapping that has these keys and no others; ``Members`` of its docstring say what each of them is."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return described(cls, core_schema, handler)


class Configuration(Section):
    """The whole file.

    Members
    -------
    network : mapping
        The network: its family, its topology, and the sizes of its routers.
    traffic : mapping or None
        What is sent; ``model`` and ``compare`` need it, ``check``, ``draw``, ``verilog`` and ``fpga`` do not.
    hosts : mapping or None
        When sources pause and receivers stall; default never.
    """

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
    TOPOLOGIES : tuple of type
        All that the family's ``topology`` may say.
    FIXED_KEYS : tuple of str
        Keys that the family takes with their default alone.
    family : str
        The routers, and the paper that they are from.
    topology : mapping
        Switches, processors and links.
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
    TOPOLOGIES: ClassVar[tuple[type[Section], ...]] = ()
    FIXED_KEYS: ClassVar[tuple[str, ...]] = ()

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
        Links that a switch may have, those to processors included; default as many as there are.
    """

    ports: Count | None = None


class Lattice(Topology):
    """A random patch of the integer lattice.

    Members
    -------
    kind : str
        Which topology.
    switches : int
        How many; they are a connected patch.
    ports : int
        Links that a switch may have, those to processors included.
    seed : int
        Which patch.
    max_switch_links : int
        Neighbours that a switch may have.
    processors_per_switch : int
        Processors on each switch.
    """

    kind: Literal["lattice"]
    switches: Switches
    ports: Count = 8
    seed: Seed = 0
    max_switch_links: Annotated[int, Field(ge=2, le=4)] = 4
    processors_per_switch: ProcessorsPerSwitch = 1


class Irregular(Topology):
    """A random tree with random extra links.

    Members
    -------
    kind : str
        Which topology.
    switches : int
        How many.
    ports : int
        Links that a switch may have, those to processors included.
    extra_links : int or None
        Links besides those of the tree; default one for every two switches.
    seed : int
        Which tree and links.
    processors_per_switch : int
        Processors on each switch.
    """

    kind: Literal["irregular"]
    switches: Switches
    ports: Count = 8
    extra_links: Number | None = None
    seed: Seed = 0
    processors_per_switch: ProcessorsPerSwitch = 1


class Grid(Topology):
    """A mesh or torus of any number of dimensions.

    Members
    -------
    kind : str
        Which topology.
    shape : list of int
        Switches in each dimension.
    processors_per_switch : int
        Processors on each switch.
    """

    kind: Literal["mesh", "torus"]
    shape: Annotated[list[Switches], Field(min_length=1, max_length=MAX_DIMENSIONS)]
    processors_per_switch: ProcessorsPerSwitch = 1


class Hypercube(Topology):
    """A hypercube.

    Members
    -------
    kind : str
        Which topology.
    dimensions : int
        It has two to the power of so many switches.
    processors_per_switch : int
        Processors on each switch.
    """

    kind: Literal["hypercube"]
    dimensions: Annotated[int, Field(ge=0, le=10)]
    processors_per_switch: ProcessorsPerSwitch = 1


class Ring(Topology):
    """A ring.

    Members
    -------
    kind : str
        Which topology.
    switches : int
        How many.
    processors_per_switch : int
        Processors on each switch.
    """

    kind: Literal["ring"]
    switches: Annotated[int, Field(ge=3, le=MAX_SWITCHES)]
    processors_per_switch: ProcessorsPerSwitch = 1


class Tree(Topology):
    """A complete tree.

    Members
    -------
    kind : str
        Which topology.
    arity : int
        Children of each switch that has any.
    levels : int
        Levels of switches, the root's included.
    processors_per_switch : int
        Processors on each switch that has any.
    leaves_only : bool
        Processors are on the switches of the last level alone, and not on all.
    """

    kind: Literal["tree"]
    arity: Switches
    levels: Annotated[int, Field(ge=1, le=10)]
    processors_per_switch: ProcessorsPerSwitch = 1
    leaves_only: bool = True


class Multistage(Section):
    """A multistage network.

    Members
    -------
    kind : str
        Which network; ``bi-butterfly`` has links both ways.
    radix : int
        Ports on each side of a switch.
    stages : int
        Stages of switches: the radix to the power of so many processors.
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
    kind : str
        Which topology.
    size : int
        Nodes on a side of the hexagon.
    """

    kind: Literal["hexmesh"]
    size: Count


class RowsAndColumns(Section):
    """A mesh or torus of two dimensions whose switches know their row and column.

    Members
    -------
    kind : str
        Which topology.
    rows : int
        Nodes in a column.
    columns : int
        Nodes in a row.
    """

    kind: Literal["mesh", "torus"]
    rows: Count
    columns: Count


class FileTopology(Topology):
    """A network from a file, relative to the configuration.

    Members
    -------
    file : str
        Its name: an edge list (``.edges``, ``.edgelist``, ``.txt``), GraphML (``.graphml``, ``.xml``) or BookSim's
        ``.anynet``.
    """

    file: str


class InlineTopology(Topology):
    """A network written out.

    Members
    -------
    switches : int
        How many.
    edges : list of [int, int]
        Links between two switches each, by their numbers from 0.
    names : list of (str or int), or None
        Names of the switches; default ``s0``, ``s1`` and so on.
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
    """A number of destinations with a normal distribution, rounded and clipped to what there is.

    Members
    -------
    mean : float
        Its mean.
    stddev : float
        Its standard deviation.
    """

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
        Messages that start earlier are left out of the statistics; at most the start of the last message.
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
    kind : str
        Where the messages come from.
    seed : int
        Which messages.
    cycles : int
        Messages start in so many cycles; the run ends when all have arrived.
    messages_per_node_per_cycle : float
        Mean of the process of each processor.
    multicast_fraction : float
        Share of messages to several ``destinations``.
    broadcast_fraction : float
        Share of messages to all other processors.
    destinations : int or Gaussian
        Destinations of a multicast, all different and random.
    flits : int
        Length of each message, header included.
    algorithm : str or None
        What multicasts are in families with broadcast procedures (harts): broadcasts by this one, to all other
        processors.
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
    """One message of a list: its destinations, or in families with broadcast procedures the name of one.

    Members
    -------
    source : int
        The processor that sends it.
    destinations : list of int, or None
        The processors that get it: all different, and none of them the source.
    algorithm : str or None
        Broadcast procedure (harts) that brings it to all others, in place of destinations.
    flits : int
        Its length, header included.
    start_cycle : int
        When its host begins to prepare it.
    injection_channel : int or None
        Which of the source's injection channels it takes, from 0 on; any one if it is left out. The unicasts that
        software makes of a multicast take those that the software says.
    """

    source: int
    destinations: Annotated[list[int], Field(min_length=1)] | None = None
    algorithm: str | None = None
    flits: Flits
    start_cycle: Cycles = 0
    injection_channel: Annotated[int, Field(ge=0)] | None = None


class ListTraffic(Traffic):
    """Messages written out.

    Members
    -------
    kind : str
        Where the messages come from.
    messages : list of ListedMessage
        Each of them.
    """

    kind: Literal["list"]
    messages: Annotated[list[ListedMessage], Field(min_length=1)]


class BroadcastTraffic(Traffic):
    """A single message to all other processors.

    Members
    -------
    kind : str
        Where the messages come from.
    algorithm : str or None
        By which procedure, in families that have such (harts); others send it as a multicast, by ``software`` if need
        be.
    source : int
        The processor that sends it.
    bytes : int or None
        Length of the body; ``flits`` says the same in another way, and one of the two is needed.
    flits : int or None
        Length of the message, header included.
    start_cycle : int
        When its host begins to prepare it.
    """

    kind: Literal["broadcast"]
    algorithm: str | None = None
    source: int
    bytes: Count | None = None
    flits: Flits | None = None
    start_cycle: Cycles = 0


class TraceTraffic(Traffic):
    """Messages from a CSV file, relative to the configuration.

    Members
    -------
    kind : str
        Where the messages come from.
    file : str
        Its name. Its columns are ``cycle,source,destinations,flits``, with blanks between destinations, which are all
        different and none of them the source.
    """

    kind: Literal["trace"]
    file: str


class MultinodeTraffic(Traffic):
    """Many sources at once, each with a multicast of its own (multi-node multicast).

    Members
    -------
    kind : str
        Where the messages come from.
    scheme : str or None
        The same as ``software``.
    sources : int
        How many nodes send, all different and random.
    destinations : int
        To how many others each of them sends, all different and random.
    hot_spot : float
        So large a share of the destinations is common to all multicasts.
    flits : int
        Length of each message, header included.
    seed : int
        Which nodes.
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
