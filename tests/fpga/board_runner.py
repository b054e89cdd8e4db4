# (a self-test that is written as text is not elaborated)
"""Self-tests of small networks, run in a simulator, and their reports."""

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

from fpga.boards.common import self_test
from fpga.boards.common.descriptors import draw_descriptors
from fpga.boards.common.parameters import SelfTestParameters
from fpga.boards.common.report_line import FIELDS
from hydranoc.lockstep.simulator import BenchSource, build_simulator, run_bench
from rtl.collectives.plan import PlanePlan
from rtl.generator.plan import NetworkPlan
from rtl.hypercube.network import hypercube_plan
from rtl.spam.network import spam_plan
from rtl.torus.network import torus_plan
from tb.common.board.job import JOB_VARIABLE, BoardJob
from topology.common.graph import Network
from topology.common.part_headers import BIT_STRING
from topology.hypercube.routing import HypercubeRouting
from topology.spam.graph import SpamLabels
from topology.spam.routing import SpamRouting
from topology.torus.routing import TorusRouting

BENCH = "tb.common.board.bench"
CYCLES_PER_BIT = 2
Lines: TypeAlias = list[dict[str, Any]]
LINE = re.compile(" ".join(rf"{name}=(?P<{name}>\d+)" for name in FIELDS) + " (?P<state>BUSY|PASS|FAIL)")


def parameters(**changes) -> SelfTestParameters:
    """A test that is over soon."""
    usual = {
        "messages": 150,
        "cycles_per_bit": CYCLES_PER_BIT,
        "cycles_per_line": 2_500,
        "quiet_cycles": 256,
        "descriptors": 8,
    }
    return SelfTestParameters(**(usual | changes))


def routing_of(network: Network, flit_bits: int, header_kind: str = BIT_STRING) -> SpamRouting:
    return SpamRouting(SpamLabels(network), flit_bits, header_kind=header_kind)


PLANS: dict[type, Callable[[Any], NetworkPlan]] = {
    SpamRouting: spam_plan,
    TorusRouting: torus_plan,
    HypercubeRouting: hypercube_plan,
}


def make_test(
    routing: SpamRouting | TorusRouting | HypercubeRouting,
    settings: SelfTestParameters,
    plan: NetworkPlan | None = None,
    plane: PlanePlan | None = None,
) -> self_test.SelfTest:
    """A self-test; ``plan`` replaces the one that belongs to the tables."""
    descriptors = draw_descriptors(routing, len(routing.network.processors), settings.descriptors)
    if plan is None:
        plan = PLANS[type(routing)](routing)
    return self_test.SelfTest(plan, descriptors, settings, plane)


def read_line(text: str) -> dict[str, Any]:
    """The values in a line of the report."""
    match = LINE.fullmatch(text)
    assert match, text
    return {name: value if name == "state" else int(value) for name, value in match.groupdict().items()}


def bench_source(test: self_test.SelfTest) -> BenchSource:
    """A self-test as Verilog for the bench."""
    text = self_test.self_test_verilog(test)
    return BenchSource(self_test.SELF_TEST, text, ("clk", "rst", "inject_error"), ("uart_tx", "running"))


def run_source(
    source: BenchSource, simulator: str, folder: Path, inject_cycles: Sequence[int] = (), most_cycles: int = 200_000
) -> Lines:
    """All lines of a self-test with ``CYCLES_PER_BIT``, run in a simulator."""
    job = BoardJob(CYCLES_PER_BIT, most_cycles, str(folder / "lines.json"), tuple(inject_cycles))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "job.json").write_text(json.dumps(asdict(job)))
    built = build_simulator(source, simulator, waves=False)
    run_bench(built, BENCH, {JOB_VARIABLE: str(folder / "job.json")}, folder)
    return [read_line(line) for line in json.loads((folder / "lines.json").read_text())]


def receive(bits: list[int], cycles_per_bit: int) -> str:
    """The text on a serial line, decoded from a sample per cycle."""
    text, position = bytearray(), 0
    while 0 in bits[position:]:
        start = bits.index(0, position) + cycles_per_bit // 2
        frame = bits[start : start + 10 * cycles_per_bit : cycles_per_bit]
        if len(frame) < 10:
            break
        assert frame[9] == 1, "the stop bit is missing"
        text.append(sum(bit << k for k, bit in enumerate(frame[1:9])))
        position = start + 9 * cycles_per_bit
    return text.decode("ascii")


def check_passed(lines: Lines, messages: int) -> None:
    """Every message was delivered, and every line reports it."""
    last = lines[-1]
    assert last["state"] == "PASS"
    assert last["errors"] == 0
    assert last["deliveries"] == last["expected"]
    assert messages <= last["messages"] <= messages + 100
    assert last["flits"] > 3 * last["deliveries"]
    assert all(line["errors"] == 0 and line["state"] == "BUSY" for line in lines if line["cycles"] < last["cycles"])


def check_failed(lines: Lines) -> None:
    """The report contains an error."""
    assert lines[-1]["state"] == "FAIL"


def check_error_seen(lines: Lines) -> None:
    """A wrong bit has been counted."""
    check_failed(lines)
    assert lines[-1]["errors"] > 0
