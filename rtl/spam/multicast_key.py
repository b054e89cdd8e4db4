"""Routing key of a destination set: its lowest common ancestor in the spanning tree (Sec. 3.1), in hardware.

A switch branches if destinations are below two or more of its children. The lowest common ancestor of two or more
destinations is the one switch that branches and has no ancestor that does. One pass up the tree, one pass down and one
encoder compute it, with a number of gates linear in the size of the network:

=========  ==============================================================================
pass       per switch
=========  ==============================================================================
up         ``below``: a destination below it; ``branches``: below two or more children
down       ``above``: an ancestor branches
encoder    number of the switch with ``branches`` and not ``above``
=========  ==============================================================================

The set is stable while the key is computed, so the pipeline registers in the passes need no balancing: from any initial
state all of them are valid after ``key_cycles`` cycles.
"""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Const, Module, Signal, Value
from amaranth.lib.wiring import In, Out

from rtl.parts.arbiter import check_count
from rtl.parts.part import Part
from rtl.parts.selection import concat, encoded, merged
from topology.common.flits import bits_for
from topology.spam.graph import SpamLabels

LEVELS_PER_CYCLE = 4


class MulticastKey(Part):
    """Computes the key of any non-empty destination set; for one destination, its own vertex.

    The same module serves all senders of a network. Latency ``key_cycles``, for which the set must be stable.

    Parameters:
        labels: The network with its spanning tree.
        levels_per_cycle: Levels of the tree that each pass takes in a cycle, at least 1.

    Members:
        key_cycles (int): 1 before the encoder, and the registers on the longest way up to a switch that branches and
            down to another: about 1 per pass for each ``levels_per_cycle`` levels of the tree. 0 if there is one
            processor only.
        destinations (In(processors)): The set.
        key (Out): Vertex number of the lowest common ancestor. Unspecified if the set is empty.
        multicast (Out(1)): Whether there are two or more destinations, so that the key is a switch and the bit string
            has to be sent.
    """

    def __init__(self, labels: SpamLabels, levels_per_cycle: int = LEVELS_PER_CYCLE):
        check_count("Levels per cycle", levels_per_cycle)
        network = self.network = labels.network
        self.labels = labels
        self.levels_per_cycle = levels_per_cycle
        self._root_first = sorted(range(network.switches), key=lambda switch: int(labels.level[switch]))
        self._children = self._populated_children()
        self.key_cycles = max((registers + 1 for registers in self._registers_before()), default=0)
        super().__init__(
            "multicast_key",
            {
                "destinations": In(len(network.processors)),
                "key": Out(bits_for(network.vertices)),
                "multicast": Out(1),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        branches = self._up(m)
        above = self._down(m, branches)
        processors = range(self.network.switches, self.network.vertices)
        alone = encoded(self.destinations, processors, len(self.key))
        if not branches:  # there are no two processors
            m.d.comb += [self.key.eq(concat(alone)), self.multicast.eq(0)]
            return m
        meeting = Signal(len(branches))
        m.d.sync += meeting.eq(concat(branch & ~above[switch] for switch, branch in branches.items()))
        m.d.comb += self.multicast.eq(meeting.any())
        ancestor = encoded(meeting, branches, len(self.key))  # 0 if no switch branches
        m.d.comb += self.key.eq(concat(a | b & ~self.multicast for a, b in zip(ancestor, alone, strict=True)))
        return m

    def _populated_children(self) -> dict[int, list[int]]:
        """Return the children of each switch that are processors or have some below them."""
        network = self.network
        children: dict[int, list[int]] = {switch: [] for switch in self._root_first}
        for processor, switch in enumerate(network.processors):
            children[switch].append(network.processor_vertex(processor))
        for switch in reversed(self._root_first):
            if children[switch] and switch != self.labels.root:
                children[int(self.labels.parent[switch])].append(switch)
        return children

    def _is_cut(self, vertex: int) -> bool:
        """Return whether there are registers between a vertex and its parent."""
        is_inner = self.network.is_switch(vertex) and vertex != self.labels.root
        return is_inner and int(self.labels.level[vertex]) % self.levels_per_cycle == 0

    def _registers_before(self) -> Iterator[int]:
        """Yield the registers on the longest path to the encoder's input, for each switch that can branch."""
        up = dict.fromkeys(range(self.network.vertices), 0)
        for switch in reversed(self._root_first):
            up[switch] = max((up[child] + self._is_cut(child) for child in self._children[switch]), default=0)
        down = dict.fromkeys(range(self.network.vertices), 0)
        for switch in self._root_first:
            branches = len(self._children[switch]) > 1
            if branches:
                yield max(up[switch], down[switch])
            for child in self._children[switch]:
                down[child] = max(down[switch], up[switch] if branches else 0) + self._is_cut(child)

    def _up(self, m) -> dict[int, Signal]:
        """Return the signal ``branches`` of every switch that can branch."""
        network = self.network
        below: dict[int, Value] = {network.processor_vertex(i): bit for i, bit in enumerate(self.destinations)}
        branches = {}
        for switch in reversed(self._root_first):
            children = self._children[switch]
            if not children:
                continue
            found, several = merged([(below[child], Const(0)) for child in children])
            if len(children) > 1:
                branches[switch] = Signal(name=f"branches_s{switch}")
                m.d.comb += branches[switch].eq(several)
            below[switch] = Signal(name=f"below_s{switch}")
            domain = m.d.sync if self._is_cut(switch) else m.d.comb
            domain += below[switch].eq(found)
        return branches

    def _down(self, m, branches: dict[int, Signal]) -> dict[int, Value]:
        """Return ``above`` of every switch."""
        above: dict[int, Value] = {}
        for switch in self._root_first:
            if switch == self.labels.root:
                above[switch] = Const(0)
                continue
            parent = int(self.labels.parent[switch])
            above[switch] = Signal(name=f"above_s{switch}")
            domain = m.d.sync if self._is_cut(switch) else m.d.comb
            domain += above[switch].eq(above[parent] | branches.get(parent, Const(0)))
        return above
