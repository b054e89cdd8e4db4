"""All proofs by name, and the table of faults that the site shows: ``python -m tests.proofs.catalog``."""

import sys
from dataclasses import dataclass
from typing import Any

from rtl.endpoints.axi_injector import LEADING_WORD
from rtl.min.parameters import MinRouterParameters
from rtl.parts.worm_guard import MAX_WATCHDOG_FLITS
from rtl.spam.parameters import SpamRouterParameters
from tests.proofs.axi4_manager import axi4_manager
from tests.proofs.axi4_store import axi4_store
from tests.proofs.axi4_subordinate import axi4_subordinate
from tests.proofs.axi4_timeout import axi4_timeout
from tests.proofs.axi_streams import axi_ejector, axi_injector, byte_count
from tests.proofs.buffers import deep_ring, ejector, injector, input_buffer, link_stage, wire_stages, worm_guard
from tests.proofs.claims import Describe
from tests.proofs.counters import channel_counters, error_monitor
from tests.proofs.faults import FAULTS
from tests.proofs.harts_chain import chain
from tests.proofs.harts_node import bus, pages
from tests.proofs.harts_packets import transmitters, words
from tests.proofs.harts_pages import page_pool, page_queues
from tests.proofs.header_register import header_register
from tests.proofs.header_words import header_word_ejector, header_word_injector, window_key
from tests.proofs.hypercube_allocator import vc_allocator
from tests.proofs.hypercube_ports import adaptive_input, adaptive_output
from tests.proofs.hypercube_progress import progress as cube_progress
from tests.proofs.hypercube_switch import pair as cube_pair
from tests.proofs.hypercube_switch import router as cube_router
from tests.proofs.min_switch import branch_copies, branch_queues, switch, switch_pair, tree_operations
from tests.proofs.min_switch import progress as min_progress
from tests.proofs.min_token import token_monitor, token_ring
from tests.proofs.packet_buffer import packet_buffer
from tests.proofs.plane_barriers import barrier_switch
from tests.proofs.plane_contribution import plane_contribution
from tests.proofs.plane_flush import flushed
from tests.proofs.plane_parts import combiner, group_credits, plane_scheduler, timeout_mask, word_buffers
from tests.proofs.plane_result import plane_result
from tests.proofs.plane_switch import plane_switch
from tests.proofs.registers import (
    axi_lite_port,
    every_kind,
    example_registers,
    interrupts,
    register_access,
    register_block,
    settling_timer,
)
from tests.proofs.route_unit import HEADERS, route_unit
from tests.proofs.routing_keys import multicast_key, turn_key
from tests.proofs.selection import age_matrix, crossbar, round_robin
from tests.proofs.spam import pair, replication, request_queues, router
from tests.proofs.spam import progress as router_progress
from tests.proofs.spam_ages import aged_queues
from tests.proofs.torus import pair as torus_pair
from tests.proofs.torus import router as torus_router
from tests.proofs.torus_progress import progress as torus_progress
from tests.proofs.vc_orders import cycle_order_claims, random_order, round_robin_selector
from tests.proofs.vc_ports import delivery_buffer, vc_input, vc_output
from topology.collectives.operators import SIGNED_MAX, SUM, XOR
from topology.common.virtual_channels import ATOMIC, NON_ATOMIC, PRIORITY_LOW
from topology.hypercube.routing import ADAPTIVE_ONLY, WRONG_ESCAPE
from topology.hypercube.vc_reallocation import NON_ATOMIC_ESCAPE
from topology.torus.grid import Grid
from topology.torus.routing import DATELINE

# An entry.


@dataclass(frozen=True)
class Proof:
    """A part of some size, and the depth of the search for possible states.

    part: Proofs of one part have the same properties.
    cover_cycles: Cycles within which everything that must be possible is reached.
    quick: Part of the quick tests.
    fault_cycles: Cycles within which the properties find the faults of this part.
    induction_cycles: Cycles over which induction goes: 1 where invariants say what every register holds, one more than
      the latency of a part without a loop that has none.
    quick_cover: Looking for what must be possible is part of the quick tests.
    """

    part: str
    describe: Describe
    cover_cycles: int = 12
    quick: bool = True
    fault_cycles: int = 12
    induction_cycles: int = 1
    quick_cover: bool = False


# The proofs.

FAST = {"fast": True, "routing_cycles": 2}
ROW, RING = Grid(1, 3, wraps=False), Grid(1, 3)
"""Sizes in which the second switch has neighbours on both sides."""


def _spam_route_unit(header: str, keys: int = 4, **settings: Any) -> Describe:
    """Route unit of a SPAM router with three ports."""
    return route_unit(SpamRouterParameters(3, keys, header=HEADERS[header], **settings))


def _min_route_unit(inputs: int, outputs: int, classes: int, header: str, keys: int = 4) -> Describe:
    """Route unit of a multistage switch that needs a token."""
    return route_unit(MinRouterParameters(inputs, outputs, keys, classes, most_release_flits=1, header=HEADERS[header]))


