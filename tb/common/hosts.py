"""Drives the host inputs of the harness."""

from topology.common.channels import ChannelNetwork
from topology.common.host_pattern import HostBehaviour


class HostDriver:
    """Drives levels and seed once, and in every cycle the mask of blocked readers.

    Parameters:
        dut (the harness)
    """

    def __init__(self, dut, network: ChannelNetwork, hosts: HostBehaviour):
        self._dut = dut
        self._changes = blocked_by_cycle(network, hosts)
        dut.hosts_seed.value = hosts.seed
        dut.pause_level.value = hosts.pause_level
        dut.stall_level.value = hosts.stall_level
        dut.blocked.value = 0

    def drive(self, cycle: int) -> None:
        """Block and release readers in this cycle; call it in every cycle."""
        if cycle in self._changes:
            self._dut.blocked.value = self._changes[cycle]


def blocked_by_cycle(network: ChannelNetwork, hosts: HostBehaviour) -> dict[int, int]:
    """Return masks of blocked delivery channels, by their first cycle; none is blocked before the first mask."""
    into = [
        sum(1 << position for position, owner in enumerate(network.delivery_processors) if owner == blockade.processor)
        for blockade in hosts.blocked
    ]
    masks = {}
    for cycle in sorted({end for blockade in hosts.blocked for end in (blockade.start_cycle, blockade.end_cycle)}):
        masks[cycle] = 0
        for blockade, mask in zip(hosts.blocked, into, strict=True):
            if blockade.start_cycle <= cycle < blockade.end_cycle:
                masks[cycle] |= mask
    return masks
