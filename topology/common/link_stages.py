"""Register stages on links: the channels that have them, and their places in ``moved``.

A link of ``link_cycles`` cycles has ``link_cycles - 1`` stages between the output register of one switch and the input
buffer of the next; channels whose length the network itself gives have that many instead. Processors sit at their
switches: channels from and to them have none.
"""

from dataclasses import dataclass
from functools import cached_property

from topology.common.channels import ChannelNetwork

MAX_LINK_CYCLES = 16
STAGE_FLITS = 2
"""Capacity of a stage in flits: with registered ``ready``, two keep the full rate."""


def check_link_cycles(link_cycles: int, most: int = MAX_LINK_CYCLES) -> int:
    """Return the argument, if links support that many cycles.

    Raises:
        ValueError: "X is Z; it must be Y".
    """
    if not isinstance(link_cycles, int) or isinstance(link_cycles, bool) or not 1 <= link_cycles <= most:
        raise ValueError(f"Cycles of a link are {link_cycles!r}; they must be an integer from 1 to {most}")
    return link_cycles


@dataclass(frozen=True)
class LinkStages:
    """The stages of a network's links.

    Parameters:
        link_cycles: Cycles that a flit takes from an output register into the buffer of the next switch, where the
            network says nothing else (``ChannelNetwork.channel_cycles``); and cycles of side wires between switches.

    Raises:
        ValueError: If links do not support that many cycles.
    """

    network: ChannelNetwork
    link_cycles: int = 1

    def __post_init__(self):
        for cycles in (self.link_cycles, *self.network.channel_cycles.values()):
            check_link_cycles(cycles)

    @property
    def per_side_wire(self) -> int:
        """Registers of a side wire between switches."""
        return self.link_cycles - 1

    @cached_property
    def most(self) -> int:
        """Stages of the longest link."""
        return max((self.stages_of(channel) for channel in self.channels), default=0)

    def stages_of(self, channel: int) -> int:
        """Return the stages of one channel."""
        network, ends = self.network, self.network.channels[channel]
        if not (network.is_switch(ends.source) and network.is_switch(ends.sink)):
            return 0
        return network.channel_cycles.get(channel, self.link_cycles) - 1

    @cached_property
    def channels(self) -> tuple[int, ...]:
        """Channels with stages, ascending."""
        if self.link_cycles == 1 and not self.network.channel_cycles:
            return ()  # of most networks; looking at each channel takes as long as a short run
        return tuple(channel.index for channel in self.network.channels if self.stages_of(channel.index))

    @cached_property
    def hops(self) -> tuple[tuple[int, int], ...]:
        """All stages in the order of their bits in ``moved``, behind those of the channels: channel, and stage from 1.

        The bit of a channel says that a flit left the output register; the bit of a stage, that one left the stage.
        """
        return tuple(hop for channel in self.channels for hop in self.hops_of(channel))

    def hops_of(self, channel: int) -> tuple[tuple[int, int], ...]:
        """Return the stages of one channel, first one first."""
        return tuple((channel, stage + 1) for stage in range(self.stages_of(channel)))

    @property
    def moved_bits(self) -> int:
        """Width of ``moved``: channels and stages."""
        return len(self.network.channels) + len(self.hops)

    def name(self, hop: tuple[int, int]) -> str:
        """Return the name of a stage for reports: ``s3->s5 stage 1``."""
        channel, stage = hop
        return f"{self.network.channels[channel].name} stage {stage}"
