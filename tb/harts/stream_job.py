"""Inputs and results of a run of AXI4-Stream packets through a hexagonal mesh; importable without a simulator."""

from dataclasses import dataclass, field

from tb.common.axi.job import AxiJob

JOB_VARIABLE = "HYDRANOC_HARTS_STREAM_JOB"


@dataclass(frozen=True)
class Sent:
    """A packet of the user.

    Members:
        source
        tuser: Its operation.
        tdest
        body
    """

    source: int
    tuser: int
    tdest: int
    body: tuple[int, ...]


@dataclass(frozen=True)
class StreamJob:
    """Inputs of one run.

    Members:
        axi: Nodes, width and seed.
        idle, backpressure (float): Probability that a source or a sink pauses in a cycle.
        tdest_bits, tuser_bits (int)
        sweep_cycles: Cycles after reset without any output.
        pulses: Outputs whose cycles are counted.
        waves (tuple of tuple of Sent): All packets of a wave are sent at once, after all those of the wave before have
            come out.
    """

    axi: AxiJob
    idle: float
    backpressure: float
    tdest_bits: int
    tuser_bits: int
    sweep_cycles: int
    pulses: tuple[str, ...]
    waves: tuple[tuple[Sent, ...], ...]


@dataclass
class StreamResult:
    """Results of one run.

    Members:
        bodies: Node and words of each packet that came out.
        sides: Of each of them the distinct pairs of ``tid`` and ``tuser`` in its beats.
        pulses: Cycles in which each of the job's pulses was high.
        rule_broken: The first violation by an output that dropped an offered beat.
    """

    bodies: list[tuple[int, list[int]]] = field(default_factory=list)
    sides: list[list[tuple[int, ...]]] = field(default_factory=list)
    pulses: dict[str, int] = field(default_factory=dict)
    rule_broken: str | None = None
