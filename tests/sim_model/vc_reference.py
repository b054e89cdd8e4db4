"""A slow network with VCs in plain Python, written from docs/look_up/timing_torus.md, independently of the engine.

The state is in dictionaries and lists, by channel (a VC is one) or by switch and port of its links. All of a
cycle is decided from a copy of the state at its start; only the changes go into the state itself.
"""

import copy
from collections.abc import Callable
from dataclasses import dataclass

from sim_model.messages.messages import Message
from tests.sim_model.reference_hosts import Flit, Receivers, Senders
from topology.common.host_pattern import EAGER, HostBehaviour

Route = Callable[[int, int], tuple[list[int], list[int]]]
"""(input VC, message) -> VCs that routing gives at the switch behind it: candidates, and escape lanes."""


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
        """One cycle; 0 or 1 per lane."""
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
        """Flits that move, by lane. Between switches it is all that is on the links, one flit at most on each."""
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
        """True if a head is at the front of the buffer of a lane."""
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
        """The flit at the front of a granted VC goes to the output lane."""
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
