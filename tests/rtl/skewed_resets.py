"""Networks in Amaranth's simulator whose parts have resets of their own."""

from typing import Any

from amaranth.hdl import Elaboratable, ResetInserter, Signal


class SkewedResets:
    """An ``Exporter`` that puts some parts of a network under resets of their own.

    resets: The reset of each instance, high from the start.
    """

    def __init__(self, *prefixes: str):
        self._prefixes = prefixes
        self.resets: dict[str, Signal] = {}

    def instance(self, m: Any, name: str, part: Any) -> Any:
        """Place a part; its subparts follow its reset."""
        if name.startswith(self._prefixes):
            self.resets[name] = Signal(init=1, name=f"reset_of_{name}")
            m.submodules[name] = ResetInserter(self.resets[name])(_Placed(part, self))
        else:
            m.submodules[name] = _Placed(part, self)
        return part


class _Placed(Elaboratable):
    """A part that is elaborated for the same platform as the whole."""

    def __init__(self, part: Any, platform: SkewedResets):
        self._part, self._platform = part, platform

    def elaborate(self, _platform: object) -> Any:
        return self._part.elaborate(self._platform)
