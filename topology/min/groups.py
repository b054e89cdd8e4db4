"""Groups of switches whose tree operations can deadlock, and the release of their tokens (Sec. 3.2).

Two tree operations can deadlock if both reach the same two later switches. The paper's algorithm (figure 9) gives each
switch a tag: the set of switches at the end of its branches. Switches of one stage with equal tags are a group, and one
token per group lets one tree operation begin at a time. Tags of a stage are equal or disjoint.

The switches before the processors end the recursion. If inputs have consumption channels of their own, these do not
conflict, and the recursion ends one stage earlier.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from topology.common.errors import TopologyError
from topology.common.link_stages import STAGE_FLITS
from topology.common.observed import StatusOutput
from topology.common.side_wires import SideWire
from topology.min.graph import MinNetwork

OUTPUT_REGISTER_FLITS = 1
EXACT, AS_PUBLISHED, NO_TOKEN = "exact", "printed", "none"
"""Token rules: exact; the paper's, which deadlocks with small buffers; or no token."""
TOKEN_RULES = (EXACT, AS_PUBLISHED)


def branch_ports(network: MinNetwork, switch: int) -> range:
    """Return the output ports at which a message may branch: all, or in bidirectional networks those to the left."""
    outputs = len(network.output_channel[switch])
    return range(min(outputs, network.radix) if network.bidirectional else outputs)


@dataclass(frozen=True)
class Group:
    """Switches that share a token.

    Members:
        switches: In the order in which the token goes round.
        levels: Switches behind one of these on the way to a processor that a message may have to wait for.
    """

    switches: tuple[int, ...]
    levels: int


@dataclass(frozen=True)
class TokenGroups:
    """All groups of a network.

    Raises:
        TopologyError: If two tags of a stage overlap, so that groups do not keep tree operations apart.
    """

    network: MinNetwork

    @cached_property
    def tags(self) -> tuple[frozenset[int] | None, ...]:
        """By switch: the switches at the end of its branches; None if it needs no token."""
        found: dict[int, frozenset[int] | None] = {}
        joined: dict[frozenset[int], frozenset[int]] = {}  # large sets are made once, by the switches that they join
        for switch in self._last_first:
            behind = [found[sink] for sink in self._behind(switch)]
            if self._delivers(switch):
                found[switch] = None if self.network.private_consumption else frozenset({switch})
            elif all(tag is None for tag in behind):
                found[switch] = frozenset({switch})
            else:
                tags = {id(tag): tag for tag in behind if tag is not None}
                key = frozenset(tags)
                if key not in joined:
                    joined[key] = frozenset().union(*tags.values())
                found[switch] = joined[key]
        return tuple(found[switch] for switch in range(self.network.switches))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Groups, by lowest switch."""
        members: dict[tuple[int, frozenset[int]], list[int]] = {}
        for switch, tag in enumerate(self.tags):
            if tag is not None:
                members.setdefault((self.network.switch_positions[switch].stage, tag), []).append(switch)
        reached: dict[int, set[int]] = {}
        for stage, tag in members:
            if not reached.setdefault(stage, set()).isdisjoint(tag):
                raise TopologyError(f"Groups of stage {stage} must be apart, but two reach the same switches")
            reached[stage] |= tag
        return tuple(Group(tuple(switches), self.levels[switches[0]]) for switches in members.values())

    @cached_property
    def group_of(self) -> tuple[int | None, ...]:
        """By switch: the number of its group; None if it needs no token."""
        found: list[int | None] = [None] * self.network.switches
        for number, group in enumerate(self.groups):
            for switch in group.switches:
                found[switch] = number
        return tuple(found)

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """By switch: q of ``release_flits``; 0 for switches that need no token."""
        found: dict[int, int] = {}
        for switch in self._last_first:
            tagged = [found[sink] for sink in self._behind(switch) if self.tags[sink] is not None]
            found[switch] = 1 + max(tagged) if tagged else 0
        return tuple(found[switch] for switch in range(self.network.switches))

    def release_flits(self, switch: int, buffer_depth_flits: int, link_cycles: int = 1, rule: str = EXACT) -> int:
        """Return the flits of a tree operation that all its branches must have copied before the token may go on.

        Until a header has its last channel, all flits that its branch has copied sit in the q output registers, q
        links with their stages and q buffers on the way. So with one flit more every header has got through. The
        paper's own rule counts one buffer more and forgets the registers, which is too little for small buffers.

        Parameters:
            buffer_depth_flits: Flits that an input buffer holds.
            link_cycles: Cycles of a link between switches; all but one are stages, of two flits each.
            rule: ``EXACT`` or ``AS_PUBLISHED``.
        """
        if rule == AS_PUBLISHED:
            return (self.levels[switch] + 1) * buffer_depth_flits + 1
        link_flits = OUTPUT_REGISTER_FLITS + STAGE_FLITS * (link_cycles - 1)
        return self.levels[switch] * (link_flits + buffer_depth_flits) + 1

    @cached_property
    def _last_first(self) -> Sequence[int]:
        """Switches so that those behind the branches of a switch come before it."""
        network, order, seen = self.network, [], set()
        for switch in range(network.switches):
            pending = [switch]
            while pending:
                current = pending[-1]
                open_ones = [sink for sink in self._behind(current) if sink not in seen]
                pending.extend(open_ones)
                if not open_ones:
                    pending.pop()
                    if current not in seen:
                        seen.add(current)
                        order.append(current)
        return order

    def _behind(self, switch: int) -> list[int]:
        """Return the switches behind the branches of a switch."""
        network = self.network
        sinks = [network.channels[network.output_channel[switch][port]].sink for port in branch_ports(network, switch)]
        return [sink for sink in sinks if network.is_switch(sink)]

    def _delivers(self, switch: int) -> bool:
        """Return whether the branches of a switch lead to processors."""
        return not self._behind(switch)


def token_rings(groups: TokenGroups, token: str) -> tuple[Group, ...]:
    """Return the groups that have a token; none without a token rule."""
    return groups.groups if token in TOKEN_RULES else ()


def token_wires(groups: TokenGroups, token: str) -> tuple[SideWire, ...]:
    """Return one wire from each switch of a ring to the next, ring by ring."""
    return tuple(wire for group in token_rings(groups, token) for wire in ring_wires(group))


def ring_wires(group: Group) -> tuple[SideWire, ...]:
    """Return the wires of one ring."""
    following = (*group.switches[1:], group.switches[0])
    return tuple(
        SideWire(switch, "token_out", after, "token_in")
        for switch, after in zip(group.switches, following, strict=True)
    )


def token_status(groups: TokenGroups, token: str) -> tuple[StatusOutput, ...]:
    """Return the error outputs of the rings: a bit per ring each."""
    rings = len(token_rings(groups, token))
    return (StatusOutput("token_lost", rings), StatusOutput("token_duplicated", rings)) if rings else ()
