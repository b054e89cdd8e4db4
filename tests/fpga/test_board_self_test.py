"""The self-test as a board runs it, in simulation: it passes, it detects faults, and its report is readable."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import yaml

from fpga.boards.common import checker, self_test
from fpga.boards.common.plane_tester import BARRIER_ROUNDS
from fpga.boards.registry import BOARDS
from hydranoc import load
from rtl.collectives import endpoint, result
from rtl.collectives.parameters import PlaneParameters
from rtl.collectives.plan import PlanePlan
from rtl.generator import fabric
from rtl.parts import ejector, injector
from rtl.spam import router
from rtl.spam.network import spam_plan
from tests.fpga.board_runner import (
    Lines,
    bench_source,
    check_error_seen,
    check_failed,
    check_passed,
    make_test,
    parameters,
    read_line,
    receive,
    routing_of,
    run_source,
)
from tests.rtl.simulate import run
from tests.sampled import sampled
from tests.tb.racks import mutated
from topology.collectives.tables import PlaneTables, groups_of
from topology.collectives.tree import plane_tree
from topology.common.graph import Network
from topology.common.part_headers import PARTS

MANY, MANY_CYCLES = 10_000, 3_000_000


def pair() -> Network:
    return Network(1, [], [0, 0])


def branching() -> Network:
    """A tree with a branch at its root and one below it, and a link outside it."""
    return Network(4, [(0, 1), (0, 2), (1, 3), (2, 3)], [0, 1, 2, 3, 3])


@pytest.fixture
def icarus(require_tool):
    require_tool("icarus")


def test_two_nodes_in_amaranth_s_simulator():
    """The same elaboration as without Verilog; one line, at the end."""
    settings = parameters(messages=12, descriptors=2)
    test = make_test(routing_of(pair(), 16), settings)
    bits, moved = [], 0

    async def testbench(ctx):
        nonlocal moved
        after = 0
        while after < 2_000:
            bits.append(ctx.get(test.uart_tx))
            moved += ctx.get(test.moved).bit_count()
            after += not ctx.get(test.running)
            assert len(bits) < 5_000
            await ctx.tick()
        assert (ctx.get(test.passed), ctx.get(test.failed)) == (1, 0)

    run(test, testbench)
    line, end = receive(bits, settings.cycles_per_bit).split("\r\n")
    assert end == ""
    check_passed([read_line(line)], 12)
    assert moved == 2 * read_line(line)["flits"]  # each flit on one injection and one delivery channel


@pytest.mark.usefixtures("icarus")
def test_headers_of_parts(tmp_path):
    """Two flits of fields and up to three of parts."""
    network = Network(4, [(0, 1), (0, 2), (1, 3), (2, 3)], [node % 4 for node in range(14)])
    test = make_test(routing_of(network, 8, PARTS), parameters(messages=60))
    header = test.plan.header
    assert (header.unicast_flits, header.parts) == (2, 3)
    source = bench_source(test)
    check_passed(run_source(source, "icarus", tmp_path / "sound"), 60)


@pytest.mark.usefixtures("icarus")
@pytest.mark.parametrize("flit_bits", [8, *(pytest.param(bits, marks=pytest.mark.slow) for bits in (12, 64))])
def test_passes_and_sees_one_wrong_bit(flit_bits, tmp_path):
    """Headers of 1 and 2 flits, seeds of 1 and 2 words, words that the seed does not fill."""
    source = bench_source(make_test(routing_of(branching(), flit_bits), parameters()))
    check_passed(run_source(source, "icarus", tmp_path / "sound"), 150)
    lines = run_source(source, "icarus", tmp_path / "injected", [300])
    check_error_seen(lines)
    assert lines[0]["state"] == "FAIL"  # at once, and not only at the end


@pytest.mark.slow
def test_ten_thousand_messages_of_the_icebreaker(require_tool, tmp_path):
    require_tool("verilator")
    lines = run_board("icebreaker", [50_000, 90_000], tmp_path)
    assert lines[0]["messages"] > 1_000


@pytest.mark.slow
def test_ten_thousand_messages_of_the_ulx3s(require_tool, tmp_path):
    require_tool("verilator")
    run_board("ulx3s-85f", [10_000], tmp_path)


def run_board(name: str, inject_cycles: list[int], folder: Path) -> Lines:
    """A board's own network, sound and with the button pressed."""
    board = BOARDS[name]
    settings = parameters(messages=MANY, cycles_per_line=40_000, descriptors=board.descriptors)
    source = bench_source(make_test(load(board.config).routing, settings))
    lines = run_source(source, "verilator", folder / "sound", most_cycles=MANY_CYCLES)
    check_passed(lines, MANY)
    check_error_seen(run_source(source, "verilator", folder / "injected", inject_cycles, MANY_CYCLES))
    return lines


@pytest.mark.usefixtures("icarus")
def test_a_checker_that_ignores_data_is_caught(monkeypatch, tmp_path):
    blind = mutated(checker, "(flit.data != pattern.words.payload)", "0")
    monkeypatch.setattr(self_test, "DeliveryChecker", blind.DeliveryChecker)
    source = bench_source(make_test(routing_of(branching(), 16), parameters()))
    lines = run_source(source, "icarus", tmp_path, [300])
    with pytest.raises(AssertionError):
        check_error_seen(lines)


