"""Events that channel counters count, for tests of hardware, proofs and golden model."""

from typing import Any

from topology.common.counter_bus import ChannelCounts


def events_of(valid: Any, ready: Any, _tail: Any, in_message: Any) -> ChannelCounts:
    """Return 1 for each counter of a channel that counts; values are 0 or 1, arrays of them, or hardware."""
    return ChannelCounts(flits=valid & ready, stalled_cycles=valid & ~ready, bubbles=in_message & ~valid)
