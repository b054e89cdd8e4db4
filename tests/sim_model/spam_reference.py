"""A slow SPAM network in plain Python, written from docs/look_up/timing_spam.md and the paper alone.

Every output has a literal OCRQ, a list of input numbers, as in SPAM Sec. 3.2; an entry stays in it until the tail has
been copied. Headers are read from their bits, flit by flit. Everything of a cycle is computed from a copy of the
state at its start.
"""

import copy
from dataclasses import dataclass, field
from typing import Any

from sim_model.messages.messages import Message
from topology.spam.routing import SpamRouting


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
class Node:
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
        self.nodes = [Node([n for n in order if messages[n].source == processor]) for processor in processors]
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
