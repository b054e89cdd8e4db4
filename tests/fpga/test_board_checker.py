"""The checker of a self-test alone: right messages are right, and every single fault is seen."""

import random
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest

from fpga.boards.common import checker
from fpga.boards.common.checker import DeliveryChecker, own_bits
from fpga.boards.common.message import message_words, pattern_seed, pattern_words, seed_words
from fpga.boards.common.parameters import SEED_BITS
from tests.fpga.board_runner import routing_of
from tests.rtl.simulate import run
from tests.tb.parts_runner import mutated
from topology.common.flits import FlitFormat, HeaderFormat
from topology.common.graph import Network
from topology.common.part_headers import BIT_STRING, HEADER_KINDS, PARTS
from topology.common.pattern import payload_word

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


@pytest.mark.parametrize("header_kind", HEADER_KINDS)
@pytest.mark.parametrize("flit_bits", WIDTHS)
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


@pytest.mark.parametrize("destinations", [[NODE], [NODE, 2, -1]], ids=["unicast", "multicast"])
@pytest.mark.parametrize("flit_bits", WIDTHS)
@pytest.mark.parametrize("header_kind", HEADER_KINDS)
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


@pytest.mark.parametrize("what", BLIND)
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
