"""Parts of routers against references: header decoders, request queues, fairness of virtual channels."""

import random
from typing import Any

import pytest
from amaranth.hdl import Module
from amaranth.sim import Simulator

from rtl.generator.router_parameters import RouterParameters
from rtl.min.parameters import MinRouterParameters
from rtl.routed.header_decoder import HeaderDecoder
from rtl.routed.route_unit import RouteUnit
from rtl.spam.ocrq import OutputRequestQueues
from rtl.spam.parameters import SpamRouterParameters
from rtl.spam.split_enqueue import SplitRequestQueues
from rtl.torus.network import torus_plan
from tests.rtl.simulate import compare, member, run
from topology.common.part_headers import PartsFormat
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.header import RoutingKey
from topology.torus.routing import TorusRouting

# Decoding of headers of parts in a switch, valid and forged ones, flit by flit.

MESSAGES = 600
FIELDS = (("key", 4), ("source", 5))


def spam_shape(processors: int, flit_bits: int) -> RouterParameters:
    """Three ports; keys below three are those of multicasts, and numbers from 3 + processors on are unused."""
    return SpamRouterParameters(3, 3 + processors, header=PartsFormat(FIELDS, processors, flit_bits))


def min_shape(processors: int, flit_bits: int) -> RouterParameters:
    """Four outputs; the last key is that of multicasts."""
    header = PartsFormat(FIELDS, processors, flit_bits)
    return MinRouterParameters(2, 4, processors + 1, 1, header=header)


SHAPES = {
    "fields-of-one-flit": spam_shape(12, 9),  # three parts of four; a fourth one does not exist
    "fields-of-two-flits": spam_shape(13, 8),  # and the last part has one processor
    "one-part": spam_shape(5, 32),
    "min": min_shape(15, 8),
}


def meaning(
    parameters: RouterParameters, routes: list[int], reach: list[int], flits: list[int]
) -> list[tuple[int, ...]]:
    """Candidates, branches and ``last`` of each flit of a message, up to the last one that is decoded."""
    header, decoded = parameters.header, []
    assert isinstance(header, PartsFormat)
    key = flits[0] & (1 << parameters.key_bits) - 1
    candidates = routes[key] if key < len(routes) else 0
    splits = not candidates and key in parameters.multicast_keys
    for position, flit in enumerate(flits):
        is_tail, in_set = position == len(flits) - 1, splits and position >= header.unicast_flits
        size = header.part_processors
        part, bits = flit >> size & (1 << header.part_bits) - 1, flit & (1 << size) - 1
        named = bits << part * size if in_set else 0
        says_last = in_set and (flit >> header.last_bit & 1 or position == header.multicast_flits - 1)
        last = bool(says_last or is_tail or (position == 0 and not splits))
        branches = sum(1 << o for o, mask in enumerate(reach) if named & mask)
        decoded.append((candidates if position == 0 else 0, branches, int(last)))
        if last:
            break
    return decoded


@pytest.mark.parametrize("name", SHAPES)
def test_headers_honest_and_forged(name):
    parameters = SHAPES[name]
    header, numbers = parameters.header, random.Random(1)
    decoder = HeaderDecoder(parameters)
    routes = [numbers.choice([0, 1, 2, 5]) for _ in range(parameters.keys)]
    routes[parameters.multicast_keys[-1]] = 0  # some split here
    reach = [numbers.getrandbits(parameters.processors) for _ in range(parameters.outputs)]
    by_part = sum(
        (mask >> word.processors.start & (1 << len(word.processors)) - 1) << (row * len(reach) + o) * word.bits
        for row, word in enumerate(header.set_words)
        for o, mask in enumerate(reach)
    )
    seen = {"last part": 0, "no last part": 0, "no such part": 0, "cut short": 0}

    def message() -> list[int]:
        key = numbers.choice([numbers.choice(parameters.multicast_keys), numbers.randrange(1 << parameters.key_bits)])
        destinations = numbers.sample(range(parameters.processors), numbers.randint(2, parameters.processors))
        value = header.pack((key, 3), sum(1 << destination for destination in destinations))
        flits = header.to_flits(value, header.flits_of(destinations))
        kept = len(flits) if numbers.random() < 0.3 else numbers.randint(1, len(flits))
        noise = [numbers.getrandbits(header.flit_bits) for _ in range(numbers.randrange(2 * header.multicast_flits))]
        return [*flits[:kept], *noise]

    async def testbench(ctx):
        ctx.set(decoder.routes, sum(mask << key * parameters.outputs for key, mask in enumerate(routes)))
        ctx.set(decoder.reach, by_part)
        for _ in range(MESSAGES):
            flits = message()
            due = meaning(parameters, routes, reach, flits)
            for position, flit in enumerate(flits):
                ctx.set(decoder.data, flit & (1 << parameters.scan_bits) - 1)
                ctx.set(decoder.head, position == 0)
                ctx.set(decoder.tail, position == len(flits) - 1)
                for moved in (0, 1) if numbers.random() < 0.3 else (1,):  # a flit may wait on the link
                    ctx.set(decoder.moved, moved)
                    if position < len(due):
                        found = ctx.get(decoder.decoded)
                        assert (found.candidates, found.branches, found.last) == due[position], (flits, position)
                    await ctx.tick()
            count_kinds(flits, due)

    def count_kinds(flits: list[int], due: list[tuple[int, ...]]) -> None:
        ended = flits[len(due) - 1]
        if len(due) <= header.unicast_flits:
            return
        seen["cut short"] += len(due) == len(flits)
        seen["last part"] += ended >> header.last_bit & 1
        seen["no last part"] += len(due) == header.multicast_flits and not ended >> header.last_bit & 1
        numbers_named = [flit >> header.part_processors & (1 << header.part_bits) - 1 for flit in flits[: len(due)]]
        seen["no such part"] += any(number >= header.parts for number in numbers_named[header.unicast_flits :])

    run(decoder, testbench)
    if header.parts == 1 << header.part_bits:
        del seen["no such part"]
    assert all(count > 5 for count in seen.values()), seen


