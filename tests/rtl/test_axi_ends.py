"""Crossings between unrelated clocks, between stream endpoints and ports."""

import random
import re
from typing import Any

import pytest
from amaranth.hdl import Cat, ClockDomain, Elaboratable, Module, Mux, Signal
from amaranth.sim import Simulator

from rtl.endpoints.axi_ends import SEPARATE, SHARED, StreamOptions
from rtl.endpoints.axi_injector import LEADING_WORD, TUSER
from rtl.endpoints.axi_network import generate_axi_network
from rtl.harts.network import harts_plan
from rtl.parts import crossing_reset, gray_fifo, stream_crossing
from rtl.parts.stream_crossing import StreamCrossing
from rtl.spam.network import spam_plan
from tests.rtl.simulate import check_accepted
from tests.sampled import sampled
from tests.tb.racks import mutated
from topology.common.lattice import lattice_network
from topology.harts.graph import HexMesh
from topology.harts.reception import VOTE
from topology.harts.routing import HartsRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting

BITS = 16
NETWORK_PERIOD = 10e-9
PERIODS = (2.9e-9, 9.97e-9, 10.03e-9, 41e-9)
QUICK_CLOCKS = ((False, 2.9e-9), (False, 9.97e-9), (True, 10.03e-9), (True, 41e-9))
CLOCKS = [
    pytest.param(inward, period, marks=() if (inward, period) in QUICK_CLOCKS else pytest.mark.slow)
    for inward in (False, True)
    for period in PERIODS
]


class Crossing(Elaboratable):
    """A crossing with a clock domain whose reset can be driven."""

    def __init__(self, *, inward: bool):
        self.part = StreamCrossing(BITS, inward=inward)
        self.domain = ClockDomain("sync")

    def elaborate(self, _platform):
        m: Any = Module()
        m.domains.sync = self.domain
        m.submodules.part = self.part
        return m


class Sides:
    """Numbers on their way through a crossing."""

    def __init__(self, part: Any, seed: int):
        self.part = part
        self.random = random.Random(seed)
        self.sent = 0
        self.received: list[int] = []
        self.rates = [1.0, 1.0]
        self._offered = False

    def write(self, ctx) -> None:
        """Update after a clock edge of the writer."""
        self._offered = self._offered or self.random.random() < self.rates[0]
        ctx.set(self.part.i.valid, self._offered)
        ctx.set(self.part.i.payload, self.sent)
        if self._offered and ctx.get(self.part.i.ready):
            self.sent, self._offered = self.sent + 1, False

    def read(self, ctx) -> None:
        """Update after a clock edge of the reader."""
        ready = self.random.random() < self.rates[1]
        ctx.set(self.part.o.ready, ready)
        if ready and ctx.get(self.part.o.valid):
            self.received.append(ctx.get(self.part.o.payload))


def crossed(
    *,
    inward: bool,
    period: float,
    resets: list[tuple[int, int]],
    cycles: int = 1_500,
    rates: tuple[float, ...] = (0.2, 0.9, 1.0),
) -> Sides:
    """Random traffic; ``resets`` has first cycle and cycles of each. At the end the crossing runs empty.

    A reset, however short, takes back at once what is offered to the network.
    """
    crossing = Crossing(inward=inward)
    sides = Sides(crossing.part, round(period * 1e12) + inward)
    user, network = (sides.write, sides.read) if inward else (sides.read, sides.write)
    in_reset = {cycle for first, length in resets for cycle in range(first, first + length)}

    async def network_side(ctx):
        for cycle in range(cycles):
            if cycle % 100 == 0:
                sides.rates = [sides.random.choice(rates) for _ in range(2)]
            ctx.set(crossing.domain.rst, cycle in in_reset)
            assert not (inward and cycle - 1 in in_reset and ctx.get(crossing.part.o.valid))
            network(ctx)
            await ctx.tick()
        sides.rates = [0.0, 1.0]
        for _ in range(200):
            network(ctx)
            await ctx.tick()

    async def user_side(ctx):
        await ctx.delay(period / 3)
        while True:
            user(ctx)
            await ctx.delay(period / 2)
            ctx.set(crossing.part.user_clk, 1)
            await ctx.delay(period / 2)
            ctx.set(crossing.part.user_clk, 0)

    simulator = Simulator(crossing)
    simulator.add_clock(NETWORK_PERIOD, domain="sync")
    simulator.add_testbench(network_side)
    simulator.add_testbench(user_side, background=True)
    simulator.run()
    return sides


@pytest.mark.parametrize(("inward", "period"), CLOCKS)
def test_every_word_crosses_once_and_in_order(inward, period):
    sides = crossed(inward=inward, period=period, resets=[(0, 3)])
    assert sides.received == list(range(sides.sent))
    assert sides.sent > 100


@pytest.mark.parametrize(("inward", "period"), CLOCKS)
def test_resets_lose_only_what_is_under_way(inward, period):
    check_resets(inward=inward, period=period)


def check_resets(*, inward: bool, period: float) -> None:
    """Of one cycle and of many, one after the other and overlapping; no word arrives twice."""
    resets = [(0, 1), (300, 1), (303, 1), (311, 2), (600, 40), (643, 1), (900, 1), (907, 1), (931, 9)]
    sides = crossed(inward=inward, period=period, resets=resets)
    steps = [after - before for before, after in zip(sides.received, sides.received[1:], strict=False)]
    assert steps
    assert all(step >= 1 for step in steps)
    assert sum(step > 1 for step in steps) <= len(resets)
    assert max(steps) <= 40
    assert len(sides.received) > 100
    assert sides.received[-1] == sides.sent - 1


