"""Self-tests of boards with hypercubes and tori: the checker's verdict through the serial line."""

import random
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from fpga.boards.build import board_build
from fpga.boards.common import checker
from fpga.boards.common.checker import DeliveryChecker, own_bits
from fpga.boards.common.descriptors import draw_descriptors
from fpga.boards.common.generator import message_words, pattern_seed, pattern_words, seed_words
from fpga.boards.common.parameters import SEED_BITS
from fpga.boards.registry import BOARDS
from hydranoc import load
from rtl.torus.network import torus_addressing
from tests.each import each
from tests.fpga.board_runner import (
    bench_source,
    check_error_seen,
    check_failed,
    check_passed,
    make_test,
    parameters,
    routing_of,
    run_source,
)
from tests.rtl.simulate import run
from tests.tb.racks import mutated
from topology.common.flits import FlitFormat, HeaderFormat
from topology.common.graph import Network
from topology.common.part_headers import BIT_STRING, HEADER_KINDS, PARTS
from topology.common.pattern import payload_word
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

NODE = 1
WIDTHS = (8, 12, 16, 32)
SHORT_SEED = 0x4153  # two pattern words

Flits = list[int]


def routing_for(flit_bits: int, header_kind: str):
    """Five processors, so that the header of a multicast takes two flits of 8 bits; with parts nine, in two of them."""
    hosts = [0, 0, 1, 1, 1] if header_kind == BIT_STRING else [0, 0, 1, 1, 1, 0, 0, 1, 1]
    return routing_of(Network(2, [(0, 1)], hosts), flit_bits, header_kind)


class Sender:
    """Makes messages."""

    def __init__(self, flit_bits: int, header_kind: str = BIT_STRING):
        self.routing: Any = routing_for(flit_bits, header_kind)
        self.header: HeaderFormat = self.routing.header
        self.format = FlitFormat(flit_bits)
        self.source = 0

    @property
    def constants(self) -> dict[str, int]:
        """Parameters of the checker of the node."""
        return {
            "unicast_key": self.routing.network.processor_vertex(NODE),
            "own": own_bits(self.header, NODE),
        }

    def message(self, destinations: Sequence[int], seed: int) -> Flits:
        """A message from the source."""
        value, count = self.routing.header_value(self.source, destinations), self.routing.header_flits(destinations)
        words = message_words(self.header, value, count, seed)
        last = len(words) - 1
        return [self.format.pack(data=word, head=k == 0, tail=k == last) for k, word in enumerate(words)]


def check(part: DeliveryChecker, sender: Sender, messages: Sequence[Flits]) -> list[dict[str, int]]:
    """Per message: flits, errors, deliveries and the sum of seeds that the checker reported."""
    told = [dict.fromkeys(("flit", "error", "delivered", "delivered_seed"), 0) for _ in messages]
    generator = random.Random(1)

    async def testbench(ctx: Any) -> None:
        for name, value in sender.constants.items():
            ctx.set(getattr(part, name), value)
        for sums, message in zip(told, messages, strict=True):
            for flit in message:
                moved = False
                while not moved:
                    ctx.set(part.random, generator.randrange(8))
                    ctx.set(part.link.valid, generator.random() < 0.9)
                    ctx.set(part.link.payload.as_value(), flit)
                    moved = bool(ctx.get(part.link.valid & part.link.ready))
                    await ctx.tick()
                    for name in sums:
                        sums[name] += ctx.get(getattr(part, name))

    run(part, testbench)
    return told


@each("header_kind", HEADER_KINDS)
@each("flit_bits", WIDTHS)
def test_right_messages_are_right(flit_bits, header_kind):
    sender, generator = Sender(flit_bits, header_kind), random.Random(flit_bits)
    seeds = [generator.randrange(1 << SEED_BITS) for _ in range(20)]
    sets = [[NODE], [NODE, 3], [1, 2, 3, 4], [NODE, len(sender.routing.network.processors) - 1]]
    messages = [sender.message(generator.choice(sets), seed) for seed in seeds]
    for seed, message, sums in zip(
        seeds, messages, check(DeliveryChecker(sender.header), sender, messages), strict=True
    ):
        assert sums == {"flit": len(message), "error": 0, "delivered": 1, "delivered_seed": seed}


