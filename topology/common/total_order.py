"""Static proofs that receivers see messages in one order.

**Total order.** A network orders its messages if one switch, the turning switch, does. Its tables have to say that

1. all headers of an input channel take the same one output on the way to the turning switch, so they keep their order
   and nothing splits before it;
2. no message comes to the turning switch a second time;
3. behind the turning switch each output is requested from one input channel alone, so a switch there only splits a
   sequence of messages into parts of it;
4. each processor gets all its messages on one delivery channel.

The turning switch enqueues the requests of a header at one moment (atomic enqueue) and serves each output in the order
of these moments. By 3 and 4 every receiver sees a part of that order, so their orders have no cycle, however many of
them are compared. By 1 messages of one source stay in the order in which they were sent. A message that a processor
sends after another one has arrived there is enqueued later than that one: the order is causal as well.

**One order at all receivers.** Less is enough for receivers to agree, though messages of one source may overtake each
other: the outputs at which worms branch form a forest. Then all messages to two receivers pass the switch where the
ways to the two part, and are enqueued there in one order, which the channels below keep. The orders of all switches
together have no cycle: what two subtrees of a switch have in common passes that switch, so their orders can be merged
along the switch's own.

**Order of pairs.** Least of all: messages of one source to the same destinations stay in order. It suffices that no
header ever has a choice. Then these messages take the same channels, and no buffer or queue of requests lets one of
them pass another.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topology.common.channels import ChannelNetwork

if TYPE_CHECKING:
    import networkx as nx

NO_ORDER, PAIR, TOTAL = ORDERINGS = ("none", "pair", "total")


@dataclass(frozen=True)
class OrderVerdict:
    """Result of `check_order`.

    Members:
        total: True if all receivers are proved to see all messages in one order that keeps the order of each source.
        agreed: True if all receivers are proved to see all messages in one order.
        pairs: True if messages of one source to the same destinations are proved to keep their order.
        reason: The proof of a total order in one line, or what breaks it.
    """

    total: bool
    agreed: bool
    reason: str
    pairs: bool = False

    def keeps(self, ordering: str) -> bool:
        """Return whether an order, one of ``ORDERINGS``, is proved."""
        return {NO_ORDER: True, PAIR: self.pairs, TOTAL: self.total}[ordering]

    def doubt(self, ordering: str) -> str:
        """Return the reason why an order is not proved."""
        return self.reason if ordering == TOTAL else "headers have several candidates at a switch, or sources channels"


class _Unordered(Exception):
    """Raised with the reason that breaks a proof."""


def check_order(
    network: ChannelNetwork,
    path: "nx.DiGraph",
    branches: Collection[int],
    *,
    atomic: bool = True,
    pairs: bool = False,
) -> OrderVerdict:
    """Prove the order in which receivers see messages, or return what breaks a total order.

    Parameters:
        path ("nx.DiGraph"): Path dependencies of all headers, see ``walk_dependencies``: an edge c -> d says that some
            header that arrived on channel c may request channel d.
        branches: Channels to which a worm that splits may be sent.
        atomic: True if a router enqueues all requests of a header at one moment.
        pairs: True if no header has a choice, see ``RoutedHeaders.keeps_pairs``.
    """
    if len(network.processors) < 2:
        return OrderVerdict(True, True, "there is one processor", True)
    if not atomic:
        return OrderVerdict(False, False, "requests of a header are enqueued one by one", pairs)
    try:
        turns = f"every message turns at {network.switch_names[_turning_switch(network, path)]}"
    except _Unordered as unordered:
        return OrderVerdict(False, _is_forest(network, path, branches), str(unordered), pairs)
    return OrderVerdict(True, True, f"{turns}, and behind it each output has one input", pairs)


def _is_forest(network: ChannelNetwork, path: "nx.DiGraph", branches: Collection[int]) -> bool:
    """Return whether branches lead to branches only, one into each vertex, and all deliveries come from them."""
    sinks = [network.channels[branch].sink for branch in branches]
    deliveries = {channel for channel in path if not network.is_switch(network.channels[channel].sink)}
    used = {channel for channel in deliveries if path.in_degree(channel)}
    onward = {channel for branch in branches for channel in path.successors(branch)}
    return len(set(sinks)) == len(sinks) and (onward | used).issubset(branches)


def _turning_switch(network: ChannelNetwork, path: "nx.DiGraph") -> int:
    """Return the switch that orders all messages."""
    before: set[int] = set()
    turns = {_follow(network, path, channel, before): channel for channel in network.injection_channels}
    switches = sorted({network.channels[channel].sink for channel in turns})
    if len(switches) > 1:
        first, second = (_example(network, turns, switch) for switch in switches[:2])
        raise _Unordered(f"{first}, {second}: no switch orders both")
    _check_behind(network, path, switches[0], before, _behind(path, turns))
    return switches[0]


def _behind(path: "nx.DiGraph", turns: Collection[int]) -> set[int]:
    """Return the channels that headers can reach from the turning switch."""
    found: set[int] = set()
    work = [*turns]
    while work:
        new = set(path.successors(work.pop())) - found
        found |= new
        work += new
    return found


def _follow(network: ChannelNetwork, path: "nx.DiGraph", channel: int, before: set[int]) -> int:
    """Return the channel on which headers from an injection channel reach the switch where they part.

    All channels on the way are added to ``before``.
    """
    own, start = {channel}, network.channels[channel].name
    while path.out_degree(channel) == 1:
        (channel,) = path.successors(channel)
        if channel in own:
            raise _Unordered(f"messages come back to {network.channels[channel].name}")
        own.add(channel)
    if path.out_degree(channel) == 0:
        raise _Unordered(f"all messages on {start} end at {network.channels[channel].name}")
    before |= own
    return channel


def _example(network: ChannelNetwork, turns: dict[int, int], switch: int) -> str:
    channel = min(start for end, start in turns.items() if network.channels[end].sink == switch)
    source = network.vertex_name(network.channels[channel].source)
    return f"messages from {source} part at {network.switch_names[switch]}"


def _check_behind(network: ChannelNetwork, path: "nx.DiGraph", switch: int, before: set[int], behind: set[int]) -> None:
    """Check conditions 2 to 4 for the channels behind the turning switch."""
    channels = network.channels
    delivering: dict[int, int] = {}
    for channel in sorted(behind):
        name, sink = channels[channel].name, channels[channel].sink
        if channel in before or sink == switch:
            raise _Unordered(f"{name} brings messages back to {network.switch_names[switch]}")
        if channels[channel].source != switch and path.in_degree(channel) > 1:
            inputs = " and ".join(channels[held].name for held in sorted(path.predecessors(channel))[:2])
            raise _Unordered(f"headers on {inputs} ask for {name}")
        first = delivering.setdefault(sink, channel)
        if first != channel and not network.is_switch(sink):
            raise _Unordered(f"{network.vertex_name(sink)} receives messages on {channels[first].name} and on {name}")
