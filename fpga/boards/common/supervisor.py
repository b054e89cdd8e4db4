"""Start, end and verdict of a self-test."""

from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from fpga.boards.common.parameters import SEED_BITS, TOTAL_BITS, SelfTestParameters
from rtl.parts.part import Part


class Supervisor(Part):
    """Enables the nodes until there are enough messages, waits until nothing moves, and compares the totals.

    The test is passed if the required number of messages was sent, no flit was wrong, and deliveries and the sum of
    their seeds are as expected. An error makes it fail at once.

    Parameters:
        nodes: Processors of the network.

    Members:
        messages, deliveries, expected, errors (In(40)): Totals.
        delivered_seeds, expected_seeds (In(16)): Sums.
        flits (In(nodes)): Whether a flit arrived at a node.
        enable (Out(1)): Whether nodes start messages.
        cycles (Out(40)): Cycles of the test; constant after its end.
        report (Out(1)): High for one cycle when a line is due: regularly, and at the end.
        heartbeat (Out(1)): Changes with every regular line.
        running, passed, failed (Out(1)): State of the test. It may run and have failed already.
    """

    def __init__(self, nodes: int, parameters: SelfTestParameters):
        self.parameters = parameters
        totals = {name: In(TOTAL_BITS) for name in ("messages", "deliveries", "expected", "errors")}
        super().__init__(
            "supervisor",
            {
                **totals,
                "delivered_seeds": In(SEED_BITS),
                "expected_seeds": In(SEED_BITS),
                "flits": In(nodes),
                "enable": Out(1),
                "cycles": Out(TOTAL_BITS),
                "report": Out(1),
                "heartbeat": Out(1),
                "running": Out(1, init=1),
                "passed": Out(1),
                "failed": Out(1),
            },
        )

    def elaborate(self, _platform):
        m: Any = Module()
        ended = Signal()
        m.d.comb += ended.eq(self._is_quiet(m) & self.running)
        with m.If(self.running):
            m.d.sync += [self.cycles.eq(self.cycles + 1), self.running.eq(~ended)]
        m.d.sync += self.enable.eq(self.messages < self.parameters.messages)
        self._judge(m, ended)
        self._time_lines(m, ended)
        return m

    def _is_quiet(self, m) -> Signal:
        """Return whether no flit has arrived for a long time; a register."""
        cycles = Signal(range(self.parameters.quiet_cycles))
        quiet, moving = Signal(), Signal()
        m.d.sync += [moving.eq(self.flits.any()), quiet.eq(cycles == self.parameters.quiet_cycles - 1)]
        with m.If(moving):
            m.d.sync += cycles.eq(0)
        with m.Elif(~quiet):
            m.d.sync += cycles.eq(cycles + 1)
        return quiet

    def _judge(self, m, ended) -> None:
        """Compare one pair per step: the totals are stable long before the end."""
        complete, equal, same_seeds, clean = Signal(), Signal(), Signal(), Signal()
        m.d.sync += [
            complete.eq(~self.enable),
            equal.eq(self.deliveries == self.expected),
            same_seeds.eq(self.delivered_seeds == self.expected_seeds),
            clean.eq(self.errors == 0),
        ]
        good = Signal()
        m.d.comb += good.eq(complete & equal & same_seeds & clean)
        with m.If(ended):
            m.d.sync += self.passed.eq(good)
        with m.If((ended & ~good) | (self.errors != 0)):
            m.d.sync += self.failed.eq(1)

    def _time_lines(self, m, ended) -> None:
        cycle = Signal(range(self.parameters.cycles_per_line))
        due = Signal()
        m.d.sync += [due.eq(cycle == self.parameters.cycles_per_line - 2), self.report.eq(due | ended)]
        with m.If(due):
            m.d.sync += [cycle.eq(0), self.heartbeat.eq(~self.heartbeat)]
        with m.Else():
            m.d.sync += cycle.eq(cycle + 1)
