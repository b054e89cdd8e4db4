"""Simulators of many instances of a hardware part, and runs of the part's bench on each; faulty parts."""

import inspect
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from amaranth.back import verilog
from amaranth.hdl import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hydranoc.lockstep.simulator import BenchSource, BuiltSimulator, SimulatorFailed, build_simulator, run_bench
from tb.common.parts.parameters import to_environment

# Runs a cocotb bench whose failures are results, not errors.


def run_cases(
    built: BuiltSimulator, bench: str, variables: Mapping[str, str], folder: Path
) -> list[tuple[str, str | None]]:
    """Run a bench; gives for each test its name and why it failed, None if it did not."""
    try:
        run_bench(built, bench, dict(variables), folder)
    except SimulatorFailed:
        # under pytest, cocotb's runner also raises when a bench found a fault
        if not (folder / "results.xml").exists():
            raise
    cases = ElementTree.parse(folder / "results.xml").iter("testcase")
    return [(case.attrib["name"], _failure(case)) for case in cases]


def _failure(case: ElementTree.Element) -> str | None:
    for kind in ("failure", "error"):
        found = case.find(kind)
        if found is not None:
            return " ".join([*found.attrib.values(), found.text or ""])
    return None


# Puts many instances of a hardware part into one simulator and runs the part's bench on each; makes faulty parts.

TOP = "rack"
ALL_TESTS = "."


@dataclass(frozen=True)
class Instance:
    """One part in the simulator.

    name: Also the start of its ports' names.
    make: Makes the part.
    parameters: For the bench.
    symptom: Regular expression of what the bench must find wrong with it; None if the part is right.
    """

    name: str
    make: Callable[[], Any]
    parameters: Mapping[str, int]
    symptom: str | None = None


class Rack(wiring.Component):
    """Parts side by side, each with its ports under its name."""

    def __init__(self, parts: Mapping[str, Any]):
        self.parts = parts
        super().__init__({name: Out(part.signature) for name, part in parts.items()})

    def elaborate(self, _platform):
        m = Module()
        for name, part in self.parts.items():
            m.submodules[name] = part
            pass_through(m, getattr(self, name), part)
        return m


def pass_through(m: Any, outer: Any, part: Any) -> None:
    """Connect the ports of a part to those of an interface of the same signature around it, arrays included."""
    inside = {path: Value.cast(value) for path, _, value in part.signature.flatten(part)}
    for path, member, value in part.signature.flatten(outer):
        if member.flow is In:
            m.d.comb += inside[path].eq(Value.cast(value))
        else:
            m.d.comb += Value.cast(value).eq(inside[path])


def mutated(module: ModuleType, text: str, replacement: str) -> ModuleType:
    """A copy of a module in which a piece of text, which must occur exactly once, is replaced."""
    source = inspect.getsource(module)
    assert source.count(text) == 1, f"{module.__name__} has {source.count(text)} times {text!r}; the mutation needs 1"
    copy = ModuleType(f"{module.__name__}_mutated")
    copy.__file__ = module.__file__
    exec(compile(source.replace(text, replacement), str(module.__file__), "exec"), copy.__dict__)
    return copy


def build_rack(instances: Sequence[Instance], simulator: str) -> BuiltSimulator:
    """Build a simulator that holds these instances."""
    assert len({instance.name for instance in instances}) == len(instances)
    rack = Rack({instance.name: instance.make() for instance in instances})
    ports: dict[Any, list[str]] = {In: ["clk", "rst"], Out: []}
    for path, member, _ in rack.signature.flatten(rack):
        ports[member.flow].append("__".join(map(str, path)))
    source = BenchSource(TOP, verilog.convert(rack, name=TOP), tuple(ports[In]), tuple(ports[Out]))
    return build_simulator(source, simulator, waves=False)


def run_rack(
    built: BuiltSimulator, bench: str, instances: Sequence[Instance], folder: Path, tests: str = ALL_TESTS
) -> dict[str, list[str | None]]:
    """Run those tests of a bench that an expression names. Returns, per instance and test, None or why it failed."""
    parameters = {instance.name: instance.parameters for instance in instances}
    folder.mkdir(parents=True, exist_ok=True)
    variables = {**to_environment(parameters), "COCOTB_TEST_FILTER": tests}
    outcomes: dict[str, list[str | None]] = {instance.name: [] for instance in instances}
    for name, failure in run_cases(built, bench, variables, folder):
        outcomes[name.partition("/instance=")[2]].append(failure)
    return outcomes