@pytest.mark.parametrize("name", SHAPES)
def test_rows_are_as_wide_as_parts(name):
    parameters = SHAPES[name]
    header = parameters.header
    assert parameters.reach_bits == parameters.outputs * header.part_processors * header.parts
    assert parameters.depth == header.unicast_flits + header.parts - 1 + parameters.buffer_flits
    assert len(RouteUnit(parameters).arriving[0]) == parameters.scan_bits <= header.flit_bits


# Output request queues against literal ones: one FIFO of input numbers per output (SPAM Sec. 3.2).

CYCLES = 500


class LiteralQueues:
    """A user of the queues, and the queues as the paper has them.

    Inputs read headers, enqueue, are served and leave at random; ``step`` returns those that are first in all queues.
    """

    def __init__(self, ports, seed, *, atomic):
        self.ports, self.atomic = ports, atomic
        self.numbers = random.Random(seed)
        self.request = [0] * ports
        self.queued = [False] * ports
        self.pending = [0] * ports
        self.queues = [[] for _ in range(ports)]
        self.turn = 0

    def stimulus(self):
        self.looks_at = self.numbers.randrange(self.ports)
        looks = not self.queued[self.looks_at]  # otherwise it does not use the route unit
        self.leaving = [self._first_everywhere(i) and self.numbers.random() < 0.3 for i in range(self.ports)]
        self.found = self.numbers.randrange(1, 1 << self.ports) if looks else 0
        self.completes = looks and self.numbers.random() < 0.7
        values = {f"request.{i}": self.request[i] for i in range(self.ports)}
        values["queued"] = sum(queued << i for i, queued in enumerate(self.queued))
        if self.atomic:
            values["completed"] = int(self.completes) << self.looks_at
            values["release"] = sum(leaves << i for i, leaves in enumerate(self.leaving))
        return values

    def step(self, _inputs):
        granted = [self._first_everywhere(i) for i in range(self.ports)]
        if not self.atomic:
            self._enqueue_one()
        self._leave()
        self._look()
        return {"granted": sum(grant << i for i, grant in enumerate(granted))}

    def _outputs(self, mask):
        return [o for o in range(self.ports) if mask >> o & 1]

    def _first_everywhere(self, i):
        if not self.queued[i] or self.pending[i]:
            return False
        return all(self.queues[o][0] == i for o in self._outputs(self.request[i]))

    def _enqueue_one(self):
        for distance in range(self.ports):
            i = (self.turn + distance) % self.ports
            if self.queued[i] and self.pending[i]:
                output = min(self._outputs(self.pending[i]), key=lambda o: (o - i) % self.ports)
                self.queues[output].append(i)
                self.pending[i] &= ~(1 << output)
                self.turn = (i + 1) % self.ports
                return

    def _leave(self):
        for i, leaves in enumerate(self.leaving):
            if leaves:
                for o in self._outputs(self.request[i]):
                    self.queues[o].remove(i)
                self.queued[i], self.request[i] = False, 0

    def _look(self):
        """One input reads a header flit; sometimes it is not the last one, and only adds to the request."""
        i = self.looks_at
        self.request[i] |= self.found
        if self.completes:
            self.queued[i] = True
            if self.atomic:
                for o in self._outputs(self.request[i]):
                    self.queues[o].append(i)
            else:
                self.pending[i] = self.request[i]


@pytest.mark.parametrize("ports", [2, 3, 5, 8])
@pytest.mark.parametrize("atomic", [True, False])
def test_queues(ports, atomic):
    literal = LiteralQueues(ports, ports, atomic=atomic)
    part = OutputRequestQueues(ports) if atomic else SplitRequestQueues(ports)
    compare(part, literal, literal.stimulus, CYCLES)


