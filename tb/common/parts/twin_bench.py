"""Steps a part and its golden twin together and compares every output in every cycle.

A cycle of the bench begins at the falling clock edge, when all registers have settled:

1. outputs that must be registers are read, with the inputs of the cycle before still applied;
2. the inputs of this cycle are set, and combinational logic settles;
3. every output is read and compared with the twin; registers must not have changed since 1.

The rising edge that ends the cycle follows half a clock period later.
"""

from collections.abc import Collection
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from sim_model.common.parts.twin import GoldenTwin, Inputs
from tb.common.parts.monitor import RuleBroken

CLOCK_PERIOD_NS = 10
RESET_CYCLES = 2


class TwinMismatch(AssertionError):
    """A part and its golden twin differ."""


class TwinBench:
    """A part in a simulator next to its golden twin.

    Parameters
    ----------
    dut : cocotb handle
        The top.
    instance : str
        Name of the part in it: the twin's port ``a.0.b`` is the top's ``instance__a__0__b``.
    twin : GoldenTwin
    registered : collection of str
        Outputs that must be driven by registers.

    Members
    -------
    cycle : int
        Cycles since reset.
    """

    def __init__(
        self,
        dut,
        instance: str,
        twin: GoldenTwin,
        registered: Collection[str] = (),
    ):
        self.cycle = 0
        self._dut = dut
        self._instance = instance
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
        """One cycle. Returns the part's outputs.

        Raises
        ------
        TwinMismatch
            If an output is not what the twin says.
        RuleBroken
            If an output that must be a register follows the inputs.
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
            if value is not None and seen[port] != value:
                raise TwinMismatch(
                    f"cycle {self.cycle}: {port} is {seen[port]:#x} and not {value:#x}, "
                    f"with the inputs {self._text(inputs)}"
                )
        self.cycle += 1
        await self._falling
        return seen

    def _handle(self, port: str):
        if port not in self._handles:
            self._handles[port] = getattr(self._dut, f"{self._instance}.{port}".replace(".", "__"))
        return self._handles[port]

    def _read(self, port: str) -> int:
        value = self._handle(port).value
        try:
            return int(value)
        except ValueError as error:
            raise RuleBroken(f"cycle {self.cycle}: {port} is unknown ({value})") from error

    def _drive(self, inputs: Inputs) -> None:
        for port, value in inputs.items():
            if self._driven.get(port) != value:
                self._handle(port).value = value
                self._driven[port] = value

    @staticmethod
    def _text(inputs: Inputs) -> str:
        return ", ".join(f"{port}={value:#x}" for port, value in inputs.items())