# faults of the network: where a part is used, what it is called there, its module, and the changed line
FAULTS = {
    "ejector loses flits when the reader is not ready": (
        fabric,
        "MessageEjector",
        ejector,
        "buffer.present & self.user.ready",
        "buffer.present",
    ),
    "injector sends one flit too few": (
        fabric,
        "MessageInjector",
        injector,
        "flits_left.eq(message.flits - 1)",
        "flits_left.eq(message.flits - 2)",
    ),
    "router copies to its first output only": (
        None,
        "SpamRouter",
        router,
        "Mux(copied, request, 0)",
        "Mux(copied, request & -request, 0)",
    ),
}


@pytest.mark.usefixtures("icarus")
@pytest.mark.parametrize(
    "fault", [pytest.param(name, marks=() if "router" in name else pytest.mark.slow) for name in FAULTS]
)
def test_faults_of_the_network_fail(fault, monkeypatch, tmp_path):
    user, name, module, text, replacement = FAULTS[fault]
    faulty = getattr(mutated(module, text, replacement), name)
    routing = routing_of(branching(), 16)
    plan = spam_plan(routing)
    if user is None:
        plan = _with_routers(plan, faulty)
    else:
        monkeypatch.setattr(user, name, faulty)
    source = bench_source(make_test(routing, parameters(), plan))
    check_failed(run_source(source, "icarus", tmp_path))


def _with_routers(plan, faulty):
    shapes = {name: (lambda make=make: faulty(make().parameters)) for name, make in plan.shapes.items()}
    return dataclasses.replace(plan, shapes=shapes)


def plane_beside(network: Network, **parameters: Any) -> PlanePlan:
    """A plane whose groups are all processors, and all but the first."""
    processors = range(len(network.processors))
    tables = PlaneTables(plane_tree(network), groups_of([processors, processors[1:]]))
    return PlanePlan(tables, PlaneParameters(2, **parameters))


PLANES = {
    "three operators": {"operators": (0, 1, 7)},
    "sum, narrow": {"word_bits": 8, "operators": (0,)},
    "barriers alone": {"operators": ()},
}


@pytest.mark.usefixtures("icarus")
@pytest.mark.parametrize("name", sampled(PLANES, ("three operators",)))
def test_a_plane_beside_the_network(name, tmp_path):
    """Operations are deliveries: four members of both groups and one of one group call them."""
    network, settings = branching(), parameters(messages=64)
    routing, plane = routing_of(network, 16), plane_beside(network, **PLANES[name])
    lines = run_source(bench_source(make_test(routing, settings, plane=plane)), "icarus", tmp_path / "both")
    alone = run_source(bench_source(make_test(routing, settings)), "icarus", tmp_path / "alone")
    assert lines[-1]["state"] == alone[-1]["state"] == "PASS"
    rounds = settings.plane_rounds
    calls = rounds // BARRIER_ROUNDS + (0 if plane.parameters.barriers_only else rounds)
    assert lines[-1]["deliveries"] - alone[-1]["deliveries"] == 9 * calls
    assert calls


PLANE_FAULTS = {
    "self.taken.eq(Mux(self.tready, offered, 0))": "self.taken.eq(0)",
    "self.barrier_done.eq(Mux(payload.last, headers, 0))": "self.barrier_done.eq(0)",
}
"""A credit of the result buffer that never returns; a barrier that never ends."""


@pytest.mark.usefixtures("icarus")
@pytest.mark.parametrize("text", sampled(PLANE_FAULTS, tuple(PLANE_FAULTS)[:1]))
def test_a_fault_of_the_plane_fails(text, tmp_path, monkeypatch):
    """The board reports it."""
    network = branching()
    monkeypatch.setattr(endpoint, "Result", mutated(result, text, PLANE_FAULTS[text]).Result)
    test = make_test(routing_of(network, 16), parameters(messages=64), plane=plane_beside(network))
    check_failed(run_source(bench_source(test), "icarus", tmp_path))


@pytest.mark.slow
def test_the_ulx3s_with_a_plane(require_tool, tmp_path):
    """All operators, and groups of all processors and of some, over hundreds of rounds."""
    require_tool("verilator")
    board = BOARDS["ulx3s-85f"]
    content = yaml.safe_load(board.config.read_text())
    content["network"]["collectives"] = {"groups": ["all", [0, 3, 5, 6, 12], [1, 2]]}
    design = load(content)
    settings = parameters(messages=MANY, cycles_per_line=40_000, descriptors=board.descriptors)
    test = make_test(design.routing, settings, plane=design.plane.plan)
    source = bench_source(test)
    lines = run_source(source, "verilator", tmp_path / "sound", most_cycles=MANY_CYCLES)
    check_passed(lines, MANY)
    assert settings.plane_rounds > 500
    check_error_seen(run_source(source, "verilator", tmp_path / "injected", [10_000], MANY_CYCLES))