def _proof(
    part: str, describe: Describe, cover_cycles: int = 12, *, quick: bool = False, quick_cover: bool = False
) -> Proof:
    """A head is elected, picks, and gets a VC: three cycles, over which induction goes."""
    return Proof(part, describe, cover_cycles, quick, fault_cycles=16, induction_cycles=3, quick_cover=quick_cover)


PROOFS: dict[str, Proof] = {
    "input-buffer-depth-1": Proof("input-buffer", input_buffer(1, 1), quick_cover=True),
    "input-buffer-depth-2": Proof("input-buffer", input_buffer(2, 1)),
    "input-buffer-depth-3": Proof("input-buffer", input_buffer(3, 1), quick=False),
    "input-buffer-depth-4": Proof("input-buffer", input_buffer(4, 1), quick=False),
    "input-buffer-depth-2-header-2": Proof("input-buffer", input_buffer(2, 2), quick=False),
    "input-buffer-depth-3-header-3": Proof("input-buffer", input_buffer(3, 3), quick=False),
    "input-buffer-depth-4-header-3": Proof("input-buffer", input_buffer(4, 3)),
    "input-buffer-depth-5-header-3": Proof("input-buffer", input_buffer(5, 3), quick=False),
    "round-robin-2": Proof("round-robin", round_robin(2), quick=False),
    "round-robin-3": Proof("round-robin", round_robin(3), quick=False),
    "round-robin-5": Proof("round-robin", round_robin(5)),
    "round-robin-8": Proof("round-robin", round_robin(8), quick=False),
    "round-robin-pairwise-1": Proof("round-robin", round_robin(1, pairwise=True), quick=False),
    "round-robin-pairwise-3": Proof("round-robin", round_robin(3, pairwise=True), quick=False),
    "round-robin-pairwise-5": Proof("round-robin", round_robin(5, pairwise=True)),
    "age-matrix-2": Proof("age-matrix", age_matrix(2), quick=False),
    "age-matrix-3": Proof("age-matrix", age_matrix(3)),
    "age-matrix-5": Proof("age-matrix", age_matrix(5), quick=False),
    "request-queues-2": Proof("request-queues", request_queues(2), quick=False),
    "request-queues-3": Proof("request-queues", request_queues(3), quick_cover=True),
    "request-queues-5": Proof("request-queues", request_queues(5), quick=False),
    "request-queues-conflicts-3": Proof("request-queues", request_queues(3, conflicts=True)),
    "request-queues-conflicts-5": Proof("request-queues", request_queues(5, conflicts=True), quick=False),
    "aged-queues-2": Proof("aged-queues", aged_queues(2)),
    "aged-queues-2-step-256": Proof("aged-queues", aged_queues(2, 256), quick=False),
    "aged-queues-3": Proof("aged-queues", aged_queues(3), quick=False),
    "crossbar-3x3": Proof("crossbar", crossbar(3, 3), quick_cover=True),
    "crossbar-5x2": Proof("crossbar", crossbar(5, 2), quick=False),
    "replication-3": Proof("replication", replication(3)),
    "replication-5": Proof("replication", replication(5), quick=False),
    "replication-3-fast": Proof("replication", replication(3, **FAST)),
    "replication-5-fast": Proof("replication", replication(5, **FAST), quick=False),
    "route-unit-one-flit": Proof("route-unit", _spam_route_unit("one-flit")),
    "route-unit-one-flit-delay-2": Proof("route-unit", _spam_route_unit("one-flit", routing_cycles=2), quick=False),
    "route-unit-spare-keys": Proof("route-unit", _spam_route_unit("spare-keys", 5)),
    "route-unit-three-flit": Proof("route-unit", _spam_route_unit("three-flit"), quick=False),
    "route-unit-two-flit-key": Proof("route-unit", _spam_route_unit("two-flit-key"), quick=False),
    "route-unit-parts": Proof("route-unit", _spam_route_unit("parts", 14)),
    "route-unit-parts-two-flit-key": Proof("route-unit", _spam_route_unit("parts-two-flit-key", 9), quick=False),
    "route-unit-one-flit-fast": Proof("route-unit", _spam_route_unit("one-flit", **FAST), quick=False),
    "route-unit-three-flit-fast": Proof("route-unit", _spam_route_unit("three-flit", **FAST)),
    "route-unit-two-flit-key-fast": Proof("route-unit", _spam_route_unit("two-flit-key", **FAST), quick=False),
    "route-unit-parts-fast": Proof("route-unit", _spam_route_unit("parts", 14, **FAST), quick=False),
    "route-unit-min": Proof("route-unit", _min_route_unit(3, 4, 2, "one-flit")),
    "route-unit-min-three-flit": Proof("route-unit", _min_route_unit(2, 3, 1, "three-flit"), quick=False),
    "route-unit-min-parts": Proof("route-unit", _min_route_unit(2, 3, 1, "parts", 14), quick=False),
    "header-register-1-buffer-1": Proof("header-register", header_register(1, 1), quick=False),
    "header-register-1-buffer-2": Proof("header-register", header_register(1, 2), quick=False),
    "header-register-1-buffer-3": Proof("header-register", header_register(1, 3), quick=False),
    "header-register-3-buffer-1": Proof("header-register", header_register(3, 1), quick=False),
    "header-register-3-buffer-2": Proof("header-register", header_register(3, 2), quick_cover=True),
    "injector-header-1": Proof("injector", injector(1), quick=False),
    "injector-header-3": Proof("injector", injector(3), quick_cover=True),
    "ejector": Proof("ejector", ejector()),
    "link-stage": Proof("link-stage", link_stage),
    "wire-stages-1x1": Proof("wire-stages", wire_stages(1, 1), quick=False),
    "wire-stages-2x3": Proof("wire-stages", wire_stages(2, 3)),
    "wire-stages-1x15": Proof("wire-stages", wire_stages(1, 15), 20, quick=False),
    "deep-ring-11": Proof("deep-ring", deep_ring(11, 8), 18, fault_cycles=24),
    "deep-ring-19": Proof("deep-ring", deep_ring(19, 16), 26, quick=False),
    "worm-guard": Proof("worm-guard", worm_guard(0), quick=False),
    "worm-guard-3": Proof("worm-guard", worm_guard(3)),
    "worm-guard-longest": Proof("worm-guard", worm_guard(MAX_WATCHDOG_FLITS)),
    "error-monitor-1": Proof("error-monitor", error_monitor((0,), 2), quick=False, induction_cycles=2),
    "error-monitor-3": Proof("error-monitor", error_monitor((2, 0, 3), 5), induction_cycles=3, quick_cover=True),
    "error-monitor-11": Proof(
        "error-monitor", error_monitor(tuple(range(10, -1, -1)), 13), quick=False, induction_cycles=4
    ),
    "error-monitor-unguarded": Proof(
        "error-monitor", error_monitor((1, 0), 3, guarded=False), quick=False, induction_cycles=3
    ),
    "error-monitor-clearable": Proof(
        "error-monitor", error_monitor((2, 0, 3), 5, clearable=True), induction_cycles=3, quick=False
    ),
    "byte-count-1": Proof("byte-count", byte_count(1), quick=False),
    "byte-count-4": Proof("byte-count", byte_count(4)),
    "byte-count-8": Proof("byte-count", byte_count(8), quick=False),
    "axi-injector-one-flit": Proof("axi-injector", axi_injector("one-flit"), 14, quick=False),
    "axi-injector-two-flit": Proof("axi-injector", axi_injector("two-flit"), 14, quick_cover=True),
    "axi-injector-leading-word": Proof("axi-injector", axi_injector("two-flit", LEADING_WORD), 16, quick=False),
    "axi-injector-leading-words": Proof("axi-injector", axi_injector("two-flit", LEADING_WORD, 3), 16),
    "axi-injector-leading-words-one-flit": Proof(
        "axi-injector", axi_injector("one-flit", LEADING_WORD, 2), 16, quick=False
    ),
    "axi-injector-parts": Proof("axi-injector", axi_injector("parts"), 16),
    "axi-lite-port": Proof("axi-lite-port", axi_lite_port(0), quick=False),
    "axi-lite-port-2": Proof("axi-lite-port", axi_lite_port(2)),
    "register-block-every-kind": Proof("register-block", register_block(every_kind), quick_cover=True),
    "register-block-example": Proof("register-block", register_block(example_registers), quick=False),
    "register-access": Proof("register-access", register_access()),
    "interrupts-3": Proof("interrupts", interrupts(first=(0, 5), second=(2, 1), third=(3, 33))),
    "settling-timer-6": Proof("settling-timer", settling_timer(6, 3), 10),
    "settling-timer-7": Proof(
        "settling-timer", settling_timer(7, 1), 11, quick=False
    ),  # the highest number of its width
    "axi-ejector-one-flit": Proof("axi-ejector", axi_ejector("one-flit"), quick=False),
    "axi-ejector-two-flit": Proof("axi-ejector", axi_ejector("two-flit")),
    "axi-ejector-two-flit-key": Proof("axi-ejector", axi_ejector("two-flit-key"), quick=False),
    "axi-ejector-parts": Proof("axi-ejector", axi_ejector("parts"), quick=False),
    "header-word-injector": Proof("header-word-injector", header_word_injector("source"), 12, quick_cover=True),
    "header-word-injector-full": Proof("header-word-injector", header_word_injector("full"), 12, quick=False),
    "header-word-injector-torus": Proof("header-word-injector", header_word_injector("torus"), 12, quick=False),
    "header-word-ejector": Proof("header-word-ejector", header_word_ejector("source"), quick_cover=True),
    "header-word-ejector-full": Proof("header-word-ejector", header_word_ejector("full"), quick=False),
    "router-buffer-2": Proof("router", router(2, 1), quick_cover=True),
    "router-buffer-1": Proof("router", router(1, 1), quick=False),
    "router-buffer-2-delay-2": Proof("router", router(2, 2), quick=False),
    "router-buffer-1-delay-3": Proof("router", router(1, 3), 18, quick=False),
    "router-buffer-2-fast": Proof("router", router(2, 2, fast=True), 14),
    "router-buffer-1-fast": Proof("router", router(1, 2, fast=True), 18, quick=False),
    "router-progress-fast": Proof(
        "router-progress", router_progress(1, buffer_flits=2, **FAST), quick=False, induction_cycles=3
    ),
    "router-progress": Proof(
        "router-progress", router_progress(1, buffer_flits=2, routing_cycles=1), induction_cycles=3
    ),
    "router-pair-2": Proof("router-pair", pair(2), 16),
    "router-pair-2-fast": Proof("router-pair", pair(2, **FAST), 18, quick=False),
    "router-pair-3": Proof("router-pair", pair(3), 16, quick=False),
    "token-ring-1": Proof("token-ring", token_ring(1, 3), quick_cover=True),
    "token-ring-2": Proof("token-ring", token_ring(2, 2), quick=False),
    "token-ring-3": Proof("token-ring", token_ring(3, 3), 20, quick=False),
    "token-ring-4": Proof("token-ring", token_ring(4, 2), 20, quick=False),
    "token-monitor-2-1-3": Proof("token-monitor", token_monitor(2, 1, 3)),
    "token-monitor-clearable": Proof("token-monitor", token_monitor(2, 3, clearable=True)),
    "branch-queues-3x3": Proof("branch-queues", branch_queues(3, 3), quick_cover=True),
    "branch-queues-4x5": Proof("branch-queues", branch_queues(4, 5), quick=False),
    "branch-copies-3x3": Proof("branch-copies", branch_copies(3, 3, token=True)),
    "branch-copies-3x3-no-token": Proof("branch-copies", branch_copies(3, 3, token=False), quick=False),
    "tree-operations-3x3": Proof("tree-operations", tree_operations(3, 3)),
    "tree-operations-4x4": Proof("tree-operations", tree_operations(4, 4), quick=False),
    "min-router-3x3": Proof("min-router", switch(3, 3, token=True), 14),
    "min-router-3x3-no-token": Proof("min-router", switch(3, 3, token=False), 14, quick=False),
    "min-router-2x3-delay-2": Proof("min-router", switch(2, 3, token=True, routing_cycles=2), 16, quick=False),
    "min-router-2x3-buffer-1-delay-3": Proof(
        "min-router", switch(2, 3, token=True, buffer_flits=1, routing_cycles=3), 20, quick=False
    ),
    "min-router-progress": Proof(
        "min-router-progress",
        min_progress(1, 3, 3, token=False, buffer_flits=2, routing_cycles=1),
        quick=False,
        induction_cycles=3,
    ),
    "min-router-progress-token-2x2": Proof(
        "min-router-progress",
        min_progress(3, 2, 2, token=True, buffer_flits=2, routing_cycles=1),
        quick=False,
        induction_cycles=4,
    ),
    "min-router-progress-token-3x3": Proof(
        "min-router-progress",
        min_progress(4, 3, 3, token=True, buffer_flits=2, routing_cycles=1),
        quick=False,
        induction_cycles=5,
    ),
    "min-router-pair-2x2": Proof("min-router-pair", switch_pair(2, 2, token=True), 16, quick=False),
    "min-router-pair-3x2-no-token": Proof("min-router-pair", switch_pair(3, 2, token=False), 16, quick=False),
    "page-pool-3": Proof("page-pool", page_pool(3), quick_cover=True),
    "page-pool-4": Proof("page-pool", page_pool(4), quick=False),
    "page-pool-10": Proof("page-pool", page_pool(10), 24, quick=False),
    "page-queues": Proof("page-queues", page_queues(1), 18, fault_cycles=20),
    "page-queues-relay-2": Proof("page-queues", page_queues(2), 26, quick=False),
    "harts-bus": Proof("harts-bus", bus, 18),
    "harts-pages": Proof("harts-pages", pages, 30, fault_cycles=30),
    "harts-words": Proof("harts-words", words, 29, fault_cycles=30),
    "harts-chain": Proof("harts-chain", chain, 28, quick=False, fault_cycles=30),
    "harts-transmitters": Proof("harts-transmitters", transmitters, 27),
    "channel-counters-1": Proof(
        "channel-counters", channel_counters(1), 20, quick=False, fault_cycles=16, induction_cycles=3
    ),
    "channel-counters-2": Proof("channel-counters", channel_counters(2), 20, fault_cycles=16, induction_cycles=3),
    "channel-counters-5": Proof(
        "channel-counters", channel_counters(5), 22, quick=False, fault_cycles=16, induction_cycles=3
    ),
    "multicast-key-figure-1": Proof(
        "multicast-key", multicast_key("figure-1", 4), induction_cycles=2, quick_cover=True
    ),
    "multicast-key-arms": Proof("multicast-key", multicast_key("arms", 2), induction_cycles=6, quick=False),
    "multicast-key-ring": Proof("multicast-key", multicast_key("ring", 1), quick=False, induction_cycles=7),
    "multicast-key-star": Proof("multicast-key", multicast_key("star", 4), quick=False, induction_cycles=2),
    "multicast-key-alone": Proof("multicast-key", multicast_key("alone", 4), quick=False),
    "multicast-key-irregular": Proof("multicast-key", multicast_key("irregular", 1), quick=False, induction_cycles=5),
    "multicast-key-lattice": Proof("multicast-key", multicast_key("lattice", 4), quick=False, induction_cycles=3),
    "window-key": Proof("window-key", window_key("spam"), quick_cover=True),
    "window-key-min": Proof("window-key", window_key("min"), quick=False),
    "turn-key-omega": Proof("turn-key", turn_key("omega", 2, 3), quick=False, induction_cycles=2),
    "turn-key-bi-2x3": Proof("turn-key", turn_key("bi-butterfly", 2, 3), induction_cycles=2),
    "turn-key-bi-3x2": Proof("turn-key", turn_key("bi-butterfly", 3, 2), quick=False, induction_cycles=2),
    "round-robin-selector-2": Proof("round-robin-selector", round_robin_selector(2), quick=False),
    "round-robin-selector-3": Proof("round-robin-selector", round_robin_selector(3), quick=False),
    "round-robin-selector-5": Proof("round-robin-selector", round_robin_selector(5), quick=False),
    "round-robin-selector-3-one-yields": Proof("round-robin-selector", round_robin_selector(3, 1)),
    "round-robin-selector-4-two-yield": Proof("round-robin-selector", round_robin_selector(4, 2), quick=False),
    "cycle-order-3": Proof("cycle-order", cycle_order_claims(3, 3)),
    "cycle-order-3-of-5": Proof("cycle-order", cycle_order_claims(5, 3), 20, quick=False),
    "cycle-order-7": Proof("cycle-order", cycle_order_claims(7, 7), 16, quick=False),
    "random-order-2": Proof("random-order", random_order(2), quick=False),
    "random-order-3": Proof("random-order", random_order(3), fault_cycles=16, quick_cover=True),
    "random-order-6": Proof("random-order", random_order(6), quick=False),
    "vc-output-2-to-2x2": Proof("vc-output", vc_output(2, 2, 2), quick_cover=True),
    "vc-output-3-to-2x1": Proof("vc-output", vc_output(3, 2, 1), quick=False),
    "vc-output-4-to-3x4": Proof("vc-output", vc_output(4, 3, 4), quick=False),
    "vc-output-2-to-2x2-empty": Proof("vc-output", vc_output(2, 2, 2, reuse_empty=True), quick=False),
    "vc-output-3-to-2x2-one-yields": Proof("vc-output", vc_output(3, 2, 2, yielding=1), quick=False),
    "vc-output-4-to-1x1-two-yield": Proof("vc-output", vc_output(4, 1, 1, yielding=2), quick=False),
    "delivery-buffer-1": Proof("delivery-buffer", delivery_buffer(1), quick=False),
    "delivery-buffer-2": Proof("delivery-buffer", delivery_buffer(2)),
    "delivery-buffer-3": Proof("delivery-buffer", delivery_buffer(3), quick=False),
    "delivery-buffer-4": Proof("delivery-buffer", delivery_buffer(4), quick=False),
    "delivery-buffer-room-4": Proof("delivery-buffer", delivery_buffer(4, tells_room=True)),
    "delivery-buffer-room-5": Proof("delivery-buffer", delivery_buffer(5, tells_room=True), quick=False),
    "vc-input-2x2": Proof("vc-input", vc_input(2, 2), quick_cover=True),
    "vc-input-2x1": Proof("vc-input", vc_input(2, 1), quick=False),
    "vc-input-3x3": Proof("vc-input", vc_input(3, 3), 14, quick=False),
    "vc-input-2x2-delay-2": Proof("vc-input", vc_input(2, 2, 2), quick=False),
    "vc-input-1x3-delay-4": Proof("vc-input", vc_input(1, 3, 4), 14, quick=False),
    "vc-input-2x4-one-way": Proof("vc-input", vc_input(2, 4, several_candidates=False), quick=False),
    "vc-input-host-2": Proof("vc-input", vc_input(1, 2, from_host=True)),
    "vc-input-host-4-delay-3": Proof("vc-input", vc_input(1, 4, 3, from_host=True), quick=False),
    "torus-router-mesh": Proof("torus-router", torus_router(ROW, 1, buffer_flits=2), 14, fault_cycles=14),
    "torus-router-mesh-delay-3": Proof(
        "torus-router", torus_router(ROW, 1, buffer_flits=2, routing_cycles=3), 18, quick=False
    ),
    "torus-router-corner": Proof(
        "torus-router", torus_router(Grid(2, 2, wraps=False), 0, buffer_flits=1), 20, quick=False
    ),
    "torus-router-ring": Proof("torus-router", torus_router(RING, 1, buffer_flits=2), 14, quick=False),
    "torus-router-ring-dateline": Proof(
        "torus-router", torus_router(RING, 0, buffer_flits=3, vc_rule=DATELINE), 14, quick=False
    ),
    "torus-router-ring-empty": Proof(
        "torus-router", torus_router(RING, 1, buffer_flits=2, vc_reallocation=ATOMIC), 18, quick=False
    ),
    "torus-router-mesh-low-injection": Proof(
        "torus-router", torus_router(ROW, 1, buffer_flits=2, injection_priority=PRIORITY_LOW), 16, quick=False
    ),
    "torus-router-five-ports": Proof("torus-router", torus_router(Grid(3, 3), 4, buffer_flits=2), 16, quick=False),
    "torus-progress-row-1": Proof(
        "torus-progress", torus_progress(ROW, 1, 1, 2, 2, buffer_flits=2), 8, quick=False, fault_cycles=16
    ),
    "torus-progress-row-2": Proof(
        "torus-progress", torus_progress(ROW, 1, 2, 4, 4, buffer_flits=2), 10, quick=False, fault_cycles=16
    ),
    "torus-progress-ring-2": Proof(
        "torus-progress", torus_progress(RING, 1, 2, 3, 3, buffer_flits=2), 10, quick=False, fault_cycles=16
    ),
    "torus-progress-ring-2-atomic": Proof(
        "torus-progress", torus_progress(RING, 1, 2, 3, 3, buffer_flits=2, vc_reallocation=ATOMIC), 10, quick=False
    ),
    "torus-progress-four-ports-2": Proof(
        "torus-progress", torus_progress(Grid(2, 3, wraps=False), 1, 2, 3, 3, buffer_flits=2), 10, quick=False
    ),
    "torus-progress-five-ports": Proof(
        "torus-progress", torus_progress(Grid(3, 3, wraps=False), 4, 1, 2, 2, buffer_flits=2), 8, quick=False
    ),
    "torus-pair-row": Proof("torus-pair", torus_pair(wraps=False, buffer_flits=2), 16, quick=False, fault_cycles=14),
    "torus-pair-ring": Proof("torus-pair", torus_pair(wraps=True, buffer_flits=4), 20, quick=False),
    "vc-allocator-2x1": _proof("vc-allocator", vc_allocator(2, 1), 14, quick=True, quick_cover=True),
    "vc-allocator-2x2": _proof("vc-allocator", vc_allocator(2, 2), 36),
    "vc-allocator-1x2": _proof("vc-allocator", vc_allocator(1, 2, longest_wait=False)),
    "vc-allocator-3x3-two-hosts": _proof("vc-allocator", vc_allocator(3, 3, 2, longest_wait=False)),
    "vc-allocator-2x2-adaptive-only": _proof("vc-allocator", vc_allocator(2, 2, 1, ADAPTIVE_ONLY), 36),
    "vc-allocator-2x2-tail": _proof("vc-allocator", vc_allocator(2, 2, longest_wait=False, vc_reallocation=NON_ATOMIC)),
    "vc-allocator-3x1-wrong-escape": _proof("vc-allocator", vc_allocator(3, 1, 1, WRONG_ESCAPE), 20),
    "vc-allocator-6x3": _proof("vc-allocator", vc_allocator(6, 3, longest_wait=False)),
    "adaptive-input-2x2": _proof("adaptive-input", adaptive_input(2, 2, 2), quick=True),
    "adaptive-input-2x1-depth-1": _proof("adaptive-input", adaptive_input(2, 1, 1)),
    "adaptive-input-3x3-depth-3": _proof("adaptive-input", adaptive_input(3, 3, 3), 14),
    "adaptive-input-2x2-depth-4": _proof("adaptive-input", adaptive_input(2, 2, 4), 16),
    "adaptive-input-host-2": _proof("adaptive-input", adaptive_input(2, 2, 2, from_host=True), quick=True),
    "adaptive-input-host-4": _proof("adaptive-input", adaptive_input(3, 2, 4, from_host=True), 16),
    "adaptive-output-2x2": Proof("adaptive-output", adaptive_output(2, 2, 0), quick=False),
    "adaptive-output-2x3-two-hosts": Proof("adaptive-output", adaptive_output(2, 3, 1, 2), 14),
    "adaptive-output-2x1": Proof("adaptive-output", adaptive_output(2, 1, 1), quick=False),
    "adaptive-output-6x4": Proof("adaptive-output", adaptive_output(6, 4, 2), 24, quick=False),
    "adaptive-output-delivery": Proof("adaptive-output", adaptive_output(3, 2, 3), 16, quick=False),
    "hypercube-router-2x1": _proof(
        "hypercube-router", cube_router(dimensions=2, vcs=1, buffer_flits=2), 16, quick=True
    ),
    "hypercube-router-2x2": _proof("hypercube-router", cube_router(dimensions=2, vcs=2, buffer_flits=2), 16),
    "hypercube-router-2x3-depth-1": _proof("hypercube-router", cube_router(dimensions=2, vcs=3, buffer_flits=1), 16),
    "hypercube-router-2x2-two-hosts": _proof(
        "hypercube-router",
        cube_router(dimensions=2, vcs=2, buffer_flits=3, injection_channels=2),
        16,
    ),
    "hypercube-router-3x2": _proof("hypercube-router", cube_router(dimensions=3, vcs=2, buffer_flits=4), 16),
    "hypercube-router-2x2-escape-tail": _proof(
        "hypercube-router",
        cube_router(dimensions=2, vcs=2, buffer_flits=2, vc_reallocation=NON_ATOMIC_ESCAPE),
        16,
    ),
    "hypercube-router-2x1-tail": _proof(
        "hypercube-router", cube_router(dimensions=2, vcs=1, buffer_flits=2, vc_reallocation=NON_ATOMIC), 16
    ),
    "hypercube-router-2x2-tail": _proof(
        "hypercube-router", cube_router(dimensions=2, vcs=2, buffer_flits=2, vc_reallocation=NON_ATOMIC), 16
    ),
    "hypercube-router-2x1-adaptive-only": _proof(
        "hypercube-router", cube_router(dimensions=2, vcs=1, buffer_flits=2, rule=ADAPTIVE_ONLY), 16
    ),
    "hypercube-router-3x1-wrong-escape": _proof(
        "hypercube-router", cube_router(dimensions=3, vcs=1, buffer_flits=2, rule=WRONG_ESCAPE), 16
    ),
    "hypercube-progress-2x1": _proof("hypercube-progress", cube_progress(1, dimensions=2, vcs=1, buffer_flits=2), 12),
    "hypercube-progress-2x2": _proof("hypercube-progress", cube_progress(2, dimensions=2, vcs=2, buffer_flits=2), 12),
    "hypercube-progress-3x2": _proof("hypercube-progress", cube_progress(2, dimensions=3, vcs=2, buffer_flits=2), 12),
    "hypercube-progress-2x2-tail": _proof(
        "hypercube-progress", cube_progress(2, dimensions=2, vcs=2, buffer_flits=2, vc_reallocation=NON_ATOMIC)
    ),
    "hypercube-pair-2x1": _proof("hypercube-pair", cube_pair(dimensions=2, vcs=1, buffer_flits=2), 16),
    "hypercube-pair-2x1-tail": _proof(
        "hypercube-pair", cube_pair(dimensions=2, vcs=1, buffer_flits=2, vc_reallocation=NON_ATOMIC), 16
    ),
    "hypercube-pair-2x2-escape-tail": _proof(
        "hypercube-pair", cube_pair(dimensions=2, vcs=2, buffer_flits=2, vc_reallocation=NON_ATOMIC_ESCAPE), 16
    ),
    "hypercube-pair-2x2": _proof("hypercube-pair", cube_pair(dimensions=2, vcs=2, buffer_flits=4), 20),
    "group-credits-1": Proof("group-credits", group_credits(2, [2]), quick=False),
    "group-credits-3": Proof("group-credits", group_credits(2, [2, 4, 3]), quick=False),
    "word-buffers-1": Proof("word-buffers", word_buffers(1, 5), quick=False),
    "word-buffers-2": Proof("word-buffers", word_buffers(2, 2), quick=False),
    "word-buffers-3": Proof("word-buffers", word_buffers(3, 3), 16, quick=False),
    "combiner-3": Proof("combiner", combiner(3, 8, tuple(range(8))), induction_cycles=4),
    "combiner-4-sum": Proof("combiner", combiner(4, 8, (SUM,)), quick=False, induction_cycles=2),
    "combiner-5": Proof("combiner", combiner(5, 3, tuple(range(8))), quick=False, induction_cycles=4),
    "combiner-2-two": Proof("combiner", combiner(2, 8, (SIGNED_MAX, XOR)), quick=False, induction_cycles=4),
    "plane-scheduler-3": Proof("plane-scheduler", plane_scheduler(3, 1), quick=False),
    "plane-scheduler-4": Proof("plane-scheduler", plane_scheduler(4, 3), fault_cycles=24),
    "timeout-mask-2": Proof("timeout-mask", timeout_mask(2, 3), quick=False),
    "barrier-switch-2": Proof("barrier-switch", barrier_switch(2, 2, 2)),
    "barrier-switch-3": Proof("barrier-switch", barrier_switch(1, 3, 3), quick=False),
    "barrier-switch-root": Proof("barrier-switch", barrier_switch(2, 3, 1, has_parent=False), quick=False),
    "plane-contribution-1": Proof("plane-contribution", plane_contribution(1, 1, 2), quick=False),
    "plane-contribution-2": Proof("plane-contribution", plane_contribution(2, 2, 2), 16),
    "plane-result-1": Proof("plane-result", plane_result(1, 2), quick=False),
    "plane-result-2": Proof("plane-result", plane_result(2, 3), 16),
    "plane-flush-switch": Proof("plane-flush", flushed("switch")),
    "plane-flush-endpoint": Proof("plane-flush", flushed("endpoint")),
    "plane-flush-barrier-switch": Proof("plane-flush", flushed("barrier-switch"), quick=False),
    "plane-switch-1": Proof("plane-switch", plane_switch(1)),
    "plane-switch-2": Proof("plane-switch", plane_switch(2), quick=False),
    "plane-switch-3-stages": Proof("plane-switch", plane_switch(2, operator=XOR), quick=False, induction_cycles=4),
    "plane-switch-root": Proof("plane-switch", plane_switch(2, has_parent=False), quick=False),
    "axi4-manager-2": Proof("axi4-manager", axi4_manager(1, 2, 1), 20, fault_cycles=16),
    "axi4-manager-1-no-id": Proof("axi4-manager", axi4_manager(0, 1, 0), 20, quick=False),
    "axi4-manager-2-no-id-one-word": Proof(
        "axi4-manager", axi4_manager(0, 2, 1, user_bits=2, one_word=True), 20, quick=False
    ),
    "axi4-manager-3-two-windows": Proof("axi4-manager", axi4_manager(2, 3, 2), 20, quick=False),
    "axi4-manager-4": Proof("axi4-manager", axi4_manager(2, 4, 1, user_bits=1), 20, quick=False),
    "axi4-manager-2-pipelined": Proof("axi4-manager", axi4_manager(1, 2, 1, pipelined=True), 20, quick=False),
    "axi4-manager-3-no-id-pipelined": Proof("axi4-manager", axi4_manager(0, 3, 2, pipelined=True), 20, quick=False),
    "axi4-manager-4-pipelined": Proof("axi4-manager", axi4_manager(2, 4, 0, pipelined=True), 20, quick=False),
    "axi4-manager-2-copies": Proof("axi4-manager", axi4_manager(1, 2, 1, 1, copies=True), 28, fault_cycles=16),
    "axi4-manager-3-copies-pipelined": Proof(
        "axi4-manager", axi4_manager(1, 3, 2, copies=True, pipelined=True), 28, quick=False
    ),
    "axi4-manager-1-copies-one-word": Proof(
        "axi4-manager", axi4_manager(0, 1, 1, 1, one_word=True, copies=True), 28, quick=False
    ),
    "axi4-store-5": Proof("axi4-store", axi4_store(5, whole=True), 16),
    "axi4-store-8": Proof("axi4-store", axi4_store(8, whole=True), 16, quick=False),
    "axi4-store-5-cut-through": Proof("axi4-store", axi4_store(5, whole=False), 16, quick=False),
    "axi4-store-5-copies": Proof("axi4-store", axi4_store(5, whole=True, copies=True), 16, quick=False),
    "axi4-store-8-copies": Proof("axi4-store", axi4_store(8, whole=True, copies=True), 16, quick=False),
    "axi4-store-8-cut-through": Proof("axi4-store", axi4_store(8, whole=False), 16, quick=False),
    "packet-buffer-4": Proof("packet-buffer", packet_buffer(4), 16),
    "packet-buffer-5": Proof("packet-buffer", packet_buffer(5), 16, quick=False),
    "axi4-subordinate-2": Proof("axi4-subordinate", axi4_subordinate(2, 1, 1), 20, fault_cycles=16, quick_cover=True),
    "axi4-subordinate-1": Proof("axi4-subordinate", axi4_subordinate(1, 0), 20, quick=False),
    "axi4-subordinate-3": Proof("axi4-subordinate", axi4_subordinate(3, 1, 2, outstanding=3), 20, quick=False),
    "axi4-subordinate-4-one-word": Proof("axi4-subordinate", axi4_subordinate(4, 1, one_word=True), 24, quick=False),
    "axi4-timeout-1": Proof("axi4-timeout", axi4_timeout(1, 1), 16, quick=False),
    "axi4-timeout-3": Proof("axi4-timeout", axi4_timeout(3, 2), 16, fault_cycles=14),
    "axi4-timeout-6": Proof("axi4-timeout", axi4_timeout(6, 3, user_bits=2), 20, quick=False),
}


MARK = "<!-- faults -->"
"""Line of docs/understand/proofs.md in whose place the table stands."""


def table() -> str:
    """Return a table in Markdown: part, property and change of the source of each fault."""
    rows = ["| part | property | change of the source |", "|---|---|---|"]
    for fault in FAULTS:
        change = f"`{fault.text}` → `{fault.replacement}`".replace("|", "\\|")
        rows.append(f"| {PROOFS[fault.workload].part} | {fault.name} | {change} |")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.stdout.write(table() + "\n")
