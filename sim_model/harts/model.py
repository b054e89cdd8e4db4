"""A wrapped hexagonal mesh as a model for the common simulation."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sim_model.engines.cycle.loop import family_loop
from sim_model.engines.cycle.state import EngineState, Trace
from sim_model.engines.model import Model, Wait
from sim_model.harts.describe import describe_router, find_waits
from sim_model.harts.record import VARIANT_FIELDS, record_nodes, variant_field
from sim_model.harts.router import step_nodes
from sim_model.harts.state import COPIES, HartsState, make_harts_state
from sim_model.harts.votes import count_verdicts
from sim_model.loops.bound import bound
from sim_model.messages.messages import Messages
from topology.common.link_stages import check_link_cycles
from topology.common.side_wires import SideWire
from topology.harts.frame import SLOTS, most_link_cycles
from topology.harts.graph import HexMesh
from topology.harts.pages import node_pages, page_wires
from topology.harts.routing import HartsRouting

run_cycles = family_loop(step_nodes, Path(__file__).parent, record_nodes, one_loop=True)


@dataclass(frozen=True)
class HartsModel(Model):
    """A mesh of HARTS nodes (Sec. 2 to 4), cycle-exact as docs/look_up/timing_harts.md has it.

    Parameters:
        routing
        pages: Packets that a node's memory holds; by default as few as are safe.
        buffer_flits: Flits that a receiver holds, at least 1.
        gap_frames: Frames between two packets on a link, at least 1.
        relay_frames: Frames that the network processor takes, at least 1.
        classed: False is a negative control: any packet may have any page, and packets deadlock.
        link_cycles: Cycles from an output register to the buffer of the next node, and of the side wires between them;
            at most ``topology.harts.frame.most_link_cycles``.

    Raises:
        ValueError: "X is Z; it must be Y".
    """

    routing: HartsRouting
    pages: int | None = None
    buffer_flits: int = 1
    gap_frames: int = 1
    relay_frames: int = 1
    classed: bool = True
    link_cycles: int = 1

    def __post_init__(self):
        for name, value in (
            ("Buffer", self.buffer_flits),
            ("Gap in frames", self.gap_frames),
            ("Relay time in frames", self.relay_frames),
        ):
            if value < 1:
                raise ValueError(f"{name} is {value!r}; it must be at least 1")
        check_link_cycles(self.link_cycles, most_link_cycles(self.gap_frames, guard=self.routing.guard))
        node_pages(self.pages, self.routing.levels)

    @property
    def network(self) -> HexMesh:
        """The mesh."""
        return self.routing.mesh

    @property
    def buffer_depth_flits(self) -> int:
        """Flits that a receiver holds."""
        return self.buffer_flits

    def sent_header(self, messages: Messages, message: int) -> int:
        """Return the header of a packet as its source's host sends it."""
        destinations = messages.destinations_of(message).tolist()
        return self.routing.sent_header(
            int(messages.source[message]), destinations, int(messages.operation[message]), message
        )

    @property
    def side_wires(self) -> tuple[SideWire, ...]:
        """Signals in recordings besides flits: kept pages and wishes."""
        return page_wires(self.routing.mesh, self.routing.levels)

    def header_changes(self, variant: np.ndarray, /) -> list[tuple[int, int, np.ndarray]]:
        """Return the header fields that nodes changed, for these variants: low bit, width, values."""
        changes, low = [], 0
        changed = {name for name, _ in VARIANT_FIELDS}
        for name, bits in self.routing.header.fields:
            if name in changed:
                changes.append((low, bits, variant_field(variant, name) & (1 << bits) - 1))
            low += bits
        return changes

    def is_spoilt(self, variant: np.ndarray, /) -> np.ndarray:
        """Return whether a node on the way has spoilt the bodies of packets with these variants."""
        return variant_field(variant, "spoilt") != 0

    def copy_log(self, router_state: HartsState, /) -> np.ndarray:
        """Return every delivered copy, in the order of arrival; the log is in the order of tails leaving the memory."""
        log = router_state.log[: int(router_state.counters[COPIES])]
        return log[np.argsort(log["cycle"], kind="stable")]

    def reception(self, messages: Messages, copy_log: np.ndarray, /) -> dict[str, int]:
        """Return counts of first copies and votes, right and wrong."""
        return count_verdicts(messages, copy_log, self.routing.faults)

    def make_state(self, messages: Messages) -> HartsState:
        """Return tables and registers of the nodes before cycle 0."""
        return make_harts_state(
            self.routing,
            messages,
            pages=node_pages(self.pages, self.routing.levels),
            gap_cycles=self.gap_frames * SLOTS,
            link_cycles=self.link_cycles,
            relay_frames=self.relay_frames,
            classed=self.classed,
        )

    def run_cycles(self, state: EngineState, routers: HartsState, trace: Trace, until_cycle: int) -> int:
        """Run the compiled loop and return why it stopped."""
        return run_cycles(state, routers, trace, until_cycle)

    def bound_loop(self, state: EngineState, routers: HartsState, trace: Trace) -> Callable[[int], int | None]:
        """Return the compiled loop as a function of ``until_cycle``, for many short calls."""
        return bound(run_cycles, state, routers, trace)

    def describe_router(self, state: EngineState, routers: HartsState, switch: int) -> str:
        """Return the whole state of a node as text."""
        return describe_router(self.routing, state, routers, switch)

    def waits(self, state: EngineState, routers: HartsState) -> list[Wait]:
        """Return the packets that wait for each other in a network where nothing moves."""
        return find_waits(self.routing, state, routers)
