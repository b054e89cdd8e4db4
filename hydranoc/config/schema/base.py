"""Top level of the schema: the file, its network, and the ranges that several sections share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from hydranoc.config.schema.fields import Field
from hydranoc.config.schema.plane import CollectivePlane
from hydranoc.config.schema.section import Section
from topology.common.channels import ChannelNetwork
from topology.common.flits import MAX_FLIT_BITS, MAX_MESSAGE_FLITS, MIN_FLIT_BITS
from topology.common.link_stages import MAX_LINK_CYCLES
from topology.common.named_graph import MAX_PROCESSORS_PER_SWITCH

MAX_SWITCHES = 65_536
MAX_PROCESSORS = 65_536
MAX_DIMENSIONS = 16
"""Dimensions of the largest network with two switches along each."""
MAX_CYCLES = 10**12

Count = Annotated[int, Field(ge=1)]
Switches = Annotated[int, Field(ge=1, le=MAX_SWITCHES)]
ProcessorsPerSwitch = Annotated[int, Field(ge=1, le=MAX_PROCESSORS_PER_SWITCH)]
Seed = Annotated[int, Field(ge=0, lt=2**63)]
Cycles = Annotated[int, Field(ge=0, le=MAX_CYCLES)]
Flits = Annotated[int, Field(ge=1, le=MAX_MESSAGE_FLITS)]
Number = Annotated[int, Field(ge=0)]


class Configuration(Section):
    """The whole file.

    Members:
        network: The network: its family, its topology, and the sizes of its routers.
        traffic: Messages; ``model`` and ``compare`` need them, ``check``, ``draw``, ``verilog`` and ``fpga`` do not.
        hosts: Pauses of sources and stalls of receivers; default none.
        axi4: AXI4 managers and subordinates; default none.
    """

    network: dict[Any, Any]
    traffic: dict[Any, Any] | None = None
    hosts: dict[Any, Any] | None = None
    axi4: dict[Any, Any] | None = None


@dataclass(frozen=True)
class OwnTopology:
    """A kind of topology with a schema of the family's own.

    Members:
        section (type): Schema of ``topology``.
        build: Builds the network from the keys besides ``kind``, as keyword arguments. Raises TopologyError.
    """

    section: type[Section]
    build: Callable[..., ChannelNetwork]


class NetworkSection(Section):
    """``network``: keys of every family; a family adds its own.

    Members:
        OWN_TOPOLOGIES (mapping of str to OwnTopology): Kinds of topologies with a schema of the family's own.
        TOPOLOGIES (tuple of type): All schemas of the family's ``topology``.
        FIXED_KEYS (tuple of str): Keys that the family fixes at their defaults.
        FORMER_KEYS (mapping of str to str): Present name of each key that had another name.
        FORMER_VALUES (mapping of str to mapping): By key: the present name of each value that had another name.
        family: Router family.
        topology: Switches, processors and links.
        flit_bits: Data bits of a flit.
        buffer_flits: Input buffer of a switch in flits, in addition to room for the longest header.
        routing_cycles: Cycles from a header's arrival in an empty buffer to the output register.
        link_cycles: Cycles from one switch to the next: links and side wires between switches have one register stage
            less.
        counters: Count flits, stalled cycles and bubbles of every channel, in hardware and model.
        routing: Custom tables in place of the family's own: ``FILE.csv`` (docs/look_up/tables.md), ``MODULE:FUNCTION``,
            ``FILE.py:FUNCTION``, or a name that a package adds (docs/do/extending.md).
        tables (str): Routing tables and reach sets in hardware: ``fixed``, synthesised as constants; or ``loadable``,
            registers.
        collectives (CollectivePlane or None): Collective plane beside the network; default none.
    """

    OWN_TOPOLOGIES: ClassVar[Mapping[str, OwnTopology]] = {}
    TOPOLOGIES: ClassVar[tuple[type[Section], ...]] = ()
    FIXED_KEYS: ClassVar[tuple[str, ...]] = ()
    FORMER_KEYS: ClassVar[Mapping[str, str]] = {}
    FORMER_VALUES: ClassVar[Mapping[str, Mapping[str, str]]] = {}

    family: str
    topology: dict[Any, Any]
    flit_bits: Annotated[int, Field(ge=MIN_FLIT_BITS, le=MAX_FLIT_BITS)] = 32
    buffer_flits: Annotated[int, Field(ge=1, le=1024)] = 2
    routing_cycles: Annotated[int, Field(ge=1, le=1024)] = 1
    link_cycles: Annotated[int, Field(ge=1, le=MAX_LINK_CYCLES)] = 1
    counters: bool = False
    routing: str | None = None
    tables: Literal["fixed", "loadable"] = "fixed"
    collectives: CollectivePlane | None = None
