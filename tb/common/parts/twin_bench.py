"""Steps a part and its golden twin together and compares every output in every cycle.

A cycle of the bench begins at the falling clock edge, when all registers have settled:

1. outputs that must be registers are read, with the inputs of the cycle before still applied;
2. the inputs of this cycle are set, and combinational logic settles;
3. every output is read and compared with the twin; registers must not have changed since 1.

The rising edge that ends the cycle follows half a clock period later.

``on_each_instance`` makes cocotb tests of functions that run on a `PartBench`: a part with its drivers around it.
"""

import functools
from collections.abc import Callable, Collection, Coroutine, Mapping
from typing import Any, Protocol, TypeVar

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from tb.common.parts.monitor import RuleBroken
from tb.common.parts.parameters import Phase, instances, parameters_of, phases

CLOCK_PERIOD_NS = 10
RESET_CYCLES = 2


Inputs = Mapping[str, int]
"""Value of every input port in one cycle, by dotted name."""


class GoldenTwin(Protocol):
    """A part in plain Python, one cycle at a time, written from its contract and not from its code."""

    def step(self, inputs: Inputs) -> Mapping[str, int | None]:
        """Return the outputs of this cycle, combinational ones included, then go on to the next.

        Parameters:
            inputs (mapping of str to int): Every input port.

        Raises:
            ValueError: If the inputs break a rule of the part: the part's behaviour is not defined then.
        """
        ...


class TwinMismatch(AssertionError):
    """A part and its golden twin differ."""


class TwinBench:
    """A part in a simulator next to its golden twin.

    Parameters:
        dut (cocotb handle): The top.
        instance: Name of the part in it: the twin's port ``a.0.b`` is the top's ``instance__a__0__b``.
        registered: Outputs that must be driven by registers.

    Members:
        instance
        cycle (int): Cycles since reset.
    """

    def __init__(
        self,
        dut,
        instance: str,
        twin: GoldenTwin,
        registered: Collection[str] = (),
    ):
        self.instance = instance
        self.cycle = 0
        self._dut = dut
        self._twin = twin
        self._registered = tuple(registered)
        self._handles: dict[str, Any] = {}
        self._driven: dict[str, int] = {}
        self._falling = FallingEdge(dut.clk)

    async def reset(self) -> None:
        """Start the clock, reset the part and return at the start of cycle 0."""
        self._dut.rst.value = 1
        Clock(self._dut.clk, CLOCK_PERIOD_NS, "ns").start()
        for _ in range(RESET_CYCLES):
            await self._falling
        self._dut.rst.value = 0

    async def step(self, inputs: Inputs) -> dict[str, int]:
        """Run one cycle; return the part's outputs. One that the twin leaves open is 0 if it is unknown.

        Raises
        ------
        TwinMismatch
            If an output differs from the twin's.
        RuleBroken
            If an output that must be a register follows the inputs, or one that the twin computes is unknown.
        """
        early = {port: self._read(port) for port in self._registered}
        self._drive(inputs)
        await ReadOnly()
        expected = self._twin.step(inputs)
        seen = {port: self._read(port) for port in expected}
        for port, value in early.items():
            if seen[port] != value:
                raise RuleBroken(
                    f"cycle {self.cycle}: {port} is no register, it changed with the inputs {self._text(inputs)}"
                )
        for port, value in expected.items():
            if value is not None:
                self._check(port, seen[port], value, inputs)
        self.cycle += 1
        await self._falling
        return {port: value or 0 for port, value in seen.items()}

    def _check(self, port: str, value: int | None, expected: int, inputs: Inputs) -> None:
        if value is None:
            raise RuleBroken(f"cycle {self.cycle}: {port} is unknown ({self._handle(port).value})")
        if value != expected:
            raise TwinMismatch(
                f"cycle {self.cycle}: {port} is {value:#x} and not {expected:#x}, with the inputs {self._text(inputs)}"
            )

    def _handle(self, port: str):
        if port not in self._handles:
            self._handles[port] = getattr(self._dut, f"{self.instance}.{port}".replace(".", "__"))
        return self._handles[port]

    def _read(self, port: str) -> int | None:
        """Return the value of a port; None if it is unknown, as data without a reset is at first."""
        try:
            return int(self._handle(port).value)
        except ValueError:
            return None

    def _drive(self, inputs: Inputs) -> None:
        for port, value in inputs.items():
            if self._driven.get(port) != value:
                self._handle(port).value = value
                self._driven[port] = value

    @staticmethod
    def _text(inputs: Inputs) -> str:
        return ", ".join(f"{port}={value:#x}" for port, value in inputs.items())


class PartBench(Protocol):
    """A part with its twin, and drivers and checks around it.

    Members:
        bench
    """

    bench: TwinBench

    async def step(self) -> Any:
        """Run one cycle."""

    async def traffic(self, phase: Phase, cycles: int) -> None:
        """Run random traffic for some cycles, then as many as it takes to run empty."""


Bench = TypeVar("Bench", bound=PartBench)


def on_each_instance(
    make_bench: Callable[[Any, str], Bench],
) -> Callable[[Callable[[Bench], Coroutine[Any, Any, None]]], Any]:
    """Decorator of a test: cocotb runs it on every instance in the simulator, at the start of cycle 0 after reset.

    Parameters:
        make_bench: (cocotb handle of the top, name of the instance) -> PartBench.
    """

    def decorate(test: Callable[[Bench], Coroutine[Any, Any, None]]) -> Any:
        @cocotb.test()
        @cocotb.parametrize(instance=instances())
        @functools.wraps(test)
        async def on_instance(dut, instance: str) -> None:
            run = make_bench(dut, instance)
            await run.bench.reset()
            await test(run)

        return on_instance

    return decorate


async def all_phases(run: PartBench) -> None:
    """Every mixture of idle cycles and back-pressure."""
    for phase in phases():
        await run.traffic(phase, parameters_of(run.bench.instance)["cycles"])
