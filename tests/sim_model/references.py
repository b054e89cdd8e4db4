"""Slow networks in plain Python, written from docs/look_up/timing*.md alone, independently of the engine."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sim_model.messages.messages import Message
from topology.common.channels import ChannelNetwork
from topology.common.host_pattern import (
    EAGER,
    RECEIVER,
    SOURCE,
    HostBehaviour,
    endpoint_salt,
    first_state,
    holds_back,
    next_state,
)
from topology.spam.routing import SpamRouting

# Hosts of the slow reference networks in plain Python, from docs/look_up/timing.md: they send, pause and stall.

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


# A slow SPAM network in plain Python, written from docs/look_up/timing_spam.md and the paper alone.


@dataclass
class Input:
    """One input of a router."""

    buffer: list = field(default_factory=list)  # flits (message, index)
    scanned: int = 0
    delay: int = 0
    bits: int = 0  # header bits processed so far
    splitting: bool = False
    request: set = field(default_factory=set)
    pending: set = field(default_factory=set)
    state: str = "idle"  # idle, queued, active


@dataclass
class Router:
    """One switch: inputs, and an OCRQ per output."""

    inputs: list
    queues: list
    turn: int = 0
    enqueue_turn: int = 0


@dataclass
class SpamNode:
    """Host and injector of one processor."""

    waiting: list  # message numbers, next one first
    preparing: tuple | None = None  # (message, cycle of the offer)
    sending: tuple | None = None  # (message, index in the register)
    idle_from: int = 0


class ReferenceNetwork:
    """Runs messages with given starts; ``cycle()`` gives the channels and stages out of which flits moved."""

    def __init__(
        self,
        routing: SpamRouting,
        messages: list[Message],
        *,
        buffer_flits,
        routing_cycles,
        enqueue,
        startup,
        link_cycles=1,
    ):
        self.routing, self.network, self.messages = routing, routing.network, messages
        self.routing_cycles, self.enqueue, self.startup = routing_cycles, enqueue, startup
        self.destinations = [routing.destinations_of(m.source, m.destinations) for m in messages]
        self.headers = []
        for message, wanted in zip(messages, self.destinations, strict=True):
            value = routing.header_value(message.source, wanted)
            self.headers.append(routing.header.to_flits(value, routing.header_flits(wanted)))
        self.depth = routing.header.multicast_flits - 1 + buffer_flits
        self.registers: dict[int, Any] = {channel.index: None for channel in self.network.channels}
        staged = [c.index for c in self.network.channels if max(c.source, c.sink) < self.network.switches]
        cycles = {index: self.network.channel_cycles.get(index, link_cycles) for index in staged}
        self.stages: dict[int, list] = {index: [[] for _ in range(cycles[index] - 1)] for index in staged}
        self.routers = []
        for switch in range(self.network.switches):
            ports = self.network.degree(switch)
            self.routers.append(Router([Input() for _ in range(ports)], [[] for _ in range(ports)]))
        order = sorted(range(len(messages)), key=lambda number: (messages[number].start_cycle, number))
        processors = range(len(self.network.processors))
        self.nodes = [SpamNode([n for n in order if messages[n].source == processor]) for processor in processors]
        self.arriving: dict[int, Any] = {}
        self.delivered: list[tuple[int, int, int, int]] = []  # cycle, processor, message, index
        self.now = 0

    def is_tail(self, flit) -> bool:
        return flit[1] == self.messages[flit[0]].flits - 1

    def cycle(self) -> list[int]:
        """One cycle; 0 or 1 per channel, and then per stage."""
        old_registers, old_routers = dict(self.registers), copy.deepcopy(self.routers)
        old_stages = copy.deepcopy(self.stages)
        moved, arriving, hops = set(), {}, []
        for channel in self.network.channels:
            index = channel.index
            full = self.network.is_switch(channel.sink) and (
                len(old_routers[channel.sink].inputs[channel.sink_port].buffer) >= self.depth
            )
            # register, stages, buffer: what is at each point, and whether the next one is full
            stages = old_stages.get(index, [])
            points = [[flit for flit in [old_registers[index]] if flit is not None], *stages]
            blocked = [*(len(stage) >= 2 for stage in stages), full]
            moves = [bool(point) and not stop for point, stop in zip(points, blocked, strict=True)]
            if moves[0]:
                moved.add(index)
                self.registers[index] = None
            for k, moving in enumerate(moves):
                if moving and k > 0:
                    self.stages[index][k - 1].pop(0)
                if moving and k < len(stages):
                    self.stages[index][k].append(points[k][0])
            if moves[-1]:
                arriving[index] = points[-1][0]
            hops += moves[1:]
        self.arriving = arriving
        for switch in range(self.network.switches):
            self.step_router(switch, old_routers[switch], arriving)
        for index, flit in arriving.items():
            channel = self.network.channels[index]
            if self.network.is_switch(channel.sink):
                self.routers[channel.sink].inputs[channel.sink_port].buffer.append(flit)
            else:
                self.delivered.append((self.now, channel.sink - self.network.switches, *flit))
        for processor in range(len(self.nodes)):
            self.step_node(processor, moved, old_registers)
        self.now += 1
        return [int(channel.index in moved) for channel in self.network.channels] + [int(moves) for moves in hops]

    def step_node(self, processor, moved, old_registers):
        node, channel = self.nodes[processor], self.network.injection_channel(processor)
        busy = node.sending is not None
        if channel in moved:
            message, index = old_registers[channel]
            if self.is_tail((message, index)):
                node.sending = None
                node.idle_from = self.now + 1
            else:
                self.registers[channel] = node.sending = (message, index + 1)
        if busy or self.now < node.idle_from:
            return
        if node.preparing is None and node.waiting and self.messages[node.waiting[0]].start_cycle <= self.now:
            node.preparing = (node.waiting.pop(0), self.now + self.startup)
        if node.preparing is not None and node.preparing[1] == self.now:
            self.registers[channel] = node.sending = (node.preparing[0], 0)
            node.preparing = None

    def step_router(self, switch, old: Router, moved):
        router = self.routers[switch]
        self.count_delays(router, old)
        self.route(switch, router, old, moved)
        if self.enqueue == "split":
            self.enter_one(router, old)
        for port in range(len(old.inputs)):
            self.copy_flit(switch, port, router, old)

    def count_delays(self, router, old):
        for new, now in zip(router.inputs, old.inputs, strict=True):
            if now.state == "idle" and now.scanned == 0 and now.buffer and now.delay < self.routing_cycles - 2:
                new.delay += 1

    def eligible(self, switch, port, old, moved):
        now = old.inputs[port]
        if now.state != "idle":
            return False
        if now.scanned == 0 and self.routing_cycles >= 3 and now.delay != self.routing_cycles - 2:
            return False
        if len(now.buffer) > now.scanned:
            return True
        arriving = self.network.input_channel[switch][port] in moved
        return self.routing_cycles == 1 and len(now.buffer) == now.scanned and arriving

    def route(self, switch, router, old, moved):
        ports = len(old.inputs)
        order = [(old.turn + k) % ports for k in range(ports)]
        chosen = next((port for port in order if self.eligible(switch, port, old, moved)), None)
        if chosen is None:
            return
        router.turn = (chosen + 1) % ports
        channel = self.network.input_channel[switch][chosen]
        now, new = old.inputs[chosen], router.inputs[chosen]
        # The flit is in the buffer, or it is the one that is arriving.
        message = now.buffer[0][0] if now.buffer else self.arriving[channel][0]
        header = self.routing.header
        data = self.headers[message][now.scanned]
        new.scanned = now.scanned + 1
        new.bits = now.bits | data << now.scanned * header.flit_bits
        if new.scanned < header.key_flits:
            return
        if new.scanned == header.key_flits:
            lca = new.bits & (1 << header.fields[0][1]) - 1
            mask = int(self.routing.routes[switch, lca, self.routing.labels.channel_class[channel]])
            if mask:
                self.queue(router, chosen, {self.choose(mask, old)})
                return
            new.splitting = True
        named, last = (
            self.read_parts(now.scanned, data) if header.part_processors else self.read_bits(now.scanned, data)
        )
        for processor in named:
            new.request |= {port for port in range(ports) if self.routing.reach[switch, port, processor]}
        if last:
            self.queue(router, chosen, new.request)

    def read_bits(self, number, data):
        """Processors that a flit of a bit string names, and whether it is the header's last one."""
        header, named = self.routing.header, []
        for processor in range(header.destinations):
            position = header.fixed_bits + processor
            if position // header.flit_bits == number and data >> position % header.flit_bits & 1:
                named.append(processor)
        return named, number == header.multicast_flits - 1

    def read_parts(self, number, data):
        """Processors that a flit of a header of parts names, and its last bit."""
        header, size = self.routing.header, self.routing.header.part_processors
        if number < header.unicast_flits:
            return [], False
        part = data >> size & (1 << header.part_bits) - 1
        return [part * size + bit for bit in range(size) if data >> bit & 1], bool(data >> header.last_bit & 1)

    def choose(self, mask, old):
        wanted = set().union(*(now.request for now in old.inputs if now.state != "idle"))
        candidates = [port for port in range(mask.bit_length()) if mask >> port & 1]
        return next((port for port in candidates if port not in wanted), candidates[0])

    def queue(self, router, port, request):
        new = router.inputs[port]
        new.request = set(request)
        new.state = "queued"
        if self.enqueue == "split":
            new.pending = set(request)
        else:
            for output in request:
                router.queues[output].append(port)

    def enter_one(self, router, old):
        ports = len(old.inputs)
        for port in ((old.enqueue_turn + k) % ports for k in range(ports)):
            if old.inputs[port].pending:
                output = next(o for o in ((port + k) % ports for k in range(ports)) if o in old.inputs[port].pending)
                router.inputs[port].pending.remove(output)
                router.queues[output].append(port)
                router.enqueue_turn = (port + 1) % ports
                return

    def copy_flit(self, switch, port, router, old):
        now, new = old.inputs[port], router.inputs[port]
        if now.state == "idle" or now.pending:
            return
        if any(not old.queues[output] or old.queues[output][0] != port for output in now.request):
            return
        new.state = "active"
        outputs = [self.network.output_channel[switch][output] for output in now.request]
        if not now.buffer or any(self.registers[channel] is not None for channel in outputs):
            return
        flit = new.buffer.pop(0)
        for channel in outputs:
            self.registers[channel] = flit
        if self.is_tail(flit):
            for output in now.request:
                router.queues[output].pop(0)
            router.inputs[port] = Input(buffer=new.buffer)


