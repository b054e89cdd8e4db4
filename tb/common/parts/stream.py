"""Stream drivers: a source and a sink that pause at random, and the generator of their pauses.

The bench steps them once per cycle: first they return the values to drive, then they are updated with the handshake.
"""

import random
from collections.abc import Iterator


class PauseGenerator:
    """Decides in each cycle whether a driver pauses.

    Parameters:
        random_numbers: Source of the decisions; equal seeds give equal pauses.
        probability: Probability of a pause in a cycle, 0 to 1.
    """

    def __init__(self, random_numbers: random.Random, probability: float = 0.0):
        self.probability = probability
        self._random = random_numbers

    def paused(self) -> bool:
        """Return whether to pause in this cycle."""
        return self._random.random() < self.probability


class StreamSource:
    """Offers items one after the other; an item that is offered stays until it has moved.

    Parameters:
        items: Payloads; the source stops when they end.
        payload_bits: While nothing is offered, the payload is a random number of this width: it must not be used.
        pause: Idle cycles between items.

    Members:
        stopped (bool): If set, no further item is offered.
    """

    def __init__(self, items: Iterator[int], payload_bits: int, pause: PauseGenerator, random_numbers: random.Random):
        self.pause = pause
        self.stopped = False
        self._items = items
        self._payload_bits = payload_bits
        self._random = random_numbers
        self._offered: int | None = None

    def offer(self) -> tuple[int, int]:
        """Return ``(valid, payload)`` to drive in this cycle."""
        if self._offered is None and not self.stopped and not self.pause.paused():
            self._offered = next(self._items, None)
        if self._offered is None:
            return 0, self._random.getrandbits(self._payload_bits)
        return 1, self._offered

    def settle(self, ready: int) -> int | None:
        """Update the source with the cycle's ready; return the item that moved, if any."""
        moved = self._offered if ready else None
        if ready:
            self._offered = None
        return moved


class StreamSink:
    """Accepts items, with pauses.

    Parameters:
        pause: Cycles of back-pressure.

    Members:
        waits_for_valid (bool): Raise ready only if an item was waiting in the cycle before.
    """

    def __init__(self, pause: PauseGenerator):
        self.pause = pause
        self.waits_for_valid = False
        self._waiting = False

    def offer(self) -> int:
        """Return ``ready`` to drive in this cycle."""
        return int(not self.pause.paused() and (self._waiting or not self.waits_for_valid))

    def flow_freely(self) -> None:
        """Be ready in every cycle from now on."""
        self.pause.probability, self.waits_for_valid = 0.0, False

    def settle(self, valid: int, ready: int) -> None:
        """Update the sink with the cycle's handshake."""
        self._waiting = bool(valid and not ready)