def faults_of(sender: Sender, message: Flits) -> dict[str, Flits]:
    """The message with any one bit wrong, any one flit left out or doubled."""
    faults = {}
    for k, flit in enumerate(message):
        for bit in range(sender.format.width):
            faults[f"flit {k} bit {bit}"] = [*message[:k], flit ^ 1 << bit, *message[k + 1 :]]
        faults[f"no flit {k}"] = [*message[:k], *message[k + 1 :]]
        faults[f"flit {k} twice"] = [*message[: k + 1], *message[k:]]
    return faults


def unseen_faults(part: DeliveryChecker, sender: Sender, destinations: Sequence[int]) -> list[str]:
    """Faults without an error, and those after which the next right message has one."""
    right = sender.message(destinations, SHORT_SEED)
    faults = faults_of(sender, right)
    told = check(part, sender, [flits for faulty in faults.values() for flits in (faulty, right, right)])
    unseen = [name for name, sums in zip(faults, told[::3], strict=True) if not sums["error"]]
    # an error may come with the next head, when the tail is missing; the message after that is right again
    seen_late = {name for name, sums in zip(faults, told[1::3], strict=True) if sums["error"]}
    lasting = [f"{name}: lasting" for name, sums in zip(faults, told[2::3], strict=True) if sums["error"]]
    return [name for name in unseen if name not in seen_late] + lasting


@each("destinations", [[NODE], [NODE, 2, -1]])
@each("flit_bits", WIDTHS)
@each("header_kind", HEADER_KINDS)
def test_every_single_fault_is_seen(flit_bits, destinations, header_kind):
    sender = Sender(flit_bits, header_kind)
    last = len(sender.routing.network.processors) - 1
    destinations = [last if node < 0 else node for node in destinations]
    assert unseen_faults(DeliveryChecker(sender.header), sender, destinations) == []


def test_a_message_for_others_is_wrong():
    for flit_bits, header_kind in product(WIDTHS, HEADER_KINDS):
        sender = Sender(flit_bits, header_kind)
        messages = [sender.message(destinations, SHORT_SEED) for destinations in ([2], [2, 3], [0, 2, 3, 4])]
        assert all(sums["error"] for sums in check(DeliveryChecker(sender.header), sender, messages))


BLIND = {
    "data": ("(flit.data != pattern.words.payload)", "0"),
    "length": ("(flit.tail ^ last)", "0"),
    "heads in the pattern": ("wrong.eq(flit.head | (flit.tail ^ last)", "wrong.eq((flit.tail ^ last)"),
    "heads in the seed": ("flit.head | flit.tail | (last & assembled", "flit.tail | (last & assembled"),
    "the header": ("flit.data ^ folded))", "flit.data))"),
    "the rest of the seed": ("(last & assembled[SEED_BITS:].any())", "0"),
}


@each("what", BLIND)
def test_a_checker_that_ignores_something_is_caught(what):
    unseen = []
    for flit_bits, destinations in ((12, [NODE, 2, 4]), (32, [NODE])):
        sender = Sender(flit_bits)
        unseen += unseen_faults(mutated(checker, *BLIND[what]).DeliveryChecker(sender.header), sender, destinations)
    assert unseen


def test_a_checker_that_ignores_destinations_is_caught():
    sender = Sender(8)
    blind = mutated(checker, "(last & multicast & ~mine)", "0").DeliveryChecker(sender.header)
    assert check(blind, sender, [sender.message([2, 3], SHORT_SEED)])[0]["error"] == 0


def test_a_checker_that_ignores_the_number_of_a_part_is_caught():
    """Node 7 has the bit of its part that node 1 has of another one."""
    sender = Sender(8, PARTS)
    assert sender.header.part_processors == 7 - NODE
    wrong = sender.message([2, 7], SHORT_SEED)
    assert check(DeliveryChecker(sender.header), sender, [wrong])[0]["error"]
    blind = mutated(checker, "in_set & of_own_part &", "in_set &").DeliveryChecker(sender.header)
    assert check(blind, sender, [wrong])[0]["error"] == 0


@pytest.mark.parametrize("flit_bits", WIDTHS)
def test_every_bit_of_a_seed_shows_in_the_first_word(flit_bits):
    generator = random.Random(flit_bits)
    for _ in range(50):
        seed = generator.randrange(1 << SEED_BITS)
        word = payload_word(pattern_seed(seed), 0, flit_bits)
        for bit in range(SEED_BITS):
            assert payload_word(pattern_seed(seed ^ 1 << bit), 0, flit_bits) != word


