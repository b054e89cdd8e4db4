"""``hosts``: sources that pause and receivers that stall."""

from typing import Annotated, Any

from hydranoc.config.schema import MAX_CYCLES, Cycles, Section
from hydranoc.config.schema.fields import Field
from hydranoc.config.source import Source
from hydranoc.config.validation import validate
from hydranoc.errors import shown
from topology.common.channels import ChannelNetwork
from topology.common.host_pattern import LEVELS, SEED_BITS, Blockade, HostBehaviour, level_of

HOSTS = ("hosts",)
Probability = Annotated[float, Field(ge=0, lt=1)]


class BlockedReceiver(Section):
    """A receiver that accepts nothing for some cycles.

    Members:
        processor: The receiver.
        start_cycle (int): First blocked cycle.
        cycles: Number of blocked cycles.
    """

    processor: int
    start_cycle: Cycles = 0
    cycles: Annotated[int, Field(ge=1, le=MAX_CYCLES)]


class Hosts(Section):
    """Host back-pressure: pauses of sources and stalls of receivers.

    Members:
        pause (float): Probability that a source pauses in a cycle.
        stall (float): Probability that a receiver stalls in a cycle.
        seed: Random seed for pauses and stalls.
        blocked: Receivers that accept nothing for some cycles.
    """

    pause: Probability = 0.0
    stall: Probability = 0.0
    seed: Annotated[int, Field(ge=0, lt=1 << SEED_BITS)] = 0
    blocked: list[BlockedReceiver] = []


def host_behaviour(source: Source, network: ChannelNetwork) -> HostBehaviour:
    """Return the host behaviour of a configuration.

    Raises:
        ConfigError: For the first error, with its line.
    """
    section = validate(source, HOSTS, Hosts)
    levels = {key: _level(source, key, getattr(section, key)) for key in ("pause", "stall")}
    last = len(network.processors) - 1
    for position, blocked in enumerate(section.blocked):
        if not 0 <= blocked.processor <= last:
            text = f"hosts.blocked[{position}].processor is {blocked.processor}; it must be a processor, 0 to {last}"
            raise source.error((*HOSTS, "blocked", position, "processor"), text)
    blockades = tuple(Blockade(blocked.processor, blocked.start_cycle, blocked.cycles) for blocked in section.blocked)
    return HostBehaviour(levels["pause"], levels["stall"], section.seed, blockades)


def _level(source: Source, key: str, probability: float) -> int:
    try:
        return level_of(probability)
    except ValueError:
        right = f"it must be 0, or {1 / LEVELS:.4f} to {1 - 1 / LEVELS:.4f} (steps of 1/{LEVELS})"
        raise source.error((*HOSTS, key), f"hosts.{key} is {shown(probability)}; {right}") from None


def host_figures(hosts: HostBehaviour) -> dict[str, Any]:
    """Return the behaviour as plain values for summaries; probabilities as they are in hardware and model."""
    return {
        "pause": hosts.pause_level / LEVELS,
        "stall": hosts.stall_level / LEVELS,
        "seed": hosts.seed,
        "blocked": [
            {"processor": blockade.processor, "start_cycle": blockade.start_cycle, "cycles": blockade.cycles}
            for blockade in hosts.blocked
        ],
    }
