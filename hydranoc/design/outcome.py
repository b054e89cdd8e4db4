"""Results of runs: of the golden model alone, and of hardware and model in lock-step."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topology.common.channels import ChannelNetwork

if TYPE_CHECKING:
    from hydranoc.replay.use import Use
    from sim_model.collective_plane.model import PlaneResults
    from sim_model.engines.results import Results
    from topology.common.counter_bus import ChannelCounts


@dataclass(frozen=True)
class Outcome:
    """Results of a run of the golden model.

    Members:
        results: Every delivery, in NumPy arrays.
        figures: The summary as plain values, as ``--json`` prints it.
        deadlock_report: Channels that wait for each other; empty without a deadlock.
        channel_counts: Counts of each channel, if the configuration or ``simulate`` requests them.
        use: Load of channels in the counted cycles, if ``simulate`` requests it.
        plane: Result of every contribution to the collective plane, if there are any.
    """

    results: "Results"
    figures: dict[str, Any]
    deadlock_report: str = field(default="", repr=False)
    channel_counts: "ChannelCounts | None" = field(default=None, repr=False)
    use: "Use | None" = field(default=None, repr=False)
    plane: "PlaneResults | None" = field(default=None, repr=False)

    @property
    def right(self) -> bool:
        """True if every message arrived exactly once at every destination, and all results of the plane are right."""
        from hydranoc.reports.summary import is_right

        return is_right(self.figures)

    def summary(self) -> str:
        """Return the summary as text."""
        from hydranoc.reports.summary import summary_text

        return summary_text(self.figures)

    def write_messages(self, path: str | Path) -> None:
        """Write ``messages.csv``, one row per message and destination.

        Parameters:
            path: The file; an existing one is replaced.
        """
        from hydranoc.reports.summary import write_messages

        write_messages(self.results, Path(path))

    def write_channels(self, path: str | Path, network: ChannelNetwork) -> None:
        """Write ``channels.csv``, one row per channel, if channels were counted.

        Parameters:
            path: The file; an existing one is replaced.
            network: Network of the design, for the channels' names.
        """
        from hydranoc.reports.summary import write_channels

        if self.channel_counts:
            write_channels(self.channel_counts, network, self.results.cycles, Path(path), self.use)


@dataclass(frozen=True)
class ComparedOutcome:
    """Results of a lock-step comparison.

    Members:
        outcome: The golden model's results; the figures include those of the comparison.
        mismatch_report: First differences of hardware and model, of network and plane; empty if there is none.
        waveform: Waveform file, if one was requested or there is a difference.
        plane_waveform: That of the collective plane, likewise.
    """

    outcome: Outcome
    mismatch_report: str
    waveform: Path | None
    plane_waveform: Path | None = None
