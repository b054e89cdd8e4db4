"""Frequency reached by nextpnr, against the board's requirement."""

import json
from dataclasses import dataclass

from fpga.common.area import ReportError


@dataclass(frozen=True)
class ClockTiming:
    """A clock of a design.

    Members
    -------
    name : str
        The net.
    achieved_mhz, wanted_mhz : float
    """

    name: str
    achieved_mhz: float
    wanted_mhz: float

    @property
    def met(self) -> bool:
        """True if the design is fast enough."""
        return self.achieved_mhz >= self.wanted_mhz


def read_clock(text: str) -> ClockTiming:
    """Return the clock with the least margin in a report of nextpnr.

    Raises
    ------
    ReportError
        If the report has another format, or the design has no clock.
    """
    try:
        clocks = [
            ClockTiming(name, float(clock["achieved"]), float(clock["constraint"]))
            for name, clock in json.loads(text)["fmax"].items()
        ]
        return min(clocks, key=lambda clock: clock.achieved_mhz / clock.wanted_mhz)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ReportError(f"Report of nextpnr must be JSON with clocks, not {text[:40]!r}") from error
