"""Sampled state: the model's after a chunk of cycles, and the flits of some cycles of its recording."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from sim_model.engines.cycle.state import NONE, Trace
from sim_model.engines.simulation import Simulation
from sim_model.loops.bits import INDEX_MASK, INDEX_SHIFT, TAIL
from topology.common.channels import ChannelNetwork
from topology.common.virtual_channels import VcNetwork

WINDOW_CYCLES = 128
"""Cycles at the end of each chunk whose flits are sampled; routers are sampled once, at its end."""
Situations = dict[str, Callable[["Sample"], int]]
"""Counts of kinds of contention in a sample, by name."""


class Shape:
    """Constant properties of a network: its connections."""

    def __init__(self, network: ChannelNetwork):
        self.network, switches = network, network.switches
        channels = network.channels
        self.source, self.sink = (np.array([getattr(c, end) for c in channels]) for end in ("source", "sink"))
        self.between = np.flatnonzero((self.source < switches) & (self.sink < switches))
        self.inputs = np.array([len(network.input_channel[switch]) for switch in range(switches)])
        self.outputs = np.array([len(network.output_channel[switch]) for switch in range(switches)])
        most = int(self.inputs.max())
        self.input_channel = np.full((switches, most), NONE)  # int[switches, most inputs]
        for switch, count in enumerate(self.inputs):
            self.input_channel[switch, :count] = network.input_channel[switch]
        self.is_input = self.input_channel != NONE
        self.leaves = np.zeros((len(channels), switches), dtype=np.float32)  # 1 where a channel leaves a switch
        leaving = np.flatnonzero(self.source < switches)
        self.leaves[leaving, self.source[leaving]] = 1

    @cached_property
    def link_of(self) -> np.ndarray:
        """int[channels]: the link of each virtual channel."""
        return np.array(self._vcs.link_of)

    @cached_property
    def shared_links(self) -> tuple[np.ndarray, np.ndarray]:
        """Source, and mask of the output VCs there, of each link between switches that has several."""
        channels, vcs_of = self._vcs.channels, self._vcs.vcs_of
        links = [vcs for vcs in vcs_of if len(vcs) > 1 and channels[vcs[0]].source < self.network.switches]
        masks = [sum(1 << channels[vc].source_port for vc in vcs) for vcs in links]
        return np.array([channels[vcs[0]].source for vcs in links], dtype=np.int64), np.array(masks, dtype=np.int64)

    def on_link(self, moves: np.ndarray) -> np.ndarray:
        """Return bool[cycles, channels] as bool[cycles, links]: the OR over virtual channels."""
        starts = np.array([vcs[0] for vcs in self._vcs.vcs_of])  # virtual channels of a link are consecutive
        return np.logical_or.reduceat(moves, starts, axis=1)

    @property
    def _vcs(self) -> VcNetwork:
        if not isinstance(self.network, VcNetwork):
            raise TypeError("Network must have VCs")
        return self.network


class Sample:
    """One sample.

    Parameters:
        simulation: State after the chunk.
        recording: Of the chunk.
    """

    def __init__(self, shape: Shape, simulation: Simulation, recording: Trace):
        self.shape, self.switches = shape, shape.network.switches
        self.network: Any = shape.network  # with what families add
        self.cycle = simulation.cycle
        self.state, self.family = simulation.state, simulation.router_state
        self.channels: Any = self.state.channels
        self.vertices: Any = self.state.vertices
        self.routers: Any = getattr(self.family, "routers", None)
        self.depth = self.state.buffer_depth_flits
        window = np.s_[:WINDOW_CYCLES, : len(shape.source)]  # without stages
        self.recorded, self.variants = recording.flits[window], recording.variants[window]

    @cached_property
    def heads(self) -> np.ndarray:
        """bool[cycles, channels]: a head moves."""
        return (self.recorded != NONE) & (self.recorded >> INDEX_SHIFT & INDEX_MASK == 0)

    @cached_property
    def tails(self) -> np.ndarray:
        """bool[cycles, channels]: a tail moves."""
        return (self.recorded != NONE) & (self.recorded & TAIL != 0)

    @cached_property
    def full(self) -> np.ndarray:
        """bool[channels]: the buffer behind a channel between switches is full."""
        full = np.zeros(len(self.shape.source), dtype=bool)
        between = self.shape.between
        full[between] = self.channels["count"][between] >= self.depth
        return full

    @cached_property
    def front_is_tail(self) -> np.ndarray:
        """bool[channels]: there is a flit in the buffer behind, and the first one is a tail."""
        front = np.take_along_axis(self.state.slots, self.channels["front"][:, np.newaxis], axis=1)[:, 0]
        return (self.channels["count"] > 0) & (front & TAIL != 0)

    @cached_property
    def holds_two_worms(self) -> np.ndarray:
        """bool[channels]: of the flits in the buffer behind, a tail is not the last one."""
        slots, counts = self.state.slots, self.channels["count"]
        positions = np.arange(slots.shape[1])
        places = (self.channels["front"][:, np.newaxis] + positions) & (slots.shape[1] - 1)
        tails = np.take_along_axis(slots, places, axis=1) & TAIL != 0
        return (tails & (positions < counts[:, np.newaxis] - 1)).any(axis=1)

    def by_input(self, values: np.ndarray) -> np.ndarray:
        """Return channel values in the order of the switches' inputs, 0 for unused ones: [switches, most inputs]."""
        return np.where(self.shape.is_input, values[self.shape.input_channel], 0)

    def input_bits(self, masks: np.ndarray) -> np.ndarray:
        """Return masks of inputs by switch, as bool[switches, most inputs]."""
        return (masks[:, np.newaxis] >> np.arange(self.shape.input_channel.shape[1]) & 1).astype(bool)


def bits(masks: np.ndarray) -> np.ndarray:
    """Return the number of set bits in each mask."""
    return np.bitwise_count(masks.astype(np.uint64))


def how_many(found: Any) -> int:
    """Return the number of true elements."""
    return int(np.count_nonzero(found))
