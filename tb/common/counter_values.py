"""Channel counters of the golden model; importable without a simulator."""

from collections.abc import Sequence

from sim_model.engines.simulation import Simulation
from topology.common.counter_bus import COUNT_BITS, COUNTED, counter_address

ExpectedCounter = tuple[int, str, int]
"""Address, name, and the model's count."""


def expected_counters(simulation: Simulation) -> list[ExpectedCounter]:
    """Return every counter of every channel, in the order in which they are read."""
    counts, channels = simulation.channel_counts(), simulation.model.network.channels
    return [
        (
            counter_address(channel.index, kind),
            f"{name} of channel {channel.name}",
            int(getattr(counts, name)[channel.index]),
        )
        for channel in channels
        for kind, name in enumerate(COUNTED)
    ]


def counter_differences(seen: Sequence[int | str], expected: Sequence[ExpectedCounter]) -> list[str]:
    """Return a line for each counter that differs.

    Parameters:
        seen (sequence of int or str): The hardware's counters; text where bits are unknown.
        expected: The model's, in the same order.
    """
    return [
        f"{text}: hardware counted {value}, golden model {count}"
        for value, (_, text, count) in zip(seen, expected, strict=True)
        if value != count % (1 << COUNT_BITS)
    ]
