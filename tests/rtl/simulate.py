"""Runs of hardware in Amaranth's simulator next to a Python model, with resets of its parts; calls of programs."""

import subprocess
from collections.abc import Callable
from typing import Any

from amaranth.hdl import Elaboratable, ResetInserter, Signal, Value
from amaranth.sim import Simulator

from hydranoc.lockstep.tools import tool_environment

# Runs hardware in Amaranth's simulator next to a Python model.

CLOCK_PERIOD_SECONDS = 1e-6
Stimulus = Callable[[], dict[str, int]]


def member(part: Any, path: str) -> Value:
    """The member with a dotted name such as ``link.valid`` or ``select.2``, as a plain value."""
    for name in path.split("."):
        part = part[int(name)] if name.isdigit() else getattr(part, name)
    return Value.cast(part)


def run(part: Any, *testbenches: Callable[[Any], Any]) -> None:
    """Simulate a part under testbenches."""
    simulator = Simulator(part)
    simulator.add_clock(CLOCK_PERIOD_SECONDS)
    for testbench in testbenches:
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


# Calls programs that must succeed.


def call(tool, arguments, folder):
    """Output of a program run in a folder."""
    command = [*tool.command, *arguments]
    answer = subprocess.run(
        command, cwd=folder, env=tool_environment(tool), capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout + answer.stderr


NO_LATCHES = "select -assert-none t:$dlatch t:$dlatchsr t:$adlatch"


def check_accepted(made, require_tool, folder, tools=("verilator", "icarus", "yosys"), top=None):
    """Check that tools read a design without a complaint, and that Yosys finds no latch in it."""
    for file, text in made.files.items():
        (folder / file).write_text(text)
    if "verilator" in tools:
        arguments = ["--lint-only", "-Wall", *(["--top-module", top] if top else []), f"{made.top}.v"]
        assert call(require_tool("verilator"), arguments, folder).count("%Warning") == 0
    if "icarus" in tools:
        assert call(require_tool("icarus"), ["-g2005", "-Wall", "-o", "design.vvp", f"{made.top}.v"], folder) == ""
    if "yosys" in tools:
        read = f"read_verilog {made.top}.v\nhierarchy -check -top {top or made.top}"
        (folder / "check.ys").write_text(f"{read}\nproc\n{NO_LATCHES}\ncheck -assert\n")
        call(require_tool("yosys"), ["-q", "check.ys"], folder)


# Networks in Amaranth's simulator whose parts have resets of their own.


class SkewedResets:
    """An ``Exporter`` that puts some parts of a network under resets of their own.

    resets: The reset of each instance, high from the start.
    """

    def __init__(self, *prefixes: str):
        self._prefixes = prefixes
        self.resets: dict[str, Signal] = {}

    def instance(self, m: Any, name: str, part: Any) -> Any:
        """Place a part; its subparts follow its reset."""
        if name.startswith(self._prefixes):
            self.resets[name] = Signal(init=1, name=f"reset_of_{name}")
            m.submodules[name] = ResetInserter(self.resets[name])(_Placed(part, self))
        else:
            m.submodules[name] = _Placed(part, self)
        return part


class _Placed(Elaboratable):
    """A part that is elaborated for the same platform as the whole."""

    def __init__(self, part: Any, platform: SkewedResets):
        self._part, self._platform = part, platform

    def elaborate(self, _platform: object) -> Any:
        return self._part.elaborate(self._platform)