def test_lengths_of_messages():
    assert [seed_words(flit_bits) for flit_bits in (8, 12, 16, 512)] == [2, 2, 1, 1]
    assert {pattern_words(seed) for seed in range(1 << SEED_BITS)} == set(range(1, 33))
    assert pattern_words(SHORT_SEED) == 2


def test_a_key_of_several_flits_is_refused():
    header = HeaderFormat((("lca", 9), ("source", 8)), 256, 8)
    with pytest.raises(ValueError, match="Routing key must fit in 8 bits, not take 9"):
        DeliveryChecker(header)


BOARD = BOARDS["ulx3s-85f"]


EXAMPLE = Path(__file__).parents[2] / "examples" / "torus-lanes.yaml"
TORUS = Grid(3, 3)


def torus_routing_of(grid: Grid, flit_bits: int, vcs: int = 2) -> TorusRouting:
    return TorusRouting(TorusNetwork(grid, vcs), flit_bits)


class TorusSender(Sender):
    """Messages from node 0 of a torus."""

    def __init__(self, flit_bits: int):
        super().__init__(flit_bits)
        self.routing: Any = torus_routing_of(TORUS, flit_bits)
        self.header = self.routing.header

    @property
    def constants(self) -> dict[str, int]:
        return {"unicast_key": torus_addressing(self.routing).unicast_keys[NODE]}


def checker_of(sender: TorusSender, module=checker) -> DeliveryChecker:
    return module.DeliveryChecker(sender.header, torus_addressing(sender.routing).sender_bits)


FAULTS = {
    "takes the sender's bits for the node's": ("~Const(self.sender_bits, bits)", "~Const(0, bits)"),
    "takes every key for its own": ("(first & ((flit.data[:bits] ^ self.unicast_key) & named).any())", "0"),
}


def test_the_node_s_own_messages_come_from_all_sides():
    """From node 2, one to its right, and from node 0."""
    sender = TorusSender(32)
    assert sender.routing.routing_key(0, [NODE]) != sender.routing.routing_key(2, [NODE])
    assert check(checker_of(sender), sender, messages_to_the_node(sender)) == [
        {"flit": 4, "error": 0, "delivered": 1, "delivered_seed": SHORT_SEED}
    ] * (TORUS.nodes - 1)


def messages_to_the_node(sender: TorusSender) -> list[list[int]]:
    """One from each other node."""
    messages = []
    for source in range(TORUS.nodes):
        if source != NODE:
            sender.source = source
            messages.append(sender.message([NODE], SHORT_SEED))
    return messages


@pytest.mark.parametrize("fault", FAULTS)
def test_a_checker_that_is_wrong_about_keys_is_caught(fault):
    sender = TorusSender(32)
    faulty = mutated(checker, *FAULTS[fault])
    messages = [*messages_to_the_node(sender), sender.message([NODE + 1], SHORT_SEED)]
    errors = [bool(sums["error"]) for sums in check(checker_of(sender, faulty), sender, messages)]
    assert errors != [False] * (TORUS.nodes - 1) + [True]


def test_passes_and_sees_one_wrong_bit_torus(tmp_path, require_tool):
    require_tool("icarus")
    source = bench_source(make_test(torus_routing_of(TORUS, 32), parameters()))
    check_passed(run_source(source, "icarus", tmp_path / "sound"), 150)
    check_error_seen(run_source(source, "icarus", tmp_path / "injected", [300]))


def test_a_torus_that_deadlocks_fails(tmp_path, require_tool):
    """One VC, and rings that close: the report still arrives, and shows the deadlock."""
    require_tool("icarus")
    routing = torus_routing_of(Grid(1, 8), 16, vcs=1)
    source = bench_source(make_test(routing, parameters(messages=2_000)))
    check_failed(run_source(source, "icarus", tmp_path))


def test_the_ulx3s_has_the_torus_of_an_example():
    design = load(EXAMPLE)
    descriptors = draw_descriptors(design.routing, len(design.network.processors), BOARD.descriptors)
    build = board_build(BOARD, design.plan, descriptors)
    text = build.files["self_test.v"]
    assert text.count("self_test_delivery_checker checker_n") == 16
    assert text.count("\nmodule self_test_torus_router_") == 1
    assert tuple(command[0] for command in build.commands) == BOARD.tools