@pytest.mark.parametrize("inward", [False, True])
def test_full_rate_between_clocks_of_nearly_one_period(inward):
    """All but the cycles until the sides open, and those until the first word has crossed."""
    sides = crossed(inward=inward, period=10.03e-9, resets=[(0, 3)], cycles=150, rates=(1.0, 1.0))
    assert sides.sent >= 130


class Unsettled(Elaboratable):
    """A synchroniser that samples in the middle of each change.

    If what comes in has changed since the last sample, each bit is, at random, as it is or as it was a cycle of the
    sender before.
    """

    def __init__(self, i: Any, o: Any, *, o_domain: str):
        self.i, self.o, self.domain = i, o, o_domain
        other = {"read": "write", "write": "read", "user": "network", "network": "user"}
        self.sender = other[o_domain]

    def elaborate(self, _platform):
        m: Any = Module()
        names = ("before", "sampled", "first", "second")
        before, sampled, first, second = (Signal(len(self.i), name=name, reset_less=True) for name in names)
        changing = Signal()
        state = Signal(16, init=0xACE1, reset_less=True)
        chosen = [Mux(state[3 * k % 16], old, new) for k, (old, new) in enumerate(zip(before, self.i, strict=True))]
        m.d[self.sender] += before.eq(self.i)
        m.d[self.domain] += [
            state.eq(_stepped(state)),
            sampled.eq(self.i),
            first.eq(Mux(changing, Cat(*chosen), self.i)),
            second.eq(first),
        ]
        m.d.comb += [self.o.eq(second), changing.eq(sampled != self.i)]
        return m


def _stepped(state: Any) -> Any:
    """The next state of a shift register with feedback."""
    return Cat(state[1:], state[0] ^ state[2] ^ state[3] ^ state[5])


@pytest.fixture
def unsettled(monkeypatch):
    for module in (gray_fifo, crossing_reset):
        monkeypatch.setattr(module, "FFSynchronizer", Unsettled)


@pytest.mark.usefixtures("unsettled")
@pytest.mark.parametrize(("inward", "period"), CLOCKS)
def test_samples_in_the_middle_of_a_change(inward, period):
    check_resets(inward=inward, period=period)


FAULTS = {
    "binary pointers": (gray_fifo, "number ^ (number >> 1)", "number"),
    "is full too late": (gray_fifo, "3 << DEPTH_BITS - 1", "1 << DEPTH_BITS"),
    "is never full": (gray_fifo, "self.write_open & (written_code != full_code)", "self.write_open"),
    "reads what is not there": (gray_fifo, "(written_seen != dropped_code)", "1"),
    "loses what waits": (gray_fifo, "(~self.read_valid | self.read_ready)", "1"),
    "does not clear the user's side": (crossing_reset, "user_clear.eq(asked_seen != cleared)", "user_clear.eq(0)"),
    "does not wait for the answer": (crossing_reset, "answers.eq(asked == answered_seen)", "answers.eq(1)"),
}


@pytest.mark.usefixtures("unsettled")
@pytest.mark.parametrize(
    "fault", sampled(FAULTS, ("binary pointers", "reads what is not there", "does not clear the user's side"))
)
def test_faults_are_found(fault, monkeypatch):
    module, text, replacement = FAULTS[fault]
    changed = mutated(module, text, replacement)
    changed.__dict__["FFSynchronizer"] = Unsettled
    for name in ("GrayFifo", "CrossingReset"):
        if hasattr(changed, name):
            monkeypatch.setattr(stream_crossing, name, getattr(changed, name))
    cases = [(inward, period) for inward in (False, True) for period in PERIODS]
    assert not all(_is_sound(inward=inward, period=period) for inward, period in cases)


def _is_sound(*, inward: bool, period: float) -> bool:
    try:
        check_resets(inward=inward, period=period)
    except AssertionError:
        return False
    return True


def options_designs() -> dict[str, tuple[Any, str, StreamOptions]]:
    spam = spam_plan(SpamRouting(SpamLabels(lattice_network(4, seed=7)), 33))
    mesh = harts_plan(HartsRouting(HexMesh(2), 41), packet_flits=9, reception=VOTE, least_copies=3)
    return {
        "both": (spam, TUSER, StreamOptions(SEPARATE, tkeep=True)),
        "shared-leading": (spam, LEADING_WORD, StreamOptions(SHARED, tkeep=True)),
        "mesh": (mesh, TUSER, StreamOptions(SEPARATE, tkeep=True)),
    }


@pytest.mark.parametrize("name", sampled(("both", "shared-leading", "mesh"), ("both",)))
def test_lint(name, require_tool, tmp_path):
    plan, mode, options = options_designs()[name]
    made = generate_axi_network(plan, mode, options=options)
    assert made.files == generate_axi_network(plan, mode, options=options).files
    check_accepted(made, require_tool, tmp_path)
    assert set(re.findall(r"^module (\w+)\(", made.files["noc.v"], re.MULTILINE)) == set(made.manifest["modules"])


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"^Clocks are 'mine'; they must be one of network, shared, separate$"):
        StreamOptions("mine")
    for bits, nearest in ((34, 33), (64, 65), (8, 9), (32, 33), (100, 97), (512, 513)):
        text = rf"^Flits must have one bit more than whole bytes for tkeep, such as {nearest}, not {bits}$"
        with pytest.raises(ValueError, match=text):
            StreamOptions(tkeep=True).word_bits(bits)
