"""The self-test of tori and meshes, whose messages have one destination and keys that depend on the sender."""

from pathlib import Path
from typing import Any

import pytest

from fpga.boards.build import board_build
from fpga.boards.common import checker
from fpga.boards.common.checker import DeliveryChecker
from fpga.boards.common.descriptors import draw_descriptors
from fpga.boards.registry import BOARDS
from hydranoc import load
from rtl.torus.network import torus_addressing
from tests.fpga.board_runner import (
    bench_source,
    check_error_seen,
    check_failed,
    check_passed,
    make_test,
    parameters,
    run_source,
)
from tests.fpga.test_board_checker import NODE, SHORT_SEED, Sender, check, unseen_faults
from tests.tb.parts_runner import mutated
from topology.torus.graph import TorusNetwork
from topology.torus.grid import Grid
from topology.torus.routing import TorusRouting

MANY, MANY_CYCLES = 10_000, 3_000_000
BOARD = BOARDS["ulx3s-85f"]
EXAMPLE = Path(__file__).parents[2] / "examples" / "torus-lanes.yaml"
TORUS, MESH = Grid(3, 3), Grid(2, 3, wraps=False)
WIDTHS = (8, 32)
"""Headers of two flits and of one."""


def routing_of(grid: Grid, flit_bits: int, lanes: int = 2) -> TorusRouting:
    return TorusRouting(TorusNetwork(grid, lanes), flit_bits)


class TorusSender(Sender):
    """Messages from node 0 of a torus."""

    def __init__(self, flit_bits: int):
        super().__init__(flit_bits)
        self.routing: Any = routing_of(TORUS, flit_bits)
        self.header = self.routing.header

    @property
    def constants(self) -> dict[str, int]:
        return {"unicast_key": torus_addressing(self.routing).unicast_keys[NODE]}


def checker_of(sender: TorusSender, module=checker) -> DeliveryChecker:
    return module.DeliveryChecker(sender.header, torus_addressing(sender.routing).sender_bits)


@pytest.mark.parametrize("flit_bits", WIDTHS)
def test_every_single_fault_is_seen(flit_bits):
    """Also one in the bits of the direction that a message came from: the seed is mixed with the whole header."""
    sender = TorusSender(flit_bits)
    assert unseen_faults(checker_of(sender), sender, [NODE]) == []


@pytest.mark.parametrize("flit_bits", WIDTHS)
def test_messages_for_others_are_wrong(flit_bits):
    sender = TorusSender(flit_bits)
    messages = [sender.message([node], SHORT_SEED) for node in range(2, TORUS.nodes)]
    assert all(sums["error"] for sums in check(checker_of(sender), sender, messages))


FAULTS = {
    "takes the sender's bits for the node's": ("~Const(self.sender_bits, bits)", "~Const(0, bits)"),
    "takes every key for its own": ("(first & ((flit.data[:bits] ^ self.unicast_key) & named).any())", "0"),
}


def test_the_node_s_own_messages_come_from_all_sides():
    """From node 2, one to its right, and from node 0."""
    sender = TorusSender(32)
    assert sender.routing.routing_key(0, [NODE]) != sender.routing.routing_key(2, [NODE])
    assert check(checker_of(sender), sender, messages_to_the_node(sender)) == [
        {"flit": 4, "error": 0, "delivered": 1, "delivered_seed": SHORT_SEED}
    ] * (TORUS.nodes - 1)


def messages_to_the_node(sender: TorusSender) -> list[list[int]]:
    """One from each other node."""
    messages = []
    for source in range(TORUS.nodes):
        if source != NODE:
            sender.source = source
            messages.append(sender.message([NODE], SHORT_SEED))
    return messages


@pytest.mark.parametrize("fault", FAULTS)
def test_a_checker_that_is_wrong_about_keys_is_caught(fault):
    sender = TorusSender(32)
    faulty = mutated(checker, *FAULTS[fault])
    messages = [*messages_to_the_node(sender), sender.message([NODE + 1], SHORT_SEED)]
    errors = [bool(sums["error"]) for sums in check(checker_of(sender, faulty), sender, messages)]
    assert errors != [False] * (TORUS.nodes - 1) + [True]


def test_descriptors_are_unicasts():
    routing = routing_of(TORUS, 32)
    for source, rows in enumerate(draw_descriptors(routing, TORUS.nodes, 16)):
        assert {row.destinations for row in rows} == {1}
        assert len({row.header for row in rows}) > 3
        for row in rows:
            (key, sender), _ = routing.header.unpack(row.header)
            fields = routing.key_format.unpack(key)
            destination = TORUS.node(fields.row, fields.column)
            assert sender == source != destination
            assert key == routing.routing_key(source, [destination])


@pytest.mark.parametrize(("grid", "flit_bits"), [(TORUS, 32), (MESH, 8)], ids=["torus", "mesh"])
def test_passes_and_sees_one_wrong_bit(grid, flit_bits, tmp_path, require_tool):
    require_tool("icarus")
    source = bench_source(make_test(routing_of(grid, flit_bits), parameters()))
    check_passed(run_source(source, "icarus", tmp_path / "sound"), 150)
    check_error_seen(run_source(source, "icarus", tmp_path / "injected", [300]))


def test_a_torus_that_deadlocks_fails(tmp_path, require_tool):
    """One lane, and rings that close: the report still arrives, and shows the deadlock."""
    require_tool("icarus")
    routing = routing_of(Grid(1, 8), 16, lanes=1)
    source = bench_source(make_test(routing, parameters(messages=2_000)))
    check_failed(run_source(source, "icarus", tmp_path))


def test_the_ulx3s_has_the_torus_of_an_example():
    design = load(EXAMPLE)
    descriptors = draw_descriptors(design.routing, len(design.network.processors), BOARD.descriptors)
    build = board_build(BOARD, design.plan, descriptors)
    text = build.files["self_test.v"]
    assert text.count("self_test_delivery_checker checker_n") == 16
    assert text.count("\nmodule self_test_torus_router_") == 1
    assert tuple(command[0] for command in build.commands) == BOARD.tools


@pytest.mark.slow
@pytest.mark.parametrize("routing", [routing_of(TORUS, 32), load(EXAMPLE).routing], ids=["3x3", "4x4"])
def test_ten_thousand_messages(routing, tmp_path, require_tool):
    """As many descriptors as the ULX3S has."""
    require_tool("verilator")
    settings = parameters(messages=MANY, cycles_per_line=40_000, descriptors=BOARD.descriptors)
    source = bench_source(make_test(routing, settings))
    check_passed(run_source(source, "verilator", tmp_path / "sound", most_cycles=MANY_CYCLES), MANY)
    check_error_seen(run_source(source, "verilator", tmp_path / "injected", [10_000], MANY_CYCLES))
