"""Timeout of a subordinate: what its interface gets before and after it has stopped."""

from typing import Any

from rtl.axi4.timeout import SubordinateTimeout
from tests.each import each
from tests.rtl.simulate import run
from topology.axi4.words import OKAY, SLVERR, Axi4Format

CYCLES = 8
AXI = Axi4Format(4, user_bits=2)
Read = tuple[int, int, int]
"""Data, response, last."""


class Subordinate:
    """Takes requests and data, and answers as often as it is told."""

    def __init__(self, ctx: Any, part: Any):
        self.ctx, self.part = ctx, part
        self.read_beats: list[Read] = []
        self.answers: list[int] = []

    def set(self, **values: int) -> None:
        for name, value in values.items():
            self.ctx.set(getattr(self.part, name), value)

    def get(self, name: str) -> int:
        return self.ctx.get(getattr(self.part, name))

    async def tick(self, cycles: int = 1) -> None:
        """Pass cycles; keep the answers that the interface takes."""
        for _ in range(cycles):
            if self.get("i_bvalid") and self.get("i_bready"):
                self.answers.append(self.get("i_bresp"))
            if self.get("i_rvalid") and self.get("i_rready"):
                self.read_beats.append((self.get("i_rdata"), self.get("i_rresp"), self.get("i_rlast")))
            await self.ctx.tick()

    async def read(self, beats: int) -> None:
        self.set(i_arvalid=1, i_arlen=beats - 1, o_arready=1)
        await self.tick()
        self.set(i_arvalid=0, o_arready=0)

    async def write(self, beats: int, *, taken: bool = True) -> None:
        self.set(i_awvalid=1, o_awready=taken)
        for beat in range(beats):
            self.set(i_wvalid=1, i_wlast=int(beat == beats - 1), o_wready=taken)
            await self.tick()
            self.set(i_awvalid=0)
        self.set(i_wvalid=0, o_awready=0, o_wready=0)

    async def give_read(self, data: int, last: int) -> None:
        self.set(o_rvalid=1, o_rdata=data, o_ruser=1, o_rresp=OKAY, o_rlast=last)
        await self.tick()
        self.set(o_rvalid=0)


def simulate(testbench: Any) -> None:
    part = SubordinateTimeout(AXI, CYCLES, pending=4)

    async def whole(ctx: Any) -> None:
        bench = Subordinate(ctx, part)
        bench.set(i_bready=1, i_rready=1)
        await testbench(bench)

    run(part, whole)


def test_a_read_that_stops_gets_its_missing_beats():
    """A second read, and late beats of the subordinate."""

    async def testbench(bench: Subordinate) -> None:
        await bench.read(4)
        await bench.read(2)
        await bench.give_read(11, 0)
        await bench.tick(CYCLES - 1)
        assert not bench.get("error")
        await bench.tick()
        assert bench.get("error")
        bench.set(o_rvalid=1, o_rdata=77, o_rlast=1)
        assert bench.get("o_rready")
        await bench.tick(20)
        error = (0, SLVERR, 0)
        assert bench.read_beats == [(11, OKAY, 0), error, error, (0, SLVERR, 1), error, (0, SLVERR, 1)]
        await bench.read(1)  # one that comes afterwards
        assert not bench.get("o_arvalid")
        await bench.tick(3)
        assert bench.read_beats[6:] == [(0, SLVERR, 1)]
        assert bench.get("error")

    simulate(testbench)


@each("slack", [0, 1])
def test_a_slow_subordinate_has_not_stopped(slack):
    """It answers in the last cycle, or one too late."""

    async def testbench(bench: Subordinate) -> None:
        for _ in range(3):
            await bench.read(1)
            await bench.tick(CYCLES - 1 + slack)
            await bench.give_read(5, 1)
        assert bench.get("error") == slack
        await bench.tick(4)
        assert [resp for _, resp, _ in bench.read_beats] == [OKAY] * 3 if not slack else [SLVERR] * 3

    simulate(testbench)


def test_writes_without_an_answer_get_one():
    async def testbench(bench: Subordinate) -> None:
        await bench.write(3)
        await bench.write(1)
        await bench.tick(2)
        bench.set(o_bvalid=1, o_bresp=OKAY)
        await bench.tick()
        bench.set(o_bvalid=0)
        await bench.tick(CYCLES + 3)
        assert bench.get("error")
        assert bench.answers == [OKAY, SLVERR]
        await bench.write(2, taken=False)
        await bench.tick(3)
        assert bench.answers == [OKAY, SLVERR, SLVERR]

    simulate(testbench)


def test_a_request_that_is_not_taken_is_given_up():
    async def testbench(bench: Subordinate) -> None:
        bench.set(i_awvalid=1)
        await bench.tick(CYCLES)
        assert bench.get("error")
        assert bench.get("i_awready")
        assert not bench.get("o_awvalid")

    simulate(testbench)


def test_a_network_that_takes_no_answers_is_no_fault_of_the_subordinate():
    """Neither are pauses of a manager in its data."""

    async def testbench(bench: Subordinate) -> None:
        await bench.read(1)
        bench.set(i_rready=0, o_rvalid=1, o_rdata=3, o_rlast=1)
        await bench.tick(3 * CYCLES)
        bench.set(i_awvalid=1, o_awready=1)
        await bench.tick()
        bench.set(i_awvalid=0, i_rready=1)
        await bench.tick()
        bench.set(o_rvalid=0)
        await bench.tick(3 * CYCLES)
        assert not bench.get("error")
        assert bench.read_beats == [(3, OKAY, 1)]

    simulate(testbench)


def test_an_answer_that_waits_stays_as_it_is():
    """A beat of a read waits while the writes stop."""

    async def testbench(bench: Subordinate) -> None:
        await bench.read(1)
        await bench.write(1)
        bench.set(i_rready=0, o_rvalid=1, o_rdata=3, o_rresp=OKAY, o_rlast=1)
        for _ in range(3 * CYCLES):
            await bench.tick()
            assert (bench.get("i_rvalid"), bench.get("i_rdata"), bench.get("i_rresp")) == (1, 3, OKAY)
        bench.set(i_rready=1)
        await bench.tick()
        bench.set(o_rvalid=0)
        await bench.tick(CYCLES)
        assert bench.get("error")
        assert bench.answers == [SLVERR]
        assert bench.read_beats == [(3, OKAY, 1)]

    simulate(testbench)
