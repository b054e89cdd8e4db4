"""A check without a golden twin: the rules of a link."""


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
