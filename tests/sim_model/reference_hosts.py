"""Hosts of the slow reference networks in plain Python, from docs/look_up/timing.md: they send, pause and stall."""

from collections.abc import Sequence
from dataclasses import dataclass

from sim_model.messages.messages import Message
from topology.common.channels import ChannelNetwork
from topology.common.host_pattern import (
    RECEIVER,
    SOURCE,
    HostBehaviour,
    endpoint_salt,
    first_state,
    holds_back,
    next_state,
)

Flit = tuple[int, int]
"""Message and index in it."""


@dataclass
class Node:
    """Host, source and injector of one processor."""

    waiting: list[int]  # messages, next one first
    pattern: int  # state of the source's shift register
    preparing: tuple[int, int] | None = None  # message and cycle of the offer
    sending: int | None = None
    following: int = 0  # index of the next flit to be loaded
    idle_from: int = 0
    offered: bool = False  # a word is on offer


class Receivers:
    """The users of all ejectors, and their stalls."""

    def __init__(self, network: ChannelNetwork, hosts: HostBehaviour):
        self.network, self.hosts = network, hosts
        salts = [endpoint_salt(RECEIVER, number) for number in range(len(network.delivery_channels))]
        self.patterns = [first_state(hosts.seed, salt) for salt in salts]

    def step(self, now: int) -> set[int]:
        """One cycle. Returns the delivery channels behind which the first flit is taken, if there is one."""
        taking = set()
        for number, channel in enumerate(self.network.delivery_channels):
            processor = self.network.channels[channel].sink - self.network.switches
            stalled = holds_back(self.patterns[number], self.hosts.stall_level) or any(
                b.processor == processor and b.start_cycle <= now < b.end_cycle for b in self.hosts.blocked
            )
            self.patterns[number] = next_state(self.patterns[number])
            if not stalled:
                taking.add(channel)
        return taking


class Senders:
    """Hosts, sources and injectors of all processors; messages have given starts."""

    def __init__(
        self,
        processors: int,
        messages: Sequence[Message],
        header_flits: Sequence[int],
        startup: int,
        hosts: HostBehaviour,
    ):
        self.messages, self.header_flits, self.startup, self.hosts = messages, header_flits, startup, hosts
        order = sorted(range(len(messages)), key=lambda number: (messages[number].start_cycle, number))
        self.nodes = []
        for processor in range(processors):
            pattern = first_state(hosts.seed, endpoint_salt(SOURCE, processor))
            self.nodes.append(Node([n for n in order if messages[n].source == processor], pattern))

    def is_tail(self, flit: Flit) -> bool:
        return flit[1] == self.messages[flit[0]].flits - 1

    def step(self, now: int, processor: int, register: Flit | None, moved: Flit | None) -> Flit | None:
        """One cycle of a node.

        Returns what is in its register at the end; it begins with what is left there after ``moved`` moved.
        """
        node = self.nodes[processor]
        pauses = holds_back(node.pattern, self.hosts.pause_level)
        node.pattern = next_state(node.pattern)
        if node.sending is not None:
            return self._load(now, node, register, moved, pauses)
        if now < node.idle_from:
            return None
        if node.preparing is None and node.waiting and self.messages[node.waiting[0]].start_cycle <= now:
            node.preparing = (node.waiting.pop(0), now + self.startup)
        if node.preparing is not None and node.preparing[1] <= now and not pauses:
            node.sending, node.following, node.preparing, node.offered = node.preparing[0], 1, None, False
            return node.sending, 0
        return None

    def _load(self, now, node, register, moved, pauses) -> Flit | None:
        """A cycle of a busy injector: it loads the next flit, a word only if one is on offer."""
        node.offered = node.offered or not pauses
        if moved is not None and self.is_tail(moved):
            node.sending, node.idle_from = None, now + 1
            return None
        if register is not None:
            return register
        if node.following >= self.header_flits[node.sending]:
            if not node.offered:
                return None
            node.offered = False
        node.following += 1
        return node.sending, node.following - 1
