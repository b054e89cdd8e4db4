"""Runs hardware in Amaranth's simulator next to a Python model."""

from collections.abc import Callable
from typing import Any

from amaranth.hdl import Value
from amaranth.sim import Simulator

CLOCK_PERIOD_SECONDS = 1e-6
Stimulus = Callable[[], dict[str, int]]


def member(part: Any, path: str) -> Value:
    """The member with a dotted name such as ``link.valid`` or ``select.2``, as a plain value."""
    for name in path.split("."):
        part = part[int(name)] if name.isdigit() else getattr(part, name)
    return Value.cast(part)


def run(part: Any, testbench: Callable[[Any], Any]) -> None:
    """Simulate a part under a testbench."""
    simulator = Simulator(part)
    simulator.add_clock(CLOCK_PERIOD_SECONDS)
    simulator.add_testbench(testbench)
    simulator.run()


def run_combinational(part: Any, testbench: Callable[[Any], Any]) -> None:
    """Simulate a part without registers."""
    simulator = Simulator(part)
    simulator.add_testbench(testbench)
    simulator.run()


def compare(part: Any, model: Any, stimulus: Stimulus, cycles: int) -> None:
    """Compare a part with ``model.step(inputs)`` in every cycle; outputs that are None in the model are ignored."""

    async def testbench(ctx):
        for cycle in range(cycles):
            inputs = stimulus()
            for path, value in inputs.items():
                ctx.set(member(part, path), value)
            expected = {path: value for path, value in model.step(inputs).items() if value is not None}
            seen = {path: ctx.get(member(part, path)) for path in expected}
            assert seen == expected, f"cycle {cycle}"
            await ctx.tick()

    run(part, testbench)
