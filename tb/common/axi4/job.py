"""Jobs for the AXI4 bench, and their results."""

from dataclasses import dataclass, field

JOB_VARIABLE = "HYDRANOC_AXI4_JOB"


@dataclass(frozen=True)
class Axi4Job:
    """Random transactions of all managers at once.

    Parameters:
        managers, subordinates: Processors.
        regions: Processor, base and size of each.
        windows: Base, size and processors of each.
        data_bits, id_bits: Widths of the ports.
        transactions: Of each manager, in each phase.
        phases: Probability of a pause in a cycle: of the managers' requests and data, of the managers' answers, of the
            subordinates' answers, of the subordinates' requests and data. A reset comes before each phase.
        share: Bytes of each region that belong to one manager, which alone writes them.
        longest: Most beats of a burst.
        mostly_short: Most bursts have a few beats; see `bursts`.
        masks: Masks of address bits that multicast writes have in AWUSER, in the place of windows.
        lite: Processors with AXI4-Lite ports.
        fewer_in_pauses: A phase has only the part of the transactions that its longest pauses leave.
        stopped: Subordinates that give no answers; the ends have a timeout.
        patience_cycles: A phase fails after as many.
        seed: Of all random numbers.
        result: Path of the file for the result.
    """

    managers: tuple[int, ...]
    subordinates: tuple[int, ...]
    regions: tuple[tuple[int, int, int], ...]
    windows: tuple[tuple[int, int, tuple[int, ...]], ...]
    data_bits: int
    id_bits: int
    transactions: int
    phases: tuple[tuple[float, float, float, float], ...] = ((0.0, 0.0, 0.0, 0.0),)
    share: int = 1024
    longest: int = 64
    mostly_short: bool = False
    masks: tuple[int, ...] = ()
    lite: tuple[int, ...] = ()
    fewer_in_pauses: bool = False
    stopped: tuple[int, ...] = ()
    patience_cycles: int = 4_000_000
    seed: int = 1
    result: str = ""


@dataclass
class Axi4Result:
    """Results of a job.

    Members:
        report: The first fault, or None.
        reads, writes, multicasts, errors: Transactions that ended; errors are those without destination, or that go to
            a subordinate that has stopped.
        cycles: Of each phase.
    """

    report: str | None = None
    reads: int = 0
    writes: int = 0
    multicasts: int = 0
    errors: int = 0
    cycles: list[int] = field(default_factory=list)
