"""Wrappers: constants, the two cycles that registers add, and two pins instead of many."""

import random

import pytest
from amaranth.hdl import Module, Value
from amaranth.lib.wiring import In, Out

from fpga.common.wrappers import LUT_INPUTS, RegisteredPart, SerialPart, TiedPart
from rtl.generator.structure import flat_ports
from rtl.parts.part import Part
from rtl.spam.network import spam_plan
from tests.networks import figure_1
from tests.rtl.simulate import run
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

CYCLES = 300


class Exor(Part):
    """``y`` is ``a ^ b``, a cycle later."""

    def __init__(self, bits: int):
        super().__init__(f"exor_{bits}", {"a": In(bits), "b": In(bits), "y": Out(bits)})

    def elaborate(self, _platform):
        m = Module()
        m.d.sync += self.y.eq(self.a ^ self.b)
        return m


def router(switch: int) -> TiedPart:
    plan = spam_plan(SpamRouting(SpamLabels(figure_1()), 16))
    instance = plan.routers[switch]
    return TiedPart(plan.shapes[instance.shape](), instance.constants)


def responses(part: Part, stimulus: list[dict[str, int]]) -> list[dict[str, int]]:
    """All outputs in every cycle."""
    ports = {name: (is_input, Value.cast(value)) for name, is_input, value in flat_ports(part)}
    seen = []

    async def testbench(ctx):
        for values in stimulus:
            for name, value in values.items():
                ctx.set(ports[name][1], value)
            seen.append({name: ctx.get(value) for name, (is_input, value) in ports.items() if not is_input})
            await ctx.tick()

    run(part, testbench)
    return seen


def random_stimulus(part: Part, seed: int) -> list[dict[str, int]]:
    generator = random.Random(seed)
    inputs = {name: len(value) for name, is_input, value in flat_ports(part) if is_input}
    return [{name: generator.getrandbits(bits) for name, bits in inputs.items()} for _ in range(CYCLES)]


@pytest.mark.parametrize("switch", [None, 3])
def test_registers_add_two_cycles_and_nothing_else(switch):
    def make():
        return Exor(7) if switch is None else router(switch)

    # input in the first cycle after reset, in which no router is ready, would be lost depending on a cycle
    stimulus = random_stimulus(make(), seed=1)
    stimulus[0] = dict.fromkeys(stimulus[0], 0)
    plain, registered = responses(make(), stimulus), responses(RegisteredPart(make()), stimulus)
    assert registered[3:] == plain[1:-2]
    assert len({tuple(values.items()) for values in plain}) > CYCLES // 10


def test_a_tied_input_has_its_value_and_is_no_port():
    part = TiedPart(Exor(7), {"b": 0x55})
    assert [name for name, _, _ in flat_ports(part)] == ["a", "y"]
    assert responses(part, [{"a": value} for value in (0, 0x7F, 3)]) == [{"y": v} for v in (0, 0x55, 0x2A)]


def test_serial_part_drives_every_input_and_sees_every_output():
    bits, generator = 9, random.Random(2)
    pins = [generator.getrandbits(1) for _ in range(CYCLES)]
    seen = responses(SerialPart(Exor(bits)), [{"serial_in": pin} for pin in pins])
    steps = 1  # one in the part, and one for each step of the fold
    while LUT_INPUTS ** (steps - 1) < bits:
        steps += 1
    tree, parities = [0] * (2 * bits), []
    for pin in pins:
        parities.append(sum(tree) % 2)
        tree = [pin, *(tree[(i - 1) // 2] ^ pin ^ i % 2 for i in range(1, 2 * bits))]
    assert [values["serial_out"] for values in seen[steps:]] == parities[:-steps]
    assert len(set(parities)) == 2


@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ({"c": 1}, "Tied input must be one of a, b, not 'c'"),
        ({"y": 1}, "Tied input must be one of a, b, not 'y'"),
        ({"a": 128}, "Value of a must have at most 7 bits, not 8"),
    ],
)
def test_what_cannot_be_tied(constants, message):
    with pytest.raises(ValueError, match=message):
        TiedPart(Exor(7), constants)
