"""Stream drivers: a source and a sink that pause at random, and the generator of their pauses.

They are stepped once per cycle by the bench: first they say what they drive, then they are told what became of it.
"""

import random
from collections.abc import Iterator


def random_words(random_numbers: random.Random, width: int) -> Iterator[int]:
    """Yield endless random payloads of a width in bits."""
    while True:
        yield random_numbers.getrandbits(width)


class PauseGenerator:
    """Decides cycle by cycle whether a driver pauses.

    Parameters
    ----------
    random_numbers : random.Random
        Where the decisions come from; the same seed gives the same pauses.
    probability : float
        Probability of a pause in a cycle, 0 to 1.
    """

    def __init__(self, random_numbers: random.Random, probability: float = 0.0):
        self.probability = probability
        self._random = random_numbers

    def paused(self) -> bool:
        """Return whether to pause in this cycle."""
        return self._random.random() < self.probability


class StreamSource:
    """Offers items one after the other; an item that is offered stays until it has moved.

    Parameters
    ----------
    items : iterator of int
        Payloads; the source falls silent when they end.
    payload_bits : int
        While nothing is offered, the payload is a random number of this width: nobody may rely on it.
    pause : PauseGenerator
        Idle cycles between items.
    random_numbers : random.Random

    Members
    -------
    stopped : bool
        Set it to offer nothing new.
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
        """Take note of the cycle's ready. Returns the item that moved, if one did."""
        moved = self._offered if ready else None
        if ready:
            self._offered = None
        return moved


class StreamSink:
    """Accepts items, with pauses.

    Parameters
    ----------
    pause : PauseGenerator
        Cycles of back-pressure.

    Members
    -------
    waits_for_valid : bool
        Raise ready only if an item was waiting in the cycle before.
    """

    def __init__(self, pause: PauseGenerator):
        self.pause = pause
        self.waits_for_valid = False
        self._waiting = False

    def offer(self) -> int:
        """Return ``ready`` to drive in this cycle."""
        return int(not self.pause.paused() and (self._waiting or not self.waits_for_valid))

    def flow_freely(self) -> None:
        """From now on be ready in every cycle."""
        self.pause.probability, self.waits_for_valid = 0.0, False

    def settle(self, valid: int, ready: int) -> None:
        """Take note of the cycle's handshake."""
        self._waiting = bool(valid and not ready)
