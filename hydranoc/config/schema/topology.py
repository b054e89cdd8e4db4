"""``topology``: the kinds of networks."""

from typing import Annotated, Literal

from hydranoc.config.schema.base import (
    MAX_DIMENSIONS,
    MAX_SWITCHES,
    Count,
    Number,
    ProcessorsPerSwitch,
    Section,
    Seed,
    Switches,
)
from hydranoc.config.schema.fields import Field
from topology.common.files import Format
from topology.common.named_graph import OneWayLinks, ParallelLinks


class Topology(Section):
    """Keys of every topology.

    Members:
        ports (int or None): Maximum links of a switch, those to processors included; default as many as needed.
    """

    ports: Count | None = None


class Lattice(Topology):
    """A random patch of the integer lattice.

    Members:
        kind (str): Kind of topology.
        switches (int): Number of switches; they form a connected patch.
        ports (int): Maximum links of a switch, those to processors included.
        seed (int): Random seed for the patch.
        max_switch_links: Maximum neighbours of a switch.
        processors_per_switch (int): Processors on each switch.
    """

    kind: Literal["lattice"]
    switches: Switches
    ports: Count = 8
    seed: Seed = 0
    max_switch_links: Annotated[int, Field(ge=2, le=4)] = 4
    processors_per_switch: ProcessorsPerSwitch = 1


class Irregular(Topology):
    """A random tree with random extra links.

    Members:
        kind (str): Kind of topology.
        switches (int): Number of switches.
        ports (int): Maximum links of a switch, those to processors included.
        extra_links (int or None): Links in addition to those of the tree; default one for every two switches.
        seed (int): Random seed for tree and links.
        processors_per_switch (int): Processors on each switch.
    """

    kind: Literal["irregular"]
    switches: Switches
    ports: Count = 8
    extra_links: Number | None = None
    seed: Seed = 0
    processors_per_switch: ProcessorsPerSwitch = 1


class GridTopology(Topology):
    """A mesh or torus of any number of dimensions.

    Members:
        kind (str): Kind of topology.
        shape (list of int): Switches in each dimension.
        processors_per_switch (int): Processors on each switch.
    """

    kind: Literal["mesh", "torus"]
    shape: Annotated[list[Switches], Field(min_length=1, max_length=MAX_DIMENSIONS)]
    processors_per_switch: ProcessorsPerSwitch = 1


class Hypercube(Topology):
    """A hypercube.

    Members:
        kind (str): Kind of topology.
        dimensions: Number of dimensions; the network has two to this power switches.
        processors_per_switch (int): Processors on each switch.
    """

    kind: Literal["hypercube"]
    dimensions: Annotated[int, Field(ge=0, le=MAX_DIMENSIONS)]
    processors_per_switch: ProcessorsPerSwitch = 1


class Ring(Topology):
    """A ring.

    Members:
        kind (str): Kind of topology.
        switches: Number of switches.
        processors_per_switch (int): Processors on each switch.
    """

    kind: Literal["ring"]
    switches: Annotated[int, Field(ge=3, le=MAX_SWITCHES)]
    processors_per_switch: ProcessorsPerSwitch = 1


class Tree(Topology):
    """A complete tree.

    Members:
        kind (str): Kind of topology.
        arity (int): Children of each switch that has any.
        levels: Levels of switches, including the root's.
        processors_per_switch (int): Processors on each switch that has any.
        leaves_only: Place processors only on the switches of the last level.
    """

    kind: Literal["tree"]
    arity: Switches
    levels: Annotated[int, Field(ge=1, le=MAX_DIMENSIONS)]
    processors_per_switch: ProcessorsPerSwitch = 1
    leaves_only: bool = True


class Multistage(Section):
    """A multistage network.

    Members:
        kind (str): Kind of network; ``bi-butterfly`` has links both ways.
        radix (int): Ports on each side of a switch.
        stages (int): Stages of switches; the network has the radix to this power processors.
        consumption_channels (int): Delivery channels of each processor: 1, or the radix.
    """

    kind: Literal["baseline", "butterfly", "omega", "bi-butterfly"]
    radix: Count = 2
    stages: Count
    consumption_channels: Count = 1


class HexagonalMesh(Section):
    """A wrapped hexagonal mesh.

    Members:
        kind (str): Kind of topology.
        size (int): Nodes on a side of the hexagon.
    """

    kind: Literal["hexmesh"]
    size: Count


class RowsAndColumns(Section):
    """A mesh or torus of two dimensions, given by rows and columns.

    Members:
        kind (str): Kind of topology.
        rows (int): Nodes in a column.
        columns (int): Nodes in a row.
    """

    kind: Literal["mesh", "torus"]
    rows: Count
    columns: Count


class FileTopology(Topology):
    """A network from a file, relative to the configuration.

    Members:
        file: File name: an edge list (``.edges``, ``.edgelist``, ``.txt``), GraphML (``.graphml``, ``.xml``) or
            BookSim's ``.anynet``.
        format (str or None): Format of a file with another suffix: ``edges``, ``graphml`` or ``anynet``.
        parallel_links (str): Parallel links between two switches: an error (``refuse``), one link (``merge``), or
            separate ``channels``.
        one_way_links (str): Directed GraphML edges without an edge back: an error (``refuse``), or links both ways
            (``both``).
    """

    file: str
    format: Format | None = None
    parallel_links: ParallelLinks = "refuse"
    one_way_links: OneWayLinks = "refuse"


class InlineTopology(Topology):
    """A network listed in the configuration.

    Members:
        switches (int): Number of switches.
        edges (list of [int, int]): Links, each a pair of switch numbers from 0.
        names (list of (str or int), or None): Names of the switches, without spaces at their ends;
            default ``s0``, ``s1`` and so on.
        processors (list of int, or None): Switch of each processor; default one on each switch.
        parallel_links (str): Parallel links between two switches: an error (``refuse``), one link (``merge``), or
            separate ``channels``.
    """

    switches: Switches
    edges: list[Annotated[list[int], Field(min_length=2, max_length=2)]]
    processors: Annotated[list[int], Field(min_length=1)] | None = None
    names: list[str | int] | None = None
    parallel_links: ParallelLinks = "refuse"


TOPOLOGIES: dict[str, type[Section]] = {
    "lattice": Lattice,
    "irregular": Irregular,
    "mesh": GridTopology,
    "torus": GridTopology,
    "hypercube": Hypercube,
    "tree": Tree,
    "ring": Ring,
    "baseline": Multistage,
    "butterfly": Multistage,
    "omega": Multistage,
    "bi-butterfly": Multistage,
    "hexmesh": HexagonalMesh,
}
