"""Proof that a plane reaches its members and cannot deadlock, from its parents, members and masks alone.

Nothing of the constructors is used: branches, members behind them, tops and depths are computed here once more. The
waits are read from the masks, and each of them is compared with the order.

A **place** is the buffer of one group at the end of a link. In one of two states others wait for it:

* ``room``: it is full. A word upwards waits for room in the buffer of the parent, and at the top for room in the
  buffers of all branches downwards; a word downwards waits for room in those below.
* ``words``: it is empty. A word upwards waits for words of all other branches that take part; an empty buffer waits for
  words in the buffers below. Members below an empty one send, since they call operations in one order.

In the order come the rooms upwards from the deepest ones, the rooms downwards from the top, then the words from the
top. Each wait rises in it, so nothing waits for itself: see docs/understand/liveness_theorems.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import networkx as nx

from topology.collectives.tables import PlaneTables
from topology.common.channels import ChannelNetwork

UP, DOWN, WORDS = range(3)
"""States in the order: no room upwards, no room downwards, no words upwards."""


class Place(NamedTuple):
    """Buffer of a group at the end of a link, in the state in which others wait for it.

    Members:
        group
        state: ``UP``, ``DOWN`` or ``WORDS``.
        upper: Switch at the upper end of the link.
        is_processor: True for a processor at the lower end.
        lower: Number of the processor or switch at its lower end.
    """

    group: int
    state: int
    upper: int
    is_processor: bool
    lower: int

    @property
    def name(self) -> str:
        """Such as ``room g0 s3->s1``: the group, then the ends in the direction of its words."""
        ends = [f"{'p' if self.is_processor else 's'}{self.lower}", f"s{self.upper}"]
        first, last = ends if self.state != DOWN else ends[::-1]
        return f"{'words' if self.state == WORDS else 'room'} g{self.group} {first}->{last}"


@dataclass(frozen=True)
class PlaneFacts:
    """A plane in plain numbers, as hardware and model are given it. Nothing is checked.

    Parameters:
        parent (mapping of int to int or None): Parent of each switch; None for the root.
        processors: Switch of each processor.
        members: Processors of each group.
        taking_part: Mask of branches by switch, ascending, and group.
        top: True for tops, by switch and group.
    """

    parent: Mapping[int, int | None]
    processors: Sequence[int]
    members: Sequence[Sequence[int]]
    taking_part: Sequence[Sequence[int]]
    top: Sequence[Sequence[bool]]

    @classmethod
    def of(cls, tables: PlaneTables) -> "PlaneFacts":
        """Return the facts of tables."""
        return cls(
            dict(tables.tree.parent),
            tables.tree.processors,
            [group.members for group in tables.groups],
            tables.taking_part.tolist(),
            tables.top.tolist(),
        )


@dataclass(frozen=True)
class PlaneSizes:
    """Sizes of buffers.

    Parameters:
        window: Operations of a group that a member may have under way.
        buffer_words, result_words: Words of the buffers of switches and endpoints.
        link_cycles: Cycles of a link between switches.
        barriers_only: True for a plane without data words. Its switches count barriers and have no other buffers.
        stages: Registers of the combiner's pipeline, ``combiner_stages``; a credit is taken before them.
    """

    window: int
    buffer_words: int
    result_words: int
    link_cycles: int = 1
    barriers_only: bool = False
    stages: int = 0

    @property
    def fault(self) -> str:
        """The size that is too small for any word; empty if there is none."""
        names = ("window",) if self.barriers_only else ("window", "buffer_words", "result_words")
        small = [(name, getattr(self, name)) for name in names if getattr(self, name) < 1]
        return f"{small[0][0]} is {small[0][1]}; it must be at least 1" if small else ""

    @property
    def full_rate_words(self) -> int:
        """Words of a buffer for one word per cycle: a credit is back after a pipeline, two links and two grants."""
        return 2 * self.link_cycles + 2 + self.stages

    def turn_cycles(self, groups: int) -> int:
        """Return the cycles within which a switch grants a group that is ready.

        Parameters:
            groups: Groups of the plane.
        """
        return 1 if self.barriers_only else 2 * groups + self.stages

    def word_cycles(self, groups: int, up_levels: int, down_levels: int) -> int:
        """Return the cycles within which a word that all members have on their links is offered to all of them.

        Earlier words of the group are taken, and so are results of others at once: the theorem of
        docs/understand/collective_plane_proof.md.

        Parameters:
            groups: Groups of the plane.
            up_levels, down_levels (int): Most links between switches from a member up to the top, and down again.
        """
        turn, link, stages = self.turn_cycles(groups), self.link_cycles, self.stages
        if self.barriers_only:
            return (up_levels + down_levels) * link + 1
        up, top, down = up_levels * (turn + stages + link), turn + stages + 1, down_levels * (turn + link)
        credits_are_back = link + 1
        return credits_are_back + up + top + down + groups

    @property
    def words_per_cycle(self) -> float:
        """Largest rate of a long operation that the buffers allow."""
        if self.barriers_only:
            return 1.0
        # links between switches, from endpoints, and to endpoints from a top
        links = (self.buffer_words / self.full_rate_words, self.buffer_words / 4, self.result_words / (4 + self.stages))
        return min(1.0, *links)


@dataclass(frozen=True)
class PlaneVerdict:
    """Result of `check_plane`.

    Members:
        tree_fault: Reason why the tree is none, or does not reach all processors; empty if it does.
        table_fault: First mask or top that is wrong; empty if there is none.
        wait_fault: First wait that does not rise in the order; empty if there is none.
        size_fault: Buffer that is too small; empty if there is none.
        cycle: Names of places, each waiting for the next and the last for the first; empty if there are none.
        order: Names of all places in the order; empty if the tree is none.
        waits: Number of waits.
        depth: Links from the deepest switch up to the root.
        root: Switch without a parent.
        tops: Top of each group; empty if tree or tables are wrong.
        word_cycles (tuple of int): Bound of each group, see ``PlaneSizes.word_cycles``; likewise.
        foreign_links (tuple of (int, int)): Child and parent of links that the network does not have.
        switches, processors (int): Size of the tree.
        sizes
    """

    tree_fault: str
    table_fault: str
    wait_fault: str
    size_fault: str
    cycle: tuple[str, ...]
    order: tuple[str, ...]
    waits: int
    depth: int
    root: int | None
    tops: tuple[int, ...]
    word_cycles: tuple[int, ...]
    foreign_links: tuple[tuple[int, int], ...]
    switches: int
    processors: int
    sizes: PlaneSizes

    @property
    def right(self) -> bool:
        """True if everything is proved."""
        return not (self.tree_fault or self.table_fault or self.wait_fault or self.size_fault or self.cycle)


def check_plane(facts: PlaneFacts, sizes: PlaneSizes, network: ChannelNetwork | None = None) -> PlaneVerdict:
    """Prove that a plane reaches its members and cannot deadlock, or return what breaks the proof.

    Parameters:
        facts
        sizes
        network: The network beside it, whose processors it must reach.
    """
    proof = _Proof(facts)
    tree_fault = proof.tree_fault() or ("" if network is None else _processor_fault(facts, network))
    places, waits = proof.places(), list(proof.waits())
    graph = nx.DiGraph()
    graph.add_nodes_from(places)
    graph.add_edges_from(waits)
    order: list[Place] = []
    wait_fault = table_fault = ""
    if not tree_fault:
        order = sorted(places, key=proof.rank)
        wait_fault = _fault_of_order(order, waits)
        table_fault = proof.table_fault()
    tops = () if tree_fault or table_fault else tuple(proof.top_of(members) for members in facts.members)
    levels = [proof.levels_of(members, top) for members, top in zip(facts.members, tops, strict=False)]
    return PlaneVerdict(
        tree_fault,
        table_fault,
        wait_fault,
        sizes.fault,
        _cycle(graph),
        tuple(place.name for place in order),
        graph.number_of_edges(),
        max(proof.depth.values(), default=0),
        proof.root,
        tops,
        tuple(sizes.word_cycles(len(facts.members), far, far) for far in levels),
        () if network is None else _foreign_links(facts, network),
        len(facts.parent),
        len(facts.processors),
        sizes,
    )


def _cycle(graph: nx.DiGraph) -> tuple[str, ...]:
    """Return the names of the places of one cycle; none if there is none."""
    if nx.is_directed_acyclic_graph(graph):
        return ()
    return tuple(held.name for held, _ in nx.find_cycle(graph))


def _fault_of_order(order: Sequence[Place], waits: Sequence[tuple[Place, Place]]) -> str:
    position = {place: number for number, place in enumerate(order)}
    for held, wanted in waits:
        if wanted not in position:
            return f"{held.name} waits for {wanted.name}, where the group does not take part"
        if position[held] >= position[wanted]:
            return f"{held.name} waits for {wanted.name}, which is not later"
    return ""


def _processor_fault(facts: PlaneFacts, network: ChannelNetwork) -> str:
    ends: dict[int, set[int]] = {}
    for channel, processor in zip(network.delivery_channels, network.delivery_processors, strict=True):
        ends.setdefault(processor, set()).add(network.channels[channel].source)
    if len(facts.processors) != len(network.processors):
        return f"the tree has {len(facts.processors)} processors, and the network {len(network.processors)}"
    for processor, switch in enumerate(facts.processors):
        if switch not in ends.get(processor, ()):
            return f"p{processor} hangs on s{switch}, which does not deliver to it"
    return ""


def _foreign_links(facts: PlaneFacts, network: ChannelNetwork) -> tuple[tuple[int, int], ...]:
    pairs = {(channel.source, channel.sink) for channel in network.channels}
    links = [(child, above) for child, above in sorted(facts.parent.items()) if above is not None]
    return tuple((a, b) for a, b in links if (a, b) not in pairs and (b, a) not in pairs)


class _Proof:
    """Branches, depths and waits of a plane, computed from its parents and masks.

    depth: Of the switches that lead to the root.
    """

    def __init__(self, facts: PlaneFacts):
        self.facts = facts
        self.switches = sorted(facts.parent)
        self.row = {switch: row for row, switch in enumerate(self.switches)}
        self.groups = range(len(facts.members))
        ends: dict[int, list[tuple[bool, int]]] = {switch: [] for switch in self.switches}
        for child, above in facts.parent.items():
            if above in ends:
                ends[above].append((False, child))
        for processor, switch in enumerate(facts.processors):
            if switch in ends:
                ends[switch].append((True, processor))
        self.branches = {switch: sorted(of_switch) for switch, of_switch in ends.items()}
        self.roots = [switch for switch in self.switches if facts.parent[switch] is None]
        self.root = self.roots[0] if len(self.roots) == 1 else None
        self.depth = self._depths()

    def _depths(self) -> dict[int, int]:
        depth = dict.fromkeys(self.roots, 0)
        below = list(self.roots)
        for switch in below:  # grows while it is read
            children = [number for is_processor, number in self.branches[switch] if not is_processor]
            depth.update(dict.fromkeys(children, depth[switch] + 1))
            below += children
        return depth

    def tree_fault(self) -> str:
        """Return why the parents are no tree with all processors; empty if they are one."""
        if len(self.roots) != 1:
            return f"{len(self.roots)} switches have no parent; a tree has exactly 1 root"
        for switch in self.switches:
            if switch not in self.depth:
                return f"s{switch} does not lead to the root s{self.root}"
        for processor, switch in enumerate(self.facts.processors):
            if switch not in self.depth:
                return f"p{processor} hangs on s{switch}, which is not in the tree"
        return ""

    def _members_below(self, members: Sequence[int]) -> dict[int, int]:
        """Return the number of members at and below each switch."""
        count = dict.fromkeys(self.switches, 0)
        for member in members:
            switch: int | None = self.facts.processors[member]
            while switch is not None:
                count[switch] += 1
                switch = self.facts.parent[switch]
        return count

    def top_of(self, members: Sequence[int]) -> int:
        """Return the deepest switch with all members at or below it."""
        count = self._members_below(members)
        return max((switch for switch in self.switches if count[switch] == len(members)), key=lambda s: self.depth[s])

    def levels_of(self, members: Sequence[int], top: int) -> int:
        """Return the most links between switches from a member up to the top."""
        return max(self.depth[self.facts.processors[member]] for member in members) - self.depth[top]

    def table_fault(self) -> str:
        """Return the first mask or top that the members contradict; empty if there is none."""
        facts = self.facts
        for number, members in enumerate(facts.members):
            if not members or len(set(members)) < len(members):
                return f"g{number} has {len(members)} members, {len(set(members))} of them different"
            if not all(0 <= member < len(facts.processors) for member in members):
                return f"g{number} has members that are no processors"
        if [len(table) for table in (facts.taking_part, facts.top)] != [len(self.switches)] * 2:
            return f"there are tables of {len(facts.taking_part)} switches, and {len(self.switches)} in the tree"
        for group, members in enumerate(facts.members):
            count, top = self._members_below(members), self.top_of(members)
            for switch in self.switches:
                fault = self._row_fault(switch, group, count, top, set(members))
                if fault:
                    return fault
        return ""

    def _row_fault(self, switch: int, group: int, count: dict[int, int], top: int, members: set[int]) -> str:
        facts, row = self.facts, self.row[switch]
        if bool(facts.top[row][group]) != (switch == top):
            return f"s{switch} is {'no ' if switch == top else 'a '}top of g{group}; its top is s{top}"
        below_top = count[switch] < len(members) or switch == top
        mask = facts.taking_part[row][group]
        if mask >> len(self.branches[switch]):
            return f"the mask of g{group} at s{switch} has more bits than s{switch} has branches"
        for port, (is_processor, number) in enumerate(self.branches[switch]):
            has = number in members if is_processor else count[number] > 0
            takes, name = bool(mask >> port & 1), f"{'p' if is_processor else 's'}{number}"
            if takes and not (has and below_top):
                why = "no members are behind it" if not has else f"s{switch} is above the top"
                return f"branch {name} of s{switch} takes part in g{group}, and {why}"
            if has and below_top and not takes:
                return f"branch {name} of s{switch} does not take part in g{group}, and members are behind it"
        return ""

    def _taking_part(self, switch: int, group: int) -> list[tuple[bool, int]]:
        row = self.row[switch]
        mask = self.facts.taking_part[row][group] if row < len(self.facts.taking_part) else 0
        return [end for port, end in enumerate(self.branches[switch]) if mask >> port & 1]

    def places(self) -> list[Place]:
        """Return all places that may have words of a group."""
        return [
            Place(group, state, switch, *end)
            for group in self.groups
            for switch in self.switches
            for end in self._taking_part(switch, group)
            for state in (UP, DOWN, WORDS)
        ]

    def rank(self, place: Place) -> tuple[int, ...]:
        """Return the position of a place: rooms upwards by height, rooms downwards and words by depth."""
        depth = self.depth[place.upper]
        return place.group, place.state, -depth if place.state == UP else depth, *place[2:]

    def waits(self) -> Iterator[tuple[Place, Place]]:
        """Yield all waits, as the masks cause them: a place that is full or empty, and one that it waits for."""
        for group in self.groups:
            for switch in self.switches:
                ends = self._taking_part(switch, group)
                for end in ends:
                    full = Place(group, UP, switch, *end)
                    yield from ((full, Place(group, WORDS, switch, *other)) for other in ends if other != end)
                    yield from ((full, place) for place in self._sinks(switch, group, ends))
                    yield from self._waits_below(switch, group, *end)

    def _sinks(self, switch: int, group: int, ends: Sequence[tuple[bool, int]]) -> list[Place]:
        """Return the places that need room for a word which a switch combines."""
        row, above = self.row[switch], self.facts.parent[switch]
        if row < len(self.facts.top) and self.facts.top[row][group]:
            return [Place(group, DOWN, switch, *end) for end in ends]
        return [] if above is None else [Place(group, UP, above, False, switch)]

    def _waits_below(self, switch: int, group: int, is_processor: bool, number: int) -> Iterator[tuple[Place, Place]]:
        """Yield the waits of a full buffer downwards and of an empty one upwards; those of processors end there."""
        if is_processor or number not in self.row:
            return
        for state in (DOWN, WORDS):
            here = Place(group, state, switch, False, number)
            for end in self._taking_part(number, group):
                yield here, Place(group, state, number, *end)