@pytest.mark.parametrize("ports", [3, 5])
def test_first_is_known_for_every_granted_output(ports):
    """``first`` names at most one input per output, and the granted one if there is one."""
    literal, part = LiteralQueues(ports, ports, atomic=True), OutputRequestQueues(ports)

    async def testbench(ctx):
        for _ in range(CYCLES):
            for path, value in literal.stimulus().items():
                ctx.set(member(part, path), value)
            granted = literal.step({})["granted"]
            request = [ctx.get(member(part, f"request.{i}")) for i in range(ports)]
            for output in range(ports):
                first = ctx.get(member(part, f"first.{output}"))
                holders = sum((granted >> i & request[i] >> output & 1) << i for i in range(ports))
                assert first.bit_count() <= 1
                assert first == holders or not holders
            await ctx.tick()

    run(part, testbench)


# Fairness for a head at an output VC that worms of another input take one after the other.

DEPTH = 4
FAIRNESS_CYCLES = 400
CREDIT_CYCLES = 2
HOST_STARTS = 20
FROM_HOST = 1 << 6


def heads_out(worm_flits: int, vcs: int, routing_cycles: int, **settings: str) -> tuple[int, int]:
    """Heads that leave the second of three switches in a row, of worms from the first one and of those from its host.

    Both inputs have worms for the third switch without a pause, and its credits come back as soon as they can.
    """
    routing = TorusRouting(TorusNetwork(Grid(1, 3, wraps=False), vcs), 10)
    plan = torus_plan(routing, buffer_flits=DEPTH, routing_cycles=routing_cycles, **settings)
    instance = plan.routers[1]
    part: Any = plan.shapes[instance.shape]()
    m: Any = Module()
    m.submodules.part = part
    for port, value in instance.constants.items():
        m.d.comb += getattr(part, port).eq(value)
    key = routing.key_format.pack(RoutingKey(2, 0, 0, 0))
    counts = [0, 0]

    def flit(position: int, mark: int) -> dict[str, int]:
        return {"data": key | mark, "head": int(position == 0), "tail": int(position == worm_flits - 1)}

    async def bench(ctx):
        room, position, host_position, turn = [DEPTH] * vcs, [0] * vcs, 0, 0
        behind: list[list[int]] = [[] for _ in range(vcs)]
        for cycle in range(FAIRNESS_CYCLES):
            out = part.outputs__0
            valid = ctx.get(out.valid)
            if valid and ctx.get(out.payload.head):
                counts[int(ctx.get(out.payload.data) >= FROM_HOST)] += 1
            credited = sum(1 << w for w in range(vcs) if behind[w] and behind[w][0] <= cycle)
            ctx.set(part.credited_0, credited)
            for w in range(vcs):
                del behind[w][: credited >> w & 1]
                behind[w] += [cycle + CREDIT_CYCLES] * (valid >> w & 1)
            sent = next((w for w in ((turn + k) % vcs for k in range(vcs)) if room[w]), None)
            ctx.set(part.inputs__0.valid, 0 if sent is None else 1 << sent)
            if sent is not None:
                ctx.set(part.inputs__0.payload, flit(position[sent], 0))
                position[sent] = (position[sent] + 1) % worm_flits
                room[sent] -= 1
                turn = sent + 1
            credits = ctx.get(part.credits_0)
            room = [room[w] + (credits >> w & 1) for w in range(vcs)]
            if cycle >= HOST_STARTS:
                ctx.set(part.inputs__2.valid, 1)
                ctx.set(part.inputs__2.payload, flit(host_position, FROM_HOST))
                host_position = (host_position + ctx.get(part.inputs__2.ready)) % worm_flits
            await ctx.tick()

    simulator = Simulator(m)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    return counts[0], counts[1]


def test_worms_of_one_flit_share_a_vc():
    """A head is ready in every cycle in which the VC is free."""
    there, here = heads_out(worm_flits=1, vcs=1, routing_cycles=1)
    assert abs(there - here) <= HOST_STARTS


@pytest.mark.parametrize(("worm_flits", "vcs", "routing_cycles"), [(2, 1, 1), (4, 1, 1), (4, 2, 1), (4, 1, 2)])
def test_worms_of_two_inputs_share_a_vc(worm_flits, vcs, routing_cycles):
    """A head that waits for a VC requests in the same cycle as one right behind the tail that leaves it."""
    there, here = heads_out(worm_flits, vcs, routing_cycles)
    assert min(there, here) >= max(there, here) // 4


@pytest.mark.parametrize("worm_flits", [1, 4])
def test_flits_from_a_processor_come_last_if_so_wanted(worm_flits):
    """The other input leaves no gap, so they wait for ever."""
    there, here = heads_out(worm_flits, 2, 1, injection_priority="low")
    assert there >= FAIRNESS_CYCLES // worm_flits - 2
    assert here == 0
