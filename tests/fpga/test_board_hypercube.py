"""The self-test of hypercubes: messages of a pair overtake each other, and the sums come out all the same."""

import pytest

from fpga.boards.common.descriptors import draw_descriptors
from fpga.boards.registry import BOARDS
from tests.fpga.board_runner import (
    bench_source,
    check_error_seen,
    check_failed,
    check_passed,
    make_test,
    parameters,
    run_source,
)
from topology.hypercube.graph import HypercubeNetwork
from topology.hypercube.routing import WRONG_ESCAPE, HypercubeRouting

BOARD = BOARDS["ulx3s-85f"]
MANY, MANY_CYCLES = 10_000, 3_000_000


def routing_of(dimensions: int, lanes: int = 2, *, channels: int = 1, rule: str = "duato") -> HypercubeRouting:
    return HypercubeRouting(HypercubeNetwork(dimensions, lanes, channels), 16, rule)


def test_descriptors_are_unicasts():
    routing = routing_of(3)
    for source, rows in enumerate(draw_descriptors(routing, 8, 16)):
        for row in rows:
            (key, sender), _ = routing.header.unpack(row.header)
            assert (row.destinations, sender) == (1, source)
            assert key != source


def test_passes_and_sees_one_wrong_bit(tmp_path, require_tool):
    require_tool("icarus")
    source = bench_source(make_test(routing_of(3), parameters()))
    check_passed(run_source(source, "icarus", tmp_path / "sound"), 150)
    check_error_seen(run_source(source, "icarus", tmp_path / "injected", [300]))


def test_a_hypercube_that_deadlocks_fails(tmp_path, require_tool):
    require_tool("icarus")
    routing = routing_of(2, lanes=1, rule=WRONG_ESCAPE)
    source = bench_source(make_test(routing, parameters(messages=2_000)))
    check_failed(run_source(source, "icarus", tmp_path))


def test_several_injection_channels_are_refused():
    with pytest.raises(ValueError, match="1 injection channel"):
        make_test(routing_of(2, channels=2), parameters())


@pytest.mark.slow
def test_ten_thousand_messages(tmp_path, require_tool):
    """As many descriptors as the ULX3S has."""
    require_tool("verilator")
    settings = parameters(messages=MANY, cycles_per_line=40_000, descriptors=BOARD.descriptors)
    source = bench_source(make_test(routing_of(4), settings))
    check_passed(run_source(source, "verilator", tmp_path / "sound", most_cycles=MANY_CYCLES), MANY)
    check_error_seen(run_source(source, "verilator", tmp_path / "injected", [10_000], MANY_CYCLES))