# A slow network with VCs in plain Python, written from docs/look_up/timing_torus.md, independently of the engine.

Route = Callable[[int, int], tuple[list[int], list[int]]]
"""(input VC, message) -> VCs that routing gives at the switch behind it: candidates, and escape VCs."""


@dataclass(frozen=True)
class Request:
    """Request of an input: one of its VCs, and the target VC of the flit at its front.

    No such VC, None, is the request of a worm that is drained.
    """

    vc: int
    target: int | None


class State:
    """All registers and buffers of the network."""

    def __init__(self, network, depth: int):
        numbers = range(len(network.channels))
        self.register: dict[int, Flit | None] = dict.fromkeys(numbers)
        self.buffer: dict[int, list[Flit]] = {vc: [] for vc in numbers}
        self.active = dict.fromkeys(numbers, False)
        self.target: dict[int, int | None] = dict.fromkeys(numbers)
        self.delay = dict.fromkeys(numbers, 0)
        self.free = dict.fromkeys(numbers, True)
        self.credits = dict.fromkeys(numbers, depth)
        self.credit_wires: set[int] = set()
        self.delivery: dict[int, list[Flit]] = {channel: [] for channel in network.delivery_channels}
        self.request: dict[tuple[int, int], Request | None] = {}
        self.input_turn: dict[tuple[int, int], int] = {}
        self.output_turn: dict[tuple[int, int], int] = {}
        for switch in range(network.switches):
            for port in range(len(network.links.input_channel[switch])):
                self.request[switch, port], self.input_turn[switch, port] = None, 0
            for port in range(len(network.links.output_channel[switch])):
                self.output_turn[switch, port] = 0
        self.ejector: dict[int, list[Flit]] = {channel: [] for channel in network.delivery_channels}

    def copy(self) -> "State":
        """A copy, lists and all."""
        other = copy.copy(self)
        for name, value in vars(self).items():
            setattr(other, name, value.copy())
        for name in ("buffer", "delivery", "ejector"):
            setattr(other, name, {key: list(flits) for key, flits in getattr(self, name).items()})
        return other


