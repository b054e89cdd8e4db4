"""Checks without a golden twin: the rules of a link, its rate, and no lost, duplicated or altered items."""

from collections import deque


class RuleBroken(AssertionError):
    """A part broke a rule of its contract."""


class LinkMonitor:
    """Checks a link against its rules and counts its transfers.

    A flit moves in every cycle with valid and ready; once valid is high, valid and payload are stable until then. The
    bench checks that valid and ready are registers by sampling them twice in a cycle.

    Parameters:
        name: For the message.

    Members:
        moved (int): Items that moved so far.
    """

    def __init__(self, name: str):
        self.name = name
        self.moved = 0
        self._held: int | None = None
        self._moved_before = 0

    def start_phase(self) -> None:
        """Begin to check for progress."""
        self._moved_before = self.moved

    def check_progress(self) -> None:
        """Raise ``RuleBroken`` if nothing moved since the phase began, though the sink only waited for valid."""
        if self.moved == self._moved_before:
            raise RuleBroken(f"{self.name}: nothing moved while ready waited for valid")

    def observe(self, valid: int, payload: int, ready: int) -> bool:
        """Check one cycle; return whether an item moved.

        Raises:
            RuleBroken: If valid was withdrawn, or the payload changed, before the item moved.
        """
        if self._held is not None and not valid:
            raise RuleBroken(f"{self.name}: valid fell before {self._held:#x} had moved")
        if self._held is not None and payload != self._held:
            raise RuleBroken(f"{self.name}: payload changed from {self._held:#x} to {payload:#x} before it had moved")
        moved = bool(valid and ready)
        self._held = payload if valid and not ready else None
        self.moved += moved
        return moved


def check_rate(name: str, moved: int, due: int, cycles: int) -> None:
    """Raise ``RuleBroken`` unless exactly the items that are due moved in a number of cycles without any pause."""
    if moved != due:
        raise RuleBroken(f"{name}: {moved} items moved in {cycles} cycles and not {due}")


class Scoreboard:
    """Compares the output of a part with its input, in order.

    Parameters:
        name: For the message.
    """

    def __init__(self, name: str):
        self.name = name
        self._pending: deque[int] = deque()
        self._received = 0

    @property
    def pending(self) -> int:
        """Items in the part."""
        return len(self._pending)

    def expect(self, item: int) -> None:
        """Add an item that went in."""
        self._pending.append(item)

    def receive(self, item: int) -> None:
        """Check an item that came out.

        Raises:
            RuleBroken: If it is not the one that is due.
        """
        if not self._pending:
            raise RuleBroken(f"{self.name}: item {self._received} ({item:#x}) came out but none went in")
        due = self._pending.popleft()
        if item != due:
            raise RuleBroken(f"{self.name}: item {self._received} came out as {item:#x} and not as {due:#x}")
        self._received += 1

    def check_empty(self) -> None:
        """Raise ``RuleBroken`` if an item never came out."""
        if self._pending:
            raise RuleBroken(f"{self.name}: {self.pending} items went in and never came out")
