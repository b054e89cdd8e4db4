"""``network.collectives``: tree, groups and parameters of a collective plane, with errors that name the line."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hydranoc.config.load import NETWORK, Config
from hydranoc.config.schema import CollectivePlane
from hydranoc.config.schema.plane import AUTO, EVERYONE, MAX_BUFFER_WORDS, MAX_PLANE_LINK_CYCLES
from hydranoc.config.source import KeyPath, name_of
from hydranoc.errors import ConfigError, nearest, shown
from sim_model.collective_plane.closed_forms import credit_cycles, group_cycles
from sim_model.collective_plane.parameters import MIN_BUFFER_WORDS, PlaneParameters
from topology.collectives.operators import combiner_stages, operator_number
from topology.collectives.tables import PlaneTables, groups_of
from topology.collectives.tree import PlaneTree, plane_tree
from topology.common.channels import ChannelNetwork
from topology.common.errors import FieldError, TopologyError

PLANE = (*NETWORK, "collectives")
PLANE_KEYS = name_of(PLANE)
MAX_SHOWN = 12
"""Names of switches in a message."""


@dataclass(frozen=True)
class PlaneShape:
    """Tree, groups and parameters of a collective plane.

    Members:
        tables: Tree and groups, with the tables of all switches.
        operators (tuple of int): Numbers of the operators in hardware, ascending; empty for barriers alone.
        parameters: Parameters of the golden model. Without operators, ``barrier_planes`` takes them: each group has a
            plane of its own.
    """

    tables: PlaneTables
    operators: tuple[int, ...]
    parameters: PlaneParameters

    @property
    def tree(self) -> PlaneTree:
        """The tree."""
        return self.tables.tree

    @property
    def barriers_only(self) -> bool:
        """True if there are no data words."""
        return not self.operators

    def group_with(self, members: Iterable[int]) -> int | None:
        """Return the first group with exactly some members; None if there is none.

        Parameters:
            members: Processors, in any order.
        """
        wanted = set(members)
        return next((group.number for group in self.tables.groups if set(group.members) == wanted), None)

    def words_of(self, flits: int, flit_bits: int) -> int:
        """Return the words of a vector: its bits over those of a word, rounded up.

        Parameters:
            flits: Length of the vector.
            flit_bits: Data bits of a flit.
        """
        return -(-flits * flit_bits // self.parameters.word_bits)

    def operation_cycles(self, group: int, words: int = 0) -> int:
        """Return the cycles of an operation of a group without contention, 0 words for a barrier.

        They begin with the first beats, or requests, of all members, and end with the last result.

        Parameters:
            group: Number of the group.
            words: Words of a member.
        """
        link_cycles, stages = self.parameters.link_cycles, self.parameters.stages
        return group_cycles(self.tables, group, words, link_cycles, stages, barriers_only=self.barriers_only)


def plane_shape(config: Config, network: ChannelNetwork, parents: Sequence[int] | None) -> PlaneShape:
    """Return the plane that ``network.collectives`` describes.

    Parameters:
        config: With the section.
        network: Network of the family's tables.
        parents: ``parents[switch]`` of the family's own spanning tree, in which the root is its own parent; None for a
            family without one.

    Raises:
        ConfigError: For the first error, with its line.
    """
    section = config.network_section.collectives
    assert section is not None
    reader = _Reader(config, section, network)
    operators, parameters = reader.operators(), reader.parameters()
    groups = groups_of(reader.groups())
    try:
        tables = PlaneTables(reader.tree(parents), groups)
    except TopologyError as error:
        raise config.source.error(PLANE, f"{name_of(PLANE)}: {error}") from None
    shape = replace(parameters, operators=operators) if operators else parameters
    return PlaneShape(tables, operators, shape)


class _Reader:
    """Parts of a plane from the keys of its section."""

    def __init__(self, config: Config, section: CollectivePlane, network: ChannelNetwork):
        self._config, self._section, self._network = config, section, network

    def _error(self, keys: KeyPath, text: str) -> ConfigError:
        return self._config.source.error((*PLANE, *keys), f"{name_of((*PLANE, *keys))} {text}")

    def operators(self) -> tuple[int, ...]:
        """Return the numbers of the operators, ascending."""
        names = self._section.operators
        for position, name in enumerate(names):
            if name in names[:position]:
                raise self._error(("operators", position), f"is {name!r}; it must be named once")
        return tuple(sorted(map(operator_number, names)))

    def parameters(self) -> PlaneParameters:
        """Return the parameters, with all operators."""
        section, link_cycles = self._section, self._config.network_section.link_cycles
        if link_cycles > MAX_PLANE_LINK_CYCLES:
            path = (*NETWORK, "link_cycles")
            text = f"{name_of(path)} is {link_cycles}; it must be at most {MAX_PLANE_LINK_CYCLES} with {name_of(PLANE)}"
            raise self._config.source.error(path, text)
        stages = combiner_stages(self.operators())
        full_rate = min(max(credit_cycles(link_cycles, stages), MIN_BUFFER_WORDS), MAX_BUFFER_WORDS)
        try:
            return PlaneParameters(
                word_bits=section.word_bits,
                window=section.window,
                link_cycles=link_cycles,
                buffer_words=full_rate if section.buffer_words is None else section.buffer_words,
                result_words=section.result_words,
                timeout_cycles=section.timeout_cycles,
            )
        except FieldError as error:
            raise self._config.source.error((*PLANE, error.field), f"{name_of(PLANE)}: {error}") from None

    def groups(self) -> list[tuple[int, ...]]:
        """Return the members of each group."""
        given, everyone = self._section.groups, tuple(range(len(self._network.processors)))
        if isinstance(given, int):
            return [everyone] * given
        if given == EVERYONE:
            return [everyone]
        return [
            everyone if members == EVERYONE else self._members(number, members) for number, members in enumerate(given)
        ]

    def _members(self, number: int, members: Sequence[int]) -> tuple[int, ...]:
        last, seen = len(self._network.processors) - 1, set()
        for position, processor in enumerate(members):
            problem = f"it must be a processor, 0 to {last}" if processor > last else "it must be named once"
            if processor > last or processor in seen:
                raise self._error(("groups", number, position), f"is {processor}; {problem}")
            seen.add(processor)
        return tuple(members)

    def tree(self, parents: Sequence[int] | None) -> PlaneTree:
        """Return the tree.

        Raises:
            TopologyError: If the edges are no tree, or do not reach all processors.
        """
        section = self._section
        root = None if section.root is None else self._switch(section.root, ("root",))
        if section.tree != AUTO:
            edges = [
                [self._switch(end, ("tree", number, position)) for position, end in enumerate(edge)]
                for number, edge in enumerate(section.tree)
            ]
            return self._given_tree(root, edges)
        if parents is not None and root is not None and parents[root] != root:
            own = next(switch for switch, parent in enumerate(parents) if parent == switch)
            right = f"it must be {self._network.switch_names[own]}, the root of the network's spanning tree"
            raise self._error(("root",), f"is {shown(section.root)}; {right}")
        return plane_tree(self._network, root, parents=parents)

    def _given_tree(self, root: int | None, edges: list[list[int]]) -> PlaneTree:
        """Return the tree of edges, whose errors quote the numbers of switches."""
        try:
            return plane_tree(self._network, root, edges)
        except TopologyError as error:
            if str(error).startswith("Root"):
                raise self._error(("root",), f"is {shown(self._section.root)}; {_rest(error)}") from None
            numbers = [str(edge) for edge in edges]
            place = ("tree", numbers.index(error.item)) if error.item in numbers else ("tree",)
            raise self._config.source.error((*PLANE, *place), f"{name_of((*PLANE, *place))}: {error}") from None

    def _switch(self, given: Any, keys: KeyPath) -> int:
        """Return a switch by name or number."""
        names = self._network.switch_names
        if str(given) in names:
            return names.index(str(given))
        if isinstance(given, int) and not isinstance(given, bool) and 0 <= given < len(names):
            return given
        known = ", ".join(names[:MAX_SHOWN]) + (", ..." if len(names) > MAX_SHOWN else "")
        hint = nearest(given, names)
        raise self._error(keys, f"is {shown(given)}; it must be a switch ({known}){hint}")


def _rest(error: TopologyError) -> str:
    """Return the part of a message behind its first semicolon."""
    return str(error).partition("; ")[2]