class VcReference:
    """Runs messages with given starts; ``cycle()`` gives the VCs on which flits moved, ``wires()`` the credits."""

    def __init__(
        self,
        network,
        route: Route,
        messages: list[Message],
        header_flits: list[int],
        *,
        depth: int,
        routing_cycles: int = 1,
        vc_reallocation: str = "tail",
        injection_priority: str = "equal",
        startup: int = 0,
        hosts: HostBehaviour = EAGER,
    ):
        self.network, self.route = network, route
        self.depth, self.routing_cycles, self.vc_reallocation = depth, routing_cycles, vc_reallocation
        self.injection_priority = injection_priority
        self.state = State(network, depth)
        self.senders = Senders(len(network.processors), messages, header_flits, startup, hosts)
        self.receivers = Receivers(network, hosts)
        self.delivered: list[tuple[int, int, int, int]] = []  # cycle, processor, message, index
        self.unroutable: list[tuple[int, int]] = []  # cycle of the choice, input VC
        self.now = 0

    def between_switches(self, vc: int) -> bool:
        channel = self.network.channels[vc]
        return max(channel.source, channel.sink) < self.network.switches

    def output_of(self, vc: int) -> tuple[int, int]:
        """Switch and port at which the link of a VC begins."""
        link = self.network.links.channels[self.network.link_of[vc]]
        return link.source, link.source_port

    def wires(self) -> list[int]:
        """The credit wires of all VCs between switches, in this cycle (before it is run)."""
        vcs = [vc for vc in range(len(self.network.channels)) if self.between_switches(vc)]
        return [int(vc in self.state.credit_wires) for vc in vcs]

    def cycle(self) -> list[int]:
        """One cycle; 0 or 1 per VC."""
        old = self.state.copy()
        arriving = self.move(old)
        self.state.credit_wires = set()
        for vc in old.credit_wires:
            self.state.credits[vc] += 1
        for switch in range(self.network.switches):
            self.step_router(switch, old, arriving)
        for vc, flit in arriving.items():
            if vc in self.state.ejector:
                self.state.ejector[vc].append(flit)
                self.delivered.append((self.now, self.network.channels[vc].sink - self.network.switches, *flit))
            else:
                self.state.buffer[vc].append(flit)
                assert len(self.state.buffer[vc]) <= self.depth
        for processor in range(len(self.network.processors)):
            channel, register = self.network.injection_channel(processor), self.state.register
            register[channel] = self.senders.step(self.now, processor, register[channel], arriving.get(channel))
        for channel in self.receivers.step(self.now):
            if old.ejector[channel]:
                self.state.ejector[channel].pop(0)
        self.now += 1
        return [int(vc in arriving) for vc in range(len(self.network.channels))]

    def move(self, old) -> dict[int, Flit]:
        """Flits that move, by VC. Between switches it is all that is on the links, one flit at most on each."""
        arriving: dict[int, Flit] = {}
        links = set()
        for vc, flit in old.register.items():
            if flit is None:
                continue
            if self.between_switches(vc):
                assert self.network.link_of[vc] not in links
                links.add(self.network.link_of[vc])
            elif vc in old.ejector:
                if len(old.ejector[vc]) == 2:
                    continue
            elif len(old.buffer[vc]) == self.depth:
                continue
            arriving[vc] = flit
            self.state.register[vc] = None
        return arriving

    def step_router(self, switch, old, arriving):
        links = self.network.links
        inputs = [(switch, port) for port in range(len(links.input_channel[switch]))]
        granted, dropped = self.grant_all(switch, inputs, old)
        for port in inputs:
            if old.request[port] is None or port in granted | dropped:
                self.choose(port, old, arriving)
        gone = {old.request[port].vc for port in granted}
        for vc in self.network.input_channel[switch]:
            if self.front_is_head(vc, old) and vc not in gone:
                self.state.delay[vc] = min(old.delay[vc] + 1, max(self.routing_cycles - 2, 0))
            else:
                self.state.delay[vc] = 0
        for vc in self.network.output_channel[switch]:
            if vc in old.delivery:
                self.deliver(vc, old)

    def front_is_head(self, vc, old) -> bool:
        """True if a head is at the front of the buffer of a VC."""
        is_head = bool(old.buffer[vc]) and not old.active[vc]
        assert is_head == (bool(old.buffer[vc]) and old.buffer[vc][0][1] == 0)
        return is_head

    def is_good(self, request, old) -> bool:
        if request.target is None or old.active[request.vc]:
            return request.target is None or old.credits[request.target] > 0
        return self.suits_head(request.target, old)

    def suits_head(self, target, old) -> bool:
        """True if the request of a head for an output VC is good."""
        least = self.depth if self.vc_reallocation == "empty" else 1
        return old.free[target] and old.credits[target] >= least

    def grant_all(self, switch, inputs, old) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
        """Grant or drop the first request at every output, and grant all of worms that are drained.

        Returns the inputs whose request is granted, and those whose request is dropped. All other requests stay.
        """
        granted, dropped = set(), set()
        for output in range(len(self.network.links.output_channel[switch])):
            turn = old.output_turn[switch, output]
            rivals = [port for port in inputs[turn:] + inputs[:turn] if self.asks_for((switch, output), port, old)]
            if not rivals:
                continue
            first = min(rivals, key=self.yields)  # of equal ones, the first
            if self.is_good(old.request[first], old):
                self.state.output_turn[switch, output] = (first[1] + 1) % len(inputs)
                self.send(old.request[first], old)
                granted.add(first)
            else:
                dropped.add(first)
        for port in inputs:
            request = old.request[port]
            if request is not None and request.target is None:
                self.leave(request, old)
                granted.add(port)
        return granted, dropped

    def yields(self, port) -> bool:
        """True if the requests of an input come after those of all others."""
        link = self.network.links.channels[self.network.links.input_channel[port[0]][port[1]]]
        return self.injection_priority == "low" and not self.network.links.is_switch(link.source)

    def asks_for(self, output, port, old) -> bool:
        """True if an input has a request for a VC of an output."""
        request = old.request[port]
        return request is not None and request.target is not None and self.output_of(request.target) == output

    def send(self, request, old):
        """The flit at the front of a granted VC goes to the output VC."""
        flit = old.buffer[request.vc][0]
        self.state.credits[request.target] -= 1
        assert old.credits[request.target] > 0
        if request.target in old.delivery:
            self.state.delivery[request.target].append(flit)
        else:
            assert self.state.register[request.target] is None
            self.state.register[request.target] = flit
        if not old.active[request.vc]:
            assert old.free[request.target]
            self.state.free[request.target] = False
        if self.senders.is_tail(flit):
            self.state.free[request.target] = True
        self.leave(request, old)

    def leave(self, request, old):
        """A granted flit leaves its buffer."""
        vc = request.vc
        flit = self.state.buffer[vc].pop(0)
        if self.between_switches(vc):
            self.state.credit_wires.add(vc)
        if not old.active[vc]:
            self.state.active[vc], self.state.target[vc] = True, request.target
        if self.senders.is_tail(flit):
            self.state.active[vc] = False

    def choose(self, port, old, arriving):
        """The next request of an input."""
        switch, number = port
        vcs = self.network.vcs_of[self.network.links.input_channel[switch][number]]
        turn, request = old.input_turn[port], old.request[port]
        self.state.request[port] = None
        for position in [*range(turn, len(vcs)), *range(turn)]:
            vc = vcs[position]
            requested = request is not None and request.vc == vc
            if self.eligible(vc, requested, old, arriving):
                self.state.request[port] = Request(vc, self.output_vc(vc, old, arriving))
                self.state.input_turn[port] = (position + 1) % len(vcs)
                if not old.active[vc] and self.state.request[port].target is None:
                    self.unroutable.append((self.now, vc))
                return

    def eligible(self, vc, requested, old, arriving) -> bool:
        if self.routing_cycles == 1 and not old.active[vc] and not old.buffer[vc] and vc in arriving:
            return True
        if not self.may_be_good(vc, old):
            return False
        flits = self.flits_of(vc, old, arriving)
        if requested:
            return old.active[vc] and not self.senders.is_tail(flits[0]) and len(flits) >= 2
        if old.active[vc]:
            return len(flits) >= 1
        return self.front_is_head(vc, old) and old.delay[vc] == max(self.routing_cycles - 2, 0)

    def flits_of(self, vc, old, arriving) -> list[Flit]:
        """Flits in the buffer of a VC, and the arriving one."""
        return [*old.buffer[vc], *([arriving[vc]] if vc in arriving else [])]

    def output_vc(self, vc, old, arriving) -> int | None:
        """The output VC of a new request."""
        if old.active[vc]:
            return old.target[vc]
        candidates, escapes = self.route(vc, self.flits_of(vc, old, arriving)[0][0])
        good = [target for target in [*candidates, *escapes] if self.may_suit_head(target, old)]
        return next(iter([*good, *candidates, *escapes]), None)

    def may_be_good(self, vc, old) -> bool:
        """True if the request of a VC would be good, with the credits on the wires counted."""
        if old.active[vc]:
            target = old.target[vc]
            return target is None or old.credits[target] + (target in old.credit_wires) > 0
        if not old.buffer[vc]:
            return False
        candidates, escapes = self.route(vc, old.buffer[vc][0][0])
        ways = [*candidates, *escapes]
        return not ways or any(self.may_suit_head(target, old) for target in ways)

    def may_suit_head(self, target, old) -> bool:
        """True if a head can have an output VC, with a credit on the wire counted."""
        least = self.depth if self.vc_reallocation == "empty" else 1
        return old.free[target] and old.credits[target] + (target in old.credit_wires) >= least

    def deliver(self, channel, old):
        """From the delivery buffer into the register behind it; the credit is as if on a wire in the next cycle."""
        if old.delivery[channel] and self.state.register[channel] is None:
            self.state.register[channel] = self.state.delivery[channel].pop(0)
            self.state.credit_wires.add(channel)
